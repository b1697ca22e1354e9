"""Files with names of their own that functions read: ``open("settings.json")``, ``Path.home() / ".notes"``.

A name may come from a constant of the module, a default of a parameter, an attribute that a method of the class sets,
a call of a function that opens its parameter, or the command line. Only names below the current folder or the home
folder count: no other place can be given to a call.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.guest.static.command_lines import PARSING, words_by_attribute
from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import attribute_in, name_of, walk_statements, walk_tree
from lsp_evalplus.fuzz.model import Plain
from lsp_evalplus.fuzz.source.scopes import FunctionNode, dotted_name
from lsp_evalplus.fuzz.source.side_effects import CONTENT_METHODS, OPENERS
from lsp_evalplus.fuzz.source.slicing import imported_names

from .functions import passed_parameters
from .json_contents import LEAVES, Content, distinct, json_read

MOST_FILES, MOST_KEYS, LONGEST_NAME = 4, 24, 80
_DEEPEST = 12
_OF_OS = ("os.stat", "os.remove", "os.unlink", "os.rename", "os.replace", "os.open")
_OF_PATHS = ("exists", "lexists", "isfile", "isdir", "getsize", "getmtime")
_TAKING = frozenset(
    (
        *(*OPENERS, "shutil.copy", "shutil.copyfile", "shutil.move"),
        *(*_OF_OS, *_OF_PATHS, *(f"os.path.{name}" for name in _OF_PATHS), *(f"path.{name}" for name in _OF_PATHS)),
    )
)
"""Functions whose first argument is a path, beside methods of paths."""
_READING = frozenset("load from_file fromfile loadtxt read_csv".split())
"""Functions and methods whose first argument may be a path, as that of `configparser.ConfigParser.read`; a constant
that looks like a name of a file is one."""
_METHODS = CONTENT_METHODS.union("open exists is_file stat unlink touch rename".split())
_MAKING = frozenset(("Path", "PosixPath", "PurePath", "PurePosixPath"))
_SAME = frozenset(("str", "fspath", "abspath", "realpath", "normpath", "resolve", "absolute", "expanduser", "as_posix"))
_FOLDERS = frozenset(("Path.cwd", "Path.home", "pathlib.Path.cwd", "pathlib.Path.home", "os.getcwd"))
_CSV, _JSON, _INI = "csv", ("json", "yaml"), "configparser"
_SEPARATORS = ("=", ": ", ",", "\t", " ")


@dataclass(frozen=True, slots=True)
class ConstantFiles:
    """The files that some functions read, and what their content is like."""

    names: tuple[str, ...] = ()
    """Relative to the current folder, which is the home folder too."""
    json: tuple[Content, ...] = ()
    """What it is like as JSON, or as YAML, which JSON is a part of; none where it is not read so."""
    is_binary: bool = False
    texts: tuple[str, ...] = ()
    """Likely contents."""

    def to_plain(self) -> Plain:
        """Return the field ``files_read`` of what a program reads."""
        fields = {name: getattr(self, name) for name in ("names", "is_binary", "texts")}
        return {**fields, "json": [one.to_plain() for one in self.json]}

    def seeds(self) -> Iterator[dict[str, object]]:
        """Yield contents by name: all files alike, and each alone."""
        for content in self._contents():
            yield dict.fromkeys(self.names, content)
        for name in self.names if len(self.names) > 1 else ():
            yield {name: next(iter(self._contents()))}

    def _contents(self) -> Iterator[object]:
        values = [one.sample(leaf, count) for leaf in LEAVES for one in self.json for count in (1, 2)]
        for place in range(max(len(values), len(self.texts))):
            yield from (*values[place : place + 1], *self.texts[place : place + 1])


def joined(found: Sequence[ConstantFiles]) -> ConstantFiles:
    """Return the files of several functions."""
    names = tuple(dict.fromkeys(name for one in found for name in one.names))[:MOST_FILES]
    texts = tuple(dict.fromkeys(text for one in found for text in one.texts))
    json = distinct([content for one in found for content in one.json])
    return ConstantFiles(names, json, any(one.is_binary for one in found), texts)


class FileReader:
    """Reads which files functions of a module open.

    Args:
        tree: the module.
        owner: qualified name of the class of the function; empty for others.
        words: likely parts of the content.
    """

    def __init__(self, tree: ast.Module, owner: str, words: Iterable[str]) -> None:
        self._words = [one for one in words if one][:6] or ["a"]
        self._constants = _assigned(tree.body)
        self._imported = {name: full.partition(".")[0] for name, full in imported_names(tree).items()}
        self._has_sections = _INI in self._imported.values()
        self._options = words_by_attribute(tree)
        self._own = ("self", "cls", owner.rpartition(".")[2])
        self._attributes = dict[str, tuple[ast.expr, Mapping[str, ast.expr]]]()
        for node in walk_statements(tree):
            if isinstance(node, ast.ClassDef) and node.name == owner.rpartition(".")[2]:
                self._read_class(node)

    def _read_class(self, node: ast.ClassDef) -> None:
        self._attributes.update({name: (value, {}) for name, value in _assigned(node.body).items()})
        for method in (part for part in node.body if isinstance(part, ast.FunctionDef)):
            names = _names_in(method)
            for part in walk_tree(method):
                targets = part.targets if isinstance(part, ast.Assign) else []
                for target in targets:
                    if isinstance(target, ast.Attribute) and isinstance(part, ast.Assign):
                        self._attributes.setdefault(target.attr, (part.value, names))

    def read(self, functions: Sequence[FunctionNode]) -> ConstantFiles:
        """Return the files that some functions open or ask for."""
        found = list[str]()
        passed = self._passed(functions)
        for function in functions:
            names = {**_names_in(function), **passed.get(function.name, {})}
            found += [one for node in walk_tree(function) for one in self._opened(node, names)]
        if not found:
            return ConstantFiles()
        nodes = [node for function in functions for node in walk_tree(function)]
        used = {self._imported.get(node.id, "") for node in nodes if isinstance(node, ast.Name)}
        keys = tuple(dict.fromkeys(looked_up_keys(nodes)))[:MOST_KEYS]
        contents = likely_contents(keys, self._words, has_sections=self._has_sections, is_table=_CSV in used)
        modes = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        return ConstantFiles(
            tuple(dict.fromkeys(found))[:MOST_FILES],
            () if used.isdisjoint(_JSON) else (json_read(functions),),
            bool(modes & {"rb", "br", "r+b", "rb+"}) or any(attribute_in(node) == "read_bytes" for node in nodes),
            tuple(dict.fromkeys(contents)),
        )

    def _passed(self, functions: Sequence[FunctionNode]) -> dict[str, dict[str, ast.expr]]:
        """Return the constant strings, and what a command line says, that some functions pass to each other, by
        function and parameter."""
        known = {one.name: passed_parameters(one) for one in functions}
        found = dict[str, dict[str, ast.expr]]()
        for function in functions:  # A caller comes before what it calls.
            names = {**_names_in(function), **found.get(function.name, {})}
            for node in (part for part in walk_tree(function) if isinstance(part, ast.Call)):
                called = name_of(node.func)
                for one, value in zip(known.get(called, ()), node.args, strict=False):
                    path = self._path(value, names, 0)
                    parsed = names.get(value.id) if isinstance(value, ast.Name) else value
                    if path:
                        found.setdefault(called, {})[one.arg] = ast.Constant(path)
                    elif parsed is not None and _is_parsed(parsed):
                        found.setdefault(called, {})[one.arg] = parsed
        return found

    def _opened(self, node: ast.AST, names: Mapping[str, ast.expr]) -> Iterator[str]:
        """Yield the names of files that a call is about."""
        if not isinstance(node, ast.Call):
            return
        called = name_of(node.func)
        given = list[ast.expr]()
        if isinstance(node.func, ast.Attribute) and called in _METHODS:
            given.append(node.func.value)
        if dotted_name(node.func) in _TAKING:
            given += node.args[:1]
        is_certain = bool(given)
        if called in _READING or (called == "read" and self._has_sections):
            given += node.args[:1]
        for one in given:
            path = self._path(one, names, 0)
            name = posixpath.normpath(path).removeprefix("~/") if path else ""
            looks_so = is_certain or "." in posixpath.basename(name).lstrip(".")
            if looks_so and name not in ("", ".", "~") and len(name) <= LONGEST_NAME and _is_below(name):
                yield name

    def _path(self, node: ast.expr, names: Mapping[str, ast.expr], depth: int) -> str | None:
        """Return the path that an expression has, if it is constant; empty for the current folder."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=str(value)):
                return value
            case ast.Name(id=name) if name in names or name in self._constants:
                if name in names:
                    others = {one: value for one, value in names.items() if one != name}
                    return self._path(names[name], others, depth + 1)
                return self._path(self._constants[name], {}, depth + 1)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                return self._path_of_attribute(owner, name, names, depth)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
                parts = [self._path(one, names, depth + 1) for one in (left, right)]
                return _combined(parts, "/" if isinstance(op, ast.Div) else "")
            case ast.JoinedStr(values=values):
                given = [one.value if isinstance(one, ast.FormattedValue) else one for one in values]
                return _combined([self._path(one, names, depth + 1) for one in given], "")
            case ast.BoolOp(op=ast.Or(), values=[*_, last]):
                return self._path(last, names, depth + 1)
            case ast.Call():
                return self._path_of_call(node, names, depth)
            case _:
                return None

    def _path_of_attribute(self, owner: str, name: str, names: Mapping[str, ast.expr], depth: int) -> str | None:
        if owner in self._own and name in self._attributes:
            value, others = self._attributes[name]
            return self._path(value, others, depth + 1)
        return self._options.get(name) if _is_parsed(names.get(owner)) else None

    def _path_of_call(self, node: ast.Call, names: Mapping[str, ast.expr], depth: int) -> str | None:
        called = name_of(node.func)
        if dotted_name(node.func) in _FOLDERS:
            return ""
        is_method = isinstance(node.func, ast.Attribute) and not node.args
        if called in _SAME and (is_method or len(node.args) == 1):
            return self._path(node.func.value if is_method else node.args[0], names, depth + 1)  # type: ignore[union-attr]
        given = list(node.args)
        if called == "joinpath" and isinstance(node.func, ast.Attribute):
            given.insert(0, node.func.value)
        elif called not in _MAKING and not (called == "join" and dotted_name(node.func) in ("os.path.join", "join")):
            return None
        return _combined([self._path(one, names, depth + 1) for one in given], "/")


def _is_parsed(node: ast.expr | None) -> bool:
    """Whether an expression is what a command line says: ``parser.parse_args(argv)``."""
    return isinstance(node, ast.Call) and name_of(node.func) in PARSING


def _combined(parts: Sequence[str | None], separator: str) -> str | None:
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    return posixpath.join("", *known) if separator else "".join(known)


def _is_below(name: str) -> bool:
    return not name.startswith(("/", "..", "<")) and "\0" not in name and ":" not in name and name.isprintable()


def _assigned(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values of names that are assigned once among statements."""
    found, several = dict[str, ast.expr](), set[str]()
    for statement in body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        for name in [one.id for one in targets if isinstance(one, ast.Name)]:
            several |= {name} & found.keys()
            if isinstance(value, ast.expr):
                found[name] = value
    return {name: value for name, value in found.items() if name not in several}


def _names_in(function: FunctionNode) -> dict[str, ast.expr]:
    """Return what the names of a function are: defaults of its parameters, and what is assigned once."""
    arguments = function.args
    ordered = positional_parameters(arguments)
    pairs = [*zip(reversed(ordered), reversed(arguments.defaults), strict=False)]
    found = {one.arg: default for one, default in pairs}
    found |= {
        one.arg: default for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default
    }
    nodes = list(walk_tree(function))
    statements = [part for part in nodes if isinstance(part, (ast.Assign, ast.AnnAssign))]
    loops = [part for part in nodes if isinstance(part, (ast.For, ast.comprehension))]
    items = {
        one.target.id: one.iter
        for one in loops
        if isinstance(one.target, ast.Name) and isinstance(one.iter, ast.Attribute)
    }
    return {**items, **_assigned(statements), **found}


def looked_up_keys(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the strings by which code looks up values."""
    for node in nodes:
        key: ast.AST | None = node.slice if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Call) and attribute_in(node.func) in ("get", "pop", "getint", "getboolean", "getfloat"):
            for one in node.args[:2]:
                yield from _strings(one)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            key = node.left
        if key is not None:
            yield from _strings(key)


def _strings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value


def likely_contents(keys: Sequence[str], words: Sequence[str], *, has_sections: bool, is_table: bool) -> Iterator[str]:
    """Yield likely contents of a file: lines of words, of keys and values, tables, sections."""
    word = words[0]
    if has_sections:
        for value in (word, "1", "true"):
            entries = "".join(f"{key} = {value}\n" for key in keys)
            yield "".join(f"[{section}]\n{entries}" for section in keys)
    if is_table and keys:
        yield "".join(
            f"{line}\n" for line in (",".join(keys), ",".join([word] * len(keys)), ",".join("12"[: len(keys)]))
        )
    yield "".join(f"{one}\n" for one in words)
    yield f"{word}\n"
    yield ""
    yield f"  {word} 1\n\n# b c\n{word}"
    for separator in _SEPARATORS:
        yield "".join(f"{one}{separator}{number}\n" for number, one in enumerate((*keys[:3], *words[:3])))
