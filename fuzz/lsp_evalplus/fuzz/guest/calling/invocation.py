"""Calls one program with a row of arguments and returns the outcome.

Each call gets fresh arguments, built from the recipe.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from ..program.materialize import finished
from ..program.module_overlay import Overlay, OwnModule
from ..surroundings.call_surroundings import Surroundings
from ..surroundings.completion import awaited
from ..surroundings.open_files import release_files
from ..surroundings.placeholders import USES, making, uses_since
from ..surroundings.waiting import WaitsForever, is_in_loop, lacks_loop
from ..surroundings.warned import noted
from ..values.carved import CARVED, SECONDS_IN_TEST
from ..values.copies import deep_copies
from ..values.plain import without_folder
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError, traces_of
from ..values.recipes.building import build, prepare
from ..values.recipes.model import Prepared, RecipeError, is_plain
from ..values.rendering import message_of
from .call_clock import CallClock
from .given import Part, given_in_test
from .keywords import checked

RETURNED, RAISED, TIMED_OUT = "returned", "raised", "timed_out"

NOTHING = object()
"""Marks a parameter without default."""
LONGEST_OUTPUT = 65536
"""Maximum recorded output of a call, in characters."""
_BINDING = re.compile(r"positional argument|keyword argument|keyword-only argument|multiple values for")


NO_OUTPUT, OF_PROCEDURES, ALL_OUTPUT, WITH_ERRORS = "", "procedures", "all", "errors"
"""Of which calls what they print is recorded: none, those that return None, or all."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


_AS_IT_IS = contextlib.nullcontext()
"""For programs without modules of their own; calls, of which there are many, do without it."""


class Captured(io.TextIOWrapper):
    """Captures a program's output, discarding what exceeds the limit: it may be infinite.

    Args:
        takes_held: whether it also gets what is written to the standard output that was there before, which objects and
            defaults hold. The doctest module leaves that alone.
    """

    def __init__(self, *, takes_held: bool = False) -> None:
        super().__init__(_Limited(), "utf-8", "surrogatepass", newline="\n", write_through=True)
        self.takes_held = takes_held

    def text(self) -> str:
        """Return what was written, text and bytes."""
        kept: Any = self.buffer
        return str(io.BytesIO.getvalue(kept), "utf-8", "replace")[:LONGEST_OUTPUT]


class _Limited(io.BytesIO):
    def write(self, data: Any, /) -> int:
        """Write the bytes, as long as there is room."""
        return len(data) if self.tell() > LONGEST_OUTPUT else super().write(data)

    def close(self) -> None:
        """Keep what was written: a program may close its output."""


class CallResult:
    """The outcome of one call, with live objects; `to_plain` converts it to plain data."""

    __slots__ = ("arguments", "drawn", "error", "given", "kind", "output", "value", "warned")

    def __init__(
        self, kind: str, value: Any = None, error: Any = None, arguments: Any = None, output: str = ""
    ) -> None:
        self.kind = kind
        self.value = value
        self.error = error
        self.arguments = arguments
        self.output = output
        self.drawn: tuple[float, ...] = ()
        """What shows which random numbers the call drew, where they are the same for each call."""
        self.warned: tuple[str, ...] = ()
        """The warnings that the program's package issued, each once, where they are noted."""
        self.given: tuple[Part, ...] = ()
        """The arguments that a test made, as they were before the call."""


class CallForm(NamedTuple):
    """How the arguments of a row are passed."""

    keywords: tuple[str, ...] = ()
    """Names of the last arguments of a row, which are passed by keyword."""
    defaults: tuple[Any, ...] = ()
    """Defaults of the arguments of a row, `NOTHING` where there is none; empty where no argument has one.

    An argument equal to its default is omitted from the call, as in the call that users see: the program's default,
    which may keep state, is part of what is judged.
    """
    spread: bool = False
    """True when the last positional argument of a row is the tuple for ``*args``."""
    taken: tuple[str, ...] | None = None
    """Where the last argument of a row is the dict for ``**kwargs``: the names that it must not contain."""


PLAIN_FORM = CallForm()
"""All arguments are positional."""


class Side:
    """One program under test, ready to be called with a row of arguments.

    Args:
        call: the function as a plain call that returns a finished value.
        capture: of which calls the output is recorded, `NO_OUTPUT`, `OF_PROCEDURES` or `ALL_OUTPUT`; `WITH_ERRORS`:
            all, also what is written to the stream of errors.
        make: makes the instance of each call, which is the first argument.
        notes_warnings: whether the warnings of its package are recorded.
        reads_on: whether what is left of iterators that it is given is recorded.
    """

    __slots__ = (
        *("_call", "_capture", "_decides", "_defaults", "_in_test", "_keywords", "_make", "_notes_warnings"),
        *("_own_module", "_own_modules", "_reads_on", "_spread", "_surroundings", "_taken"),
        "namespace",
    )

    def __init__(
        self,
        call: Any,
        namespace: dict[str, Any],
        form: CallForm,
        *,
        capture: str = NO_OUTPUT,
        make: Callable[[], Any] | None = None,
        notes_warnings: bool = False,
        reads_on: bool = False,
    ) -> None:
        self._call = call
        self.namespace = namespace
        self._keywords, defaults, self._spread, self._taken = form
        self._defaults = tuple([_live(one, namespace) for one in defaults])
        self._capture = capture
        self._make = make
        self._notes_warnings = notes_warnings
        self._reads_on = reads_on
        self._surroundings = Surroundings(has_loop=False)
        self._own_modules: Overlay | None = None
        self._own_module: OwnModule | None = None
        self._decides = False
        # Some programs have tests whose arguments recipes name; see `values.carved`.
        self._in_test: Callable[..., CallResult | None] | None = getattr(namespace.get(CARVED), "in_test", None)

    def within(self, surroundings: Surroundings, own_modules: Overlay | None, *, decides: bool) -> Side:
        """Return the side itself, in what surrounds its calls.

        Args:
            surroundings: shared by both sides.
            own_modules: the side's copies of the project's modules, where it has some.
            decides: whether a loop is entered from now on where this side lacks one.
        """
        self._surroundings, self._own_modules, self._decides = surroundings, own_modules, decides
        self._own_module = own_modules if isinstance(own_modules, OwnModule) else None
        return self

    def run(self, row: Any, clock: CallClock, limit: float, variant: int = 0) -> CallResult:
        """Call with arguments built from the row; any exception is an outcome, `MemoryError` included.

        Args:
            row: the arguments, as recipes.
            clock: limits the call.
            limit: its processor time, in seconds.
            variant: where random numbers are held, each draws others.
        """
        release_files()
        steady = self._surroundings.steady
        if steady is None:
            return self._run_where_it_belongs(row, clock, limit)
        steady.begin(repr(row), variant)
        result = self._run_where_it_belongs(row, clock, limit)
        result.drawn = steady.drawn()
        return result

    @property
    def is_held(self) -> bool:
        """Whether the clock and the random numbers are the same for each call."""
        return self._surroundings.steady is not None

    def begin(self) -> None:
        """Put the clock and the random numbers back to where a call begins, where they are held."""
        if self._surroundings.steady is not None:
            self._surroundings.steady.begin()

    def _run_where_it_belongs(self, row: Any, clock: CallClock, limit: float) -> CallResult:
        """Call with the side's own modules, in the test that has the arguments, or in an event loop if it needs one."""
        if self._own_modules is None:
            return self._run_in_loop(row, clock, limit)
        if self._own_module is not None:
            # Quicker than a `with` statement, and such calls are many.
            other = self._own_module.put()
            try:
                return self._run_in_loop(row, clock, limit)
            finally:
                self._own_module.put_back(other)
        with self._own_modules:
            if self._in_test is not None:
                try:
                    result = self._in_test(row, lambda: self._run_in_midst(row, clock, limit), clock, limit)
                except RecipeError as error:
                    return CallResult(RAISED, error=error)
                if result is not None:
                    return result
            return self._run_in_loop(row, clock, limit)

    def _run_in_midst(self, row: Any, clock: CallClock, limit: float) -> CallResult:
        """Call in the midst of a test, in its event loop if it has one."""
        return self._run(row, clock, limit) if is_in_loop() else self._run_in_loop(row, clock, limit)

    def _run_in_loop(self, row: Any, clock: CallClock, limit: float) -> CallResult:
        if not self._surroundings.has_loop:
            result = self._run(row, clock, limit)
            if result.kind != RAISED or not self._decides or not lacks_loop(result.error):
                return result
            self._surroundings.has_loop = True
        return self._run_inside(row, clock, limit)

    def _run_inside(self, row: Any, clock: CallClock, limit: float) -> CallResult:
        """Call inside of an event loop of its own, and let what the call began come to its end."""
        from ..surroundings.event_loop import entered

        with entered() as loop:
            result = self._run(row, clock, limit)
        clock.start(limit)
        try:
            loop.settle()
            loop.finish()
        except BaseException:  # noqa: BLE001, S110 - what is left of the call is no outcome of it.
            pass
        finally:
            clock.stop()
        return result

    def _run(self, row: Any, clock: CallClock, limit: float) -> CallResult:
        count = USES.count
        is_making, USES.is_making = USES.is_making, True
        try:
            clock.start(limit)
            try:
                values = build(row, self.namespace)
                call = self._split(values)
                if self._make is not None:
                    instance = self._make()
                    values, call = (instance, *values), ((instance, *call[0]), call[1])
            finally:
                clock.stop()
                USES.is_making = is_making
        except (RecipeError, CallTimeoutError, WaitsForever) as error:
            return CallResult(RAISED, error=uses_since(count) or RecipeError(str(error)))
        except PROGRAM_ERRORS as error:  # a constructor of the program refused the input.
            refusal = uses_since(count) or RecipeError(f"{type(error).__name__}: {message_of(error)}")
            refusal.__cause__ = error
            return CallResult(RAISED, error=refusal)
        given = () if self._in_test is None else given_in_test(row, values[-len(row) :])
        if not self._notes_warnings:
            result = self._run_captured(values, call, clock, limit)
        else:
            with noted(self.namespace) as told:
                result = self._run_captured(values, call, clock, limit)
            result.warned = tuple(sorted(dict.fromkeys(told)))
        result.given = given
        if self._reads_on and result.kind == RETURNED:
            result.arguments = tuple(map(_rest_of, result.arguments))
        return result

    def _run_captured(self, values: Any, call: Any, clock: CallClock, limit: float) -> CallResult:
        if not self._capture:
            return timed_call(self._call, values, call, clock, limit)
        saved, captured = (sys.stdout, sys.stderr), Captured(takes_held=True)
        sys.stdout = captured
        if self._capture == WITH_ERRORS:
            sys.stderr = captured
        try:
            result = timed_call(self._call, values, call, clock, limit)
        finally:
            sys.stdout, sys.stderr = saved
        if self._capture in (ALL_OUTPUT, WITH_ERRORS) or (result.kind == RETURNED and result.value is None):
            result.output = without_folder(_ADDRESS.sub(" at 0x...", captured.text()))
        return result

    def prepared(self, recipe: Prepared, look: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        """Return what the instance that a recipe prepares looks like, and what the calls on it returned; raises what
        they raise."""

        def make() -> tuple[Any, list[Any]]:
            instance, returned = prepare(recipe, self.namespace)
            return look(instance), returned

        return self._made(make)

    def fresh(self, row: Any) -> Any:
        """Return the arguments of a call on the row, as they are before the call."""

        def make() -> Any:
            values = build(row, self.namespace)
            return values if self._make is None else (self._make(), *values)

        return self._made(make)

    def made_again(self, row: Any, clock: CallClock) -> Any:
        """Return the arguments of a call that was made on the row, as they were before it; None where they cannot be
        made again.

        What one version does decides how far a test comes that has them, so it may fail there or never end.
        """
        clock.start(clock.allowance if self._in_test is None else max(clock.allowance, SECONDS_IN_TEST))
        try:
            return self.fresh(row)
        except (CallTimeoutError, WaitsForever, *PROGRAM_ERRORS):
            return None
        finally:
            clock.stop()

    def _made(self, make: Callable[[], Any]) -> Any:
        """Return what is made outside of a call, in an event loop of its own where that needs one."""
        release_files()
        with self._own_modules or _AS_IT_IS, making():
            if not self._surroundings.has_loop:
                try:
                    return make()
                except PROGRAM_ERRORS as error:
                    if not lacks_loop(error):
                        raise
                    self._surroundings.has_loop = True
            from ..surroundings.event_loop import entered

            with entered() as loop:
                try:
                    return make()
                finally:
                    loop.leave()
                    loop.finish()

    def is_refused_call(self, error: Any) -> bool:
        """Return whether Python could not bind the arguments to the parameters: no line of the program ran."""
        if any([one.tb_frame.f_globals is self.namespace for one in traces_of(error)]):
            return False
        return bool(_BINDING.search(message_of(error)))

    def _split(self, values: Any) -> tuple[Any, dict[str, Any]]:
        if self._taken is not None:
            further = checked(values[-1], self._taken)
            positional, named = self._split_known(values[:-1])
            return positional, {**named, **further}
        return self._split_known(values)

    def _split_known(self, values: Any) -> tuple[Any, dict[str, Any]]:
        named: dict[str, Any] = {}
        defaults = self._defaults
        if self._keywords:
            cut = len(values) - len(self._keywords)
            named = dict(zip(self._keywords, values[cut:]))
            if defaults:
                own = dict(zip(self._keywords, defaults[cut:]))
                named = {name: value for name, value in named.items() if not _is_default(value, own[name])}
            values = values[:cut]
        if self._spread and values:
            if type(values[-1]) is not tuple:
                raise RecipeError("the values of *args are a tuple")
            return tuple(values[:-1]) + tuple(values[-1]), named
        if defaults:
            count = len(values)
            while count and _is_default(values[count - 1], defaults[count - 1]):
                count -= 1
            values = values[:count]
        return values, named


def call_returned(
    function: Any, positional: tuple[Any, ...], named: Mapping[str, Any], clock: CallClock, limit: float
) -> CallResult:
    """Call a function that a program returned with copies of the arguments; any exception is an outcome."""

    def call(*passed: Any, **further: Any) -> Any:
        return finished(awaited(function(*passed, **further)))

    values = deep_copies((*positional, *named.values()))
    arguments = values[: len(positional)], dict(zip(named, values[len(positional) :]))
    return timed_call(call, values, arguments, clock, limit)


def timed_call(
    function: Any, values: Any, call: tuple[Any, dict[str, Any]], clock: CallClock, limit: float
) -> CallResult:
    """Make one call within the limit; `values` are all arguments, `call` the positional and named ones of the call."""
    positional, named = call
    count = USES.count
    clock.start(limit)
    try:
        value = function(*positional, **named) if named else function(*positional)
        clock.stop()
        result = CallResult(RETURNED, value, arguments=values)
    except CallTimeoutError:
        clock.stop()
        result = CallResult(TIMED_OUT, arguments=values)
    except BaseException as error:  # noqa: BLE001 - whatever user code raises is its outcome.
        clock.stop()
        result = CallResult(RAISED, error=error, arguments=values)
    if USES.libraries or USES.count != count:
        use = uses_since(count, result.value, result.error)
        return result if use is None else CallResult(RAISED, error=use, arguments=values)
    return result


def _rest_of(value: Any) -> Any:
    """Return what a call left of an iterator over a list, as a caller finds it that reads on; any other value as it
    is."""
    return finished(value) if type(value) is _ITERATOR else value


_ITERATOR = type(iter([]))


class _Held(NamedTuple):
    value: Any


def _live(default: Any, namespace: dict[str, Any]) -> Any:
    """Return a default to compare with: what a name stands for is the same object in each call."""
    if is_plain(default) or default is NOTHING:
        return default
    try:
        return _Held(build((default,), namespace)[0])
    except RecipeError:
        return NOTHING


def _is_default(value: Any, default: Any) -> bool:
    if type(default) is not _Held:
        return type(value) is type(default) and bool(value == default)
    held = default.value
    # The classes in a tuple, and what a lambda does, are the same, the tuple and the lambda others each time.
    if type(value) is types.FunctionType and type(held) is types.FunctionType:
        return value.__code__ == held.__code__
    return value is held or (type(value) is tuple and type(held) is tuple and value == held)


def is_resource_failure(error: Any) -> bool:
    """Return whether the exception is about depth or memory, which two programs may exhaust at different sizes."""
    return isinstance(error, (RecursionError, MemoryError))
