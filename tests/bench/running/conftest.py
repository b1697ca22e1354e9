"""What several tests of running programs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.bench.running.guest_client import Guests


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that were run, each as often as a guest began with it."""
    found: list[str] = []
    batch, program = Guests.start_batch, Guests.start

    def start_batch(guests: Guests, problem: Problem, sources: Sequence[str], *more: Any, **most: Any) -> Any:
        found.extend(sources)
        return batch(guests, problem, sources, *more, **most)

    def start(guests: Guests, problem: Problem, source: str, *more: Any, **most: Any) -> Any:
        found.append(source)
        return program(guests, problem, source, *more, **most)

    monkeypatch.setattr(Guests, "start_batch", start_batch)
    monkeypatch.setattr(Guests, "start", start)
    return found
