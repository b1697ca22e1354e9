"""Files that a function reads or writes: which parameters are their paths, and what their content is like."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from ...program.source_facts import nodes_of
from ...static.parameter_members import listed_parameters, parameter_names, unconverted_path
from ...static.walking import Function, has_star, name_of, string_in
from ...values.makers.input_files import FILE, USUAL_NAME
from ...values.shapes import (
    BYTES,
    STR,
    AnyShape,
    CallShape,
    ChoiceShape,
    CollectionShape,
    ListShape,
    Shape,
    is_unknown,
    union_of,
)
from ..called_functions import called_function
from ..callees import Home, definition_at
from ..members import parameter_at
from .contents import LINES, settings_in
from .contents_by_keys import json_for
from .documents import decoded_kind, decodes_lines, lines_of, table_documents
from .folders import archive_shape, folder_shapes, is_folder, reached_by
from .streams import is_stream, streams_used

_READING = frozenset(("read_text", "read_bytes"))
_WRITING = frozenset("write_text write_bytes unlink rename replace touch mkdir rmdir chmod symlink_to".split())
_OPENERS = frozenset(("io", "codecs", "tokenize"))
"""Modules whose `open` takes a path."""
_OF_FILES = {
    "os": frozenset("remove unlink rename replace truncate".split()),
    "shutil": frozenset("copy copy2 copyfile move".split()),
}
"""Functions that take the path of a file first, by module."""
_SUFFIX = re.compile(r"\.\w{1,8}")
_TEXT = union_of([ChoiceShape(LINES), STR])
_PARSERS = frozenset(("ConfigParser", "RawConfigParser"))
_DEEPEST = 3
_MISSING = ChoiceShape(("missing.txt", "missing/a/b.txt"))


_METHODS_OF_OTHERS = frozenset(("rename", "replace", "touch"))
"""Of these methods, only those of what is annotated as a path are meant."""


_ARCHIVE_OPENERS = {
    "ZipFile": ".zip",
    "is_zipfile": ".zip",
    "is_tarfile": ".tar",
    "TarFile": ".tar",
    "unpack_archive": ".zip",
}
_ARCHIVES = (".zip", ".tar", ".tar.gz")
"""Kinds of archives, which stand for the mode in which they are opened."""


class _Opening(NamedTuple):
    """One place where a file is opened."""

    parameter: str
    mode: str
    """As `open` takes it."""


def files_handed_on(function: Function | None, home: Home, depth: int = 0) -> dict[str, Shape]:
    """Return the shapes of paths of files, and of streams, by the parameter, also of those that other functions and
    methods of the project open.

    Args:
        function: the definition.
        home: where it stands.
        depth: calls that led to it.
    """
    if function is None:
        return {}
    parameters = parameter_names(function)
    opened = files_named(function, parameters, home, depth)
    here = {name: shape for name, shape in opened.items() if not is_stream(shape)}
    return {**opened, **streams_used(function), **here}


def files_named(function: Function, names: Set[str], home: Home, depth: int = 0) -> dict[str, Shape]:
    """Return the shapes of paths of files by their names in a function, which opens them or hands them on."""
    found: dict[str, Shape] = {}
    for node in [one for one in nodes_of(function) if isinstance(one, ast.Call)] if depth < _DEEPEST else ():
        given = _names_given(node, names)
        called = called_function(node.func, home.scope, home.owner) if given else None
        if called is None:
            continue
        callee, there = definition_at(called, home)
        opened = files_handed_on(callee, there, depth + 1) if callee is not function else {}
        for place, name in given.items():
            parameter = parameter_at(called.function, place, is_bound=called.is_bound)
            if parameter in opened:
                found[name] = opened[parameter]
    here = _opened_here(function, names, home)
    return {**found, **here, **folder_shapes(function, names, home, found, depth)}


def _opened_here(function: Function, names: Set[str], home: Home) -> dict[str, Shape]:
    """Return the shapes of paths of files and archives that a function opens itself."""
    annotations = {one.arg: one.annotation for one in listed_parameters(function.args)}
    paths = {name for name, kind in annotations.items() if kind is not None and "Path" in ast.dump(kind)}
    found = [one for one in _openings(function, paths) if one.parameter in names]
    shapes = {one.parameter: _path(function, is_binary="b" in one.mode) for one in found}
    packed = {one.parameter: one.mode for one in found if one.mode in _ARCHIVES}
    return {**shapes, **{name: archive_shape(reached_by(function, home), kind) for name, kind in packed.items()}}


def _names_given(call: ast.Call, names: Set[str]) -> dict[int | str, str]:
    """Return the parameters whose values, or the paths that they are made, a call gets, by position or name there."""
    places = {place: _named(value) for place, value in enumerate(call.args)}
    keywords = {one.arg: _named(one.value) for one in call.keywords if one.arg is not None}
    is_spread = has_star(call.args)
    return {place: name for place, name in {**({} if is_spread else places), **keywords}.items() if name in names}


def as_path(shape: Shape, files: Shape) -> Shape:
    """Return the shape of a parameter that is the path of a file, or a stream, where an annotation, or nothing, says
    what it is."""
    parts = shape.alternatives
    if isinstance(files, ListShape) and not is_unknown(shape):
        made = [one.with_parts((as_path(one.parts[0], files.element),)) if _is_list(one) else one for one in parts]
        return union_of(made)
    if is_stream(files):
        return files if is_unknown(shape) or is_stream(shape) else shape
    is_open = is_unknown(shape) or (isinstance(shape, AnyShape) and is_folder(files))
    if is_open or any([isinstance(one, CallShape) and one.name.startswith("pathlib.") for one in parts]):
        return files
    return CallShape("str", (files,)) if any([one.kind is STR.kind for one in parts]) else shape


def _is_list(shape: Shape) -> bool:
    return isinstance(shape, CollectionShape) and len(shape.parts) == 1


def _openings(function: Function, paths: set[str]) -> Iterator[_Opening]:
    for node in nodes_of(function):
        if not isinstance(node, ast.Call):
            continue
        called, method = node.func, node.func.attr if isinstance(node.func, ast.Attribute) else ""
        owner = _named(called.value) if isinstance(called, ast.Attribute) else ""
        if node.args and (method or getattr(called, "id", "")) in (*_ARCHIVE_OPENERS, "open"):
            kind = _archive_kind(method or getattr(called, "id", ""), owner)
            if kind:
                kind += ".gz" if kind == ".tar" and "gz" in _mode(node, 1) else ""
                yield _Opening(_named(node.args[0]), kind)
                continue
        if node.args and method == "read" and _parses_settings(function):
            first = node.args[0]
            read = first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]
            yield from [_Opening(_named(one), "r") for one in read]
        elif node.args and method in _OF_FILES.get(owner, ()):
            yield _Opening(_named(node.args[0]), "r")
        elif method in _READING:
            yield _Opening(owner, "rb" if method == "read_bytes" else "r")
        elif method in _WRITING and (owner in paths or method not in _METHODS_OF_OTHERS):
            yield _Opening(owner, "w")
        elif method == "open" and owner not in _OPENERS:
            yield _Opening(owner, _mode(node, 0))
        elif node.args and "open" in (method, getattr(called, "id", "")):
            yield _Opening(_named(node.args[0]), _mode(node, 1))


def _archive_kind(called: str, owner: str) -> str:
    """Return the suffix of the archives that a function opens; empty for others."""
    return ".tar" if (called, owner) == ("open", "tarfile") else _ARCHIVE_OPENERS.get(called, "")


def _parses_settings(function: Function) -> bool:
    return any([name_of(one) in _PARSERS for one in nodes_of(function) if isinstance(one, (ast.Name, ast.Attribute))])


def _named(node: ast.AST) -> str:
    """Return the name of which an expression is the path: ``path``, ``Path(path)``, ``str(path)``."""
    path = unconverted_path(node)
    return path.id if isinstance(path, ast.Name) else ""


def _mode(node: ast.Call, place: int) -> str:
    """Return the mode of a call that opens a file; that of writing where it is no constant."""
    given = [one.value for one in node.keywords if one.arg == "mode"] or node.args[place : place + 1]
    constants = [one.value for one in given if isinstance(one, ast.Constant)]
    if not given:
        return "r"
    return constants[0] if constants and isinstance(constants[0], str) else "w"


def _path(function: Function, *, is_binary: bool) -> Shape:
    constants = [one.value for one in nodes_of(function) if isinstance(one, ast.Constant)]
    suffixes = [one for one in constants if isinstance(one, str) and _SUFFIX.fullmatch(one)]
    names = ChoiceShape((USUAL_NAME, *[f"file{one}" for one in dict.fromkeys(suffixes)]))
    plain = union_of([BYTES, _TEXT]) if is_binary else _TEXT
    if _parses_settings(function):
        plain = union_of([ChoiceShape(tuple(settings_in(nodes_of(function), _defaults_of(function)))), plain])
    plain = union_of([*table_documents([function]), plain])
    content = json_for(function) if _reads_json(function) else plain
    content = union_of([lines_of(content), content]) if decodes_lines(function) else content
    made = CallShape(FILE, (content, names), ("name",)) if suffixes else CallShape(FILE, (content,))
    return union_of([made, CallShape("pathlib.Path", (_MISSING,))])


def _defaults_of(function: Function) -> list[str]:
    return [one for one in map(string_in, (*function.args.defaults, *function.args.kw_defaults)) if one]


def _reads_json(function: Function) -> bool:
    return any([isinstance(one, ast.Call) and decoded_kind(one) == "json" for one in nodes_of(function)])
