"""Functions that were moved to another file, in a real git repository."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, Verdict
from lsp_evalplus.fuzz.oracle.git import Base
from lsp_evalplus.fuzz.oracle.moved import Moves
from lsp_evalplus.fuzz.oracle.previous import previous_oracle
from lsp_evalplus.fuzz.source.discover import read_module

from .test_previous import git, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

HEAD = Base("HEAD", "git HEAD")
TOTAL = "def total(n: int) -> int:\n    return n + 2\n"
REST = "def rest(n: int) -> int:\n    return n\n"


def committed(folder: Path, files: dict[str, str]) -> Path:
    git(folder, "init")
    write(folder, files)
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def found_in(folder: Path, path: str, name: str = "total", *, staged: bool = False) -> str | None:
    module = read_module((folder / path).read_text(), folder / path)
    found = Moves(folder, HEAD, staged=staged).find(module, name)
    return found.label if found is not None else None


@pytest.mark.parametrize("left", [REST, None])
def test_a_function_of_a_file_that_lost_it(tmp_path: Path, left: str | None) -> None:
    folder = committed(tmp_path, {"src/old.py": TOTAL + REST, "b.py": REST, "same.py": TOTAL})
    if left is None:
        (folder / "src/old.py").unlink()
    else:
        write(folder, {"src/old.py": left})
    write(folder, {"b.py": TOTAL.replace("n + 2", "2 + n") + REST, "new.py": TOTAL})

    assert found_in(folder, "b.py") == "src/old.py at git HEAD"
    assert found_in(folder, "new.py") == "src/old.py at git HEAD"
    assert found_in(folder, "new.py", staged=True) is None
    git(folder, "add", ".")
    assert found_in(folder, "new.py", staged=True) == "src/old.py at git HEAD"


@pytest.mark.parametrize(
    "now",
    [
        {"old.py": TOTAL, "b.py": TOTAL},
        {"old.py": "# total\n" + TOTAL.replace("2", "3"), "b.py": TOTAL},
        {"old.py": "def broken(", "b.py": TOTAL},
        {"old.py": REST, "other.py": REST, "b.py": TOTAL},
        {"old.py": REST, "b.py": "def total():\n    import os\n    return os.sep\n"},
    ],
)
def test_none_where_it_is_not_certain(tmp_path: Path, now: dict[str, str]) -> None:
    folder = committed(tmp_path, {"old.py": TOTAL, "other.py": TOTAL if "other.py" in now else "", "b.py": REST})
    write(folder, now)

    assert found_in(folder, "b.py") is None


def test_without_parameters_the_texts_have_to_be_alike(tmp_path: Path) -> None:
    text = "def total():\n    first = 1\n    second = 2\n    return first + second\n"
    folder = committed(tmp_path, {"old.py": text})
    (folder / "old.py").unlink()
    write(folder, {"b.py": text.replace("first + second", "second + first"), "c.py": "def total():\n    return 3\n"})

    assert found_in(folder, "b.py") == "old.py at git HEAD"
    assert found_in(folder, "c.py") is None


def test_methods_are_looked_for_with_their_class(tmp_path: Path) -> None:
    text = "class A:\n    def total(self):\n        first = 1\n        return first + 1\n"
    folder = committed(tmp_path, {"old.py": text, "other.py": text.replace("A:", "B:")})
    (folder / "old.py").unlink()
    (folder / "other.py").unlink()
    write(folder, {"b.py": text, "c.py": "class A:\n    def total(self):\n        return self.x\n"})

    assert found_in(folder, "b.py", "A.total") == "old.py at git HEAD"
    assert found_in(folder, "c.py", "A.total") is None


def test_an_open_text_counts(tmp_path: Path) -> None:
    folder = committed(tmp_path, {"old.py": TOTAL})
    write(folder, {"b.py": TOTAL, "old.py": TOTAL + REST})
    module = read_module(TOTAL, folder / "b.py")

    assert Moves(folder, HEAD).find(module, "total", lambda _: REST) is not None
    assert Moves(folder, HEAD).find(module, "total") is None


def test_it_runs_with_what_it_imported_then(tmp_path: Path, judge: Any) -> None:
    before = {
        "shop/__init__.py": "",
        "shop/tax.py": "RATE = 2\n",
        "shop/price.py": "from .tax import RATE\n" + TOTAL.replace("2", "RATE"),
    }
    folder = committed(tmp_path, before)
    (folder / "shop/price.py").unlink()
    (folder / "shop/tax.py").unlink()
    write(folder, {"shop/sums.py": TOTAL.replace("n + 2", "2 + n"), "shop/wrong.py": TOTAL.replace("n + 2", "n * 2")})

    for name, verdict in (("sums", Verdict.AGREES), ("wrong", Verdict.DIFFERS)):
        path = folder / f"shop/{name}.py"
        module = read_module(path.read_text(), path)
        previous = Moves(folder, HEAD).find(module, "total")
        assert previous is not None
        oracle = previous_oracle(module.target("total"), module, previous)
        assert oracle is not None
        assert oracle.source == "shop/price.py at git HEAD"
        assert judge.check(module.target("total"), oracle, Budget(10, calls=300)).verdict is verdict
