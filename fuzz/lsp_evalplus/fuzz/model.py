"""The values that flow through the engine: frozen, plain, free of live objects.

One word for one thing, everywhere: *target, oracle, seed, arguments, outcome, verdict, counterexample, finding, worker,
guest, budget*. ARCHITECTURE.md defines them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

Plain: TypeAlias = dict[str, Any]
"""A JSON object: what crosses the border between host and guest."""

ArgumentsText: TypeAlias = str
"""An input as the text of a Python literal: a tuple of positional arguments, ``([3, 1],)``, or, when keyword-only
parameters are set, a dict ``{'args': ([3, 1],), 'kwargs': {'key': 2}}``. Objects that have no literal are written as
calls of their constructors."""


class FunctionKind(StrEnum):
    """How a function's result is produced."""

    FUNCTION = "function"
    COROUTINE = "coroutine"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async_generator"


class Binding(StrEnum):
    """What a function is called on."""

    FREE = "free"
    METHOD = "method"
    CLASSMETHOD = "classmethod"
    STATICMETHOD = "staticmethod"


class OracleKind(StrEnum):
    """Who says what is right, from the most to the least certain."""

    REFERENCE = "reference"
    PREVIOUS = "previous"
    EXAMPLES = "examples"
    CONTRACT = "contract"
    ANNOTATION = "annotation"
    ROBUSTNESS = "robustness"
    MODEL = "model"
    """Implementations by a language model that agree with one another; see `fuzz.seeds.llm_oracle`."""


class OutcomeKind(StrEnum):
    """What one call did. A fault of the worker itself is a `WorkerError`, never an outcome."""

    RETURNED = "returned"
    RAISED = "raised"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    TOO_MUCH_OUTPUT = "too_much_output"


class Verdict(StrEnum):
    """What is known of one target after its check. Never "verified"."""

    DIFFERS = "differs"
    AGREES = "agrees"
    NOT_CHECKED = "not_checked"


class Tier(StrEnum):
    """How plausible a counterexample's input is, which decides how loudly it is told."""

    INSIDE = "inside"
    """Within the contract, the types and the shape of the examples."""
    WIDENED = "widened"
    """Valid as far as anyone said, but unlike every example: other types, non-ASCII text, huge values, recursion."""
    HANG = "hang"
    """The candidate does not end where the reference does."""


@dataclass(frozen=True, slots=True)
class Span:
    """A range in a text: zero-based lines, columns in code points, the end excluded."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as written; annotation and default are source text."""

    name: str
    kind: str
    """``positional_only``, ``positional_or_keyword``, ``var_positional``, ``keyword_only`` or ``var_keyword``."""
    annotation: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class SourceModule:
    """A module as text, in place of the file of that name."""

    name: str
    """Dotted."""
    path: str
    source: str


@dataclass(frozen=True, slots=True)
class Program:
    """Source text a guest can load, and which function in it to call."""

    source: str
    """A whole module, compilable; what cannot be loaded was cut away by whoever made this value."""
    qualname: str
    """``f``, ``Class.method`` or ``outer.<locals>.inner``."""
    path: str | None = None
    """The file it came from: gives ``__file__`` and tracebacks; it is never read by the guest."""
    package: str | None = None
    """The dotted package name for relative imports, if any."""
    search_path: tuple[str, ...] = ()
    """Directories put in front of ``sys.path``: the project's import roots."""
    first_line: int = 0
    """The line, from 1, on which the definition that is meant begins, where the text defines the name under several
    conditions: the definition that counts in the interpreter may be another one. 0: whichever counts."""
    modules: tuple[SourceModule, ...] = ()
    """Other modules of its project that it is to get as older texts, not as the files on disk."""


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function that can be called, discovered in a text."""

    program: Program
    parameters: tuple[Parameter, ...]
    returns: str | None
    docstring: str | None
    kind: FunctionKind
    binding: Binding
    span: Span
    """The whole definition, decorators included."""
    name_span: Span
    """The name after ``def``: where a diagnostic goes."""
    name: str = ""
    """What people and the command line call it; differs from `program.qualname` only where a nested function was lifted
    out of the function around it."""
    obstacle: str | None = None
    """Why it cannot be checked at all (``reads files: open(...)``), or None."""
    skipped: tuple[str, ...] = ()
    """What of the module is not in the program, each as ``line 7: print(...)``."""


@dataclass(frozen=True, slots=True)
class Example:
    """One input with what it must give, as written in a docstring or comment."""

    arguments: ArgumentsText
    expected: str | None
    """Literal text of the expected value; None where only the call was given."""
    raises: str | None = None
    """Name of the expected exception type, from a traceback in a doctest."""
    line: int | None = None
    """Zero-based line of the example in its file, where known."""
    written: str | None = None
    """How the expected value stands in prose, which leaves the quotes of text and digits of numbers away."""


@dataclass(frozen=True, slots=True)
class Step:
    """One prompt of a doctest, run after those before it."""

    source: str
    want: str
    """What is written below it; empty where nothing is."""
    raises: str | None
    """Name of the expected exception type."""
    line: int
    """Zero-based line in its file."""
    call: str
    """What a user pastes: with the lines it needs, as one expression: ``(data := [2, 1], f(data), data)[-1]``."""
    is_judged: bool
    """Whether it is held against `want`; the rest is run for what comes after it."""


@dataclass(frozen=True, slots=True)
class Docstrings:
    """The texts that examples were read from, with the file they stand in: what doctest runs."""

    module: str
    """The text of the whole file, without what does not parse."""
    texts: tuple[tuple[int, str], ...]
    """Zero-based first line in the file, and text without its margin."""

    def around(self, line: int) -> tuple[int, str] | None:
        """The text whose ``>>>`` stands on a line of the file; None where there is none."""
        for first, text in self.texts:
            lines = text.split("\n")
            if first <= line < first + len(lines) and lines[line - first].lstrip().startswith(">>>"):
                return first, text
        return None


@dataclass(frozen=True, slots=True)
class Contract:
    """What a function's own text promises. Decorators are honoured by running the decorated code; this says which kinds
    to look for, and carries what has no code of its own. `fuzz.guest.contracts` enforces it."""

    styles: tuple[str, ...] = ()
    """Any of ``assert``, ``icontract``, ``deal``, ``pep316``."""
    leading_asserts: tuple[int, int] | None = None
    """First and last line (from 1) of the assert statements a function begins with: its preconditions."""
    preconditions: tuple[str, ...] = ()
    """Expressions over the parameters (PEP 316 ``pre``)."""
    postconditions: tuple[str, ...] = ()
    """Expressions over parameters, ``__return__`` and ``__old__`` (PEP 316 ``post``)."""
    raises: tuple[str, ...] = ()
    """Exception types the docstring or decorators allow."""
    promises: bool = False
    """Whether anything can be violated by the result: with preconditions alone there is nothing to judge."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """What a candidate is judged against, with its provenance."""

    kind: OracleKind
    source: str
    """Said to the user: ``ref.py::median``, ``git HEAD``, ``docstring examples``."""
    reference: Program | None = None
    reference_path: str | None = None
    reference_span: Span | None = None
    """Where the reference's name stands, for "related information"."""
    examples: tuple[Example, ...] = ()
    """Judged when `kind` is EXAMPLES; seeds and hull in every case."""
    sessions: tuple[tuple[Step, ...], ...] = ()
    """Doctests that are no plain calls with plain results, judged when `kind` is EXAMPLES."""
    docstrings: Docstrings | None = None
    """Where examples and sessions stand, when `kind` is EXAMPLES."""
    contract: Contract | None = None
    """The candidate's own contract: its preconditions bound the inputs of every kind, and it judges when `kind` is
    CONTRACT."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one check may use: processor seconds of the guest, calls of the candidate, and the seed of chance."""

    seconds: float = 1.0
    calls: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call did, as text."""

    kind: OutcomeKind
    text: str
    """``repr`` of the value, ``TypeError: message``, or a short description."""
    mutated_arguments: str | None = None
    """The arguments after the call, where the call changed them."""
    output: str | None = None
    """What it printed, where that matters."""

    @property
    def broken_promise(self) -> str | None:
        """What the call's contract says that did not hold, as `fuzz.guest.contracts.Broken` has it; else None."""
        is_broken = self.kind is OutcomeKind.RAISED and self.text.startswith(_BROKEN)
        return self.text.removeprefix(_BROKEN) if is_broken else None


_BROKEN = "Broken: "


@dataclass(frozen=True, slots=True)
class Places:
    """Where a counterexample's result comes from, as lines of the candidate counted from its function's first, 0."""

    result: int
    """The line that gave the value or let the exception out."""
    parted: int | None = None
    """The first line that ran and is not as in the reference; None where the two texts have little in common."""


AWAITED_NOTE = "only one of both is to be awaited"
"""The note of a counterexample whose results say nothing of what they come to."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which the candidate is not what the oracle demands."""

    arguments: ArgumentsText
    call: str
    """What a user pastes: ``f([3, 1])``; ``(f(0), f(0))[-1]`` where only a later call differs, which `note` says."""
    candidate: Outcome
    expected: Outcome
    tier: Tier = Tier.INSIDE
    note: str = ""
    """One clause that helps: ``changes its argument``, ``only under some hash seeds``."""
    places: Places | None = None
    """Known where `engine.check` was asked for them."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one check of one target against one oracle."""

    verdict: Verdict
    reason: str
    """Why it was not checked, or a summary sentence; never empty when `verdict` is NOT_CHECKED."""
    oracle: Oracle | None
    counterexample: Counterexample | None = None
    inputs: int = 0
    """Inputs on which candidate and oracle were compared."""
    rejected: int = 0
    """Inputs the contract or the reference refused."""
    branches: int = 0
    """Branches of candidate and reference that were reached."""
    seconds: float = 0.0
    """Wall time from request to verdict."""
    corpus: tuple[ArgumentsText, ...] = field(default=())
    """Inputs worth keeping for the next run."""
