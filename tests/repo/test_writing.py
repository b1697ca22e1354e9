"""The rules of writing that a linter does not know: lengths, names, prints."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 10
NINTH_DECILE_FUNCTION = 30
LONGEST_FILE = 600
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "misc"}


@pytest.fixture(scope="module")
def nodes(trees: dict[Path, ast.Module]) -> dict[Path, list[ast.AST]]:
    """Return all nodes of each source file."""
    return {path: list(ast.walk(tree)) for path, tree in trees.items()}


def functions(nodes: dict[Path, list[ast.AST]]) -> Iterator[tuple[Path, FunctionNode]]:
    """Yield every function, nested ones too, with its file."""
    return ((path, node) for path, found in nodes.items() for node in found if isinstance(node, FunctionNode))


def length(function: FunctionNode) -> int:
    """Return the lines of a function from its `def` on, without its docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_no_function_is_too_long(nodes: dict[Path, list[ast.AST]], repository: Path) -> None:
    too_long = [
        f"{path.relative_to(repository)}:{function.lineno} {function.name} has {length(function)} lines"
        for path, function in functions(nodes)
        if length(function) > LONGEST_FUNCTION
    ]

    assert too_long == []


def test_most_functions_are_short(nodes: dict[Path, list[ast.AST]]) -> None:
    lengths = sorted(length(function) for _, function in functions(nodes))

    assert statistics.median(lengths) <= MEDIAN_FUNCTION
    assert lengths[len(lengths) * 9 // 10] <= NINTH_DECILE_FUNCTION


def test_no_python_file_is_too_long(tracked: list[Path], repository: Path) -> None:
    cases = repository / "tests/cases"
    written = [path for path in tracked if path.suffix == ".py" and cases not in path.parents]
    lengths = {path: len(path.read_bytes().splitlines()) for path in written}

    assert {str(path.relative_to(repository)): n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_module_has_an_empty_name(tracked: list[Path], repository: Path) -> None:
    named = [str(path.relative_to(repository)) for path in tracked if EMPTY_WORDS & set(path.stem.lower().split("_"))]

    assert named == []


def test_prints_stand_on_the_command_line_only(nodes: dict[Path, list[ast.AST]], repository: Path) -> None:
    """In the server, standard output is the protocol; the engine has no terminal."""
    allowed = {repository / "server/lsp_evalplus/commands", repository / "server/lsp_evalplus/cli.py"}
    prints = [
        f"{path.relative_to(repository)}:{node.lineno}"
        for path, found in nodes.items()
        if not allowed & {path, *path.parents}
        for node in found
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]

    assert prints == []


def test_no_global_statement(nodes: dict[Path, list[ast.AST]], repository: Path) -> None:
    found = [
        f"{path.relative_to(repository)}:{node.lineno}"
        for path, found in nodes.items()
        for node in found
        if isinstance(node, ast.Global)
    ]

    assert found == []


def test_public_functions_and_modules_are_documented(trees: dict[Path, ast.Module], repository: Path) -> None:
    undocumented = [
        f"{path.relative_to(repository)}:{getattr(node, 'lineno', 1)}"
        for path, tree in trees.items()
        for node in [tree, *(item for item in tree.body if isinstance(item, FunctionNode | ast.ClassDef))]
        if not ast.get_docstring(node)
        and not getattr(node, "name", "").startswith("_")
        and (path.stat().st_size or not isinstance(node, ast.Module))
    ]

    assert undocumented == []
