"""Names that docstrings use without importing them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program.customary_names import names_given

FILES = {
    "customs/__init__.py": "from .deep.part import f, OTHER\nfrom .deep import sibling\n",
    "customs/deep/__init__.py": "",
    "customs/deep/part.py": "OTHER = 1\ndef f():\n    return 'on disk'\n",
    "customs/deep/sibling.py": "def g():\n    return 'sibling'\n",
    "customs_alone.py": "def f():\n    return 'on disk'\n",
}
PART = {"path": "customs/deep/part.py", "package": "customs.deep"}


def f() -> str:
    return "program"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("customs")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    ("program", "line", "value"),
    [
        (PART, "customs.f()", "program"),
        (PART, "customs.deep.part.f()", "program"),
        (PART, "customs.sibling.g()", "sibling"),
        (PART, "customs.OTHER", 1),
        ({"path": "customs/deep/sibling.py", "package": "customs.deep"}, "customs.f()", "on disk"),
        ({"path": "customs/deep/sibling.py", "package": "customs.deep"}, "customs.sibling.f()", "program"),
        ({"path": "customs/__init__.py", "package": "customs"}, "customs.f()", "program"),
        ({"path": "customs_alone.py", "package": ""}, "customs_alone.f()", "program"),
        (PART, "np.array([1]).tolist()", [1]),
    ],
)
def test_value_of_a_line(program: dict[str, Any], line: str, value: object) -> None:
    namespace = {"f": f}

    given = names_given([line], program, namespace)

    assert eval(line, {**given, **namespace}) == value


@pytest.mark.parametrize("line", ["f(1)", "pd_is_not_np.x", "len(print)", "not a line", "customs_alone.f()"])
def test_nothing_is_given(line: str) -> None:
    assert names_given([line], PART, {"f": f}) == {}


def test_own_names_come_first() -> None:
    assert names_given(["np.x, customs.f()"], PART, {"np": 1, "customs": 2}) == {}
