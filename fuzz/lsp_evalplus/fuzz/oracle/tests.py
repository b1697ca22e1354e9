"""Calls and stated results in the tests of a project; the tests are read, never run.

A test file counts where what it calls can be told from its imports. Its claims are relied on only where nothing sets
anything up for it: no fixture that is always used, no hook of its conftest.py, no set-up of its module or class.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.building import LIBRARY_MODULES
from lsp_evalplus.fuzz.guest.values.source_text import is_test_name
from lsp_evalplus.fuzz.model import Docstrings, Example, FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.seeds.calls import CallReader, reader_for
from lsp_evalplus.fuzz.seeds.test_functions import (
    TestFunction,
    read_claims,
    read_constants,
    read_test_functions,
    sets_up,
)
from lsp_evalplus.fuzz.source.discover import Module
from lsp_evalplus.fuzz.source.parsing import copied, parse_module
from lsp_evalplus.fuzz.source.project import find_place
from lsp_evalplus.fuzz.source.scopes import bound_names, dotted_name

from .doctest_names import names_given
from .reference import TextReader, read_source
from .siblings import absolute_module

_FOLDER = re.compile(r"tests?([_-].*)?|.*tests|.*[_-]test", re.IGNORECASE)
"""Names of folders for tests: ``tests``, ``Tests``, ``unit_tests``, ``pkgtests``, ``test_suite``."""
_CONFIGURATIONS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_LIST = r"\s*=[ \t]*(\[[^\]]*\]|.*(?:\n[ \t]+\S.*)*)"
"""The list that a setting of pytest is, in TOML or over several lines."""
_PYTHON_CLASSES = re.compile(r"(?m)^python_classes" + _LIST)
_OPTIONS = re.compile(r"(?m)^addopts" + _LIST)
_LEAVES_OUT = re.compile(r"--(deselect|ignore)|(?<![\w-])-[km]")
"""Options of pytest by which tests are left out."""
_PATTERN = re.compile(r"[\w*?]+")
_TEST_PATHS = re.compile(r"(?m)^testpaths" + _LIST)
_PATH = re.compile(r"[\w./-]+")
_UNCERTAIN = "?"
"""Stands for what is not known; no name in a program."""
MOST_FILES = 500
"""Maximum number of files of tests that are listed."""
MOST_BYTES = 400_000
"""Size of the largest file that is read."""
MOST_CHARACTERS = 600_000
"""Maximum length of the files that are parsed for a function, and of those whose syntax trees are kept."""
MOST_INPUTS = 60
"""Maximum number of calls without a stated result."""
MOST_STATED = 100
_OF_PLACE = frozenset("getcwd abspath expanduser expandvars environ getenv cwd home resolve gethostname".split())
"""What differs between the folder and environment that tests are run in and those of a guest."""
_HOOKS = (
    "autouse",
    "pytest_plugins",
    "pytest_configure",
    "pytest_sessionstart",
    "pytest_runtest",
    "pytest_collection",
    "pytest_load",
)


@dataclass(frozen=True, slots=True)
class ExamplesInTests:
    """What the tests of a project say of one function."""

    stated: tuple[Example, ...] = ()
    inputs: tuple[Example, ...] = ()
    """Calls without a result that could be relied on."""
    path: str = ""
    """The file of the first stated result, from the project's folder."""


def tests_oracle(found: ExamplesInTests, module: str) -> Oracle | None:
    """Return the oracle for results that tests state of a function in a file with text `module`; None without any."""
    if not found.stated:
        return None
    source = f"tests in {found.path}"
    return Oracle(OracleKind.EXAMPLES, source, examples=found.stated, docstrings=Docstrings(module, ()))


class ProjectTests:
    """The tests around files of a project; reads them again when they have changed.

    Args:
        read: returns the text of a file.
    """

    def __init__(self, read: TextReader = read_source) -> None:
        self._read = read
        self._kept: dict[Path, tuple[object, _TestFile]] = {}
        self._parsed: dict[Path, _TestFile] = {}
        """The files whose syntax trees are kept, those used last at the end."""

    def examples(self, target: FunctionTarget, module: Module) -> ExamplesInTests:
        """Return the calls of `target` in tests. Files that cannot be read or parsed are left out."""
        place = module.place
        if module.path is None or place is None:
            return ExamplesInTests()
        reader = reader_for(target)
        own = _dotted_module(place.package, module.path)
        top = target.program.qualname.partition(".")[0]
        is_of_place = not _OF_PLACE.isdisjoint(module.identifiers(target.name))
        wanted = reader.owner or reader.name if reader.is_special else reader.name
        stated, inputs = dict[str, Example](), dict[str, Example]()
        conflicting, first = set[str](), ""
        for path, file in self._files_naming((wanted, top), module.path, place.root):
            for example in file.examples(reader, own, module, self._read):
                if is_of_place or (example.expected is None and example.raises is None):
                    inputs.setdefault(example.arguments, Example(example.arguments, None))
                    continue
                known = stated.setdefault(example.arguments, example)
                if (known.expected, known.raises) != (example.expected, example.raises):
                    conflicting.add(example.arguments)
                first = first or path.relative_to(place.root).as_posix()
        kept = [one for text, one in stated.items() if text not in conflicting][:MOST_STATED]
        others = [one for text, one in inputs.items() if text not in stated][:MOST_INPUTS]
        return ExamplesInTests(tuple(kept), tuple(others), first)

    def paths(self, own: Path, root: Path) -> list[Path]:
        """Return the files of tests around a module."""
        return [path for path in _test_files(own, root) if path != own]

    def texts(self, own: Path, root: Path) -> Iterator[tuple[Path, str]]:
        """Yield the files of tests around a module with their texts, those called after the module first."""
        for path in sorted(_test_files(own, root), key=lambda path: own.stem not in path.stem):
            file = self._file(path, root) if path != own else None
            if file is not None:
                yield path, file.text

    def collected_classes(self, root: Path) -> tuple[str, ...]:
        """Return the patterns of the names of classes that pytest collects, as the project's configuration has them."""
        found = next(_settings(root, _PYTHON_CLASSES), None)
        if found is None:
            return ("Test*",)
        return tuple(one if any(sign in one for sign in "*?[") else f"{one}*" for one in _PATTERN.findall(found))

    def leaves_out(self, root: Path) -> bool:
        """Whether the project's configuration leaves out some of the tests that pytest would run."""
        return any(_LEAVES_OUT.search(options) for options in _settings(root, _OPTIONS))

    def given_to_doctests(self, module: Module) -> frozenset[str]:
        """Return the names that the tests around a module give to its doctests."""
        place = module.place
        if module.path is None or place is None:
            return frozenset()
        folders = [one for one in module.path.parents if one == place.root or place.root in one.parents]
        configurations = self.modules(one / "conftest.py" for one in folders)
        return names_given([*(text for _, text in self.texts(module.path, place.root)), *configurations])

    def modules(self, paths: Iterable[Path]) -> Iterator[str]:
        """Yield the texts of other files, as far as they can be read."""
        files = (self._file(path, path.parent) for path in paths)
        return (file.text for file in files if file is not None)

    def packages(self, paths: Iterable[Path]) -> Iterator[str]:
        """Yield the texts of the packages that files of tests stand in, which may have base classes of tests."""
        return self.modules(dict.fromkeys(path.parent / "__init__.py" for path in paths))

    def _files_naming(self, names: Iterable[str], own: Path, root: Path) -> Iterator[tuple[Path, _TestFile]]:
        """Yield the files with all of the names, those called after the module first, up to `MOST_CHARACTERS`."""
        left = MOST_CHARACTERS
        for path, text in self.texts(own, root):
            file = self._file(path, root)
            if file is None or not all(name in text for name in names):
                continue
            left -= len(file.text)
            if left < 0:
                return
            yield path, file
            self._parsed.pop(path, None)
            self._parsed[path] = file
            while sum(len(one.text) for one in self._parsed.values()) > MOST_CHARACTERS:
                self._parsed.pop(next(iter(self._parsed))).forget()

    def _file(self, path: Path, root: Path) -> _TestFile | None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            kept = self._kept.get(path)
            if kept is None or kept[0] != stamp:
                text = self._read(path) if status.st_size <= MOST_BYTES else ""
                kept = self._kept[path] = (stamp, _TestFile(path, root, text))
        except (OSError, UserError):
            return None
        return kept[1]


class _TestFile:
    """One file of tests, parsed on first use."""

    def __init__(self, path: Path, root: Path, text: str) -> None:
        self._path = path
        self._root = root
        self.text = text

    @cached_property
    def _parsed(self) -> tuple[ast.Module, list[TestFunction], dict[str, str]] | None:
        tree = parse_module(self.text)
        if tree is None:
            return None
        imports = self._imports(tree)
        return tree, read_test_functions(tree, imports), imports

    def forget(self) -> None:
        """Drop the syntax tree, which takes a hundred times the memory of the text."""
        self.__dict__.pop("_parsed", None)

    def examples(self, reader: CallReader, own: str, module: Module, read: TextReader) -> Iterator[Example]:
        """Yield what the tests say of the function that `reader` reads, in `module` with the dotted name `own`."""
        if self._parsed is None:
            return
        tree, tests, imports = self._parsed
        under_test = _UnderTest(own, module, read)
        constants = [one for one in read_constants(tree) if _is_literal(one.value)]
        defined = {name for one in tree.body for name in bound_names(one)}
        wanted = reader.owner if reader.is_special else reader.name
        for _, rows in groupby((test for test in tests if wanted in test.names), key=lambda test: id(test.names)):
            same = list(rows)
            used = [one for one in constants if bound_names(one) & same[0].names]
            bound = {name for one in (*used, *same[0].statements) for name in bound_names(one)}
            if reader.name in bound:
                continue
            names = _OwnNames(imports, bound, defined - bound, under_test)
            for test in same:
                plain = test.plain if self._needs_no_set_up else 0
                known = sum(1 for _ in takewhile(names.calls_known_only, test.statements[:plain]))
                yield from read_claims(test, used, reader, names, known)

    def _imports(self, tree: ast.Module) -> dict[str, str]:
        """Local name -> dotted name of what a module imports, anywhere; relative imports are resolved.

        A name that is bound to something else, too, is `_UNCERTAIN`.
        """
        package = find_place(self._path).package or ""
        found = dict[str, str]()
        for node in walk_tree(tree):
            for name, full in _imported(node, package):
                found[name] = full if found.get(name, full) == full else _UNCERTAIN
        for name in _bound_otherwise(tree.body) & found.keys():
            found[name] = _UNCERTAIN
        return found

    @cached_property
    def _needs_no_set_up(self) -> bool:
        """Whether nothing around the file does anything for every test: no conftest.py, no package of tests, and no
        configuration of pytest in the project's folder."""
        for folder in (self._path.parent, *self._path.parent.parents):
            is_of_tests = any(_FOLDER.fullmatch(name) for name in folder.parts[len(self._root.parts) :])
            for name in ("conftest.py", "__init__.py") if is_of_tests else ("conftest.py",):
                if _acts(folder / name):
                    return False
            if folder == self._root:
                break
        return not any("usefixtures" in _text(self._root / name) for name in _CONFIGURATIONS)


def _acts(path: Path) -> bool:
    """Whether a file around tests may change what they see."""
    text = _text(path)
    tree = parse_module(text)
    return tree is None or any(hook in text for hook in _HOOKS) or any(map(sets_up, tree.body))


def _text(path: Path) -> str:
    """Return the text of a file, empty where there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _imported(node: ast.AST, package: str) -> Iterator[tuple[str, str]]:
    """Yield the local and the dotted name of what a statement imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield alias.asname or root, alias.name if alias.asname else root
    elif isinstance(node, ast.ImportFrom):
        prefix = absolute_module(node, package)
        for alias in node.names:
            yield alias.asname or alias.name, f"{prefix}.{alias.name}"


def _bound_otherwise(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements of a module bind other than by importing."""
    found = set[str]()
    for statement in body:
        match statement:
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.If(body=inner, orelse=orelse):
                found |= _bound_otherwise((*inner, *orelse))
            case ast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=last):
                parts = (one for part in handlers for one in part.body)
                found |= _bound_otherwise((*inner, *parts, *orelse, *last))
            case _:
                found |= bound_names(statement)
    return found


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


class _OwnNames:
    """Rewrites what a test names to the names of the module under test; what is neither its own nor known is ``?``.

    Args:
        imports: the dotted names of what the test's file imports.
        bound: what the test, and the constants before it, bind.
        others: what else the test's file binds.
        under_test: the module under test.
    """

    def __init__(self, imports: dict[str, str], bound: set[str], others: set[str], under_test: _UnderTest) -> None:
        self._imports = imports
        self._others = others
        self._bound = bound
        self._under_test = under_test
        self._rewritten: dict[int, tuple[ast.AST, ast.AST]] = {}

    def rewritten(self, node: ast.AST) -> ast.AST:
        """Return a rewritten copy of a node, the same one for each call."""
        if id(node) not in self._rewritten:
            self._rewritten[id(node)] = (node, _Rewriter(self).visit(copied(node)))
        return self._rewritten[id(node)][1]

    def calls_known_only(self, statement: ast.stmt) -> bool:
        """Whether a statement calls nothing but the module under test, the standard library's values, and builtins."""
        for node in walk_tree(statement):
            if isinstance(node, ast.Call):
                name = dotted_name(node.func) or "?"
                if not name.startswith("self.assert") and name != "pytest.raises" and self.of(name) is None:
                    return False
        return True

    def exception(self, node: ast.expr) -> str | None:
        """Return the name of the class that a test expects to be raised; None where it is not known, or a warning.

        A class that is neither built in nor of the module under test may be known there by another name than its own.
        """
        name = dotted_name(node) or _UNCERTAIN
        first, *rest = name.split(".")
        if first in self._imports:
            full = ".".join([self._imports[first], *rest])
            is_known = _UNCERTAIN not in full and not full.endswith("Warning")
            own = self._under_test.name_of(full)
            return (own if own in self._under_test.classes else "Exception") if is_known else None
        kind = None if first in self._bound | self._others else getattr(builtins, name, None)
        if not isinstance(kind, type) or not issubclass(kind, BaseException) or issubclass(kind, Warning):
            return None
        return kind.__name__

    def of(self, name: str) -> str | None:
        """Return the name that a dotted name of the tests has in the module; None if it is not known there."""
        if "?" in name:
            return None
        first, *rest = name.split(".")
        if first in self._imports:
            full = ".".join([self._imports[first], *rest])
            if full.partition(".")[0] in LIBRARY_MODULES:
                return full
            return self._under_test.name_of(full)
        is_builtin = hasattr(builtins, first) and first not in self._others
        return name if first in self._bound or is_builtin else None


class _Rewriter(ast.NodeTransformer):
    def __init__(self, names: _OwnNames) -> None:
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = dotted_name(node)
        if name is None or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        return _named(self._names.of(name))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _named(self._names.of(node.id)) if isinstance(node.ctx, ast.Load) else node


def _named(name: str | None) -> ast.AST:
    return ast.Name("?", ast.Load()) if name is None else ast.parse(name, mode="eval").body


class _UnderTest:
    """The module under test, and what the ``__init__.py`` of the packages around it give under their own names."""

    def __init__(self, name: str, module: Module, read: TextReader) -> None:
        self._name = name
        self._module = module
        self._read = read
        self._given: dict[str, frozenset[str]] = {}

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of its classes."""
        return frozenset(one.name for one in self._module.parsed.tree.body if isinstance(one, ast.ClassDef))

    def name_of(self, full: str) -> str | None:
        """Return the name that a dotted name has in the module; None where it may be something else."""
        if full.startswith(self._name + "."):
            return full[len(self._name) + 1 :]
        package = self._name
        while "." in package:
            package = package.rpartition(".")[0]
            if full.startswith(package + "."):
                rest = full[len(package) + 1 :]
                return rest if rest.partition(".")[0] in self._names_given(package) else None
        return None

    def _names_given(self, package: str) -> frozenset[str]:
        """Return the names that a package has from this module, and nothing after that binds again."""
        if package in self._given:
            return self._given[package]
        found = set[str]()
        tree = self._parse(self._folder(package) / "__init__.py")
        for node in tree.body if tree is not None else ():
            origin = absolute_module(node, package) if isinstance(node, ast.ImportFrom) else ""
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                names = self._names_with_star(origin, package)
                if names is None:
                    found.clear()
                elif origin == self._name:
                    found |= names
                else:
                    found -= names
                continue
            found -= bound_names(node)
            if isinstance(node, ast.ImportFrom) and origin == self._name:
                found |= {alias.name for alias in node.names if alias.asname in (None, alias.name)}
        self._given[package] = frozenset(found)
        return self._given[package]

    def _names_with_star(self, module: str, package: str) -> frozenset[str] | None:
        """Return the names that ``from module import *`` binds; None where that cannot be read."""
        if module == self._name:
            return _exported(self._module.parsed.tree)
        if not module.startswith(package + "."):
            return None
        path = self._folder(package).joinpath(*module[len(package) + 1 :].split("."))
        tree = self._parse(path.with_name(path.name + ".py")) or self._parse(path / "__init__.py")
        return None if tree is None else _exported(tree)

    def _parse(self, path: Path) -> ast.Module | None:
        try:
            return parse_module(self._read(path))
        except UserError:
            return None

    def _folder(self, package: str) -> Path:
        path = self._module.path or Path()
        is_package = path.name == "__init__.py"
        up = self._name.count(".") - package.count(".") - (0 if is_package else 1)
        return path.parents[up] if up >= 0 else path.parent


def _exported(tree: ast.Module) -> frozenset[str] | None:
    """Return what a module gives to ``import *``; None where that is not plain to see."""
    stated = [one for one in tree.body if "__all__" in bound_names(one)]
    if not stated:
        names = {name for one in tree.body for name in bound_names(one)}
        return None if "*" in names else frozenset(name for name in names if not name.startswith("_"))
    match stated:
        case [ast.Assign(value=ast.List(elts=parts) | ast.Tuple(elts=parts))]:
            names = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
            return frozenset(names) if len(names) == len(parts) else None
        case _:
            return None


def _dotted_module(package: str | None, path: Path) -> str:
    if path.name == "__init__.py":
        return package or path.parent.name
    return f"{package}.{path.stem}" if package else path.stem


def _test_files(path: Path, root: Path) -> list[Path]:
    """Return the files of tests beside a module, above it, and in the folders for tests there, in its project."""
    found: dict[Path, None] = {}
    for folder in (path.parent, *path.parent.parents):
        if folder == path.parent or folder == root or root in folder.parents:
            found |= dict.fromkeys(sorted(one for one in folder.glob("*test*.py") if is_test_name(one.name)))
        for name in (*_test_folders(folder), *(_test_paths(root) if folder == root else ())):
            if (folder / name).is_dir():
                found |= dict.fromkeys(_files_below(folder / name))
        if folder == root or len(found) >= MOST_FILES:
            break
    return list(found)[:MOST_FILES]


def _test_folders(folder: Path) -> list[str]:
    """Return the names of the folders for tests in another one, those called ``tests`` or ``test`` first."""
    with contextlib.suppress(OSError):
        return sorted(
            filter(_FOLDER.fullmatch, os.listdir(folder)), key=lambda name: (name not in ("tests", "test"), name)
        )
    return []


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__", "node_modules")))
        for name in sorted(names):
            if is_test_name(name):
                yield Path(place, name)


def _settings(root: Path, setting: re.Pattern[str]) -> Iterator[str]:
    """Yield what each of a project's files of settings says of one of pytest's."""
    found = (setting.search(_text(root / name)) for name in _CONFIGURATIONS)
    return (one[1] for one in found if one is not None)


def _test_paths(root: Path) -> list[str]:
    """Return the folders that a project's settings of pytest name for its tests."""
    return [name for found in _settings(root, _TEST_PATHS) for name in _PATH.findall(found)]
