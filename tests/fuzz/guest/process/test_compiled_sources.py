"""What a zygote compiles of a project, and what it leaves to its guests."""

from __future__ import annotations

import os
import py_compile
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.process import compiled_sources
from lsp_evalplus.fuzz.guest.process.compiled_sources import CompiledSources
from lsp_evalplus.fuzz.guest.program import shared_code
from lsp_evalplus.fuzz.model import Budget, Oracle, OracleKind, Verdict
from lsp_evalplus.fuzz.source.discover import find_target

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no zygotes on Windows")

FILES = {
    "shop/__init__.py": "from .orders import total\nfrom shop import prices as known, rates\n",
    "shop/orders.py": """\
import os, shop.deep.inner
from .taxes import (
    tax,
    OTHER,
)

def total(x):
    from .late import y
    return tax(x)
""",
    "shop/taxes.py": "OTHER = 1\ndef tax(x):\n    return x\n",
    "shop/prices.py": "",
    "shop/rates/__init__.py": "from . import daily\nfrom ..taxes import tax\n",
    "shop/rates/daily.py": "",
    "shop/deep/__init__.py": "",
    "shop/deep/inner.py": "",
    "shop/late.py": "y = 1\n",
    "shop/unused.py": "",
    "os.py": "",
}
IMPORTED = {name for name in FILES if name not in ("shop/late.py", "shop/unused.py")}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, source in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    return tmp_path


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """What the guests of a zygote would find compiled."""
    codes: dict[Any, Any] = {}
    monkeypatch.setattr(compiled_sources, "start_with", lambda found: (codes.clear(), codes.update(found)))  # type: ignore[func-returns-value]
    return codes


Names = Callable[..., set[str]]


@pytest.fixture
def compiled(project: Path, handed_over: dict[Any, Any]) -> Names:
    """Names of the files that are compiled for a program, in an order of `prepare` and `hand_over`."""

    def names(sources: CompiledSources, name: str = "shop/orders.py", root: Path = project) -> set[str]:
        sources.prepare([(str(root / name), [str(root)])], [str(root)])
        sources.hand_over()
        return {Path(path).relative_to(root).as_posix() for path, _ in handed_over}

    return names


def test_files_that_a_program_imports_are_compiled(compiled: Names) -> None:
    assert compiled(CompiledSources()) == IMPORTED


def test_the_code_is_that_of_the_file(project: Path, compiled: Names, handed_over: dict[Any, Any]) -> None:
    compiled(CompiledSources())

    path = str(project / "shop/taxes.py")
    namespace: dict[str, Any] = {}
    exec(handed_over[path, FILES["shop/taxes.py"].encode()], namespace)
    assert namespace["tax"](2) == 2
    assert namespace["tax"].__code__.co_filename == path


def test_valid_bytecode_is_left_to_python_and_old_one_is_not(project: Path, compiled: Names) -> None:
    for name in ("shop/taxes.py", "shop/rates/__init__.py", "shop/prices.py"):
        py_compile.compile(str(project / name), invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    (project / "shop/prices.py").write_text("changed = 1\n")

    found = compiled(CompiledSources())

    # What only a module with bytecode imports has some, too.
    assert found == IMPORTED - {"shop/taxes.py", "shop/rates/__init__.py", "shop/rates/daily.py"}


def test_a_file_with_an_error_is_left_out_alone(project: Path, compiled: Names) -> None:
    (project / "shop/taxes.py").write_text("def tax(:\n")
    (project / "shop/prices.py").write_bytes(b"x = '\xff'\n")

    assert compiled(CompiledSources()) == IMPORTED - {"shop/taxes.py", "shop/prices.py"}


def test_what_is_imported_is_read_anew_where_a_file_has_changed(project: Path, compiled: Names) -> None:
    sources = CompiledSources()
    compiled(sources)
    (project / "shop/prices.py").write_text("from . import unused\n")

    assert compiled(sources) == {*IMPORTED, "shop/unused.py"}
    assert compiled(sources, "shop/unused.py") == {*IMPORTED, "shop/unused.py"}


def test_what_is_compiled_is_not_compiled_again(
    project: Path, compiled: Names, handed_over: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    compile_all = compiled_sources._compiled  # pyright: ignore[reportPrivateUsage]

    def noted(files: Any) -> Any:
        asked.extend(Path(path).relative_to(project).as_posix() for path, _ in files)
        return compile_all(files)

    sources = CompiledSources()
    compiled(sources)
    before = dict(handed_over)
    monkeypatch.setattr(compiled_sources, "_compiled", noted)
    compiled(sources, "shop/unused.py")

    assert asked == ["shop/unused.py"]
    assert all(handed_over[key] is code for key, code in before.items())


def test_the_code_of_another_project_is_dropped(
    project: Path, tmp_path_factory: pytest.TempPathFactory, compiled: Names
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "alone.py").write_text("x = 1\n")
    sources = CompiledSources()
    compiled(sources)

    assert compiled(sources, "alone.py", other) == {"alone.py"}


def test_no_link_leads_out_of_what_a_guest_may_read(
    project: Path, tmp_path_factory: pytest.TempPathFactory, compiled: Names
) -> None:
    secret = tmp_path_factory.mktemp("secret") / "prices.py"
    secret.write_text("KEY = 1\n")
    (project / "shop/prices.py").unlink()
    (project / "shop/prices.py").symlink_to(secret)

    assert compiled(CompiledSources()) == IMPORTED - {"shop/prices.py"}


def test_hidden_files_are_not_read(project: Path, handed_over: dict[Any, Any]) -> None:
    sources = CompiledSources()
    sources.prepare([(str(project / "shop/orders.py"), [str(project)])], [str(project / "shop/deep")])
    sources.hand_over()
    assert not handed_over


def test_a_compiler_that_dies_takes_nothing_with_it(compiled: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_sources, "_write", lambda *_: os._exit(1))
    assert compiled(CompiledSources()) == set()


def test_a_project_that_is_too_large_is_left_to_the_guests(compiled: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_sources, "_MOST_FILES", 3)
    assert len(compiled(CompiledSources())) <= 3


def test_what_is_known_is_not_compiled_and_the_rest_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "known.py"
    path.write_text("x = 1\n")
    monkeypatch.setattr(shared_code, "_codes", {})
    known = compile("x = 'known'", str(path), "exec")
    loader = SourceFileLoader("known", str(path))
    try:
        shared_code.start_with({(str(path), b"x = 1\n"): known})
        assert loader.get_code("known") is known
        with shared_code.sharing_code():
            assert loader.source_to_code(b"x = 1\n", str(path)) is known
        path.write_text("x = 22\n")
        assert loader.get_code("known").co_consts[0] == 22  # type: ignore[union-attr]
    finally:
        del SourceFileLoader.source_to_code
    assert loader.source_to_code(b"x = 1\n", str(path)) is not known


SOURCE = """
import importlib.machinery
from .taxes import tax

def is_known(x: int) -> bool:
    path = tax.__code__.co_filename
    loader = importlib.machinery.SourceFileLoader("shop.taxes", path)
    source = b"OTHER = 1\\ndef tax(x):\\n    return x\\n"
    return loader.source_to_code(source, path) is loader.source_to_code(source, path)
"""


def test_guests_find_the_code(project: Path, judge: Any) -> None:
    """Compiling twice gives two objects; what a zygote compiled is one."""
    path = project / "shop/orders.py"
    path.write_text(SOURCE)
    target = find_target(SOURCE, "is_known", path)
    reference = find_target("def is_known(x: int) -> bool:\n    return True\n", "is_known").program

    oracle = Oracle(OracleKind.REFERENCE, "the reference", reference)

    report = judge.check(target, oracle, Budget(seconds=5.0, calls=20))

    assert report.verdict is Verdict.AGREES, report.reason
