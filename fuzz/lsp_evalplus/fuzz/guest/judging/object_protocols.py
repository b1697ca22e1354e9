"""Compare what objects do in Python's protocols: `hash`, copy and pickle, and the ``with`` statement.

A hash is any number that is the same for equal objects, and what ``__reduce__`` returns is judged by the object that it
makes (https://docs.python.org/3/reference/datamodel.html, https://docs.python.org/3/library/pickle.html). A context
manager is entered and left, also with bodies that raise, an asynchronous one in an event loop of its own.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, is_resource_failure, timed_call
from ..comparison.equality import IN_PUBLIC, Rules, is_context_manager, same, same_family
from ..comparison.stored_parts import first_difference, part_text
from ..evidence.bodies import Body
from ..evidence.dialogues import Dialogue, Talk, course_text, in_common
from ..program.loader import Loaded
from ..values.dynamic import has_on_class, is_instance, type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.public_state import is_private
from ..values.recipes.model import is_plain
from ..values.rendering import Yielded, error_text, value_text
from .judge import Promise
from .returned_functions import UNSUPPORTED

LIMIT_SECONDS = 0.05
"""Time to enter a context manager, and to leave it."""
_STATE, _ITEMS, _ENTRIES, _SETTER = 2, 3, 4, 5
"""Positions in the tuple that ``__reduce__`` returns."""


_CONTAINERS = (list, dict, set, bytearray)
_ATOMS = (bool, int, float, str, bytes)


def by_protocol(loaded: Loaded, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the call of a special method with what its caller sees in place of the bare result."""
    name = getattr(loaded.function, "__name__", "") if loaded.binding == "method" else ""
    if name == "__hash__":
        return _hashing(call)
    if name in ("__reduce__", "__reduce_ex__"):
        return _rebuilding(call)
    if name in _TRUTHS:
        return lambda *args, **kwargs: bool(call(*args, **kwargs))
    return _of_required_type(name, call) if name in _REQUIRED else call


_TRUTHS = ("__contains__", "__exit__", "__aexit__", "__instancecheck__", "__subclasscheck__")
"""Special methods of whose results Python takes the truth value only."""
_REQUIRED: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("__str__", "__repr__", "__format__"), (str,)),
    **dict.fromkeys(("__len__", "__length_hint__", "__int__", "__index__", "__sizeof__"), (int,)),
    "__bytes__": (bytes,),
    "__bool__": (bool,),
    "__float__": (float,),
    "__complex__": (complex,),
    "__iter__": (),
    "__reversed__": (),
}
"""Special method -> the type that Python requires of its result; where there is none, an iterator."""
_VIEWS = ("dict_keys", "dict_values", "dict_items")


def _of_required_type(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the call of a special method that says so where Python refuses the type of its result."""
    required = _REQUIRED[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        is_right = is_instance(value, required) if required else _is_iterator(value)
        if is_right or value is NotImplemented:
            return value
        wanted = f"the type {required[0].__name__}" if required else "an iterator"
        return Promise(f"{value_text(value)}, where Python requires {wanted}")

    return call


def _is_iterator(value: Any) -> bool:
    """Whether Python iterates over what ``__iter__`` returned; iterators have been replaced by their items."""
    if type_of(value) is Yielded:
        return value.of not in _VIEWS
    return has_on_class(type_of(value), "__next__")


def declines_alike(method: str, one: CallResult, two: CallResult) -> bool:
    """Return whether two calls of an operator's method decline an operand so that Python does the same: where
    ``__eq__`` returns `NotImplemented`, it takes the operands for different, elsewhere it raises a `TypeError`."""
    if two.kind == RETURNED and two.value is NotImplemented:
        one, two = two, one
    if one.kind != RETURNED or one.value is not NotImplemented:
        return False
    if method in _EQUALITY:
        return two.kind == RETURNED and two.value is _EQUALITY[method]
    return two.kind == RAISED and type_of(two.error) is TypeError


_EQUALITY = {"__eq__": False, "__ne__": True}


def _hashing(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(instance: Any) -> Any:
        number = function(instance)
        if type_of(number) is not int:
            return number
        try:
            twin = copy.deepcopy(instance)
            is_equal = bool(twin == instance)
        except PROGRAM_ERRORS:  # objects that cannot be copied or compared have no twin.
            is_equal, twin = False, None
        if is_equal and function(twin) != number:
            return Promise("an int that differs from that of an equal object")
        return Promise("an int")

    return call


def _rebuilding(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(instance: Any, *args: Any) -> Any:
        parts = function(instance, *args)
        if type_of(parts) is not tuple or len(parts) <= 1:
            return parts
        return {"copied or unpickled": rebuild(parts)}

    return call


def rebuild(parts: tuple[Any, ...]) -> Any:
    """Return the object that pickle makes of what ``__reduce__`` returned; raises whatever the parts raise."""
    made = parts[0](*parts[1])
    state, items, entries, setter = (parts[n] if n < len(parts) else None for n in (_STATE, _ITEMS, _ENTRIES, _SETTER))
    if setter is not None:
        setter(made, state)
    elif state is not None:
        _restore(made, state)
    for item in items or ():
        made.append(item)
    for key, value in entries or ():
        made[key] = value
    return made


def _restore(made: Any, state: Any) -> None:
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    slots: dict[str, Any] = {}
    if type_of(state) is tuple and len(state) == len(("attributes", "slots")):
        state, slots = state[0], state[1] or {}
    if state:
        made.__dict__.update(state)
    for name, value in slots.items():
        setattr(made, name, value)


class Passage(NamedTuple):
    """What the comparison of two context managers gave."""

    is_compared: bool = False
    """Whether the reference's could be entered."""
    expected: Promise | None = None
    """What the reference's context manager does where they differ; None where no difference was seen."""
    actual: Promise | None = None
    """What the candidate's context manager does there."""
    gives_container: bool = False
    """Whether the body gets something that it may fill."""


def is_enterable(value: Any) -> bool:
    """Whether a result is a context manager made by ``contextlib.contextmanager`` or ``asynccontextmanager``."""
    return is_context_manager(type_of(value))


class _Passing:
    """One context manager on its way through a ``with`` or an ``async with`` statement."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._loop: Any = None
        if has_on_class(type_of(manager), "__aenter__") and not has_on_class(type_of(manager), "__enter__"):
            # Imported here: it loads the network modules, which programs seldom need.
            from ..surroundings.event_loop import SwiftLoop

            self._loop = SwiftLoop()

    def enter(self) -> Any:
        """What the context manager gives to the body."""
        if self._loop is None:
            return self._manager.__enter__()
        return self._loop.run_until_complete(self._manager.__aenter__())

    def leave(self, *given: Any) -> Any:
        """Whether the context manager suppresses an exception."""
        if self._loop is None:
            return self._manager.__exit__(*given)
        return self._loop.run_until_complete(self._manager.__aexit__(*given))

    def end(self) -> None:
        """End what is left of it in its loop."""
        if self._loop is not None:
            self._loop.finish()


def can_be_passed(manager: Any, clock: CallClock) -> bool:
    """Return whether a context manager that was returned can be entered and left: making it succeeds with any
    arguments, and that they are meant so shows only then."""
    passing = _Passing(manager)
    try:
        if _timed(passing.enter, clock).kind != RETURNED:
            return False
        return _timed(lambda: passing.leave(None, None, None), clock).kind == RETURNED
    finally:
        _timed(passing.end, clock)


Scopes = tuple[Mapping[str, Any], Mapping[str, Any]]


class Use(NamedTuple):
    """One way to use what two programs returned."""

    begun: Callable[[], contextlib.AbstractContextManager[Any]]
    """Within it the programs are called."""
    compare: Callable[[CallResult, CallResult, Scopes], Passage]
    """Compare the outcomes of two calls, with the globals of their programs."""


def passing_uses(
    bodies: Sequence[Body], clock: CallClock, method: str, keep_alike: Callable[[CallResult, CallResult], bool]
) -> Iterator[Use]:
    """Yield the ways to pass through context managers: each with another body.

    Args:
        bodies: the bodies.
        clock: the clock of each step.
        method: the name of the method that returned the context managers.
        keep_alike: whether the instances of two calls of it store the same before, and may be compared afterwards.
    """
    given: list[bool] = []
    for body in bodies:
        if body.fills and not any(given):
            continue

        def compare(one: CallResult, two: CallResult, scopes: Scopes, body: Body = body) -> Passage:
            is_alike = keep_alike(one, two)
            found = compare_passages(one, two, clock, Through(body, scopes, IN_PUBLIC))
            given.append(found.gives_container)
            return with_instances(found, one, two, method) if is_alike else found

        yield Use(contextlib.nullcontext, compare)


def talking_uses(talk: Talk, rules: Rules, is_refused: Callable[[Any], bool]) -> Iterator[Use]:
    """Yield the ways to talk with generators: each by another dialogue.

    Args:
        talk: the dialogues.
        rules: how values are compared.
        is_refused: whether an exception of the reference says that it is not meant for what was sent.
    """
    for dialogue in talk.dialogues:

        def compare(one: CallResult, two: CallResult, _scopes: Scopes, dialogue: Dialogue = dialogue) -> Passage:
            return compare_courses(one, two, dialogue, rules, is_refused)

        yield Use(functools.partial(talk.about, dialogue), compare)


class Through(NamedTuple):
    """How two context managers are passed through."""

    body: Body
    scopes: Scopes
    """The globals of their programs."""
    rules: Rules
    """How values, and what is seen of the calls' arguments inside and after the body, are compared."""


def compare_passages(one: CallResult, two: CallResult, clock: CallClock, through: Through) -> Passage:
    """Enter and leave the context managers that two calls returned, side by side, until a difference."""
    if not (is_enterable(one.value) and is_enterable(two.value)):
        return Passage()
    passing = [_Passing(one.value), _Passing(two.value)]
    try:
        return _pass_through(passing, (one, two), clock, through)
    finally:
        for side in passing:
            _timed(side.end, clock)


def with_instances(found: Passage, one: CallResult, two: CallResult, method: str) -> Passage:
    """Return what was found, or where that is nothing what the use of two results left in the instances whose method
    returned them."""
    if not found.is_compared or found.expected is not None:
        return found
    part = first_difference(one.arguments[0], two.arguments[0], method)
    if part is None:
        return found
    told, did = (Promise(f"a result whose use leaves the instance{part_text(part.path, each)}") for each in part[1:])
    return found._replace(expected=told, actual=did)


def _pass_through(
    passing: list[_Passing], calls: tuple[CallResult, CallResult], clock: CallClock, through: Through
) -> Passage:
    body, rules = through.body, through.rules
    entered = [_timed(side.enter, clock) for side in passing]
    found = _differing(entered, calls, rules, "when entered")
    if found is not None or entered[0].kind != RETURNED or entered[1].kind != RETURNED:
        return found or Passage()
    if body.fills and not all([body.fill(side.value) for side in entered]):
        return Passage()
    errors = [body.error(scope) for scope in through.scopes]
    given = [(None, None, None) if error is None else (type_of(error), error, None) for error in errors]
    left = [_timed(lambda side=side, one=one: side.leave(*one), clock) for side, one in zip(passing, given)]
    for result in left:
        result.value = "suppressed" if result.value else "not suppressed" if body.fails else None
    when = "when left after its body added to what it gives" if body.fills else "when left"
    when = f"when its body raises {body.told()}" if body.fails else when
    gives_container = type_of(entered[0].value) in _CONTAINERS
    return _differing(left, calls, rules, when) or Passage(is_compared=True, gives_container=gives_container)


def _timed(step: Callable[[], Any], clock: CallClock) -> CallResult:
    return timed_call(step, (), ((), {}), clock, LIMIT_SECONDS)


def _differing(results: list[CallResult], calls: tuple[CallResult, CallResult], rules: Rules, when: str) -> Any:
    """Return the passage that ends with a difference, or None; exceptions as on unsupported types do not count."""
    one, two = results
    if TIMED_OUT in (one.kind, two.kind):
        return None
    if two.kind == RAISED and one.kind == RETURNED:
        if isinstance(two.error, UNSUPPORTED) or is_resource_failure(two.error):
            return None
        return Passage(is_compared=True, expected=_told(one, when), actual=_told(two, when))
    if one.kind == RAISED:
        if two.kind == RAISED or when == "when entered":
            return None if two.kind != RAISED or same_family(one.error, two.error) else _both(one, two, when)
        return _both(one, two, when)
    if not same(one.value, two.value, rules):
        return _both(one, two, when)
    return _by_arguments(calls, rules, lambda given: f"a context manager with {given} {when}")


def _by_arguments(calls: tuple[CallResult, CallResult], rules: Rules, tell: Callable[[str], str]) -> Passage | None:
    """Return the passage that ends with another state of the calls' arguments; None where they are alike.

    Args:
        calls: of the two programs.
        rules: how they are compared.
        tell: makes the sentence about a call of what tells its arguments.
    """
    if all([same(*pair, rules) for pair in _comparable(*(call.arguments for call in calls))]):
        return None
    expected, actual = [Promise(tell(f"{value_text(call.arguments)} as arguments")) for call in calls]
    return Passage(is_compared=True, expected=expected, actual=actual)


def _comparable(ones: Any, others: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what two calls' arguments have in common: containers, and equal kinds of plain attributes of objects.

    An object may keep its parts under other names, or in another way, which no caller sees.
    """
    for one, other in zip(ones, others):
        if type_of(one) in _CONTAINERS and type_of(one) is type_of(other):
            yield one, other
            continue
        first: Any = getattr(one, "__dict__", None)
        second: Any = getattr(other, "__dict__", None)
        if type_of(first) is dict and type_of(second) is dict:
            for name, value in first.items():
                found = second.get(name)
                is_same_kind = not is_private(name) and type_of(found) is type_of(value)
                is_filled = is_same_kind and type_of(value) in _CONTAINERS and is_plain(value) and is_plain(found)
                if is_filled or (is_same_kind and type_of(value) in _ATOMS):
                    yield value, found


def compare_courses(
    one: CallResult, two: CallResult, dialogue: Dialogue, rules: Rules, is_refused: Callable[[Any], bool]
) -> Passage:
    """Compare what two generators did in a dialogue, and what is seen of the calls' arguments after it.

    Args:
        one: the outcome of the reference's.
        two: that of the candidate's.
        dialogue: what was sent.
        rules: how values are compared.
        is_refused: whether an exception of the reference says that it is not meant for what was sent.
    """
    if TIMED_OUT in (one.kind, two.kind) or (one.kind == RAISED and is_refused(one.error)):
        return Passage()
    if two.kind == RAISED and (isinstance(two.error, UNSUPPORTED) or is_resource_failure(two.error)):
        return Passage()
    told = [_course_told(side, dialogue) for side in (one, two)]
    are_alike = one.kind == two.kind and (
        same_family(one.error, two.error) if one.kind == RAISED else same(*in_common(one.value, two.value), rules)
    )
    if not are_alike:
        return Passage(is_compared=True, expected=told[0], actual=told[1])
    found = _by_arguments((one, two), IN_PUBLIC, lambda given: f"{told[0]}, with {given}")
    return found or Passage(is_compared=True)


def _course_told(result: CallResult, dialogue: Dialogue) -> Promise:
    if result.kind == RETURNED:
        return Promise(course_text(result.value, dialogue))
    return Promise(f"a generator that raises {error_text(result.error)} {dialogue.told()}".rstrip())


def _both(one: CallResult, two: CallResult, when: str) -> Passage:
    return Passage(is_compared=True, expected=_told(one, when), actual=_told(two, when))


def _told(result: CallResult, when: str) -> Promise:
    did = f"gives {value_text(result.value)}" if result.kind == RETURNED else f"raises {error_text(result.error)}"
    return Promise(f"a context manager that {did} {when}")
