"""What the recorded edits are about: real functions, and pairs of versions of such functions.

Nothing of it is kept in this repository: the running interpreter's standard library is read, or installed packages.
Two functions of the same name and of similar code, such as a method in two classes, are taken for two versions of one.
"""

from __future__ import annotations

import ast
import difflib
import random
import sysconfig
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

_MODULES = (
    "*.py",
    "asyncio/*.py",
    "email/*.py",
    "http/*.py",
    "importlib/*.py",
    "logging/*.py",
    "multiprocessing/*.py",
    "unittest/*.py",
    "urllib/*.py",
    "xml/*/*.py",
)
_PACKAGES = (
    "_pytest/*.py",
    "anyio/**/*.py",
    "hypothesis/**/*.py",
    "jinja2/*.py",
    "markdown/**/*.py",
    "numpy/**/*.py",
    "pydantic/**/*.py",
    "setuptools/**/*.py",
    "starlette/**/*.py",
    "tornado/*.py",
    "urllib3/**/*.py",
)
"""Installed with the project's tools; for seeds from 3 on, so that these have no code in common with the others."""
_LARGEST = 60_000
_LINES = range(5, 41)
_ALIKE = (0.4, 0.97)
_NEW_LINES = 4
"""From so many lines on an edit is a large one: three lines and fewer are what a person writes at a time."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function at the left margin, without its decorators."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Versions:
    """One function before and after it was edited."""

    old: Function
    new: Function


@lru_cache(2)
def _all_functions(*, installed: bool) -> tuple[Function, ...]:
    root, patterns = Path(sysconfig.get_path("stdlib")), _MODULES
    if installed:
        root, patterns = Path(sysconfig.get_path("purelib")), _PACKAGES
    files = sorted(file for pattern in patterns for file in root.glob(pattern) if file.stat().st_size < _LARGEST)
    return tuple(dict.fromkeys(one for file in files for one in _functions_of(file)))


def _functions_of(file: Path) -> Iterator[Function]:
    try:
        text = file.read_text("ascii")
    except UnicodeDecodeError:
        return
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            source = textwrap.dedent("".join(lines[first:last])).rstrip() + "\n"
            if last - first in _LINES and not node.name.startswith("__") and _is_alone(source):
                yield Function(node.name, source)


def _is_alone(source: str) -> bool:
    """Whether the text is one function for itself, which has something to do."""
    try:
        (node,) = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and len(_statements(node)) > 2 and "\t" not in source


def _statements(node: ast.AST) -> list[str]:
    """The statements of a function without its docstring."""
    return [
        ast.dump(one)
        for one in ast.walk(node)
        if isinstance(one, ast.stmt) and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]


def functions(seed: int) -> list[Function]:
    """The functions of one of two halves of the material, in an order that depends on the seed."""
    found = [one for number, one in enumerate(_all_functions(installed=seed % 100 > 2)) if number % 2 == seed % 2]
    random.Random(seed).shuffle(found)
    return found


@lru_cache(4)
def _all_versions(*, installed: bool, few_lines: bool) -> tuple[Versions, ...]:
    by_name: dict[str, list[Function]] = {}
    for one in _all_functions(installed=installed):
        by_name.setdefault(one.name, []).append(one)
    pairs = (pair for same in by_name.values() for pair in combinations(same[:8], 2))
    found = [pair for pair in pairs if _are_versions(*pair, few_lines=few_lines)]
    return tuple(Versions(*pair) for old, new in found for pair in ((old, new), (new, old)))


def _are_versions(old: Function, new: Function, *, few_lines: bool) -> bool:
    first, second = ([line.strip() for line in one.text.splitlines() if line.strip()] for one in (old, new))
    alike = difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
    added = {line for line in set(second) - set(first) if not line.startswith("#")}
    if not _ALIKE[0] <= alike < _ALIKE[1] or not added or (len(added) < _NEW_LINES) is not few_lines:
        return False
    return _statements(ast.parse(old.text)) != _statements(ast.parse(new.text))


def versions(seed: int, *, few_lines: bool = False) -> list[Versions]:
    """The pairs of one of two halves, in an order that depends on the seed; `few_lines`: of small edits."""
    pairs = _all_versions(installed=seed % 100 > 2, few_lines=few_lines)
    found = [one for number, one in enumerate(pairs) if number // 2 % 2 == seed % 2]
    random.Random(seed).shuffle(found)
    return found


def module_of(parts: Sequence[Function]) -> str:
    """The text of a module that has these functions."""
    return "import os\nimport sys\n\n\n" + "\n\n".join(one.text for one in parts)


def neighbours(rng: random.Random, pool: Sequence[Function], count: int, besides: Sequence[str] = ()) -> list[Function]:
    """A few functions of different names."""
    chosen: dict[str, Function] = {}
    while len(chosen) < count:
        one = rng.choice(pool)
        if one.name not in besides:
            chosen[one.name] = one
    return list(chosen.values())
