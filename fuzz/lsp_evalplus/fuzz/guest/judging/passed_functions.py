"""Compare the functions that two programs made and passed to functions which record their calls, or stored.

``app.route("/")(show)`` and ``bus.subscribe("start", lambda event: ...)`` do nothing but hand a function over: what
that one does is what the program is for. So it is with ``Rule(is_off=lambda context: ...)``, where an object that is
returned, or the instance of a method, shows the function as a public attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ..calling.invocation import CallResult
from ..comparison.stored_parts import held_functions, is_made_inside
from ..values.dynamic import is_instance
from ..values.makers.call_recorder import CallRecorder, given_in, recorders_in
from ..values.rendering import value_text
from .judge import Promise
from .recorded_calls import name_of
from .returned_functions import Calls, compare_each

_MOST = 6
"""Functions of one call of the programs that are compared."""


def differing_functions(
    expected: CallResult, actual: CallResult, names: Sequence[str], how: Calls
) -> tuple[Promise, Promise] | None:
    """Return what each of two calls returned, with what a function does that it passed on; None where these functions
    do not differ.

    Args:
        names: those of the parameters, by which recorders in them are named.
        how: how the functions are called.
    """
    return _differing(islice(_passed(expected, actual, names), _MOST), how)


def differing_held(
    expected: CallResult, actual: CallResult, names: Sequence[str], method: str, how: Calls
) -> tuple[Promise, Promise] | None:
    """Return what each of two calls returned, with what a function does that its result or its arguments store in
    public; None where these functions do not differ.

    Args:
        names: those of the parameters.
        method: the name of the function under test.
        how: how the functions are called.
    """
    return _differing(islice(_held(expected, actual, names, method), _MOST), how)


def _differing(pairs: Iterable[tuple[str, Any, Any]], how: Calls) -> tuple[Promise, Promise] | None:
    found = compare_each(pairs, how)
    return None if found.expected is None or found.actual is None else (found.expected, found.actual)


def _held(
    expected: CallResult, actual: CallResult, names: Sequence[str], method: str
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the functions that both programs stored in the same place, with the words for it."""
    text = value_text(expected.value)
    for part in held_functions(expected.value, actual.value, method):
        yield f"{text} with {part.path.lstrip('.')} = ", part.one, part.two
    for number, pair in enumerate(zip(expected.arguments or (), actual.arguments or ())):
        for part in held_functions(*pair, method):
            name = names[number] if number < len(names) else "an argument"
            yield f"{text} and leaves {name}{part.path} as ", part.one, part.two


def _passed(expected: CallResult, actual: CallResult, names: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the functions that both programs passed in the same place of the same call, with the words for it."""
    ours, theirs = (recorders_in(one.arguments or ()) for one in (expected, actual))
    for path, recorder in ours.items():
        other = theirs.get(path)
        if other is None or not (is_instance(recorder, CallRecorder) and is_instance(other, CallRecorder)):
            continue
        words = f"{value_text(expected.value)} after calling {name_of(path, names)} with "
        for pair in zip(recorder.calls, other.calls) if len(recorder.calls) == len(other.calls) else ():
            (given, named), (others, by_name) = map(given_in, pair)
            both = [*zip(given, others), *[(named[one], by_name[one]) for one in named if one in by_name]]
            yield from [(words, *each) for each in both if all(map(is_made_inside, each))]
