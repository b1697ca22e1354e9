"""The bodies of ``with`` statements that show what a context manager does: one that ends as usual, one that
adds to what it is given, and such as raise an exception, any one or those that the function around its `yield` catches
or asks for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..inference.library_objects import is_made_as_builtins
from ..static.walking import items_in, own_nodes, walk_tree
from ..values.dynamic import is_class, is_subclass, type_of
from ..values.shapes import meaning_of

MOST_CAUGHT = 4
"""Maximum number of classes of exceptions that bodies raise besides."""
_ANY = (Exception, BaseException)
_BASES: Mapping[type, type] = {LookupError: KeyError, ArithmeticError: ZeroDivisionError}
"""Classes of exceptions that nobody raises, and one that stands for those that derive from it."""
_GROUP: Any = getattr(builtins, "BaseExceptionGroup", ())
_TEXT = "raised in the body"
_YIELDS = (ast.Yield, ast.YieldFrom)


class BodyError(Exception):
    """What the body of a ``with`` statement raises, to see what any exception does then."""


class Body(NamedTuple):
    """A body."""

    fails: bool = False
    kind: str = ""
    """The class of the exception that it raises, as the program names it; empty for one that no program knows."""
    parts: int = 0
    """How many exceptions there are in it, where it is a group."""
    fills: bool = False
    """Whether it adds to the list, dict or set that it is given."""

    def error(self, scope: Mapping[str, Any]) -> BaseException | None:
        """Return the exception, None where there is none.

        Args:
            scope: the globals of the program whose context manager is left: each version has classes of its own.
        """
        kind = _class_named(self.kind, scope) if self.kind else None
        if not self.fails or kind is None:
            return BodyError(_TEXT) if self.fails else None
        return kind(_TEXT, [BodyError(_TEXT)] * self.parts) if self.parts else kind(_TEXT)

    def fill(self, given: Any) -> bool:
        """Add to what the body is given; return whether that is a container."""
        kind = type_of(given)
        if kind is list:
            given += ["b", "a"]
        elif kind is dict:
            given["b"] = "a"
        elif kind is set:
            given.add("b")
        return kind in (list, dict, set)

    def told(self) -> str:
        """Return the exception for a sentence."""
        return f"{self.kind}{' of two' if self.parts > 1 else ''}" if self.kind else "an exception"


def bodies_for(function: ast.AST | None, scope: Mapping[str, Any]) -> Sequence[Body]:
    """Return the bodies for the context managers of a function, with its module's globals."""
    found: list[Body] = []
    for name in dict.fromkeys(_caught_around_yields(function)) if function is not None else ():
        kind = _class_named(name, scope)
        if kind is not None:
            is_group = is_subclass(kind, _GROUP)
            found += [Body(fails=True, kind=name, parts=count) for count in ((1, 2) if is_group else (0,))]
    if any([isinstance(one, ast.Yield) and one.value is not None for one in own_nodes(getattr(function, "body", ()))]):
        found.insert(0, Body(fills=True))
    return [Body(), Body(fails=True), *found[: MOST_CAUGHT + 1]]


def _class_named(name: str, scope: Mapping[str, Any]) -> Any:
    """Return the class of the exceptions that a name stands for in a module; None where a body raises no such ones."""
    kind = meaning_of(name, dict(scope))
    if not is_class(kind) or not is_made_as_builtins(kind) or kind in _ANY:
        return None
    return _BASES.get(kind, kind) if is_subclass(kind, Exception) or is_subclass(kind, _GROUP) else None


def _caught_around_yields(function: Any) -> Iterator[str]:
    """Yield the exceptions that are caught around a `yield`, as they are written, and those for which is asked then."""
    for node in own_nodes(function.body):
        is_around = isinstance(node, ast.Try) and any([isinstance(one, _YIELDS) for one in own_nodes(node.body)])
        for handler in node.handlers if isinstance(node, ast.Try) and is_around else ():
            yield from map(ast.unparse, items_in(handler.type) if handler.type is not None else ())
            for part in walk_tree(handler):
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "isinstance":
                    yield from map(ast.unparse, items_in(part.args[-1]))
