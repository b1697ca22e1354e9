"""Parts of a recipe by their paths: what an argument is made of, and copies with another part in one place."""

from __future__ import annotations

from typing import Any, Callable

from .carved import CARVED
from .dynamic import type_of
from .recipes.model import ASSIGNMENT, KEPT_WHOLE, New, Prepared

Path = tuple[Any, ...]
"""The keys of parts, from the outermost: positions, keywords of calls, and keys of dicts."""


def paths_to(value: Any, is_wanted: Callable[[Any], bool], *, deepest: int, most: int) -> list[Path]:
    """Return the paths to the first `most` parts that are wanted, at most so deep; no part of a wanted one."""
    found: list[Path] = []
    _collect(value, (), found, is_wanted, deepest, most)
    return found


def _collect(
    value: Any, path: Path, found: list[Path], is_wanted: Callable[[Any], bool], deepest: int, most: int
) -> None:
    if len(found) >= most:
        return
    if is_wanted(value):
        found.append(path)
    elif len(path) < deepest:
        for key, part in parts_of(value):
            _collect(part, (*path, key), found, is_wanted, deepest, most)


def parts_of(value: Any) -> list[tuple[Any, Any]]:
    """Return the parts of a recipe with their keys; none of what a file is opened by, or a test has."""
    kind = type_of(value)
    if kind is Prepared:
        return [*enumerate(value.args)]
    if kind is New:
        if value.name in KEPT_WHOLE or value.name == CARVED:
            return []
        # The name of an attribute that is set is no value.
        first = 1 if value.name == ASSIGNMENT else 0
        return [*[*enumerate(value.args)][first:], *value.kwargs.items()]
    if kind is dict:
        return [*value.items()]
    return [*enumerate(value)] if kind in (list, tuple) else []


def part_at(value: Any, path: Path) -> Any:
    """Return the part at a path."""
    for key in path:
        value = dict(parts_of(value))[key]
    return value


def replaced(value: Any, path: Path, part: Any) -> Any:
    """Return a copy of a recipe with another part at a path."""
    if not path:
        return part
    inner = dict(parts_of(value))[path[0]]
    return with_part(value, path[0], replaced(inner, path[1:], part))


def with_part(value: Any, key: Any, part: Any) -> Any:
    """Return a copy of a recipe in which another part has a key."""
    kind = type_of(value)
    if kind is Prepared:
        made = [*value.args[:key], part, *value.args[key + 1 :]]
        return Prepared(made[0], tuple(made[1:]))
    if kind is New:
        if type(key) is str:
            return New(value.name, value.args, {**value.kwargs, key: part})
        return New(value.name, (*value.args[:key], part, *value.args[key + 1 :]), value.kwargs)
    if kind is dict:
        return {**value, key: part}
    return kind([*value[:key], part, *value[key + 1 :]])
