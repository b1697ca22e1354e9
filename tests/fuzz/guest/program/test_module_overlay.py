"""Two versions of a package in one process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program.loader import LoadError, load

USER = "from .numbers import STEP\nfrom . import deep\ndef f(n):\n    return n * STEP + deep.part.OFFSET\n"
FILES = {
    "overlaid/__init__.py": "",
    "overlaid/numbers.py": "STEP = 3\n",
    "overlaid/deep/__init__.py": "from . import part\n",
    "overlaid/deep/part.py": "OFFSET = 5\n",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "overlaid"]:
        monkeypatch.delitem(sys.modules, name)
    path = str(tmp_path / "overlaid" / "user.py")
    return {"source": USER, "qualname": "f", "path": path, "package": "overlaid", "search_path": [str(tmp_path)]}


def older(program: dict[str, Any], **texts: str) -> dict[str, Any]:
    root = Path(program["search_path"][0])
    modules = {}
    for name, text in texts.items():
        dotted = f"overlaid.{name}".replace("__", ".")
        modules[dotted] = [str(root.joinpath(*dotted.split(".")).with_suffix(".py")), text]
    return {**program, "modules": modules}


def test_each_program_has_its_own_siblings(program: dict[str, Any]) -> None:
    then = load(older(program, numbers="STEP = 10\n", deep__part="OFFSET = 0\n"))
    now = load(program)

    assert (then.function(2), now.function(2)) == (20, 11)
    assert (then.module.__name__, now.module.__name__) == ("overlaid.user", "overlaid.user")
    assert sys.modules["overlaid.numbers"].STEP == 3


def test_what_is_loaded_already_stays(program: dict[str, Any]) -> None:
    now = load(program)
    loaded = sys.modules["overlaid.numbers"]
    then = load(older(program, numbers="STEP = 10\n"))

    assert (then.function(2), now.function(2)) == (25, 11)
    assert sys.modules["overlaid.numbers"] is loaded


def test_a_module_that_is_gone_from_disk_is_found(program: dict[str, Any]) -> None:
    source = "from overlaid.gone import f\n"

    assert load(older({**program, "source": source}, gone="def f(n): return -n\n")).function(2) == -2


def test_an_older_text_that_does_not_load_leaves_nothing_behind(program: dict[str, Any]) -> None:
    with pytest.raises(LoadError, match="ZeroDivisionError"):
        load(older(program, numbers="STEP = 1 / 0\n"))

    assert load(program).function(2) == 11
