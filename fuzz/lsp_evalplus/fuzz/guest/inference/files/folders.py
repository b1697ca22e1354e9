"""Folders that a function is given, files beside which it looks for others, archives: what they hold, as shapes."""

from __future__ import annotations

import ast
import collections
import pathlib
import re
import types
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ...program.source_facts import nodes_of
from ...static.parameter_members import positional_parameters
from ...static.walking import Function, name_of
from ...values.dynamic import is_module, type_of
from ...values.makers.archives import ARCHIVE
from ...values.makers.input_files import FILE, FOLDER, USUAL_FOLDER, USUAL_NAME
from ...values.shapes import NONE, CallShape, ChoiceShape, FixedDictShape, ListShape, Shape, union_of
from ..called_functions import called_function
from ..callees import Home, definition_at
from .contents import Contents
from .file_names import beside_in, names_in, words_among
from .path_uses import ITSELF, PathUse, Tracer, path_uses

_DEEPEST, _MOST_FUNCTIONS, _MOST_CONSTANTS = 2, 12, 40
_TIMES = frozenset("st_mtime st_ctime st_atime st_mtime_ns getmtime getctime getatime".split())
_AGES = ((0, 40), (40, 0), (40,), (2, 8, 400), (400, 100, 31, 8, 1))
"""How many days ago the files of a folder were changed."""
_LONGEST_AGE, _MOST_LIMITS = 4000, 3
_MODULES = ("os", "os.path", "posixpath", "pathlib", "shutil", "glob")
_UNSAFE = ("../a.txt", "/a.txt", "a..b.txt")
_MEMBERS = ("a.txt", "b.py", "sub/c.txt", "sub/")
_SUFFIX = re.compile(r"\.\w{1,8}")
_TABLES = (tuple, list, set, frozenset, dict, collections.OrderedDict, types.MappingProxyType)
_INSIDE, _MOST_ABOVE = "sub", 4
"""The folder from which code looks for files in those above it, and how many names of files each of these has."""


class Reached(NamedTuple):
    """A function and those of the project that it calls, with what they name."""

    nodes: tuple[ast.AST, ...]
    constants: tuple[str, ...]
    """The strings that their constants are or hold."""


def reached_by(function: Function, home: Home) -> Reached:
    """Return what a function, and what it calls in its project, consists of."""
    functions = list(_functions(function, home))
    nodes = tuple([node for one, _ in functions for node in nodes_of(one)])
    constants: dict[str, bool] = {}
    for one, there in functions:
        for node in nodes_of(one):
            if isinstance(node, (ast.Name, ast.Attribute)):
                constants.update(dict.fromkeys(_strings(_held(node, there)), True))
    for one, _ in functions:
        constants.update(dict.fromkeys(_defaults(one), True))
    return Reached(nodes, tuple(constants)[:_MOST_CONSTANTS])


def _functions(function: Function, home: Home) -> Iterator[tuple[Function, Home]]:
    waiting: list[tuple[Function, Home, int]] = [(function, home, 0)]
    met: set[int] = set()
    while waiting and len(met) < _MOST_FUNCTIONS:
        one, there, depth = waiting.pop(0)
        if id(one) in met:
            continue
        met.add(id(one))
        yield one, there
        for node in nodes_of(one) if depth < _DEEPEST else ():
            called = called_function(node.func, there.scope, there.owner) if isinstance(node, ast.Call) else None
            callee, beyond = definition_at(called, there) if called is not None else (None, there)
            if callee is not None:
                waiting.append((callee, beyond, depth + 1))


def _held(node: ast.Name | ast.Attribute, home: Home) -> Any:
    if isinstance(node, ast.Name):
        return home.scope.get(node.id)
    is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    return getattr(home.owner, "__dict__", {}).get(node.attr) if is_own else None


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    kind = type_of(value)
    if kind is re.Pattern:
        value = value.pattern
    if type_of(value) is str:
        yield value
    elif kind in _TABLES and depth < 2 and len(value) <= _MOST_CONSTANTS:
        items = sorted(value, key=repr) if kind in (set, frozenset) else list(value)
        for one in items:
            yield from _strings(one, depth + 1)
        yield from [f"{one}/" for one in words_among([one for one in items if type_of(one) is str])]


def _defaults(function: Function) -> Iterator[str]:
    for one in (*function.args.defaults, *function.args.kw_defaults):
        yield from [one.value] if isinstance(one, ast.Constant) and isinstance(one.value, str) else ()


def folder_shapes(
    function: Function, names: Set[str], home: Home, handed: Mapping[str, Shape], depth: int
) -> dict[str, Shape]:
    """Return the shapes of folders, and of files with others beside them, by the names of a function for them.

    Args:
        function: the definition.
        names: parameters, or other names of what holds paths.
        home: where it stands.
        handed: the shapes of files and folders that it hands on to other functions.
        depth: calls that led to it.
    """
    uses = path_uses(function, names, home.scope)
    _note_handed(function, names, home, uses, depth)
    for name, shape in handed.items():
        if is_folder(shape) and not isinstance(shape, ListShape):
            uses.setdefault(name, PathUse()).is_listed = True
    folders = [name for name, use in uses.items() if use.is_folder]
    others = [name for name, use in uses.items() if not use.is_folder and ITSELF in use.places]
    siblings = [name for name in others if uses[name].has_siblings]
    items = [name for name in others if uses[name].is_item and not uses[name].has_siblings]
    if not folders and not siblings and not items:
        return {}
    reached = reached_by(function, home)
    contents = Contents(reached.nodes, reached.constants)
    others_named = beside_in(reached.nodes, USUAL_NAME)
    found = {name: _beside(reached, contents, others_named) for name in siblings if others_named}
    found.update({name: _file(contents) for name in items})
    for place, name in enumerate(folders):
        found[name] = _folder(reached, contents, uses[name], USUAL_FOLDER if not place else name.lstrip("."))
    return {name: ListShape(shape) if uses[name].is_item else shape for name, shape in found.items()}


def _note_handed(function: Function, names: Set[str], home: Home, uses: dict[str, PathUse], depth: int) -> None:
    """Note the paths below, or beside, those of a function that it hands on to others which look at files."""
    is_likely = depth < _DEEPEST and any([_is_of_paths(one) for one in home.scope.values()])
    calls = [one for one in nodes_of(function) if isinstance(one, ast.Call)] if is_likely else []
    tracer = Tracer(function, names) if calls else None
    for node in calls:
        given = [(place, tracer.origin(one)) for place, one in enumerate(node.args)] if tracer is not None else []
        places = {place: origin for place, origin in given if origin is not None and origin.place != ITSELF}
        called = called_function(node.func, home.scope, home.owner) if places else None
        callee, there = definition_at(called, home) if called is not None else (None, home)
        if callee is None or callee is function or called is None:
            continue
        listed = positional_parameters(callee.args)[called.is_bound :]
        inner = path_uses(callee, {one.arg for one in listed}, there.scope)
        for place, origin in places.items():
            if place < len(listed) and listed[place].arg in inner:
                uses.setdefault(origin.name, PathUse()).places.add(origin.place)


def _is_of_paths(value: Any) -> bool:
    """Whether what a module holds is the class of paths, or a module of the library about files."""
    return value is pathlib.Path or (is_module(value) and value.__name__ in _MODULES)


def is_folder(shape: Shape) -> bool:
    """Whether a shape is that of a folder, or of a list of files or folders."""
    return isinstance(shape, ListShape) or any(
        [isinstance(one, CallShape) and one.name == FOLDER for one in shape.alternatives]
    )


def _folder(reached: Reached, contents: Contents, use: PathUse, name: str) -> Shape:
    arguments: list[Shape] = []
    keywords: list[str] = []
    if name != USUAL_FOLDER or use.is_item:
        arguments, keywords = [ChoiceShape((name, "other") if use.is_item else (name,))], ["name"]
    if any([isinstance(one, (ast.Attribute, ast.Name)) and name_of(one) in _TIMES for one in reached.nodes]):
        arguments.append(ChoiceShape((*_AGES, *_ages_at(reached.nodes))))
        keywords.append("days_old")
    made: list[Shape] = []
    for names in dict.fromkeys([names_in(*reached, has_folders=True), names_in(*reached, has_folders=False)]):
        held = FixedDictShape(names, tuple([NONE if one.endswith("/") else contents.of(one) for one in names]), ())
        made.append(CallShape(FOLDER, (held, *arguments), tuple(keywords)))
    if use.is_climbed and not use.is_item:
        hidden = [one for one in words_among(list(_literals(reached))) if one.startswith(".")]
        above = [one for one in (*hidden[:1], *names_in(*reached, has_folders=False)) if "/" not in one][:_MOST_ABOVE]
        names = (*above, *[f"{_INSIDE}/{one}" for one in above])
        held = FixedDictShape(names, tuple([contents.of(one) for one in names]), ())
        made.insert(0, CallShape(FOLDER, (held, *arguments, ChoiceShape((_INSIDE,))), (*keywords, "inside")))
    made.append(CallShape("pathlib.Path", (ChoiceShape(("missing", "missing/a")),)))
    if use.may_be_file:
        made.append(CallShape(FILE, (contents.of(USUAL_NAME),)))
    return union_of(made)


def _ages_at(nodes: Sequence[ast.AST]) -> list[tuple[int, ...]]:
    """Return ages around the numbers that code has, which may be limits."""
    values = [one.value for one in nodes if isinstance(one, ast.Constant) and type_of(one.value) is int]
    limits = [int(str(one)) for one in dict.fromkeys(values) if 1 < int(str(one)) <= _LONGEST_AGE]
    return [(one, one + 1, one - 1) for one in limits[:_MOST_LIMITS]]


def _file(contents: Contents) -> Shape:
    return CallShape(FILE, (contents.of(USUAL_NAME), ChoiceShape(("a.txt", "b.txt"))), ("name",))


def _beside(reached: Reached, contents: Contents, others: tuple[str, ...]) -> Shape:
    suffixes = [one for one in _literals(reached) if _SUFFIX.fullmatch(one)]
    name = USUAL_NAME
    beside = FixedDictShape(others, tuple([contents.of(one) for one in others]), ())
    names = ChoiceShape((name, *[f"file{one}" for one in dict.fromkeys(suffixes)][:3]))
    missing = CallShape("pathlib.Path", (ChoiceShape(("missing.txt", "missing/a/b.txt")),))
    return union_of([CallShape(FILE, (contents.of(name), names, beside), ("name", "beside")), missing])


def _literals(reached: Reached) -> Iterator[str]:
    for node in reached.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    yield from reached.constants


def archive_shape(reached: Reached, kind: str) -> Shape:
    """Return the shape of archives.

    Args:
        reached: what uses them.
        kind: the suffix of such files.
    """
    names = names_in(*reached)
    members = tuple(dict.fromkeys([*names[:6], names[-1], *_MEMBERS, *_UNSAFE]))
    contents = Contents(reached.nodes, reached.constants)
    shapes: Sequence[Shape] = [NONE if one.endswith("/") else contents.of(one) for one in members]
    held = FixedDictShape(members, tuple(shapes), ())
    arguments = (held, ChoiceShape((f"archive{kind}",))) if kind != ".zip" else (held,)
    made = CallShape(ARCHIVE, arguments, ("name",) if kind != ".zip" else ())
    return union_of([made, CallShape("pathlib.Path", (ChoiceShape(("missing" + kind,)),))])
