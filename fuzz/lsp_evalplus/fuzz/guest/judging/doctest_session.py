"""Run the doctests of a docstring line after line, and report which line does not give the expected output.

The comparison is more lenient than `doctest`: white space and ellipses, as most projects allow; sets and dicts in any
order; numbers to the written precision; strings without quotes; classes without the names of their modules; and prose
right below a result. A failure for want of a name, a module or a file is not the function's fault.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, CallResult, Captured
from ..comparison.approximate_text import are_near
from ..comparison.equality import same
from ..surroundings.placeholders import USES, uses_since
from ..values.class_lookup import is_standard
from ..values.dynamic import names_of_bases, type_of
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError, traces_of
from ..values.rendering import error_text

SECONDS = 1.0
"""Processor seconds for one line."""
_SCALAR = re.compile(r"\bnp\.\w+\(([^()]*)\)")
"""How NumPy 2 writes its numbers; most docstrings were written for NumPy 1."""
_REMARK = re.compile(r"[ \t]+#(?![^\n]*['\"])[^\n]*$", re.MULTILINE)
_UNSURE = re.compile(r"#[^\n]*\b(?:var(?:y|ies)|random|depends?|differs?|e\.g\.|similar|approx\w*)\b", re.IGNORECASE)
_MODULES = re.compile(r"(?<![\w.])(?:[a-z_]\w*\.)+(?=[A-Za-z_]\w*\()")
"""Modules in front of a class that a representation calls; whether they are shown differs between Python's versions."""
_MODULE = re.compile(r"(?<![\w.])([a-z_]\w*)\.")
_LAST_LINE = re.compile(r"\s*(?:\w+\.)*([A-Za-z_]\w*)(?::\s|\s*$)")
"""That of a traceback, whose message does not count."""
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[\\'\"nrt])")
_MEANT: Mapping[str, str] = MappingProxyType({"n": "\n", "r": "\r", "t": "\t"})
_BREAK = re.compile(r"\s*\n\s*")
_AROUND_MARKS = re.compile(r"(?<=[\[\](){},:])\s+|\s+(?=[\[\](){},:])|\s+$")
_OF_THE_PLACE = (NameError, ImportError, OSError, SyntaxError, MemoryError, RecursionError, EOFError, KeyboardInterrupt)


class Missed:
    """A failing line: its number, its outcome, and the expected output."""

    __slots__ = ("actual", "expected", "number")

    def __init__(self, number: int, actual: CallResult, expected: CallResult) -> None:
        self.number = number
        self.actual = actual
        self.expected = expected

    @property
    def difference(self) -> str:
        """``output`` where something was printed, else ``value``."""
        return "output" if self.actual.output or self.expected.output else "value"


class SessionRun:
    """One run of one session, from its first line on.

    Args:
        steps: its lines.
        namespace: that of the program.
        clock: limits each line.
        given: what the lines use beside it.
    """

    def __init__(
        self,
        steps: list[dict[str, Any]],
        namespace: dict[str, Any],
        clock: CallClock,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._steps = steps
        self._scope = {**given, **namespace}
        self._namespace = namespace
        self._clock = clock
        self.judged = 0
        """Lines that were compared with their expected output."""
        self.stopped = ""
        """What ended the session before its last line, where that is not the function's fault."""

    def first_missed(self, passed_over: frozenset[str]) -> Missed | None:
        """The first judged line that fails; those whose expression is in `passed_over` count as passing."""
        count = USES.count
        for number, step in enumerate(self._steps):
            actual = self._perform(step["source"])
            if actual is None:
                return None
            use = uses_since(count, actual.value, actual.error)
            if use is not None:
                self.stopped = str(use)
                return None
            if actual.kind == RAISED and _shows_error(step["want"], actual.error):
                self.judged += step["is_judged"]
                continue
            if actual.kind == RAISED and not step["raises"] and not self._is_its_own(actual.error):
                self.stopped = error_text(actual.error)
                return None
            if step["is_judged"] and step["call"] not in passed_over:
                self.judged += 1
                expected = self._expected(step, actual)
                if expected is not None:
                    return Missed(number, actual, expected)
            if actual.kind == RAISED and not step["raises"]:
                self.stopped = error_text(actual.error)
                return None
        return None

    def _perform(self, source: str) -> CallResult | None:
        """Run one line; None when it takes too long."""
        saved, sys.stdout = sys.stdout, Captured()
        try:
            self._clock.start(SECONDS)
            try:
                return self._finish(CallResult(RETURNED, self._value(source)))
            except CallTimeoutError:
                self.stopped = "it takes too long"
                return None
            except BaseException as error:  # noqa: BLE001 - whatever user code raises is its outcome.
                return self._finish(CallResult(RAISED, error=error))
            finally:
                self._clock.stop()
        finally:
            sys.stdout = saved

    def _finish(self, result: CallResult) -> CallResult:
        result.output = sys.stdout.text() if isinstance(sys.stdout, Captured) else ""
        return result

    def _value(self, source: str) -> Any:
        tree = ast.parse(source)
        last = tree.body[-1]
        if not isinstance(last, ast.Expr):
            self._execute(tree.body)
            return None
        self._execute(tree.body[:-1])
        code = compile(ast.Expression(last.value), "<example>", "eval", dont_inherit=True)
        return eval(code, self._scope)  # noqa: S307 - this is the confined guest.

    def _execute(self, statements: list[ast.stmt]) -> None:
        """As at a prompt, where expressions inside of statements show their values too."""
        saved, sys.displayhook = sys.displayhook, _display
        try:
            code = compile(ast.Interactive(statements), "<example>", "single", dont_inherit=True)
            exec(code, self._scope)  # noqa: S102 - this is the confined guest.
        finally:
            sys.displayhook = saved

    def _is_its_own(self, error: Any) -> bool:
        """Whether an exception came from the program, or from the line's use of its result, and not from a lack of
        names, modules or files."""
        if isinstance(error, _OF_THE_PLACE) and not isinstance(error, UnboundLocalError):
            return False
        if isinstance(getattr(error, "obj", None), types.ModuleType):
            return False
        scopes = [one.tb_frame.f_globals for one in traces_of(error)]
        is_of_program = any([one is self._namespace for one in scopes])
        return is_of_program or (bool(scopes) and scopes[-1] is self._scope)

    def _expected(self, step: dict[str, Any], actual: CallResult) -> CallResult | None:
        """The expected outcome of the line; None where it passes."""
        if step["raises"]:
            name = step["raises"]
            kinds = names_of_bases(type_of(actual.error)) if actual.kind == RAISED else ()
            return None if name in kinds else CallResult(RAISED, error=_named_error(name))
        wanted = Written(step["want"].strip("\n"))
        if actual.kind == RAISED:
            return CallResult(RETURNED, wanted)
        if self._gives(step["want"], actual) or (_is_assertion(step["source"]) and not actual.output):
            return None
        if not actual.output:
            return CallResult(RETURNED, wanted)
        return CallResult(RETURNED, actual.value, output=step["want"].replace("<BLANKLINE>", ""))

    def _gives(self, want: str, actual: CallResult) -> bool:
        shown = actual.output if actual.value is None else actual.output + _shown(actual.value) + "\n"
        if reads_as(want, shown) or reads_as(want, _ESCAPE.sub(_meant, shown)):
            return True
        if actual.output or actual.value is None:
            # A terminal shows nothing for None, but authors write what a call returns.
            return _is_same_literal(want, actual.output) if actual.output else want.strip() == "None"
        if reads_as(want, _printed(actual.value) + "\n") or want.strip() in _names(actual.value):
            return True
        # A representation names the module of a class, where the docstring may have imported the class by that name.
        return any([_means(want, actual.value, one) for one in (self._scope, {**self._scope, **_library(want)})])


def _meant(escape: re.Match[str]) -> str:
    """What an escape of a representation has become where the docstring that shows it is not raw."""
    return chr(int(escape[1][1:], 16)) if len(escape[1]) > 1 else _MEANT.get(escape[1], escape[1])


def _shows_error(written: str, error: Any) -> bool:
    """Whether a docstring shows the last line of a traceback alone."""
    found = _LAST_LINE.match(written)
    return found is not None and found[1] in names_of_bases(type_of(error))


def _means(written: str, value: Any, scope: dict[str, Any]) -> bool:
    try:
        meant = eval(written.strip(), dict(scope))  # noqa: S307 - the docstring's own text, in the confined guest.
    except BaseException:  # noqa: BLE001 - what is written there may be anything.
        return False
    return same(meant, value) or _shown(meant) == _shown(value)


def _is_same_literal(written: str, printed: str) -> bool:
    """Whether two strings are literals of equal values: how a dict is ordered and laid out is no part of its value."""
    try:
        return same(ast.literal_eval(written.strip()), ast.literal_eval(printed.strip()))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def _library(text: str) -> dict[str, Any]:
    """The modules of the standard library that a representation names."""
    found = {name: sys.modules.get(name) for name in _MODULE.findall(text)}
    return {name: module for name, module in found.items() if module is not None and is_standard(name)}


def _is_assertion(source: str) -> bool:
    """Whether a line only asserts something: it shows nothing, so what is written below it cannot be its output."""
    return all([isinstance(statement, ast.Assert) for statement in ast.parse(source).body])


def _display(value: Any) -> None:
    if value is not None:
        sys.stdout.write(_shown(value) + "\n")


class Written(str):
    """The expected output of a docstring, shown unquoted."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The string without quotes."""
        return str(self)


def reads_as(want: str, got: str) -> bool:
    """Whether a reader takes the written output for the actual one."""
    # It brings a debugger and a test runner, which a replay without sessions does not wait for.
    import doctest

    lenient, is_read = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, doctest.OutputChecker().check_output
    got = _SCALAR.sub(r"\1", got) if "np." not in want else got
    # Explicit ``<BLANKLINE>`` marks are meant literally.
    flags = doctest.ELLIPSIS if "<BLANKLINE>" in want else lenient
    if " at 0x" in want or is_read(want, got, flags):
        return True
    lines = want.splitlines(keepends=True)
    size = len(got.splitlines())
    if 0 < size < len(lines) and is_read("".join(lines[:size]), got, flags):
        return True
    if _REMARK.search(want):
        # A remark beside a result is not part of it; a remark that says the output may differ revokes the result.
        return bool(_UNSURE.search(want)) or reads_as(_REMARK.sub("", want), got)
    plain, shown = (_MODULES.sub("", text) for text in (want, got))
    if is_read(plain, shown, flags):
        return True
    if _is_wrapped(want, got):
        return True
    return are_near(want, got) or (flags == lenient and _AROUND_MARKS.sub("", want) == _AROUND_MARKS.sub("", got))


def _is_wrapped(want: str, got: str) -> bool:
    """Whether a long line was broken in a word. In a docstring that is not raw, its backslashes are lost, too."""
    parts = _BREAK.split(want.strip())
    texts = ((parts, got.strip()), ([part.replace("\\", "") for part in parts], got.strip().replace("\\", "")))
    return len(parts) > 1 and any([re.fullmatch(r"\s*".join(map(re.escape, one)), text) for one, text in texts])


def _shown(value: Any) -> str:
    try:
        return str(repr(value))
    except PROGRAM_ERRORS:  # the program's own code.
        return ""


def _names(value: Any) -> tuple[str, ...]:
    """The names of a class or function, which many docstrings show instead of its representation."""
    if not isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return ()
    return value.__qualname__, f"{value.__module__}.{value.__qualname__}"


def _printed(value: Any) -> str:
    """The output of ``print``, which many docstrings show below an expression."""
    try:
        return str(value)
    except PROGRAM_ERRORS:  # the program's own code.
        return ""


def _named_error(name: str) -> BaseException:
    kind: Any = type(name.rpartition(".")[2], (Exception,), {})
    return kind()
