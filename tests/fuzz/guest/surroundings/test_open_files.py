"""Files that only garbage collection closes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from lsp_evalplus.fuzz.guest.surroundings import open_files


class Holder:
    """Holds a file, and itself, as an event loop does."""

    def __init__(self) -> None:
        self.number = os.open(os.devnull, os.O_RDONLY)
        self.myself = self

    def __del__(self) -> None:
        os.close(self.number)


@pytest.fixture(autouse=True)
def _without_collection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    gc.collect()
    gc.disable()
    monkeypatch.setattr(open_files, "FEW", 64)
    yield
    gc.enable()
    gc.collect()


def next_number() -> int:
    number = os.dup(0)
    os.close(number)
    return number


def test_files_of_garbage_are_closed_before_they_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    level = open_files.OpenFiles()
    first = next_number()
    for _ in range(300):
        Holder()
        level.keep()
    assert next_number() < first + 100


def test_what_a_program_holds_is_not_looked_for_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    level = open_files.OpenFiles()
    collections: list[int] = []
    held = [Holder() for _ in range(100)]
    monkeypatch.setattr(gc, "collect", lambda: collections.append(1))
    for _ in range(50):
        level.keep()
    assert len(collections) == 1
    assert len(held) == 100
