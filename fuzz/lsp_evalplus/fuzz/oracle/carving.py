"""Selects the tests of a project that may call a function: run up to the call, they make its arguments.

A test is taken for what it names: the function, functions of its module that call it, or its class. Which of them do
call it, only a run tells. Nothing is run here.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from lsp_evalplus.fuzz.guest.static.walking import FUNCTIONS, name_of, walk_tree
from lsp_evalplus.fuzz.guest.values.public_state import is_special
from lsp_evalplus.fuzz.guest.values.source_text import name_in_code
from lsp_evalplus.fuzz.model import Carving, FunctionTarget, Oracle, TestLocation
from lsp_evalplus.fuzz.source.callers import callers_of
from lsp_evalplus.fuzz.source.discover import Module
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.project import find_place

from .parametrized import new_rows
from .previous import OlderFiles, PreviousVersion
from .tests import ProjectTests

MOST_TESTS = 60
"""Maximum number of tests that are run for one function."""
MOST_FILES = 8
"""Maximum number of files that these stand in: each is imported."""
MOST_BESIDE = 400
"""Maximum number of modules of its package that are read for what uses it."""
MOST_PARSED = 12
"""Maximum number of files that are parsed for one function."""
_DIRECT, _OF_CLASS, _OF_MAKER, _THROUGH_CALLERS, _OF_METHOD, _OF_MODULE, _OF_USER = 4.0, 3.0, 2.5, 2.0, 1.5, 1.4, 1.0
"""What it is worth that a test names a function, its class, what makes instances of a private class, a caller, a
method, stands in a file called after the module, or names what uses it in another module."""
_CHANGED, _CHANGED_ALONE = 3.0, 1.5
"""The same that it is new or changed since the older version, and where it names nothing else."""
_MOST_CHANGED = 20
"""Maximum number of changed tests that are each worth as much: of many, most were only written in another way."""
_OF_PART = 0.9
"""The same that it alone of all tests names something that the function uses; of several tests each is worth less."""
_MOST_NAMING = 3
"""Maximum number of files of tests that name something the function uses, for which they are read before others."""
MOST_ALIKE = 3
"""Maximum number of tests of one class that name nothing of a function."""
_HELPERS_DEPTH = 2
_RELATIVE_IMPORT = re.compile(r"^\s*from\s+\.", re.MULTILINE)
_MADE_BY_CLASS = frozenset(("__init__", "__new__", "__post_init__"))


def carved(
    target: FunctionTarget,
    oracle: Oracle,
    module: Module,
    previous: PreviousVersion,
    tests: ProjectTests,
    files: OlderFiles | None = None,
) -> tuple[FunctionTarget, Oracle] | None:
    """Return a target and its older version as programs that tests import whole; None where no test may call it."""
    reference = oracle.reference
    is_nested = "<locals>" in target.program.qualname or target.name != target.program.qualname
    if reference is None or module.path is None or is_nested:
        return None
    carving = find_carving(target, module, tests, files)
    if carving is None:
        return None
    older = previous.read(module.path)
    ours = dataclasses.replace(target.program, source=module.parsed.text, first_line=0, carving=carving)
    theirs = dataclasses.replace(reference, source=older.parsed.text, first_line=0, carving=carving)
    return dataclasses.replace(target, program=ours), dataclasses.replace(oracle, reference=theirs)


def find_carving(
    target: FunctionTarget, module: Module, tests: ProjectTests, files: OlderFiles | None = None
) -> Carving | None:
    """Return the tests around a module that may call one of its functions; None where there are none.

    With the project's older `files`, tests that are new or changed come first, and so do their new rows: they were
    written for what changed.
    """
    if module.path is None or module.place is None:
        return None
    root, wanted = module.place.root, _Wanted.of(target, module)
    wanted = wanted.with_users(_beside(module.path, tests))
    texts = dict(tests.texts(module.path, root))
    meant = wanted.nearest(texts)
    others = sorted(texts.keys() - set(meant), key=lambda path: (len(texts[path]), path))
    changed_files = files.changed(root) if files is not None else ()
    listed = sorted([*meant, *others], key=lambda path: path.resolve() not in changed_files)
    parsed = {path: read_test_file(texts[path]) for path in listed[:MOST_PARSED]}
    shared = [read_test_file(text) for text in tests.packages(parsed)]
    classes = {name: one for file in (*shared, *parsed.values()) for name, one in file.classes.items()}
    collected = tests.collected_classes(root)
    changed = dict(_changed_tests(parsed, texts, files)) if files is not None else {}
    scored = [(path, *one) for path, file in parsed.items() for one in file.scored(path, wanted, classes, collected)]
    naming = Counter(part for *_, used in scored for part in wanted.parts_in(used))
    share = min(1.0, _MOST_CHANGED / max(1, sum(not one.is_new for one in changed.values())))
    found = [
        (
            score
            + (_CHANGED if score else _CHANGED_ALONE) * _weight(changed.get((path, names)), share)
            + max((_OF_PART / naming[part] for part in wanted.parts_in(used)), default=0.0),
            path,
            names,
        )
        for path, score, names, used in scored
    ]
    places = dict[Path, TestLocation]()
    chosen = dict[str, TestLocation]()
    for path, names in _few_of(sorted(found, key=lambda one: -one[0])):
        if len(chosen) < MOST_TESTS and (path in places or len(places) < MOST_FILES):
            if path not in places:
                places[path] = _location(path, root, texts[path])
            change = changed.get((path, names))
            rows = change.rows if change is not None else ()
            location = dataclasses.replace(places[path], names=names, is_changed=change is not None, rows=rows)
            chosen["::".join((path.relative_to(root).as_posix(), *names))] = location
    if not chosen:
        return None
    folders = dict.fromkeys(folder for path in places for folder in find_place(path).search_path)
    tops = dict.fromkeys(one.module.partition(".")[0] for one in chosen.values())
    beside = [one.stem for path in places for one in path.parent.glob("*.py")]
    return Carving(chosen, tuple(folders), tuple(dict.fromkeys([*tops, *beside, "pytest"])))


def have_changed(tests: ProjectTests, module: Module, files: OlderFiles) -> bool:
    """Whether files of tests around a module are new or changed since the older version of the project."""
    if module.path is None or module.place is None:
        return False
    changed = files.changed(module.place.root)
    return any(path.resolve() in changed for path in tests.paths(module.path, module.place.root))


@dataclass(frozen=True, slots=True)
class _Change:
    """How a test is new or changed since the older version."""

    is_new: bool
    rows: tuple[int, ...]
    """The numbers of its new rows."""


def _weight(change: _Change | None, share: float) -> float:
    """Return what counts of the worth of a change: all where the test is new or has new rows."""
    return 0.0 if change is None else 1.0 if change.is_new or change.rows else share


def _changed_tests(
    parsed: Mapping[Path, _TestFile], texts: Mapping[Path, str], files: OlderFiles
) -> Iterator[tuple[tuple[Path, tuple[str, ...]], _Change]]:
    """Yield the tests that are new or changed since the older version."""
    older = files.texts(list(parsed))
    for path, file in parsed.items():
        before = older.get(path)
        if texts[path] == before:
            continue
        changed = set(file.changed_since(before))
        for names in file.texts:
            rows = new_rows(texts[path], before, names)
            if rows or names in changed:
                is_new = before is None or f"def {names[-1]}(" not in before
                yield (path, names), _Change(is_new, rows)


def _few_of(found: Sequence[tuple[float, Path, tuple[str, ...]]]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield tests in their order: of those that name nothing that is wanted, some of each kind; many of one file last,
    which may have what cannot be imported here."""
    kinds, files = Counter[tuple[Path, str]](), Counter[Path]()
    last: list[tuple[Path, tuple[str, ...]]] = []
    for score, path, names in found:
        kind = (path, names[0] if len(names) > 1 else "")
        kinds[kind] += 1
        if score < _OF_MODULE and kinds[kind] > MOST_ALIKE:
            continue
        files[path] += 1
        if files[path] > MOST_TESTS // 2:
            last.append((path, names))
        else:
            yield path, names
    yield from last


def _beside(path: Path, tests: ProjectTests) -> Iterator[str]:
    """Yield the texts of the other modules of a file's package, those in its folder first."""
    folder = path.parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    if (folder / "__init__.py").is_file():
        others = [one for one in sorted(folder.rglob("*.py"))[:MOST_BESIDE] if one != path]
        yield from tests.modules(sorted(others, key=lambda one: one.parent != path.parent))


def _location(path: Path, root: Path, text: str) -> TestLocation:
    """Return where a file of tests is imported from, for tests whose names are filled in."""
    package = find_place(path).package
    if package is None and _RELATIVE_IMPORT.search(text):
        package = ".".join(path.parent.relative_to(root).parts)  # It is run from the project's root.
    module = f"{package}.{path.stem}" if package else path.stem
    folders = [folder for folder in path.parents if folder == root or root in folder.parents]
    conftests = [str(folder / "conftest.py") for folder in folders if (folder / "conftest.py").is_file()]
    return TestLocation(module, (), tuple(conftests))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The names that lead to a function, with what each is worth."""

    scores: Mapping[str, float]
    stem: str
    """The name of the module's file: a file of tests called after it has tests of it."""
    parts: frozenset[str] = frozenset()
    """The other names that the function uses: of attributes, and of what its module defines or imports."""

    @classmethod
    def of(cls, target: FunctionTarget, module: Module) -> _Wanted:
        """Return the names that lead to a target."""
        qualname = target.program.qualname
        owner, name = qualname.rpartition(".")[0].rpartition(".")[2], name_in_code(qualname)
        scores = {_called_as(caller): _THROUGH_CALLERS for caller in callers_of(module, target.name)}
        if not is_special(name):
            scores[name] = _DIRECT if not owner else _OF_METHOD
        if owner:
            scores[owner] = _OF_CLASS
            # Tests do not name a private class, but what makes its instances.
            worth = _OF_MAKER if owner.startswith("_") else _OF_METHOD
            defined = read_test_file(module.parsed.text).defined
            makers = [one for one, used in defined.items() if owner in used and one != owner]
            scores.update({one: max(worth, scores.get(one, 0.0)) for one in makers})
        path = module.path or Path()
        stem = path.parent.name if path.stem == "__init__" else path.stem
        definition = module.definitions.get(target.name)
        parts = _parts_of(definition.node) if definition is not None else frozenset[str]()
        return cls(scores, stem.strip("_"), parts - scores.keys())

    def is_named_in(self, text: str) -> bool:
        """Whether a text has one of the names."""
        return any(name in text for name in self.scores)

    def nearest(self, texts: Mapping[Path, str]) -> list[Path]:
        """Return the files of tests that have one of the names, or are called after the module: first these, and such
        as name what few others do of what the function uses."""
        meant = [path for path in texts if self.stem in path.stem or self.is_named_in(texts[path])]
        if len(meant) <= MOST_PARSED:
            return meant
        naming = {part: [path for path in meant if part in texts[path]] for part in self.parts}
        near = {path for paths in naming.values() if len(paths) <= _MOST_NAMING for path in paths}
        return sorted(meant, key=lambda path: not (path in near or self.stem in path.stem))

    def parts_in(self, names: frozenset[str]) -> list[str]:
        """Return what a test names of what the function uses, as keywords of calls too."""
        return [one for one in self.parts if one in names or f"{one}=" in names]

    def with_users(self, texts: Iterable[str]) -> _Wanted:
        """Return the same with what other modules define that uses a function or its callers."""
        scores, left = dict(self.scores), MOST_PARSED
        telling = {name for name, score in scores.items() if score in (_DIRECT, _OF_MAKER, _THROUGH_CALLERS)}
        for text in texts:
            if left and any(name in text for name in telling):
                left -= 1
                for name, used in read_test_file(text).defined.items():
                    if used & telling:
                        scores.setdefault(name, _OF_USER)
        return dataclasses.replace(self, scores=scores)

    def worth(self, names: frozenset[str], further: Mapping[str, float]) -> float:
        """Return what a test is worth that uses some names: the two best count, and short tests reach the call soon."""
        known = sorted((self.scores.get(one) or further.get(one, 0.0) for one in names), reverse=True)[:2]
        return sum(known) - 0.001 * min(len(names), 100) if any(known) else 0.0


def _parts_of(function: ast.AST) -> frozenset[str]:
    """Return the names of attributes and globals that a function uses, but for builtins."""
    nodes = walk_tree(function)
    names = {one for one in nodes if isinstance(one, ast.Name)}
    local = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
    local |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    found = {one.id for one in names} - local - vars(builtins).keys()
    return frozenset(found | {one.attr for one in nodes if isinstance(one, ast.Attribute)})


def _called_as(name: str) -> str:
    """Return the name by which tests call a function: that of its class for a constructor."""
    owner, _, last = name.rpartition(".")
    return owner.rpartition(".")[2] if last in _MADE_BY_CLASS and owner else last


@dataclass(frozen=True)
class _TestFile:
    """What a file of tests defines, with the names that each part uses."""

    functions: Mapping[str, frozenset[str]]
    """Of the functions of the module, and what its classes set up."""
    defined: Mapping[str, frozenset[str]]
    """Of its functions and classes."""
    tests: Mapping[tuple[str, ...], frozenset[str]]
    """Of its tests outside of classes."""
    classes: Mapping[str, _TestClass]
    texts: Mapping[tuple[str, ...], str]
    """Of all its tests, with their decorators."""

    def changed_since(self, older: str | None) -> list[tuple[str, ...]]:
        """Return the tests that an older text of the file does not have; all where there was none."""
        return [names for names, text in self.texts.items() if older is None or text not in older]

    def scored(
        self, path: Path, wanted: _Wanted, classes: Mapping[str, _TestClass], patterns: Sequence[str]
    ) -> Iterator[tuple[float, tuple[str, ...], frozenset[str]]]:
        """Yield the tests that name what is wanted, with what that is worth, and with all that they name.

        Args:
            path: of the file.
            wanted: names.
            classes: of all files.
            patterns: of the names of classes that pytest collects.
        """
        further = dict[str, float]()
        for _ in range(_HELPERS_DEPTH):
            further = {name: wanted.worth(used, further) / 2 for name, used in self.functions.items()}
        collected = {name: one for name, one in self.classes.items() if one.is_collected(name, classes, patterns)}
        of_classes = {
            (name, test): used | found.set_up
            for name, found in collected.items()
            for base in (*found.all_bases(classes), found)
            for test, used in base.tests.items()
        }
        is_of_module = wanted.stem in path.stem
        for names, used in {**of_classes, **self.tests}.items():
            yield wanted.worth(used, further) + _OF_MODULE * is_of_module, names, used


@dataclass(frozen=True)
class _TestClass:
    bases: tuple[str, ...]
    tests: Mapping[str, frozenset[str]]
    set_up: frozenset[str]
    names: frozenset[str]
    """All that it uses, its bases and decorators among them."""

    def is_collected(self, name: str, classes: Mapping[str, _TestClass], patterns: Sequence[str]) -> bool:
        """Whether a class of this name has tests that are run: a mixin's are those of its subclasses."""
        bases = [*self.bases, *(base for one in self.all_bases(classes) for base in one.bases)]
        return any(fnmatchcase(name, one) for one in patterns) or any(base.endswith("TestCase") for base in bases)

    def all_bases(self, classes: Mapping[str, _TestClass]) -> Iterator[_TestClass]:
        """Yield the classes that it inherits from, as far as they are known."""
        waiting, met = list(self.bases), set[str]()
        while waiting:
            name = waiting.pop(0)
            if name in classes and name not in met:
                met.add(name)
                yield classes[name]
                waiting += classes[name].bases


@lru_cache(64)
def read_test_file(text: str) -> _TestFile:
    """Return what a file of tests defines; nothing where it does not parse."""
    tree = parse_module(text)
    functions, tests = dict[str, frozenset[str]](), dict[tuple[str, ...], frozenset[str]]()
    classes, defined = dict[str, _TestClass](), dict[str, frozenset[str]]()
    for node in tree.body if tree is not None else ():
        if isinstance(node, FUNCTIONS):
            functions[node.name] = defined[node.name] = _names_in(node)
            if node.name.startswith("test"):
                tests[node.name,] = functions[node.name]
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = found = _read_class(node)
            functions[node.name], defined[node.name] = found.set_up, found.names
    return _TestFile(functions, defined, tests, classes, dict(_texts_in(tree, text)) if tree is not None else {})


def _texts_in(tree: ast.Module, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    lines = text.split("\n")
    for node in tree.body:
        owner = (node.name,) if isinstance(node, ast.ClassDef) else ()
        for part in node.body if isinstance(node, ast.ClassDef) else (node,):
            if isinstance(part, FUNCTIONS) and part.name.startswith("test"):
                first = min([part.lineno, *(one.lineno for one in part.decorator_list)])
                yield (*owner, part.name), "\n".join(lines[first - 1 : part.end_lineno])


def _read_class(node: ast.ClassDef) -> _TestClass:
    tests, others = dict[str, frozenset[str]](), list[frozenset[str]]()
    for part in node.body:
        used = _names_in(part)
        if isinstance(part, FUNCTIONS) and part.name.startswith("test"):
            tests[part.name] = used | tests.get(part.name, frozenset())
        else:
            others.append(used)
    head = map(_names_in, (*node.bases, *node.keywords, *node.decorator_list))
    set_up = frozenset[str]().union(*others)
    names = set_up.union(*tests.values(), *head)
    return _TestClass(tuple(name_of(base) for base in node.bases), tests, set_up, names)


def _names_in(node: ast.AST) -> frozenset[str]:
    """Return the names and attributes that a part of a file uses, those of its fixtures among them."""
    found = set[str]()
    for part in walk_tree(node):
        kind = part.__class__
        if kind is ast.Name:
            found.add(part.id)  # type: ignore[attr-defined] # it is a name
        elif kind is ast.Attribute:
            found.add(part.attr)  # type: ignore[attr-defined]
        elif kind is ast.arg:
            found.add(part.arg)  # type: ignore[attr-defined]
        elif kind is ast.keyword and part.arg is not None:  # type: ignore[attr-defined]
            found.add(f"{part.arg}=")  # type: ignore[attr-defined]
    return frozenset(found)
