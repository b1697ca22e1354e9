"""Matches of regular expressions, as a function uses them: with the groups that it asks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Set
from typing import Any, Final, Union

from ...values.dynamic import type_of
from ...values.shapes import STR, CallShape, ChoiceShape, Shape, union_of
from .parsed_strings import parsed_in

Group = Union[int, str]
BY_GROUP: Final = frozenset(("group", "start", "end", "span"))
"""Methods of a match whose arguments say which groups it has."""
_TELLING: Final = frozenset(("group", "groups", "groupdict", "lastgroup"))
_MEMBERS: Final = frozenset(name for name in dir(re.Match) if not name.startswith("_"))
_MATCH: Final = "re.match"
_FEWEST = 2
"""Number of groups at least: an item of a match may be one."""
_MOST = 8
_MOST_PATTERNS = 4
_SEPARATED = r"\W*"
_STRINGS: Final = ("a b c d e f g h", "1 2 3 4 5 6 7 8", "ab, 12", "a", "")


def is_match(members: Set[str]) -> bool:
    """Whether an object is a match of a regular expression, by the members of it that are used."""
    return not _TELLING.isdisjoint(members) and members <= _MEMBERS


def matches(groups: Iterable[Group], words: Iterable[str] = (), patterns: Iterable[re.Pattern[str]] = ()) -> Shape:
    """Return the shape of matches that have some groups.

    Args:
        groups: numbers and names that are asked for.
        words: strings with which groups are compared.
        patterns: of the program; those count that have the groups.
    """
    asked = list(dict.fromkeys(groups))
    names = [one for one in asked if isinstance(one, str) and one.isidentifier()]
    count = min(_MOST, max([_FEWEST, len(names), *[one for one in asked if isinstance(one, int)]]))
    own = [one.pattern for one in patterns if one.groups >= count and set(names) <= set(one.groupindex)]
    heads = [f"?P<{name}>" for name in names] + [""] * (count - len(names))
    kinds = [_SEPARATED.join(f"({head}{one}" for head in heads) for one in (r"\w+)?", r"\w*)")]
    compared = tuple(dict.fromkeys(words))
    strings = ChoiceShape((*compared, *_STRINGS, *[f"{word} {word}" for word in compared]))
    return CallShape(_MATCH, (ChoiceShape((*kinds, *own[:_MOST_PATTERNS])), union_of([strings, STR])))


class ParsedGroups:
    """What the groups of matches are parsed as, read node by node: ``strptime(found["time"], "%H:%M")``."""

    def __init__(self) -> None:
        self.strings: dict[Group, Shape] = {}
        """The strings that can be parsed, by the name or number of the group."""
        self._names: dict[str, Group] = {}
        """Groups by the variables that hold them."""

    def read(self, node: ast.AST) -> None:
        """Note what a node says: an assignment of groups to variables, or a call that parses one."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            for one, group in zip(getattr(target, "elts", [target]), _groups_in(value)):
                if isinstance(one, ast.Name):
                    self._names[one.id] = group
        elif isinstance(node, ast.Call):
            for argument, shape in parsed_in(node):
                known = self._names.get(argument.id) if isinstance(argument, ast.Name) else None
                group = next(iter(_groups_in(argument)), known)
                if group is not None:
                    self.strings.setdefault(group, shape)


def _groups_in(node: ast.expr) -> list[Group]:
    """Return the groups that an expression asks for, in order: ``found["a"]``, ``found.group(1, 2)``, all of them."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        parts = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groups":
        return [*range(1, _MOST + 1)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "group":
        parts = node.args
    values = [one.value for one in parts if isinstance(one, ast.Constant)]
    return [one for one in values if isinstance(one, str) or (type(one) is int and one > 0)]


def patterns_in(namespace: Mapping[str, Any]) -> list[re.Pattern[str]]:
    """Return the regular expressions for strings that a module has compiled."""
    found = [value for value in list(namespace.values()) if type_of(value) is re.Pattern]
    return [one for one in found if isinstance(one.pattern, str)]


def is_made_by_matching(shape: Shape) -> bool:
    """Whether a shape is that of matches, as an annotation states it."""
    return isinstance(shape, CallShape) and shape.name == _MATCH
