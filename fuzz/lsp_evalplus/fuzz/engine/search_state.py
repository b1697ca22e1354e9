"""The state of one search: what is searched and how, and what its guests reported so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Run
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Plain

from .tracing import Tracing


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a search: numbers of inputs compared and rejected, and of branches covered."""

    inputs: int
    rejected: int
    branches: int


@dataclass(frozen=True, slots=True)
class Task:
    """What is searched, and how."""

    target: FunctionTarget
    request: Plain
    oracle: Oracle
    budget: Budget
    pool: GuestPool
    on_progress: Callable[[Progress], None] | None
    on_run: Callable[[Run], None] | None
    most_rounds: int
    finds_places: bool
    is_same_code: bool
    """Whether both versions are the same code up to what no caller sees."""


@dataclass(slots=True)
class SearchState:
    """State of one search; counts accumulate over its rounds."""

    task: Task
    started: float = field(default_factory=time.monotonic)
    inputs: int = 0
    """Inputs on which results were compared."""
    rejected: int = 0
    unfinished: int = 0
    """Calls that were interrupted at their time limit."""
    branches: int = 0
    counterexample: Plain | None = None
    hang: Plain | None = None
    done: Plain | None = None
    in_part: Plain | None = None
    """The event ``done`` of a search without the whole module, after which that is tried."""
    distrusted: list[str] = field(default_factory=list[str])
    corpus: tuple[str, ...] = ()
    tracing: Tracing = field(default_factory=Tracing)
    death: str = ""
    """Description of a process that died, where that is not a finding."""
    unconfirmed: dict[int, str] = field(default_factory=dict[int, str])
    """Examples, by their lines, that failed here but not in doctest, and hence are no findings."""
