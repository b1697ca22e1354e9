"""Finds the tests in test code and runs them in order, one report for each.

Test code is what benchmarks have: plain asserts at module level, ``check(candidate)`` (HumanEval), functions named
``test_...``, and classes derived from ``unittest.TestCase`` (BigCodeBench). A statement at module level that asserts or
calls something is a test too; other statements prepare the tests after them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, NamedTuple

from ..static.walking import walk_tree
from ..values.plain import type_of

_NAME_LENGTH = 120
_PASSED = "__assert_passed__"
"""Name of the function that test code calls after each assert."""


class Test(NamedTuple):
    """One test: its name, unique among the tests of a task, and what runs it."""

    name: str
    run: Callable[[], None]
    is_test: bool = True
    """False for a statement that only prepares, of which nothing is reported unless it fails."""


class CaseFailedError(Exception):
    """A unittest case failed; the message is that of its first fault."""


class CaseSkippedError(Exception):
    """A test was skipped: it says nothing about the program."""


class Collection:
    """The tests in some texts of test code.

    Args:
        sources: the test code, one text after the other, in one namespace.
        namespace: what the code finds when it runs; it defines `entry_point`.
        entry_point: name of the function under test.
    """

    def __init__(self, sources: Sequence[str], namespace: dict[str, Any], entry_point: str) -> None:
        self._sources = sources
        self._namespace = namespace
        self._entry_point = entry_point
        self._names: dict[str, int] = {}
        self.passed: list[str] = []
        """The asserts that the current test has passed, in order."""
        namespace[_PASSED] = self.passed.append

    def tests(self) -> Iterator[Test]:
        """Yield the tests in order; each must be run before the next one is asked for.

        Raises `SyntaxError` for code that cannot be compiled.
        """
        for number, source in enumerate(self._sources):
            yield from self._tests_in(source, f"<tests {number}>")

    def _tests_in(self, source: str, filename: str) -> Iterator[Test]:
        tree = ast.parse(source, filename)
        called = _called_names(tree.body)
        names = [name for node in tree.body for name in (getattr(node, "name", None),) if name]
        lines = source.splitlines()
        for node in tree.body:
            if _is_main(node):
                continue
            title = lines[node.lineno - 1].strip()[:_NAME_LENGTH]
            is_test = _is_test(node)
            code = compile(_counted(node), filename, "exec", dont_inherit=True)
            name = self._unique(title) if is_test else title
            yield Test(name, lambda code=code: self._execute(code), is_test)  # type: ignore[misc]
        for name in dict.fromkeys(names):
            value = self._namespace.get(name)
            if isinstance(value, type):
                yield from self._cases(value)
            elif name not in called and inspect.isfunction(value) and _is_for(name, value):
                takes_candidate = name == "check"
                yield Test(self._unique(name), lambda value=value, it=takes_candidate: self._call(value, it))  # type: ignore[misc]

    def _execute(self, code: Any) -> None:
        exec(code, self._namespace)  # noqa: S102 - test code, in the confined guest

    def _call(self, function: Callable[..., Any], takes_candidate: bool) -> None:  # noqa: FBT001 - bound in a loop
        result = function(self._namespace[self._entry_point]) if takes_candidate else function()
        if inspect.iscoroutine(result):
            import asyncio

            asyncio.run(result)

    def _cases(self, kind: type) -> Iterator[Test]:
        unittest = sys.modules.get("unittest")
        if unittest is None or not issubclass(kind, unittest.TestCase):
            return
        for name in unittest.TestLoader().getTestCaseNames(kind):
            # A suite of its own, which also does what a class does before and after its tests.
            yield Test(
                self._unique(f"{kind.__name__}.{name}"),
                lambda name=name: _run_case(unittest, kind, name),  # type: ignore[misc]
            )

    def _unique(self, name: str) -> str:
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name} #{count}"


def imported_by(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names of the modules that are imported by these nodes themselves, and not by what they contain."""
    names: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


def import_first(names: Iterable[str]) -> None:
    """Import the modules of tests before a program can put something else in their place."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001, S112 - a module that is not installed is reported where the tests import it
            continue


def _run_case(unittest: Any, kind: type, name: str) -> None:
    result = unittest.TestResult()
    unittest.TestSuite([kind(name)]).run(result)
    faults = [*result.errors, *result.failures]
    if faults:
        raise CaseFailedError(_fault_line(str(faults[0][1])))
    if result.unexpectedSuccesses:
        raise CaseFailedError("passed, which is not expected")
    if result.skipped or result.testsRun != 1:
        raise CaseSkippedError(str(result.skipped[0][1]) if result.skipped else "not run")


def _fault_line(trace: str) -> str:
    """Return the line of a traceback that names the exception."""
    lines = [line for line in trace.splitlines() if line and not line[0].isspace() and not line.startswith("Traceback")]
    return lines[0] if lines else trace


def _is_for(name: str, function: Any) -> bool:
    """Return whether a function of the test code is a test: ``check(candidate)`` or ``test_...()``."""
    parameters = inspect.signature(function).parameters.values()
    needed = sum(
        one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters
    )
    return needed == 1 if name == "check" else name.startswith("test") and needed == 0


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call or any(isinstance(inner, ast.Assert) for inner in walk_tree(node))


def _is_main(node: ast.stmt) -> bool:
    """Return whether a statement starts a test runner, of which there is another one here: ``unittest.main()``."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    return isinstance(function, ast.Attribute) and function.attr == "main" and isinstance(function.value, ast.Name)


def _called_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that are called at module level."""
    statements = [node for node in body if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    calls = [node for statement in statements for node in walk_tree(statement) if isinstance(node, ast.Call)]
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


class _Counted(ast.NodeTransformer):
    """Follows each assert with a call that notes that it was passed."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        note = ast.Expr(ast.Call(ast.Name(_PASSED, ast.Load()), [ast.Constant(f"{node.lineno}:{node.col_offset}")], []))
        return [node, ast.fix_missing_locations(ast.copy_location(note, node))]


def _counted(node: ast.stmt) -> ast.Module:
    changed: Any = _Counted().visit(node)
    body: Any = changed if type_of(changed) is list else [changed]
    return ast.Module(body, [])
