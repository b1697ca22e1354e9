"""Data model of the engine: frozen, plain values without live objects.

One term per concept: *target, oracle, seed, arguments, outcome, verdict, counterexample, finding, worker, guest,
budget*. ARCHITECTURE.md defines them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

Plain: TypeAlias = dict[str, Any]
"""A JSON object, the message format between host and guest."""

ArgumentsText: TypeAlias = str
"""An input as the source of a Python literal: a tuple of positional arguments, ``([3, 1],)``, or, when keyword-only
parameters are set, a dict ``{'args': ([3, 1],), 'kwargs': {'key': 2}}``. Objects without a literal form are written as
constructor calls."""


class FunctionKind(StrEnum):
    """How a function's result is produced."""

    FUNCTION = "function"
    COROUTINE = "coroutine"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async_generator"


class Binding(StrEnum):
    """The receiver a function is called on."""

    FREE = "free"
    METHOD = "method"
    CLASSMETHOD = "classmethod"
    STATICMETHOD = "staticmethod"


class OracleKind(StrEnum):
    """Kinds of oracle, from the most to the least reliable."""

    REFERENCE = "reference"
    PREVIOUS = "previous"
    EXAMPLES = "examples"
    CONTRACT = "contract"
    RETURN = "return"
    """An annotation that excludes None: the function must not end without a ``return``."""
    ANNOTATION = "annotation"
    ROBUSTNESS = "robustness"
    MODEL = "model"
    """Implementations by a language model that agree with one another; see `fuzz.llm.oracle`."""


class OutcomeKind(StrEnum):
    """Kinds of result of one call. A fault of the worker itself is a `WorkerError`, never an outcome."""

    RETURNED = "returned"
    RAISED = "raised"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    TOO_MUCH_OUTPUT = "too_much_output"


class Verdict(StrEnum):
    """Result of checking one target. Never "verified"."""

    DIFFERS = "differs"
    AGREES = "agrees"
    NOT_CHECKED = "not_checked"


class Tier(StrEnum):
    """How plausible a counterexample's input is, which determines the severity of the finding."""

    INSIDE = "inside"
    """Satisfies the contract and has the types and shape of the examples."""
    WIDENED = "widened"
    """Not known to be invalid, but unlike every example: other types, non-ASCII strings, huge values, recursion."""
    HANG = "hang"
    """The candidate does not terminate where the reference does."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open source range: zero-based lines, columns in code points."""

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
    """Source code of a module that replaces the file of that name."""

    name: str
    """Dotted."""
    path: str
    source: str


@dataclass(frozen=True, slots=True)
class TestLocation:
    """Where a test of the project stands."""

    __test__ = False

    module: str
    """The dotted name of its file."""
    names: tuple[str, ...]
    """Its class, if it has one, and its function."""
    conftests: tuple[str, ...] = ()
    """Paths of the conftest.py files around it, the nearest first."""
    is_changed: bool = False
    """Whether it came with the change, or was changed by it: more of its rows are run, where it is parametrized."""
    rows: tuple[int, ...] = ()
    """Numbers of its rows that came with the change, as far as they are known: they are run first."""


@dataclass(frozen=True, slots=True)
class Carving:
    """Tests of the project that may call a function: their calls are inputs that need no expression."""

    tests: Mapping[str, TestLocation]
    """By their names, ``tests/test_parser.py::TestParser::test_empty``; those first that most probably call it."""
    search_path: tuple[str, ...]
    """Import roots of the files of tests."""
    families: tuple[str, ...]
    """Top-level names of the modules of which each program has copies of its own, beside those of its package."""


@dataclass(frozen=True, slots=True)
class Program:
    """Source code a guest can load, and the function in it to call."""

    source: str
    """A whole compilable module; code that cannot be loaded has already been removed."""
    qualname: str
    """``f``, ``Class.method`` or ``outer.<locals>.inner``."""
    path: str | None = None
    """The file it came from: gives ``__file__`` and tracebacks; it is never read by the guest."""
    package: str | None = None
    """The dotted package name for relative imports, if any."""
    search_path: tuple[str, ...] = ()
    """Directories put in front of ``sys.path``: the project's import roots."""
    first_line: int = 0
    """First line, from 1, of the intended definition, where the source defines the name under several conditions and
    the interpreter may bind another one. 0: the one the interpreter binds."""
    modules: tuple[SourceModule, ...] = ()
    """Modules of its project to import from older sources instead of the files on disk."""
    carving: Carving | None = None
    """The tests that are run for inputs; the module is then imported as these import it."""
    whole: str = ""
    """The text of the whole module, where statements of it were left out of `source`."""
    skips_code: bool = False
    """Whether some of these run unknown code."""


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function discovered in source code."""

    program: Program
    parameters: tuple[Parameter, ...]
    returns: str | None
    docstring: str | None
    kind: FunctionKind
    binding: Binding
    span: Span
    """The whole definition, decorators included."""
    name_span: Span
    """The name after ``def``, where diagnostics are placed."""
    name: str = ""
    """The displayed name, also used on the command line; differs from `program.qualname` only for a nested function
    lifted out of its enclosing function."""
    obstacle: str | None = None
    """Why it cannot be checked at all (``reads files: open(...)``), or None."""
    needs_older: str | None = None
    """Why no oracle but a previous version can judge it (``__hash__ is checked through its class``), or None."""
    reads: str | None = None
    """How it reads files (``reads files: open(...)``), or None: only a previous version reads the same."""
    is_stub: bool = False
    """Whether it has no body."""
    skipped: tuple[str, ...] = ()
    """Statements of the module left out of the program, each as ``line 7: print(...)``."""

    @property
    def lack(self) -> str | None:
        """Why nothing can be compared with it but a later version; None where something can."""
        return self.lack_as_older or self.reads

    @property
    def lack_as_older(self) -> str | None:
        """Why no later version can be compared with it: an obstacle, or that it has no body; None where one can."""
        return self.obstacle or (self.needs_older if self.is_stub else None)

    def beside(self, oracles: Sequence[object]) -> FunctionTarget:
        """Return the target with what keeps it from being checked by the oracles that were found."""
        has_older = any(isinstance(one, Oracle) and one.kind is OracleKind.PREVIOUS for one in oracles)
        lack = (None if oracles else self.needs_older) or (None if has_older else self.reads)
        return replace(self, obstacle=self.obstacle or lack)


@dataclass(frozen=True, slots=True)
class Example:
    """One input with its expected result, as written in a docstring or comment."""

    arguments: ArgumentsText
    expected: str | None
    """Source of the expected value; None where only the call was given."""
    raises: str | None = None
    """Name of the expected exception type, from a traceback in a doctest."""
    line: int | None = None
    """Zero-based line of the example in its file, where known."""
    written: str | None = None
    """The expected value as written in prose, which omits quotes of strings and digits of numbers."""
    by_equality: bool = False
    """Whether ``==`` states it, as in a test: an equal value of another type satisfies it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One prompt of a doctest, run after the preceding ones."""

    source: str
    want: str
    """The expected output written below it; may be empty."""
    raises: str | None
    """Name of the expected exception type."""
    line: int
    """Zero-based line in its file."""
    call: str
    """A reproducer with the lines it needs, as one expression: ``(data := [2, 1], f(data), data)[-1]``."""
    is_judged: bool
    """Whether its output is compared with `want`; other steps only set up later ones."""


@dataclass(frozen=True, slots=True)
class Docstrings:
    """The docstrings that examples were read from, with their file, for running doctest."""

    module: str
    """Source of the whole file, without the parts that do not parse."""
    texts: tuple[tuple[int, str], ...]
    """Zero-based first line in the file, and the dedented docstring."""
    given: frozenset[str] = frozenset()
    """Names that the project's tests give to doctests: what they mean there is not known here."""

    def around(self, line: int) -> tuple[int, str] | None:
        """Return the docstring that has a ``>>>`` on a line of the file, or None."""
        for first, text in self.texts:
            lines = text.split("\n")
            if first <= line < first + len(lines) and lines[line - first].lstrip().startswith(">>>"):
                return first, text
        return None


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract a function declares. Decorators are honoured by running the decorated code; this records which kinds
    to look for, and the clauses that are not code. `fuzz.guest.contracts.runtime` enforces it."""

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
    """Whether a result can violate it: preconditions alone give nothing to judge."""


@dataclass(frozen=True, slots=True)
class Equality:
    """What counts as the same outcome as that of a reference or a previous version."""

    tolerance: float = 1e-6
    """Absolute and relative, for floats at any depth."""
    any_order: bool = False
    """Whether lists and tuples with the same items are the same result."""
    any_exception: bool = False
    """Whether an exception is the same as one of any other type."""


@dataclass(frozen=True, slots=True)
class Strategies:
    """Where a project registers Hypothesis strategies, from which objects of a class may be drawn."""

    class_name: str
    """The full dotted name of the class."""
    modules: tuple[tuple[str, str], ...]
    """Dotted name and path of each module to import: it registers strategies."""
    own: str
    """The dotted name of the target's module, whose names have no module's name before them in its program."""
    bound: tuple[tuple[str, str], ...]
    """Full names of the standard library's things that the target's module imports, and its names for them."""
    edition: str
    """A digest of the project's modules: what was drawn before stands until it changes."""
    is_needed: bool
    """Whether nothing else is known of how objects of the class are made."""


@dataclass(frozen=True, slots=True)
class Instances:
    """How objects of a class are made, as the project's own code shows or its settings state."""

    name: str
    """The dotted name of the class: of another module, with the module's."""
    modules: tuple[str, ...]
    """The modules to import for it; none for one of the target's own module, or of no package of its project."""
    texts: tuple[str, ...]
    """Calls with full dotted names; unknown arguments are `fuzz.guest.values.recipes.model.HOLE`."""
    is_stated: bool = False
    """Whether settings or strategies state them: objects of the class are made in no other way."""
    strategies: Strategies | None = None
    """What the engine asks for objects of the class before it uses the above."""
    is_implementation: bool = False
    """Whether it implements a class of the target's own module in another one: each version then needs copies of it."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """What a candidate is compared with, and where that comes from."""

    kind: OracleKind
    source: str
    """Shown to the user: ``ref.py::median``, ``git HEAD``, ``docstring examples``."""
    reference: Program | None = None
    reference_path: str | None = None
    reference_span: Span | None = None
    """Location of the reference's name, for LSP "related information"."""
    examples: tuple[Example, ...] = ()
    """Checked when `kind` is EXAMPLES; always used as seeds and to infer plausible inputs."""
    sessions: tuple[tuple[Step, ...], ...] = ()
    """Doctests other than plain calls with plain results, checked when `kind` is EXAMPLES."""
    docstrings: Docstrings | None = None
    """Source of examples and sessions, when `kind` is EXAMPLES."""
    contract: Contract | None = None
    """The candidate's own contract: its preconditions bound the inputs of every kind, and it judges when `kind` is
    CONTRACT."""
    instances: tuple[Instances, ...] = ()
    """Constructions, in the project, of the classes that the parameters lead to."""
    equality: Equality = field(default=Equality())
    """What counts as the same outcome, when `kind` is REFERENCE, PREVIOUS or MODEL."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A function that may call another one, and its own previous version: through it the other is compared."""

    target: FunctionTarget
    oracle: Oracle


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one check: CPU seconds of the guest, calls of the candidate; and the seed of the random generator."""

    seconds: float = 1.0
    calls: int | None = None
    seed: int = 0
    traced: int = 0
    """Inputs to report with what came of them, spread over the search; 0: the report has no trace."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one call, as strings."""

    kind: OutcomeKind
    text: str
    """``repr`` of the value, ``TypeError: message``, or a short description."""
    mutated_arguments: str | None = None
    """The arguments after the call, if the call mutated them."""
    output: str | None = None
    """What it printed, where relevant."""

    @property
    def broken_promise(self) -> str | None:
        """Return the violated contract clause, as in `fuzz.guest.contracts.runtime.Broken`, or None."""
        is_broken = self.kind is OutcomeKind.RAISED and self.text.startswith(_BROKEN)
        return self.text.removeprefix(_BROKEN) if is_broken else None


_BROKEN = "Broken: "


@dataclass(frozen=True, slots=True)
class Places:
    """Lines that produced a counterexample's result, counted from the candidate's first line, 0."""

    result: int
    """The line that returned the value or raised the exception."""
    parted: int | None = None
    """The first executed line that differs from the reference; None where the two sources have little in common."""


AWAITED_NOTE = "only one of both is to be awaited"
"""Note of a counterexample where only one of the two results is awaitable."""
HANDLED_NOTE = "the older version fails on it, and new code takes care of that"
MENDED_NOTE = "the older version fails on a call that the project makes"
"""Notes of a counterexample on which the older version fails by mistake."""
TEST_NOTE = "the older version passes this test"
MENDED_TEST_NOTE = "the older version fails this test"
STATED_TEST_NOTE = "the test asserts something else"
"""Notes of a counterexample that is a test of the project; the last one where no older version was asked."""
HELD_NOTE = "the clock and the random numbers being the same for both"
"""Note of a counterexample that shows where both programs see the same clock and random numbers."""

_PRIVATE_FOLDER = "lsp-evalplus-..."
"""What is written for the folder that a guest works in (`guest/values/plain.without_folder`)."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which the candidate contradicts the oracle."""

    arguments: ArgumentsText
    call: str
    """A reproducer: ``f([3, 1])``, or ``(f(0), f(0))[-1]`` where only a later call differs (then `note` says so)."""
    candidate: Outcome
    expected: Outcome
    tier: Tier = Tier.INSIDE
    note: str = ""
    """An explanatory clause: ``changes its argument``, ``only under some hash seeds``."""
    places: Places | None = None
    """Set if `engine.check` was called with ``finds_places``."""
    caller: FunctionTarget | None = None
    """The function that `arguments` are passed to, where it is not the target but one that calls it."""
    test: str = ""
    """Name of the test that makes one of the arguments; empty where all have expressions."""

    @property
    def is_whole_test(self) -> bool:
        """Return whether it is a test of the project that fails, or that one version alone passes, and no call."""
        note = self.note.removesuffix(f"; {HELD_NOTE}")
        return note in (TEST_NOTE, MENDED_TEST_NOTE, STATED_TEST_NOTE)

    @property
    def shows_in_plain_call(self) -> bool:
        """Whether a call, as tests and examples make it, shows the difference: not where only one result is to be
        awaited, the clock and the random numbers have to be held, a test makes an argument, or what is expected names
        the guest's private folder."""
        if self.note == AWAITED_NOTE or self.note.endswith(HELD_NOTE) or self.test:
            return False
        shown = (self.expected.text, self.expected.output, self.expected.mutated_arguments)
        return not any(_PRIVATE_FOLDER in one for one in shown if one)

    def called(self, target: FunctionTarget) -> FunctionTarget:
        """Return the function that `arguments` are passed to."""
        return self.caller or target

    @property
    def own_inputs(self) -> tuple[ArgumentsText, ...]:
        """Return the inputs of the target itself to try again: none where a caller was called, or a test has them."""
        return (self.arguments,) if self.caller is None and not self.test else ()

    @property
    def remark(self) -> str:
        """Return the note, and through which function the target is called; empty if there is neither."""
        through = f"{self.caller.name}() calls it" if self.caller is not None else ""
        return "; ".join(filter(None, [self.note, through]))


@dataclass(frozen=True, slots=True)
class Trial:
    """One input of a search."""

    call: str
    """As in `Counterexample.call`; the beginning of a long one."""
    stage: str
    """The stage of the search that made it."""
    judgement: str
    """``agree``, ``differ``, ``rejected``, ``slow`` or ``undecided``."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a search tried."""

    stages: Mapping[str, Mapping[str, int]]
    """Stage -> judgement -> number of inputs."""
    trials: tuple[Trial, ...]
    """Some of the inputs, spread over the search."""
    shrinking: tuple[str, ...]
    """Calls on the way from the first counterexample to the smallest one."""
    steps: int
    """Number of times that it became smaller."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one check of one target against one oracle."""

    verdict: Verdict
    reason: str
    """Why it was not checked, or a summary; never empty when `verdict` is NOT_CHECKED."""
    oracle: Oracle | None
    counterexample: Counterexample | None = None
    inputs: int = 0
    """Inputs on which candidate and oracle were compared."""
    rejected: int = 0
    """Inputs the contract or the reference rejected."""
    branches: int = 0
    """Branches of candidate and reference that were covered."""
    is_complete: bool = False
    """Whether the inputs reached every block of the function, in both versions, and brought several results."""
    misses_change: bool = False
    """Whether they reached nothing of it that differs between the versions."""
    seconds: float = 0.0
    """Wall time from request to verdict."""
    corpus: tuple[ArgumentsText, ...] = field(default=())
    """Inputs worth keeping for the next run."""
    trace: Trace | None = None
    """What was tried, where the budget asks for it and a search was made."""
    caller: str = ""
    """Name of the function through which the target was compared, where no input of its own was found."""
    tests: int = 0
    """Where nothing but tests of the project was compared, how many pass, with both versions if there are two."""

    @property
    def whose_inputs(self) -> str:
        """Return `` of parse(), which calls it``, to follow the number of inputs; empty for the target's own."""
        return f" of {self.caller}(), which calls it" if self.caller else ""

    @property
    def is_single_example(self) -> bool:
        """Whether it agrees with the one example that its docstring has, which says little."""
        is_example = self.oracle is not None and self.oracle.kind is OracleKind.EXAMPLES
        return self.verdict is Verdict.AGREES and is_example and self.inputs == 1

    @property
    def is_weak(self) -> bool:
        """Whether the agreement says little: it has one example, returns a value, or is reached through others."""
        return self.is_single_example or self.judges_no_result

    @property
    def judges_no_result(self) -> bool:
        """Whether it agrees, and none of the target's own results was compared with anything."""
        return self.is_return_only or self.is_through_tests

    @property
    def is_through_tests(self) -> bool:
        """Whether all that is known is that tests pass which reach it through functions that they call."""
        is_example = self.oracle is not None and self.oracle.kind is OracleKind.EXAMPLES
        return self.verdict is Verdict.AGREES and is_example and self.tests > 0 and bool(self.caller)

    @property
    def is_return_only(self) -> bool:
        """Whether it agrees, and nothing says more of its results than that there are any."""
        return self.verdict is Verdict.AGREES and self.oracle is not None and self.oracle.kind is OracleKind.RETURN
