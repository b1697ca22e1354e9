"""Selects the tests of a project that may call the functions of one file. Nothing is run here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lsp_evalplus.fuzz.model import Carving, TestLocation
from lsp_evalplus.fuzz.source.discover import Module

from .carving import find_carving, read_test_file
from .reference import read_source
from .tests import ProjectTests

MOST_TESTS = 150
"""Maximum number of tests that are run for one file."""
MOST_FUNCTIONS = 400
"""Maximum number of functions of a file for which tests are sought."""
MOST_OF_FUNCTION = 10
"""Maximum number of those that are taken for one function."""
_OF_PLACE = re.compile(
    r"\b(os|pathlib|Path|open|tmp_path|tmpdir|tempfile|glob|shutil|environ|getenv|subprocess|socket|locale|time|datetime"
    r"|random|sys|platform|threading|requests|urllib|importlib)\b"
)
"""What may be otherwise in a guest than where a project's tests pass: files, environment, clock, network."""
_HOOKS = re.compile(r"\bpytest_(collect|itemcollected|ignore|pycollect|pyfunc|runtest|make|generate)|\bcollect_ignore")
"""What a conftest.py may leave tests out by, or expect their failures."""
_ASSERTS = re.compile(r"\bassert|\bAssertionError\b|\.fail\(|\braises\b|\bwarns\b")
_DEFINED = re.compile(r"^[ \t]*(?:async )?def (\w+)", re.MULTILINE)
_CALLED = re.compile(r"\w+(?=\()")


@dataclass(frozen=True, slots=True)
class WatchedFunction:
    """A function whose calls are observed."""

    name: str
    first_line: int
    """Of its code, from 1: that of its first decorator."""
    is_decorated: bool


@dataclass(frozen=True, slots=True)
class TestedFile:
    """A file with the tests that may call its functions."""

    __test__ = False

    path: str
    text: str
    root: str
    """The folder from which the names of the tests begin."""
    search_path: tuple[str, ...]
    functions: tuple[WatchedFunction, ...]
    carving: Carving
    files_of_place: frozenset[str] = frozenset()
    """Files of tests whose failures may be due to the machine, as they or the file name what differs in a guest, or
    whose tests the project may leave out."""


def find_tested_file(module: Module, tests: ProjectTests) -> TestedFile | None:
    """Return a file with the tests that may call its functions and assert something; None where there are none.

    A file whose text is not the one on disk has none either: the tests import what is on disk.
    """
    place, path = module.place, module.path
    if path is None or place is None or not module.definitions or read_source(path) != module.parsed.text:
        return None
    if next(tests.texts(path, place.root), None) is None:
        return None
    names = [name for name in module.definitions if "<locals>" not in name]
    known: list[Carving] = []
    chosen = dict[str, TestLocation]()
    texts = dict[str, str]()
    for name in names[:MOST_FUNCTIONS]:
        if len(chosen) >= MOST_TESTS:
            break
        carving = find_carving(module.target(name), module, tests)
        if carving is None:
            continue
        known.append(carving)
        few = [test for test in carving.tests if _asserts(test, carving, texts, place.root.as_posix())]
        chosen.update({test: carving.tests[test] for test in few[:MOST_OF_FUNCTION]})
    if not chosen:
        return None
    kept = dict(list(chosen.items())[:MOST_TESTS])
    carving = Carving(kept, _merged(one.search_path for one in known), ())
    text = module.parsed.text
    is_of_place = _OF_PLACE.search(text) is not None
    of_place = {one for one in texts if is_of_place or _OF_PLACE.search(texts[one])}
    of_place |= set(texts) if tests.leaves_out(place.root) else _hooked(kept)
    functions = tuple(_watched(module, names))
    return TestedFile(str(path), text, str(place.root), place.search_path, functions, carving, frozenset(of_place))


def _hooked(tests: Mapping[str, TestLocation]) -> set[str]:
    """Return the files of the tests around which hooks may decide what is run, and what may fail."""
    acting = {path for path in {path for one in tests.values() for path in one.conftests} if _HOOKS.search(_read(path))}
    return {test.partition("::")[0] for test, one in tests.items() if not acting.isdisjoint(one.conftests)}


def _asserts(test: str, carving: Carving, texts: dict[str, str], root: str) -> bool:
    """Whether the text of a test asserts something, or calls a function of its file that does."""
    file, *names = test.split("::")
    if file not in texts:
        texts[file] = _read(f"{root}/{file}")
    text = read_test_file(texts[file]).texts.get(tuple(names))
    if text is None or _ASSERTS.search(text) is not None:
        return True
    return not _asserting(texts[file]).isdisjoint(_CALLED.findall(text))


@lru_cache(64)
def _asserting(text: str) -> frozenset[str]:
    """Return the names of the functions and methods of a file of tests that assert something and are no tests."""
    _, *parts = _DEFINED.split(text)
    found = zip(parts[::2], parts[1::2], strict=True)
    return frozenset(name for name, body in found if not name.startswith("test") and _ASSERTS.search(body))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _merged(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for part in parts for one in part))


def _watched(module: Module, names: Iterable[str]) -> Iterable[WatchedFunction]:
    for name in names:
        node = module.definitions[name].node
        lines = [node.lineno, *(one.lineno for one in node.decorator_list)]
        yield WatchedFunction(name, min(lines), bool(node.decorator_list))
