"""Data frames and documents that a class's constructor takes, with what its methods look up in what it stores."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Mapping, Set

from ...program.classes import is_of_library
from ...static.walking import Function, walk_tree
from ...values.shapes import Shape, StrShape, is_unknown
from ..stored_parameters import (
    Renaming,
    as_names,
    constructor_of,
    definition_of,
    line_of,
    methods_with_fields,
    stored_in,
)
from .frame_columns import imports_pandas, is_frame, used_as_frames, with_columns
from .parsed_parameters import documents_parsed, parsed_kind


def with_contents(kind: type, parts: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of the parameters of a class's constructor, where they are data frames with the columns, or
    documents with the keys, that the class looks up in any method: which one is called is not known here."""
    frames = {"." + name: part for name, part in parts.items() if is_frame(part)}
    untold = {"." + name: part for name, part in parts.items() if name in _untold(kind)}
    is_open = any([isinstance(one, StrShape) or is_unknown(one) for one in parts.values()])
    strings = {"." + name: part for name, part in parts.items()} if is_open and _parses(kind) else {}
    names = frozenset([name[1:] for name in (*frames, *untold, *strings)])
    users = _users(kind, names) if names else None
    if users is None:
        return dict(parts)
    frames.update({name: untold[name] for name in used_as_frames(users, untold)})
    found = {**documents_parsed(users, strings), **with_columns(frames, [users])}
    return {name: found.get("." + name, part) for name, part in parts.items()}


@functools.lru_cache(maxsize=256)
def _parses(kind: type) -> bool:
    """Return whether a class of a project parses documents."""
    own = [definition_of(one) for one in line_of(kind) if not is_of_library(one)]
    nodes = [node for one in own if one is not None for node in walk_tree(one)]
    return any([isinstance(one, ast.Call) and bool(parsed_kind(one)) for one in nodes])


def _untold(kind: type) -> Set[str]:
    """Return the parameters of a class's constructor that have no annotation and may be data frames, as its file
    imports pandas."""
    found = constructor_of(kind)
    path = "" if found is None else str(found.scope.get("__file__", ""))
    return found.untold if found is not None and imports_pandas(path) else frozenset()


@functools.lru_cache(maxsize=256)
def _users(kind: type, names: Set[str]) -> Function | None:
    """Return one function that does what the constructor and the methods of a class do with what they take and store,
    in which these have names of their own; None where the source of the class is not known."""
    found = constructor_of(kind)
    if found is None:
        every = list(methods_with_fields(kind, names))
    else:
        line = [found.home, *[one for one in line_of(kind) if one is not found.home]]
        owners = [node for node in map(definition_of, line) if node is not None]
        stored = stored_in(found.function, set(names))
        _, *others = as_names(owners, found.function, stored)
        own = Renaming(found.function, stored, {name: name for name in names}).visit(copy.deepcopy(found.function))
        every = [own, *[one for one in others if one is not None and one.name != "__init__"]]
    if not every:
        return None
    whole = ast.FunctionDef(**{name: getattr(every[0], name) for name in every[0]._fields})
    whole.body = [statement for one in every for statement in one.body]
    return ast.copy_location(whole, every[0])
