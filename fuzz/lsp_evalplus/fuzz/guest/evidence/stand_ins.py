"""Objects that stand for ones of unknown classes: what their attributes have to do with each other, nobody knows.

So they show something only where both programs use the same attributes, or a newer version lacks nothing but calls for
their effect alone.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ..inference.functions.called_parameters import calls_in
from ..inference.members import has_members, own_classes
from ..inference.records.value_usage import STAND_IN
from ..program.source_facts import nodes_of, tree_of
from ..static.parameter_members import is_plain, positional_names
from ..static.walking import Function, walk_tree
from ..values.recipes.source import to_text
from ..values.rendering import message_of

_LACKING = re.compile(
    rf"'{STAND_IN}' object (?:has no attribute|is not iterable|is not subscriptable)"
    rf"|argument of type '{STAND_IN}' is not|object of type '{STAND_IN}' has no len"
    r"|'_io\.(?:StringIO|BytesIO)' object has no attribute '(?:name|mode|buffer|raw|reconfigure)'"
)
"""Python's messages for what a stand-in lacks: an attribute, or the methods of a container; a stream in memory stands
for a file, which has a name."""


class StandIns:
    """Tells which calls of two programs say nothing because of stand-ins.

    Args:
        sources: the candidate and the reference.
        functions: those under test in them.
        namespaces: their globals.
        is_bound: whether the first argument is the instance of a method.
        is_previous: whether the reference is an older version.
    """

    def __init__(
        self,
        sources: tuple[str, str],
        functions: tuple[Function | None, Function | None],
        namespaces: tuple[Mapping[str, Any], Mapping[str, Any]],
        *,
        is_bound: bool,
        is_previous: bool,
    ) -> None:
        self._sources = sources
        self._functions = functions
        self._namespaces = namespaces
        self._is_bound = is_bound
        self._is_previous = is_previous

    def are_meaningless_in(self, row: Any) -> bool:
        """Whether the instance holds a stand-in, and one of the programs uses an attribute that the other one does not:
        one that stand-ins have, or that neither a builtin type nor a known class has."""
        if not self._used_by_one or not row or f"{STAND_IN}(" not in (text := to_text(row[0])):
            return False
        is_given = any([f"{STAND_IN}(" in to_text(one) for one in row[1:]])
        used = self._used_by_one if is_given else self._used_by_one - self._used_of_given
        return any([f"{one}=" in text or not (is_plain({one}) or one in self._known) for one in used])

    @cached_property
    def _known(self) -> set[str]:
        """Those of the attributes that objects of a class have which is written out: a private attribute or a method of
        the instance that has another name now, a property of what a protocol returns."""
        kinds = [
            kind
            for scope in self._namespaces
            for kind in own_classes(scope)
            if not inspect.getattr_static(kind, "_is_protocol", None)
        ]
        return {name for name in self._used_by_one if any([has_members(kind, {name}) for kind in kinds])}

    @cached_property
    def _used_by_one(self) -> set[str]:
        if not self._is_bound:
            return set()
        one, two = [{*_attributes_in(source)} for source in self._sources]
        lacks_calls = self._is_previous and one < two and has_lost_calls_alone(*self._sources)
        return set() if lacks_calls else one ^ two

    @cached_property
    def _used_of_given(self) -> set[str]:
        """The attributes that the programs use only of what the call is given, and never of what the instance holds."""
        counts = [
            (Counter(_attributes_in(source)), Counter(attributes_of_given(function)))
            for source, function in zip(self._sources, self._functions)
        ]
        return {name for _, given in counts for name in given if all([one[name] <= two[name] for one, two in counts])}


def is_lacking(error: Any) -> bool:
    """Return whether an exception says that a stand-in lacks an attribute, or items, which the object that is meant may
    have."""
    return isinstance(error, (AttributeError, TypeError)) and bool(_LACKING.match(message_of(error)))


def has_lost_calls_alone(newer: str, older: str) -> bool:
    """Return whether all that one of two versions uses of objects is what the other one uses, which uses more only to
    call methods for their effect: ``self.pool.release(self)`` as a statement."""
    ours, theirs = _uses_in(newer), _uses_in(older)
    return ours <= theirs and all([is_effect for _, _, is_effect in theirs - ours])


def _uses_in(source: str) -> set[tuple[str, str, bool]]:
    """Return the attributes that a program reads, as they are written from their variables on, with the kind of node
    that they are a part of, and whether they are parts of a call for its effect alone."""
    tree = tree_of(source)
    effects = {id(part) for call, _, is_effect, _ in calls_in(tree) if is_effect for part in walk_tree(call)}
    return {
        (ast.unparse(part), type(node).__name__, id(part) in effects)
        for node in nodes_of(tree)
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)
    }


def _attributes_in(source: str) -> list[str]:
    """Return the names of the attributes that a program reads, one for each place."""
    return [node.attr for node in _reads_in(nodes_of(tree_of(source)))]


def _reads_in(nodes: Iterable[ast.AST]) -> Iterator[ast.Attribute]:
    return (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


def attributes_of_given(method: Function | None) -> list[str]:
    """Return the names of the attributes that a method reads of its other parameters than the instance, and of what
    nothing but these leads to; one for each place."""
    if method is None:
        return []
    owned = _names_from_instance(method)
    reads = [(node, _names_in(node.value)) for node in _reads_in(nodes_of(method))]
    return [node.attr for node, names in reads if names and not names & owned]


def _names_from_instance(method: Function) -> set[str]:
    """Return the names that what the instance holds may be bound to, or be put into."""
    nodes = nodes_of(method)
    owned, known = {*positional_names(method)[:1]}, set[str]()
    while owned != known:
        known = set(owned)
        for targets, value in (pair for node in nodes for pair in _moves_in(node)):
            if _names_in(value) & owned:
                owned |= _names_in(*targets)
    return owned


def _moves_in(node: ast.AST) -> Iterator[tuple[list[ast.AST], ast.AST]]:
    """Yield what a node may put values into, each with what these come from."""
    if isinstance(node, ast.Assign):
        yield [*node.targets], node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield [node.target], node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield [node.target], node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield [node.optional_vars], node.context_expr
    elif type(node).__name__ == "Match":  # Python 3.9 has none.
        yield [*node.cases], node.subject  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for argument in (*node.args, *[one.value for one in node.keywords]):
            yield [node.func.value], argument


def _names_in(*nodes: ast.AST) -> set[str]:
    parts = [part for node in nodes for part in walk_tree(node)]
    captured = {getattr(part, "name", None) for part in parts if not isinstance(part, ast.alias)}
    return {part.id for part in parts if isinstance(part, ast.Name)} | {one for one in captured if one}
