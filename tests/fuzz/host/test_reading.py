"""What guests may read, as a list and as they find it."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.reading import find_readable


def is_readable(path: Path, readable: list[str]) -> bool:
    return any(str(path) == entry or str(path).startswith(entry + os.sep) for entry in readable)


def request_of(*roots: Path) -> dict[str, Any]:
    return {"candidate": {"search_path": [str(root) for root in roots]}, "other": 3}


def test_hidden_files_of_an_import_root_are_left_out(interpreter: Interpreter, tmp_path: Path) -> None:
    for name in ("module.py", ".env", "data.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / "package" / ".hidden").mkdir(parents=True)
    (tmp_path / "package" / "inner.py").write_text("")
    readable = find_readable(interpreter, (), request_of(tmp_path))

    shown = {path.name for path in tmp_path.rglob("*") if is_readable(path, readable.paths)}
    assert shown == {"module.py", "data.csv", "inner.py"}
    assert readable.listed == [str(tmp_path)]
    assert not is_readable(tmp_path, readable.paths)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_out_of_an_import_root_lead_to_modules_only(interpreter: Interpreter, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "inner", root / ".secret", outside / "package", outside / "keys"):
        folder.mkdir(parents=True)
    for file in (outside / "package" / "__init__.py", outside / "module.py", outside / "keys" / "id"):
        file.write_text("")
    targets = {
        "package": outside / "package",
        "module.py": outside / "module.py",
        "again": root / "inner",
        "keys": outside / "keys",
        "key.py": outside / "keys" / "id",
        "everything": Path("/"),
        "hidden": root / ".secret",
    }
    for name, target in targets.items():
        (root / name).symlink_to(target)

    readable = find_readable(interpreter, (), request_of(root)).paths

    shown = {Path(path).name for path in readable if path.startswith(str(root))}
    assert shown == {"inner", "package", "module.py", "again"}


def test_new_files_are_seen(interpreter: Interpreter, tmp_path: Path) -> None:
    find_readable(interpreter, (), request_of(tmp_path))
    (tmp_path / "later.py").write_text("")
    os.utime(tmp_path, ns=(1, 1))

    assert is_readable(tmp_path / "later.py", find_readable(interpreter, (), request_of(tmp_path)).paths)


def test_a_home_is_never_readable_as_a_whole(
    interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "package").mkdir(parents=True)
    (home / "package" / "__init__.py").write_text("")
    (home / "Documents").mkdir()
    for name in ("module.py", "passwords.txt"):
        (home / name).write_text("")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    readable = find_readable(interpreter, (), request_of(home, tmp_path))

    assert {path.name for path in home.iterdir() if is_readable(path, readable.paths)} == {"module.py", "package"}


def test_the_interpreter_and_what_is_asked_for_are_readable(interpreter: Interpreter, tmp_path: Path) -> None:
    readable = find_readable(interpreter, (str(tmp_path), "relative"), {}).paths

    assert is_readable(Path(os.__file__), readable)
    assert is_readable(tmp_path / "x", readable)
    assert all(os.path.isabs(path) and os.path.exists(path) for path in readable)
    assert not any(is_readable(Path(path), [other]) for path in readable for other in readable if other != path)


SOURCE = """
import dataclasses
import os
def f(path):
    try:
        return open(path).read()
    except OSError as error:
        return type(error).__name__
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a layer that guards files")
async def test_guests_read_what_is_listed_and_import_from_roots(
    interpreter: Interpreter, evaluate: Any, tmp_path: Path
) -> None:
    root, allowed = tmp_path / "root", tmp_path / "allowed"
    (root / "pkg_of_root").mkdir(parents=True)
    (root / "pkg_of_root" / "__init__.py").write_text("value = 1\n")
    (root / "sibling_of_root.py").write_text("value = 2\n")
    (root / ".env").write_text("KEY=hush")
    allowed.mkdir()
    (allowed / "data").write_text("data")
    (tmp_path / "x").write_text("x")
    source = "import pkg_of_root, sibling_of_root\n" + SOURCE
    paths = [root / ".env", root / "sibling_of_root.py", allowed / "data", tmp_path / "x"]
    async with GuestPool(interpreter, Confinement(read=(str(allowed),)), size=1) as pool:
        arguments = [repr((str(path),)) for path in paths]
        replies, run = await evaluate(pool, source, arguments, program={"search_path": [str(root)]})

    if run.ending.layers["files"] != "on":
        pytest.skip(f"files are not guarded here: {run.ending.layers['files']}")
    values = [decode(reply["outcome"]["value"]) for reply in replies]
    assert values == ["PermissionError", "value = 2\n", "data", "PermissionError"]


def _project(folder: Path) -> list[str]:
    """Fill a flat project; return the names of what may be read of it through the interpreter's search path."""
    for name in ("module.py", ".env", "key.pem", "data.jsonl.gz", "notes.txt"):
        (folder / name).write_text("")
    for name in (".git", "package/inner", "package/.aws", "space/part", "results", "proj.egg-info"):
        (folder / name).mkdir(parents=True)
    for name in ("package/__init__.py", "package/inner/data.json", "package/.aws/key", "space/part/__init__.py"):
        (folder / name).write_text("")
    (folder / "results" / "samples.jsonl").write_text("")
    return ["module.py", "package/__init__.py", "package/inner/data.json", "space/part/__init__.py", "proj.egg-info"]


@pytest.mark.parametrize("how", ["search_path", "mapped"])
def test_an_editable_install_opens_modules_and_packages_only(
    interpreter: Interpreter, tmp_path: Path, how: str
) -> None:
    wanted = _project(tmp_path)
    editable = dataclasses.replace(interpreter, **{how: (*getattr(interpreter, how), str(tmp_path))})

    readable = find_readable(editable, (), {}).paths

    files = [path for path in tmp_path.rglob("*") if path.is_file() or path.name.endswith(".egg-info")]
    shown = {str(path.relative_to(tmp_path)) for path in files if is_readable(path, readable)}
    assert shown == set(wanted)


def test_hidden_files_inside_packages_are_left_out(interpreter: Interpreter, tmp_path: Path) -> None:
    _project(tmp_path)

    readable = find_readable(interpreter, (), request_of(tmp_path)).paths

    assert not any(is_readable(tmp_path / name, readable) for name in (".env", ".git", "package/.aws/key"))
    assert is_readable(tmp_path / "package" / "inner" / "data.json", readable)
    assert is_readable(tmp_path / "results" / "samples.jsonl", readable)
