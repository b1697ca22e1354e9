"""Of a file of tests, what can be executed is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.carving.lenient_import import import_leniently
from lsp_evalplus.fuzz.guest.values.program_errors import CallTimeoutError

TEXT = '''
"""Tests."""
from __future__ import annotations

import no_such_module
from os import path, no_such_name

FIRST = 1
SECOND = no_such_module.value
def test_first() -> Unknown:
    return FIRST

@no_such_module.decorator
def test_second():
    pass

class TestThird:
    value = SECOND

    def test_good(self):
        return FIRST

    @no_such_module.mark
    def test_bad(self):
        pass

class TestFourth(SECOND):
    pass

class TestFifth:
    value = SECOND

LAST = 2
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("lenient_")]:
        del sys.modules[name]


def test_what_fails_is_left_out(folder: Path) -> None:
    (folder / "lenient_one.py").write_text(TEXT)
    module = import_leniently("lenient_one")
    names = [name for name in vars(module) if not name.startswith("__")]
    assert names == ["annotations", "path", "FIRST", "test_first", "TestThird", "TestFifth", "LAST"]
    assert module.test_first() == 1
    assert module.TestThird().test_good() == 1
    assert not hasattr(module.TestThird, "test_bad")
    assert sys.modules["lenient_one"] is module


def test_a_time_limit_passes(folder: Path) -> None:
    source = f"from {CallTimeoutError.__module__} import CallTimeoutError\nraise CallTimeoutError\n"
    (folder / "lenient_two.py").write_text(source)
    with pytest.raises(CallTimeoutError):
        import_leniently("lenient_two")


@pytest.mark.parametrize("text", [None, "def f(:\n"])
def test_without_a_source_that_can_be_read(folder: Path, text: str | None) -> None:
    if text is not None:
        (folder / "lenient_three.py").write_text(text)
    with pytest.raises(ImportError):
        import_leniently("lenient_three")
