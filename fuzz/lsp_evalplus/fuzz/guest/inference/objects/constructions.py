"""How objects were made, observed: the calls of their constructors, and of their methods from outside.

An object that a Hypothesis strategy drew has no literal. While it is drawn, the constructors and methods of the
project's classes note how they are called, so that the object can be written as an expression that makes it anew.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
from typing import Any, Callable

from ...comparison.equality import same
from ...values.dynamic import is_python_function, is_subclass, type_of
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipes.building import build
from ...values.recipes.model import IMMUTABLE, Name, New, Prepared, RecipeError
from ...values.recipes.parsing import from_text
from ...values.recipes.source import to_text

LONGEST = 1000
"""Maximum length, in characters, of an expression."""
MOST_CALLS = 12
"""Maximum number of calls that prepare an object."""
DEEPEST = 20
_CONSTRUCTOR = "__init__"


class Constructions:
    """Notes how objects of the classes that it watches are made; it keeps these objects."""

    def __init__(self) -> None:
        self._made: dict[int, _Made] = {}
        self._watched: set[type] = set()
        self._active: set[int] = set()
        """Objects whose constructor or method is running: what these call themselves is no step of making it."""

    def watch(self, kind: type) -> None:
        """Note from now on how objects of a class are made; nothing for a class that does not allow that."""
        if kind in self._watched:
            return
        self._watched.add(kind)
        members = dict(vars(kind))
        members.setdefault(_CONSTRUCTOR, getattr(kind, _CONSTRUCTOR, None))
        for name, member in members.items():
            if is_python_function(member) and (name == _CONSTRUCTOR or not name.startswith("_")):
                try:
                    setattr(kind, name, self._noted(name, member))
                except (AttributeError, TypeError):
                    return

    def forget_since(self, count: int) -> None:
        """Forget the objects made after the first `count` of them."""
        for key in list(self._made)[count:]:
            del self._made[key]

    def __len__(self) -> int:
        """Return how many objects are known."""
        return len(self._made)

    def text_of(self, value: Any) -> str:
        """Return an expression that makes an equal value, with full dotted names.

        Raises:
            RecipeError: there is none.
        """
        try:
            recipe = self._recipe(value, 0)
        except RecursionError:
            raise RecipeError("it is nested too deeply") from None
        text = to_text(recipe)
        if len(text) > LONGEST:
            raise RecipeError("its expression is too long")
        _check(recipe, value)
        from_text(text)
        return text

    def _noted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def noted(*args: Any, **kwargs: Any) -> Any:
            if not args or id(args[0]) in self._active:
                return function(*args, **kwargs)
            call = self._call(name, args, kwargs)
            self._active.add(id(args[0]))
            try:
                result = function(*args, **kwargs)
            finally:
                self._active.discard(id(args[0]))
            self._note(args[0], name, call)
            return result

        return noted

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> New | None:
        """Return a call with its arguments as they are before it; None if these cannot be written."""
        try:
            if name == _CONSTRUCTOR:
                name = full_name(type_of(args[0]))
            parts = tuple([self._recipe(one, 1) for one in args[1:]])
            return New(name, parts, {key: self._recipe(one, 1) for key, one in kwargs.items()})
        except (RecipeError, RecursionError):
            return None

    def _note(self, value: Any, name: str, call: New | None) -> None:
        key = id(value)
        if name == _CONSTRUCTOR:
            self._made.pop(key, None)
            if call is not None:
                self._made[key] = _Made(value, call, ())
        elif key in self._made:
            made = self._made[key]
            if call is None or len(made.calls) >= MOST_CALLS:
                del self._made[key]
            else:
                self._made[key] = _Made(made.value, made.call, (*made.calls, call))

    def _recipe(self, value: Any, depth: int) -> Any:
        kind = type_of(value)
        if kind in IMMUTABLE:
            return value
        if depth > DEEPEST:
            raise RecipeError("it is nested too deeply")
        if kind in (list, tuple, set, frozenset):
            make: Any = kind
            return make([self._recipe(one, depth + 1) for one in value])
        if kind is dict:
            return {self._recipe(key, depth + 1): self._recipe(one, depth + 1) for key, one in value.items()}
        made = self._made.get(id(value))
        if made is not None and made.value is value:
            return made.recipe()
        return self._described(value, kind, depth + 1)

    def _described(self, value: Any, kind: Any, depth: int) -> Any:
        """Return the recipe of an object that nobody saw being made: by its class, or by its ``repr``."""
        if is_subclass(kind, enum.Enum):
            return Name(f"{full_name(kind)}.{value.name}")
        if is_subclass(kind, type):
            return Name(full_name(value))
        name = full_name(kind)
        if is_subclass(kind, tuple) and hasattr(kind, "_fields"):
            return New(name, tuple([self._recipe(one, depth) for one in value]))
        if dataclasses.is_dataclass(kind):
            fields = [one.name for one in dataclasses.fields(kind) if one.init]
            return New(name, (), {one: self._recipe(getattr(value, one), depth) for one in fields})
        found = from_text(repr(value))
        if type(found) is not New or found.name.rpartition(".")[2] != kind.__name__:
            raise RecipeError("its repr is no expression")
        return New(name, found.args, found.kwargs)


class _Made:
    def __init__(self, value: Any, call: New, calls: tuple[New, ...]) -> None:
        self.value = value
        self.call = call
        self.calls = calls

    def recipe(self) -> New | Prepared:
        """Return the constructor's call, with further calls only where it does not make an equal object by itself."""
        if self.calls:
            try:
                _check(self.call, self.value)
            except RecipeError:
                return Prepared(self.call, self.calls)
        return self.call


def full_name(kind: type) -> str:
    """Return the dotted name by which a class can be imported. Raises `RecipeError` where there is none."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if find(name) is not kind:
        raise RecipeError(f"{name} cannot be imported")
    return kind.__qualname__ if kind.__module__ == "builtins" else name


def module_of(name: str) -> str | None:
    """Return the module that a full dotted name begins with, None if none is loaded."""
    while name and name not in sys.modules:
        name = name.rpartition(".")[0]
    return name or None


def find(name: str) -> Any:
    """Return what a full dotted name stands for in the loaded modules; None if nothing."""
    module = module_of(name)
    if module is None:
        return None
    found: Any = sys.modules[module]
    for part in name[len(module) + 1 :].split(".") if name != module else ():
        found = getattr(found, part, None)
    return found


def _check(recipe: Any, value: Any) -> None:
    """Raise `RecipeError` unless a recipe makes an equal value."""
    namespace = {name: module for name, module in list(sys.modules.items()) if "." not in name}
    try:
        made = build(recipe, namespace)
    except RecipeError:
        raise
    except PROGRAM_ERRORS as error:  # a constructor of the project may raise anything.
        raise RecipeError(f"it cannot be made again: {type_of(error).__name__}") from None
    if type_of(made) is not type_of(value) or not same(value, made):
        raise RecipeError("what the expression makes is not equal to it")
