"""One task of a benchmark: its prompt, reference, and inputs or tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from lsp_evalplus.fuzz.guest.values.marshal_codec import write_marshalled

Input: TypeAlias = Sequence[Any]
"""The positional arguments of one call, as plain Python values."""


class Family(StrEnum):
    """The data set whose rules for inputs and special oracles a task follows."""

    HUMANEVAL = "humaneval"
    MBPP = "mbpp"
    BIGCODEBENCH = "bigcodebench"
    CUSTOM = "custom"


class Part(StrEnum):
    """The original tests of a benchmark, or those added by EvalPlus."""

    BASE = "base"
    PLUS = "plus"


@dataclass(frozen=True, slots=True)
class TaskTests:
    """The test code of a task that is judged by tests (`bench.testing`)."""

    base: Sequence[str]
    """Texts of test code, which run one after the other in one namespace."""
    plus: Sequence[str] = ()
    setup: str = ""
    """Code that runs before the tests."""

    def of(self, part: Part) -> Sequence[str]:
        """The test code of one part."""
        return self.base if part is Part.BASE else self.plus


@dataclass(frozen=True, slots=True)
class Problem:
    """A task with its inputs already converted to the types the candidate is called with."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    contract: str
    """Assert statements on the parameters, indented as the first statements of the function's body; may be empty."""
    base_inputs: Sequence[Input]
    plus_inputs: Sequence[Input]
    atol: float
    """Absolute tolerance for floats; 0 if the data set defines none."""
    family: Family
    tests: TaskTests | None = None
    """What judges a sample; None: its inputs do, of which there are none otherwise."""
    stored: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    """Supplies the result of `marshalled`, if it is available."""

    @property
    def reference(self) -> str:
        """The source code of a module that defines the right solution."""
        return self.prompt + self.canonical_solution

    def inputs(self, part: Part) -> Sequence[Input]:
        """The inputs of one part, in the order of the data set."""
        return self.base_inputs if part is Part.BASE else self.plus_inputs

    def marshalled(self) -> str:
        """The inputs of both parts in the form sent to guests. Raises `ValueError` where one is not a plain value."""
        return write_marshalled([*self.base_inputs, *self.plus_inputs]) if self.stored is None else self.stored()


@dataclass(frozen=True, slots=True)
class Dataset:
    """A benchmark: its tasks in order, and the identity of its file."""

    name: str
    """``humaneval``, ``mbpp``, or the file name of a custom data set."""
    version: str
    """The upstream release and variant, ``v0.1.10-mini``; ``custom`` for a custom file."""
    md5: str
    """MD5 of the uncompressed file, which evalplus writes as ``hash`` into its result files."""
    sha256: str
    """SHA-256 of the uncompressed file: the key under which reference outputs are cached."""
    path: str
    problems: dict[str, Problem]

    @property
    def has_plus(self) -> bool:
        """Whether there are plus tests; for tasks judged by inputs, whose plus tests may be empty, there always are."""
        return any(problem.tests is None or problem.tests.plus for problem in self.problems.values())
