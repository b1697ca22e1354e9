"""Find the functions of a module that call one of its functions, directly or through others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from lsp_evalplus.fuzz.guest.static.parameter_members import is_name, positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import string_in, walk_tree
from lsp_evalplus.fuzz.guest.values.source_text import SETTER

from .definitions import Definition, is_nested
from .discover import Module
from .scopes import bound_names, used_names

FARTHEST = 5
"""Maximum number of calls between the function looked for and the one that is called."""
_CALLED_BY_CLASS = frozenset(("__init__", "__new__", "__post_init__"))


def callers_of(module: Module, name: str) -> list[str]:
    """Return the names of the functions of a module that may call one of its functions, those first that help most.

    What is passed to a function by its callers, it accepts: where no argument of its own can be made, a caller's may
    be. Those come first that need no object of the same class, then those of its methods that set what the function
    reads and a new object lacks, as ``parse`` does with the text, then those without an underscore, then the nearest.
    Whether a call reaches the function, only a run can tell.
    """
    graph = _graph_of(module)
    prepared = graph.prepared_by(name)
    distances, latest = dict[str, int](), [name]
    for distance in range(1, FARTHEST + 1):
        latest = [one for one in dict.fromkeys(graph.direct(latest)) if one != name and one not in distances]
        distances |= dict.fromkeys(latest, distance)
    owner = _owner_of(name)
    if owner and any(f"{owner}.{one}" in distances for one in _CALLED_BY_CLASS):
        # The constructor stores the method, as in a table of handlers: any other one may call what is stored.
        others = (one for one in module.definitions if _owner_of(one) == owner and one != name)
        distances = dict.fromkeys(others, FARTHEST + 1) | distances

    def rank(caller: str) -> tuple[bool, int, bool, int]:
        last = caller.rpartition(".")[2]
        is_alike = bool(owner) and _owner_of(caller) == owner and last != "__init__"
        return (
            is_alike,
            -prepared.get(caller, 0) if is_alike else 0,
            last.startswith("_") and last != "__init__",
            distances[caller],
        )

    return sorted(distances, key=rank)


@lru_cache(4)
def _graph_of(module: Module) -> _Graph:
    """Return the graph of a module, which is asked for each of its functions."""
    return _Graph(module)


def _owner_of(name: str) -> str:
    """Return the class of a method by its name; empty for other functions."""
    return name.rpartition(".")[0]


class _Graph:
    """The names and attributes that each function of a module uses."""

    def __init__(self, module: Module) -> None:
        self._definitions = module.definitions
        self._names = {name: used_names(found.node) for name, found in self._definitions.items()}
        self._attributes = {name: _attributes(found.node) for name, found in self._definitions.items()}
        self._prefixes = {name: _prefixes(found.node) for name, found in self._definitions.items()}
        self._bases = {
            node.name: used_names(*node.bases) for node in module.parsed.tree.body if isinstance(node, ast.ClassDef)
        }
        self._stated = {
            node.name: frozenset(one for part in node.body for one in bound_names(part))
            for node in module.parsed.tree.body
            if isinstance(node, ast.ClassDef)
        }
        self._tables = [
            (bound_names(node), used_names(node))
            for node in module.parsed.tree.body
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]

    def direct(self, called: Iterable[str]) -> Iterator[str]:
        """Yield the functions that may call one of some others."""
        for name in called:
            yield from self._of(name, self._definitions[name])

    def _of(self, name: str, definition: Definition) -> Iterator[str]:
        if is_nested(definition):
            yield name.partition(".<locals>.")[0]
            return
        owner, _, last = name.rstrip(SETTER).rpartition(".")
        names = self._with_subclasses(owner) if owner else {name}
        names |= {one for bound, used in self._tables if used & names for one in bound}
        attribute = last if owner and not last.startswith("__") else None
        for other in self._definitions:
            is_alike = bool(owner) and _owner_of(other) == owner
            # What makes an object of a class may have its methods called.
            by_name = bool(self._names[other] & names) and not is_alike
            is_made = last in _CALLED_BY_CLASS and is_alike
            is_built = attribute is not None and attribute.startswith(self._prefixes[other])
            if other != name and (by_name or is_made or is_built or attribute in self._attributes[other]):
                yield other

    def prepared_by(self, name: str) -> dict[str, int]:
        """Return how many attributes each method sets that a method of its class reads, itself or by others, and that
        neither the class nor its constructor sets."""
        owner = _owner_of(name)
        methods = {one: found.node for one, found in self._definitions.items() if owner and _owner_of(one) == owner}
        uses = {one: _own_attributes(node) for one, node in methods.items()}
        read, waiting = set[str](), [name] if name in uses else []
        while waiting:
            fresh = uses[waiting.pop()].read - read
            read |= fresh
            waiting += [one for one in (f"{owner}.{attribute}" for attribute in sorted(fresh)) if one in uses]
        known = {one.rpartition(".")[2] for one in methods} | self._stated.get(owner, frozenset())
        made = [uses[one].stored for one in (f"{owner}.{called}" for called in _CALLED_BY_CLASS) if one in uses]
        missing = read.difference(known, *made)
        return {one: len(used.stored & missing) for one, used in uses.items()}

    def _with_subclasses(self, owner: str) -> set[str]:
        """Return a class of the module with those that inherit from it."""
        found, grows = {owner}, True
        while grows:
            more = {name for name, bases in self._bases.items() if bases & found} - found
            found, grows = found | more, bool(more)
        return found


def _attributes(node: ast.AST) -> frozenset[str | None]:
    return frozenset(part.attr for part in walk_tree(node) if isinstance(part, ast.Attribute))


def _prefixes(node: ast.AST) -> tuple[str, ...]:
    """Return what the names begin with by which a function looks up attributes: ``getattr(self, "handle_" + kind)``."""
    parts = walk_tree(node)
    calls = [one for one in parts if isinstance(one, ast.Call) and is_name(one.func, "getattr")]
    if all(isinstance(name, ast.Constant) for one in calls for name in one.args[1:2]):
        return ()
    return tuple(dict.fromkeys(filter(_is_telling, map(_beginning, parts))))


def _is_telling(prefix: str) -> bool:
    return len(prefix) > 1 and prefix.isidentifier()


def _beginning(node: ast.AST) -> str:
    """Return the string with which an expression begins that makes a longer one of it; empty for others."""
    first: ast.AST | None = None
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if len(node.values) > 1 else None
    elif isinstance(node, ast.BinOp):
        first = node.left if isinstance(node.op, (ast.Add, ast.Mod)) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        first = node.func.value
    return re.split("[%{]", string_in(first), maxsplit=1)[0]


class _Uses(NamedTuple):
    """The attributes of its instance that a method reads, and those that it sets."""

    read: set[str]
    stored: set[str]


def _own_attributes(node: ast.AST) -> _Uses:
    arguments = getattr(node, "args", None)
    declared = positional_parameters(arguments) if isinstance(arguments, ast.arguments) else []
    uses = _Uses(set(), set())
    for part in walk_tree(node) if declared else ():
        if isinstance(part, ast.Attribute) and is_name(part.value, declared[0].arg):
            (uses.read if isinstance(part.ctx, ast.Load) else uses.stored).add(part.attr)
    return uses
