"""A function that records its calls, as an argument of programs that call a parameter for its effect or catch what it
raises.

What such a program does with the function shows neither in its result nor in plain arguments. No literal makes such a
function, so that recipes name the maker; see `recipes.building.lookup`.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Callable

from ..dynamic import attributes_of, is_instance, type_of
from ..held_values import Path, held_values
from ..program_errors import innermost

RECORDER, RETURNING = "call_recorder", "returning"
"""The names that recipes have for the makers."""
RESULTS = "_results"
"""The attribute of a function that returns the same always, in which the first of its results are kept."""
MOST_RESULTS = 4
RECEIVED = "_received"
"""The attribute of such a function in which its calls are kept."""
AWAITED = "_awaited"
"""The attribute of a coroutine function in which the recorder is kept that it calls."""


class _Made:
    """What this process has made: most programs take nothing that records calls, and nothing is looked through then."""

    is_any = False


class CallRecorder:
    """A function of any parameters that stores the arguments of its calls; where it is stated at how many calls it
    fails, it returns a value at the others, or the number of its calls."""

    __slots__ = ("calls",)
    # No ``__dict__``, which decorators copy to what they return.
    raises: type[Exception] | Exception | None = None
    """The exception that it raises, or its class."""
    times: int | None = None
    """At how many calls, from the first on; at all of them where it is None."""
    returns: Any = None
    """What it returns at the others, if it is stated."""

    def __init__(self) -> None:
        _Made.is_any = True
        self.calls: list[Any] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Store the arguments; then raise the exception, where it is due."""
        self.calls.append((args, kwargs) if kwargs else args)
        if self.raises is not None and (self.times is None or len(self.calls) <= self.times):
            raise self.raises
        if self.returns is not None:
            return self.returns
        return None if self.raises is None and self.times is None else len(self.calls)

    def __deepcopy__(self, memo: dict[int, Any]) -> CallRecorder:
        """A recorder of the same kind: what it was called with stays, as a caller may hold it too."""
        copied = type(self)()
        copied.calls = list(self.calls)
        return copied

    def __repr__(self) -> str:
        """The call that makes such a function, as it is written in what holds one."""
        return self.text()

    def text(self) -> str:
        """Return the call that makes such a function."""
        given = [] if self.raises is None else [f"raises={self._raised_text()}"]
        given += [] if self.times is None else [f"times={self.times}"]
        given += [] if self.returns is None else ["returns=..."]
        return f"{RECORDER}({', '.join(given)})"

    def _raised_text(self) -> str:
        kind: type = type_of(self.raises)
        return self.raises.__name__ if issubclass(kind, type) else f"{kind.__name__}(...)"  # type: ignore[union-attr]


class ReceivedCalls:
    """The calls of a function that returns something: what they pass counts, and not how many there are.

    Args:
        are_in_turn: whether each of the first calls returns another value.
    """

    __slots__ = ("are_in_turn", "calls")

    def __init__(self, *, are_in_turn: bool = False) -> None:
        _Made.is_any = True
        self.calls: list[Any] = []
        self.are_in_turn = are_in_turn

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Store the arguments of a call."""
        self.calls.append((args, kwargs) if kwargs else args)


@lru_cache(maxsize=64)
def _kind_of(raises: type[Exception] | None, times: int | None) -> type[CallRecorder]:
    """Return the class of the recorders that fail alike: their instances hold nothing but the calls."""
    return _new_kind(raises, times, None)


def _new_kind(raises: Any, times: int | None, returns: Any) -> type[CallRecorder]:
    members = {"__slots__": (), "raises": raises, "times": times, "returns": returns}
    return type(CallRecorder.__name__, (CallRecorder,), members)


def call_recorder(
    raises: type[Exception] | Exception | None = None, times: int | None = None, returns: Any = None
) -> CallRecorder:
    """Return a function that records its calls, and raises an exception at the first `times` of them, or at all; at the
    others it returns a value."""
    is_simple = returns is None and (raises is None or is_instance(raises, type))
    return (_kind_of(raises, times) if is_simple else _new_kind(raises, times, returns))()  # type: ignore[arg-type]


def returning(*values: Any) -> Callable[..., Any]:
    """Return a function that returns the values one after another, and the last one from then on."""

    def function(*args: Any, **kwargs: Any) -> Any:
        place = min(len(received.calls), len(values) - 1)
        received.add(args, kwargs)
        return values[place]

    received = ReceivedCalls(are_in_turn=True)
    return _keeping(function, RETURNING, list(values[:MOST_RESULTS]), received)


def returning_made(make: Callable[[], Any]) -> Callable[..., Any]:
    """Return a function that returns what another one makes, and shows itself as other lambdas do."""

    def function(*args: Any, **kwargs: Any) -> Any:
        made = make()
        if type_of(made) is not bool:  # Whether a condition is asked for depends on those before it.
            received.add(args, kwargs)
        if len(results) < MOST_RESULTS:
            results.append(made)
        return made

    results: list[Any] = []
    received = ReceivedCalls()
    return _keeping(function, "<lambda>", results, received)


def _keeping(
    function: Callable[..., Any], name: str, results: list[Any], received: ReceivedCalls
) -> Callable[..., Any]:
    """Return a function under another name, with its first results and its calls in attributes."""
    function.__name__ = function.__qualname__ = name
    vars(function).update({RESULTS: results, RECEIVED: received})
    return function


def given_in(call: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional and the named arguments of a call as it was recorded."""
    is_named = len(call) == len(("args", "kwargs")) and type_of(call[0]) is tuple and type_of(call[1]) is dict
    return call if is_named else (call, {})


def recorders_in(arguments: Sequence[Any]) -> dict[Path, CallRecorder | ReceivedCalls]:
    """Return the recorders that arguments hold, by where; and the calls of methods of stand-ins that return
    something."""
    found: dict[Path, CallRecorder | ReceivedCalls] = {}
    for path, value in held_values(arguments, _keeps_calls) if _Made.is_any else ():
        recorder = _recorder_of(value)
        if recorder is not None:
            found[path] = recorder
        elif type_of(value) is types.SimpleNamespace:
            held = attributes_of(value) or {}
            functions = {name: one for name, one in held.items() if type_of(one) is types.FunctionType}
            found.update({(*path, name): calls for name, one in functions.items() if (calls := received_by(one))})
    return found


def turns_in(arguments: Sequence[Any]) -> dict[Path, ReceivedCalls]:
    """Return the calls of functions that return several values in turn, by where arguments hold them."""
    found = {path: one for path, one in recorders_in(arguments).items() if is_instance(one, ReceivedCalls)}
    functions = [(place, one) for place, one in enumerate(arguments) if type_of(one) is types.FunctionType]
    found.update({(place,): calls for place, one in functions if (calls := received_by(one))})
    return {path: one for path, one in found.items() if one.are_in_turn}  # type: ignore[union-attr]


def _keeps_calls(value: Any) -> bool:
    return _recorder_of(value) is not None or is_instance(value, ReceivedCalls)


def _recorder_of(value: Any) -> CallRecorder | None:
    """Return a recorder, or the one that a coroutine function calls; None for anything else."""
    if type_of(value) is types.FunctionType:
        value = (attributes_of(value) or {}).get(AWAITED)
    return value if is_instance(value, CallRecorder) else None


def received_by(function: Any) -> ReceivedCalls | None:
    """Return what keeps the calls of a function that returns the same always; None for any other."""
    return (attributes_of(function) or {}).get(RECEIVED)


def was_raised_by_recorder(error: BaseException) -> bool:
    """Whether an exception came from such a function: what a program does with it then is meant."""
    place = innermost(error)
    return place is not None and place.tb_frame.f_code is CallRecorder.__call__.__code__
