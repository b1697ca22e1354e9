"""What modules draw depends on their names alone."""

from __future__ import annotations

import builtins
import importlib
import random
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.surroundings.random_numbers import seed, seeded_imports


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "drawing_inner.py").write_text("import random\n\nNUMBER = random.random()\n")
    (tmp_path / "drawing_outer.py").write_text("import random\nimport drawing_inner\n\nNUMBER = random.random()\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def drawn(*names: str) -> list[float]:
    """Import modules anew, and return what the last one and `drawing_inner` drew."""
    for name in ("drawing_inner", "drawing_outer"):
        sys.modules.pop(name, None)
    for name in names:
        with seeded_imports(name):
            importlib.import_module(name)
    return [sys.modules[name].NUMBER for name in (names[-1], "drawing_inner")]


@pytest.mark.usefixtures("modules")
def test_it_draws_the_same_whether_what_it_imports_was_imported_before_or_not() -> None:
    alone = drawn("drawing_outer")
    random.seed(7)
    assert drawn("drawing_inner", "drawing_outer") == alone
    assert alone[0] != alone[1]


@pytest.mark.usefixtures("modules")
def test_what_is_drawn_later_is_not_changed() -> None:
    seed("a test")
    expected = random.random()
    seed("a test")
    before = builtins.__import__
    drawn("drawing_outer")
    assert random.random() == expected
    assert builtins.__import__ is before


def test_other_names_draw_other_numbers() -> None:
    seed("a test")
    first = random.random()
    seed("another")
    assert random.random() != first
