"""Generates instance states: sequences of calls of a class's own methods.

A sequence grows by one call at a time, and only one that runs on both programs and leads to a new state
is extended (Randoop: Pacheco et al., Feedback-directed random test generation, ICSE 2007).
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Callable, NamedTuple, Optional

from ..comparison.equality import base_of
from ..inference.objects.method_arguments import Argument, arguments_of_method
from ..program.classes import gives_decorator, preparing_methods, properties_of
from ..program.loader import AWAITED
from ..static.walking import FUNCTIONS, walk_statements
from ..values.databases import rows_of
from ..values.dynamic import DICT, LIST, SET, attributes_of, type_of
from ..values.metrics import walk
from ..values.recipes.model import ASSIGNMENT, RETURNED, Name, New, Prepared
from ..values.rendering import value_text
from ..values.shapes import (
    ANY,
    BoolShape,
    ChoiceShape,
    ConstructorShape,
    FloatShape,
    IntShape,
    Shape,
    StrShape,
    is_unknown,
)
from .boundary_values import interesting
from .constants import words_of_class
from .missing_members import missing_in, stored_in
from .mutation import Mutator
from .open_attributes import Change, changed_attribute
from .random_values import Maker
from .unset_attributes import never_none, unset_in

MOST_CALLS = 8
"""Maximum number of calls that prepare one instance."""
MOST_STATES = 300
MOST_GROWN = 3000
"""Maximum number of states."""
FIRST_GROWN = 150
"""States with numbers for untyped parameters before strings are tried."""
MOST_COMPLETED = 1500
"""Maximum number of instances that get what they lack: their functions show no state, so that all are tried."""
MOST_SET = 150
"""The same of those that get what is None in new ones: what else their methods do is tried as well."""
MOST_FAILURES = 300
"""Consecutive attempts without a new state after which generation stops."""
FIRST_INSTANCES = 8
MOST_MIXED, MOST_TRIED, MIXED_VALUES = 8, 40, 8
"""Instances with mixed arguments, those that are tried for them, and values of each argument that are mixed."""
RELEVANT_FIRST = 0.6
"""Probability that a call is drawn from those that set what changed lines depend on, where there is such."""
LONGEST_STATE = 4000
"""Maximum length of a state's representation, in characters, that is compared."""
LEAST_OF_ATTRIBUTE = 200
"""So many characters of each attribute are compared nevertheless."""
FEW = 5
_OBJECTS, _EQUALS, _CHANGED = 0.6, 0.4, 0.4
"""How often an object that is passed is one on which methods were called, how many of these are made as the instance is
where they may be, or nearly so, and how many objects that were passed before differ from these in a part."""
_AMOUNTS = (BoolShape, IntShape, FloatShape)
_SAME_NAME = 0.5
"""How often an argument is one that another call gave to a parameter of the same name."""
_SAME_AMOUNT = 0.25
"""How often a number is one that another call was given."""
_PARTED = 0.4
"""How often a call follows on one that left the instances of both programs in different states, where there is such."""
MOST_NEEDED = 2
"""Maximum number of arguments of a method that is asked for the state of an instance."""
_WORLDS: tuple[tuple[Any, ...], ...] = ((1, 2, 3, 0), ("a", "b", "c"))
"""Values of untyped parameters: one row for all calls of a sequence."""

_DECORATED = ChoiceShape((Name("lambda *args, **kwargs: (args, kwargs)"), Name("str")))
"""Functions that a decorator is given."""

Observe = Callable[[Prepared], Optional[list[str]]]
"""The states of the instances of a recipe, as `state_text` tells them, one for each program; None where one of them
cannot be made."""


class State(NamedTuple):
    """An instance on which some methods were called."""

    instance: New
    calls: tuple[New, ...]
    world: tuple[Any, ...]
    """Values of untyped parameters."""


def _nothing_further(shape: ConstructorShape) -> list[Any]:
    """Return what a call gives besides its arguments where it gives nothing."""
    rest, options = shape.further
    return [()] * (rest is not None) + [{}] * (options is not None)


class States:
    """Generates states of the instances of one class.

    Args:
        owner: the class.
        names: the methods that prepare an instance.
        known: shapes of parameters by name, from the method under test.
        changes: calls that change attributes as users of the class do.
        missing: assignments of what instances lack before any of their methods can be called.
        unset: assignments of what is None in new instances, and what the method under test needs.
        relevant: methods and attributes that what changed in the method under test depends on.
        is_part: whether the objects are passed, or parts of what is: then they are kept for others, and only states
            that are the same in both programs count.
    """

    def __init__(
        self,
        owner: type,
        names: Sequence[str],
        known: dict[str, Shape],
        mutator: Mutator,
        observe: Observe,
        changes: Sequence[Change] = (),
        missing: Sequence[Change] = (),
        relevant: Set[str] = frozenset(),
        unset: Sequence[Change] = (),
        *,
        is_part: bool = False,
    ) -> None:
        words = words_of_class(owner)
        taken = {name: arguments_of_method(owner, name, known, words) for name in names}
        self._methods = [_whole_call(owner, name, arguments) for name, arguments in taken.items()]
        self._parameters = {name: [one.name for one in arguments] for name, arguments in self._methods}
        self._relevant = [one for one in self._methods if one[0].removesuffix(RETURNED) in relevant]
        self._methods += [(one.name, _given_to(one)) for one in changes]
        self._relevant += [(one.name, _given_to(one)) for one in changes if changed_attribute(one) in relevant]
        self._missing = [_given_to(one) for one in missing]
        self._unset = [] if missing else [_given_to(one) for one in unset]
        # What a method takes is what the others store.
        takes_text = any([isinstance(one, StrShape) for one in known.values()])
        self._order = _WORLDS[::-1] if takes_text else _WORLDS
        self._mutator = mutator
        self._rng = mutator.rng
        self._maker = Maker(mutator)
        self._observe = observe
        self._is_part = is_part
        self._seen: dict[str, bool] = {}
        self._parted: list[State] = []
        self.has_any = False
        """Whether any call has changed an instance."""
        self.redraw: Callable[[Any, Shape], Any] = lambda value, shape: value
        """Returns a value of a shape that differs from another one in a part."""

    def grow(self, instances: list[New], mixed: Sequence[New] = ()) -> Iterator[State | None]:
        """Yield new states, until there are no more; None after each attempt that yields none, as that takes time, too.

        Args:
            instances: the simplest first.
            mixed: others, in any order.
        """
        if self._missing and instances:
            self.has_any = True
            yield from self._complete(instances, self._missing, MOST_COMPLETED)
            return
        if self._unset and instances:
            self.has_any = True
            yield from self._complete(instances, self._unset, MOST_SET)
        new: list[New] = []
        for given, most in ((instances, FIRST_INSTANCES), (mixed, MOST_MIXED)):
            before = len(new)
            for one in given:
                if len(new) - before >= most:
                    break
                new += [one] if self._is_new(State(one, (), ())) else []
                yield None
        kept: list[State] = []
        worlds = self._order[: self._worlds()]
        for world in worlds if self._methods else ():
            kept += [State(one, (), world) for one in new]
            most = MOST_GROWN if world is worlds[-1] else FIRST_GROWN
            yield from self._grow(kept, most)

    def _complete(self, instances: Sequence[New], missing: Sequence[list[Argument]], most: int) -> Iterator[State]:
        """Yield instances with what they lack, in turns with such on which methods were called."""
        for _ in range(most):
            state = State(self._rng.choice(instances[:FIRST_INSTANCES]), (), self._rng.choice(_WORLDS))
            for arguments in missing:
                state = state._replace(calls=(*state.calls, self._call(ASSIGNMENT, arguments, state)))
            yield state
            if self._methods:
                name, given = self._rng.choice(self._methods)
                yield state._replace(calls=(*state.calls, self._call(name, given, state)))

    def _grow(self, kept: list[State], most: int) -> Iterator[State | None]:
        failures = grown = 0
        while kept and failures < MOST_FAILURES and grown < most:
            state = self._chosen(kept)
            name, arguments = self._chosen_call()
            state = state._replace(calls=(*state.calls, self._call(name, arguments, state)))
            if not self._is_new(state):
                failures += 1
                yield None
                continue
            failures, grown = 0, grown + 1
            self.has_any = True
            if len(state.calls) < MOST_CALLS:
                if len(kept) >= MOST_STATES:
                    kept[self._rng.randrange(MOST_STATES)] = state
                else:
                    kept.append(state)
            yield state

    def instances(self, shape: Shape) -> list[Any]:
        """Return the simplest instances of a shape."""
        return interesting(shape, self._mutator.pool, 3 * FIRST_INSTANCES)

    def mixed(self, shape: Shape) -> list[New]:
        """Return instances of a shape whose arguments are mixed at random: the simplest ones have a limit of zero, or
        none that goes with a clock."""
        kinds = [one for one in shape.alternatives if isinstance(one, ConstructorShape) and len(one.parts) > 1]
        found: list[New] = []
        for kind in kinds:
            columns = [interesting(part, self._mutator.pool, MIXED_VALUES) for part in kind.parts]
            if all(columns):
                drawn = [[*map(self._rng.choice, columns), *_nothing_further(kind)] for _ in range(MOST_TRIED)]
                found += map(kind.called_with, drawn)
        return found

    def tosses(self) -> bool:
        """Return True occasionally, at random."""
        return self._rng.random() < 0.5

    def values(self, shape: Shape, state: State, name: str = "") -> Any:
        """Return a value of the shape, often one that the state was made with.

        Args:
            shape: the shape.
            state: the state.
            name: of the parameter; those of other methods with the same name often mean the same, as keys do.
        """
        rng = self._rng
        is_amount = all([isinstance(one, _AMOUNTS) for one in shape.alternatives])
        alike = [one for one in self._given_as(name, state) if _suits(one, shape)] if name and not is_amount else []
        if alike and rng.random() < _SAME_NAME:
            return rng.choice(alike)
        one = self._object(shape, state)
        if one is not None:
            return one
        draw = rng.random()
        if draw < (_SAME_AMOUNT if is_amount else 0.5):
            calls = (state.instance, *state.calls)
            given = [value for call in calls for value in (*call.args, *call.kwargs.values())]
            used = [value for value in given if _suits(value, shape)]
            if not is_unknown(shape):
                used += [part for value in given for part in _inside(value) if _suits(part, shape)]
            if used:
                one = rng.choice(used)
                return self.redraw(one, shape) if type(one) is New and rng.random() < _CHANGED else one
        if is_unknown(shape):
            return rng.choice(state.world)
        few = interesting(shape, self._mutator.pool, FEW if not shape.parts else 3 * FEW) if draw < 0.85 else []
        return rng.choice(few) if few else self._maker.value(shape)

    def _given_as(self, name: str, state: State) -> list[Any]:
        """Return what earlier calls gave to parameters of a name."""
        found: list[Any] = []
        for call in state.calls:
            names = self._parameters.get(call.name, ())
            found += [value for one, value in zip(names, call.args) if one == name]
            found += [call.kwargs[name]] if name in call.kwargs else []
        return found

    def _object(self, shape: Shape, state: State) -> Any:
        """Return an object on which methods were called, where the shape takes such; also one that is made as the
        instance is, or but for one call."""
        kinds = [part for part in shape.alternatives if isinstance(part, ConstructorShape)]
        known = [one for one in map(self._mutator.known_objects.draw, kinds) if one is not None]
        if not known or self._rng.random() > _OBJECTS:
            return None
        is_taken = any([one.name == state.instance.name for one in known]) and not _holds_objects(state)
        if state.calls and is_taken and self._rng.random() < _EQUALS:
            like_it = Prepared(state.instance, state.calls)
            return like_it if self._rng.random() < 0.5 else self._mutator.mutate(like_it)
        return self._rng.choice(known)

    def _worlds(self) -> int:
        """Return the number of value rows to use: one where the types of all parameters are known."""
        is_open = any([argument.shape is ANY for _, arguments in self._methods for argument in arguments])
        return len(_WORLDS) if is_open else 1

    def _chosen(self, kept: list[State]) -> State:
        """Choose any state, or one of the newest, or one in which the programs differ: later calls may show that."""
        if self._parted and self._rng.random() < _PARTED:
            return self._rng.choice(self._parted)
        return self._rng.choice(kept if self._rng.random() < 0.5 else kept[-8:])

    def _chosen_call(self) -> tuple[str, list[Argument]]:
        """Choose any call, or one that sets what changed lines depend on."""
        is_relevant = self._relevant and self._rng.random() < RELEVANT_FIRST
        return self._rng.choice(self._relevant if is_relevant else self._methods)

    def _call(self, name: str, arguments: list[Argument], state: State) -> New:
        given: list[Any] = []
        named: dict[str, Any] = {}
        is_closed = False
        for argument in arguments:
            if argument.is_optional and self._rng.random() < 0.6:
                is_closed = True
            elif argument.is_keyword or (is_closed and argument.name):
                if not argument.is_spread:
                    named[argument.name] = self.values(argument.shape, state, argument.name)
            elif argument.is_spread:
                given += [self.values(argument.shape, state) for _ in range(self._rng.choice((1, 2)))]
            else:
                given.append(self.values(argument.shape, state, argument.name))
        return New(name, tuple(given), named)

    def _is_new(self, state: State) -> bool:
        """Return whether both programs reach the state, and it is new for one of them."""
        found = self._observe(Prepared(state.instance, state.calls))
        if found is None or (self._is_part and len(set(found)) > 1):
            return False
        text = "|".join(found)
        if text in self._seen:
            return False
        self._seen[text] = True
        if len(set(found)) > 1 and 0 < len(state.calls) < MOST_CALLS:
            self._parted.append(state)
        if self._is_part and state.calls:
            self._mutator.known_objects.keep(Prepared(state.instance, state.calls))
        return True


class ObjectStates(NamedTuple):
    """Generators of states of the objects that a search passes."""

    arguments: Mapping[int, States]
    """Those of the instance of a method and of objects that are passed, by the place of their parameter."""
    parts: Sequence[tuple[int, Shape, States]] = ()
    """Those of objects inside of arguments: the place of the parameter, and the shape of the object."""


def _holds_objects(state: State) -> bool:
    """Return whether an instance was prepared with other objects on which methods were called."""
    return any([type(part) is Prepared for call in (state.instance, *state.calls) for part in walk(call)])


def _suits(value: Any, shape: Shape) -> bool:
    """Return whether a value is of a shape; objects only where it names their class, which may have two names."""
    if type(value) not in (New, Prepared) or is_unknown(shape):
        return shape.accepts(value)
    kinds = [one for one in shape.alternatives if isinstance(one, ConstructorShape)]
    return any([one.name.rpartition(".")[2] == value.name.rpartition(".")[2] for one in kinds]) and shape.accepts(value)


def _inside(value: Any) -> list[Any]:
    """Return the parts of a value."""
    return walk(value)[1:]


def state_text(instance: Any) -> str:
    """Return a representation of an instance's attributes, with the rows of databases to which it is connected, and of
    its items where it is a builtin container."""
    text, left = "", LONGEST_STATE
    # Each by itself: one that has no representation, or a long one, hides no other.
    for name, one in (attributes_of(instance) or {}).items():
        part = f"{name}={value_text(one, max(left, LEAST_OF_ATTRIBUTE))}, "
        text, left = text + part, left - len(part)
        rows = rows_of(one)
        text += value_text(rows, LONGEST_STATE) if rows else ""
    items = _ITEMS.get(base_of(type_of(instance)))
    return text if items is None else text + value_text(list(items(instance)), LONGEST_STATE)


_ITEMS: dict[Any, Callable[[Any], Any]] = {
    dict: DICT.items,
    list: LIST.__iter__,
    set: SET.__iter__,
    bytearray: bytearray.__iter__,
}
"""Iterate over a container without its class's own code."""


def _whole_call(owner: type, method: str, arguments: list[Argument]) -> tuple[str, list[Argument]]:
    """Return the name of a method with its arguments; of one that returns a decorator, the call of that with them."""
    if not gives_decorator(getattr(owner, method)):
        return method, arguments
    taken = [one for one in arguments if not one.is_spread]
    return method + RETURNED, [*taken, Argument("", _DECORATED, is_optional=False, is_keyword=False, is_spread=False)]


def _given_to(change: Change) -> list[Argument]:
    return [Argument("", one, is_optional=False, is_keyword=False, is_spread=False) for one in change.arguments]


def methods_for(reference: Any, candidate: Any, qualname: str, *, awaits: bool = False) -> list[str]:
    """Return the methods that prepare instances of two programs' classes.

    If the method under test is the same in both, only methods that are the same too: others answer for themselves.

    Args:
        reference: the program that judges.
        candidate: the program that is judged.
        qualname: the method under test.
        awaits: whether coroutines count too.
    """
    one, two = reference.loaded, candidate.loaded
    if one.owner is None or two.owner is None or one.binding != "method":
        return []
    owner, _, method = qualname.rpartition(".")
    is_awaited = awaits and _counts_coroutines(one, two)
    others, names = [_preparing(side, method, awaits=is_awaited) for side in (two, one)]
    names = [name for name in names if name in others]
    ours, theirs = _texts_of_methods(reference, candidate, owner)
    if ours.get(method) != theirs.get(method):
        return names
    return [name for name in names if ours.get(name) == theirs.get(name)]


def _counts_coroutines(one: Any, two: Any) -> bool:
    """Return whether coroutines may prepare the instances of two loaded programs."""
    return bool(one.is_asynchronous and two.is_asynchronous)


def _preparing(loaded: Any, method: str, *, awaits: bool) -> Sequence[str]:
    """Return the methods that prepare a program's instances for one of them; if it is no coroutine function, only those
    coroutines that its own text shows to be some."""
    names = preparing_methods(loaded.owner, awaits=awaits, method=method)
    if not awaits or loaded.kind in AWAITED:
        return names
    functions = {name: inspect.unwrap(inspect.getattr_static(loaded.owner, name)) for name in names}
    own = [one for one in functions if functions[one].__globals__ is loaded.namespace]
    return [one for one in names if one in own or not inspect.iscoroutinefunction(functions[one])]


def missing_for(reference: Any, candidate: Any) -> list[Change]:
    """Return assignments of what instances of the classes of two programs lack; see `missing_members`."""
    programs = [one.loaded for one in (reference, candidate)]
    return missing_in(programs) if _are_methods(programs) else []


def stored_for(reference: Any, candidate: Any) -> list[Change]:
    """Return assignments of what methods of two programs need of an instance that no constructor initialises."""
    return stored_in([one.loaded for one in (reference, candidate)])


def unset_for(reference: Any, candidate: Any) -> list[Change]:
    """Return assignments of what is None in new instances of the classes of two programs; see `unset_attributes`."""
    programs = [one.loaded for one in (reference, candidate)]
    return unset_in(programs) if _are_methods(programs) and not reference.loaded.is_constructor else []


def never_none_for(candidate: Any, reference: Any) -> Mapping[str, Set[str]]:
    """Return what of an instance is not meant to be None; see `unset_attributes`."""
    programs = [candidate.loaded, reference.loaded]
    return never_none(programs) if _are_methods(programs) else {}


def _are_methods(programs: Sequence[Any]) -> bool:
    return programs[0].binding == "method" and all([one.owner is not None for one in programs])


_ASKING = ("__len__", "__contains__", "__getitem__")
"""Special methods that tell something of what an instance holds, and change nothing by custom."""


def observers_for(reference: Any, candidate: Any, qualname: str) -> list[tuple[str, int]]:
    """Return the other methods of two programs' class that may tell in what state one left an instance, each with the
    number of arguments that it needs: those that prepare instances, and special ones, as far as they are the same in
    both."""
    owner, _, method = qualname.rpartition(".")
    ours, theirs = _texts_of_methods(reference, candidate, owner)
    names = methods_for(reference, candidate, qualname) + [name for name in _ASKING if name in ours]
    names += [] if reference.loaded.owner is None else [*properties_of(reference.loaded.owner)]
    same = [name for name in names if name != method and ours.get(name) == theirs.get(name)]
    found = [(name, _needed_by(reference.loaded.owner, name)) for name in same]
    return sorted([one for one in found if one[1] <= MOST_NEEDED], key=lambda one: one[1])


def _needed_by(owner: Any, name: str) -> int:
    """Return how many arguments a method cannot do without, or a property."""
    if name in properties_of(owner):
        return 0
    return len([one for one in arguments_of_method(owner, name, {}, ()) if not one.is_optional])


def _texts_of_methods(reference: Any, candidate: Any, owner: str) -> list[Mapping[str, str]]:
    """Return, of each of two programs, the methods of the class that a qualified name is of."""
    return [_methods_in(one.anatomy.tree, owner.rpartition(".")[2]) for one in (reference, candidate)]


@functools.lru_cache(maxsize=16)
def _methods_in(tree: ast.AST, owner: str) -> Mapping[str, str]:
    """Return the methods of a class as normalised source code."""
    classes = [node for node in walk_statements(tree) if isinstance(node, ast.ClassDef) and node.name == owner]
    return {node.name: ast.dump(node) for one in classes for node in one.body if isinstance(node, FUNCTIONS)}
