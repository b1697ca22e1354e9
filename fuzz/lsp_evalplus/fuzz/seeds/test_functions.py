"""Calls and stated results in test functions, of pytest and unittest; parsed, never run.

A test states a result where it compares a call with a value: ``assert f(1) == 2``, ``self.assertEqual(f(1), 2)``, or
``with pytest.raises(ValueError): f(-1)``, also for each row of ``pytest.mark.parametrize`` and of a loop over literals.
What else it does (fixtures, patches, calls of helpers) may decide the result, so that then its calls are inputs only.
So are those whose exception is a warning, which the configuration of pytest may turn into an exception.
"""

from __future__ import annotations

import ast
import unittest
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from lsp_evalplus.fuzz.guest.static.parameter_members import parameter_names
from lsp_evalplus.fuzz.guest.static.walking import is_constant_alone, walk_tree
from lsp_evalplus.fuzz.model import Example
from lsp_evalplus.fuzz.source.parsing import copied
from lsp_evalplus.fuzz.source.scopes import bound_names, dotted_name

from .calls import CallReader
from .doctests import KnownNames, read_calls_inside
from .values import to_result_text

MOST_ROWS = 40
"""Maximum number of rows of a parametrized test, and of a loop, that are read."""
_EQUALITIES = frozenset(
    "assertEqual assertEquals assertIs assertListEqual assertDictEqual assertTupleEqual assertSetEqual "
    "assertMultiLineEqual".split()
)
"""Those that demand ``==``: ``assertSequenceEqual`` takes a list for a tuple."""
_HARMLESS_KEYWORDS = frozenset({"ids", "scope"})
"""Keywords of `parametrize` that leave the values as they are, unlike `indirect`."""
_SET_UPS = frozenset("setup setup_module setUpModule setup_function setUp setUpClass setup_method setup_class".split())


@dataclass(frozen=True, slots=True)
class TestFunction:
    """A test with the values of one row of its parameters."""

    statements: tuple[ast.stmt, ...]
    """Loops over literals are unrolled."""
    plain: int
    """How many statements at the beginning are assignments and claims: these hold without fixtures and set-up."""
    names: frozenset[str]
    """All names and attributes in it."""


class TestNames(Protocol):
    """What the names in a test mean."""

    def rewritten(self, node: ast.AST) -> ast.AST:
        """Return a node with the names of the function's own module."""
        ...

    def exception(self, node: ast.expr) -> str | None:
        """Return the name of the class of the exceptions that a test expects, None where that is not known."""
        ...


def read_test_functions(tree: ast.Module, imports: Mapping[str, str]) -> list[TestFunction]:
    """Return the tests of a module, each row of a parametrized one as a test of its own.

    `imports` are the dotted names of what it imports.
    """
    constants = {
        target.id: one.value
        for one in read_constants(tree)
        if isinstance(one.value, (ast.List, ast.Tuple))
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    is_plain = not any(sets_up(statement) for statement in tree.body)
    found = list[TestFunction]()
    for statement in _last_bound(tree.body):
        if isinstance(statement, ast.ClassDef):
            of_class = is_plain and not statement.decorator_list
            of_class = of_class and all(_is_plain_base(base, imports) for base in statement.bases)
            of_class = of_class and not any(sets_up(inner) for inner in statement.body)
            for inner in _last_bound(statement.body):
                found += _rows(inner, constants, is_plain=of_class, first="self")
        else:
            found += _rows(statement, constants, is_plain=is_plain, first=None)
    return found


def read_constants(tree: ast.Module) -> list[ast.Assign]:
    """Return the assignments of a module to names that nothing else in it binds."""
    counts = Counter(name for one in tree.body for name in bound_names(one))
    assignments = [one for one in tree.body if isinstance(one, ast.Assign)]
    return [one for one in assignments if all(counts[name] == 1 for name in bound_names(one))]


def _last_bound(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without the definitions that a later one replaces: nobody runs these."""
    last = {name: statement for statement in body for name in bound_names(statement)}
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [one for one in body if not isinstance(one, definitions) or last[one.name] is one]


def _is_plain_base(base: ast.expr, imports: Mapping[str, str]) -> bool:
    """Whether a base class sets nothing up: `object`, or the TestCase of the standard library."""
    first, dot, rest = (dotted_name(base) or "?").partition(".")
    return (imports.get(first, first) + dot + rest) in {"object", "unittest.TestCase", "unittest.case.TestCase"}


def sets_up(statement: ast.stmt) -> bool:
    """Whether a statement of a module or class may change what its tests see."""
    match statement:
        case ast.Assign(targets=targets) if any(isinstance(target, _PARTS) for target in targets):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return False
        case ast.If(body=body, orelse=orelse):
            return any(map(sets_up, (*body, *orelse)))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
            return any(map(sets_up, (*body, *(one for part in handlers for one in part.body), *orelse, *last)))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return statement.name in _SET_UPS or "autouse" in ast.dump(ast.List(statement.decorator_list))
        case ast.Assign(targets=[ast.Name(id="pytestmark")]):
            return True
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr(value=ast.Call(func=function)):
            return dotted_name(function) != "pytest.importorskip"
        case _:
            return not isinstance(
                statement,
                (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Pass),
            )


_PARTS = (ast.Attribute, ast.Subscript)
"""Targets of assignments that change what others see."""


def _rows(
    statement: ast.stmt, constants: Mapping[str, ast.expr], *, is_plain: bool, first: str | None
) -> Iterator[TestFunction]:
    if not isinstance(statement, ast.FunctionDef) or not statement.name.startswith("test"):
        return
    names = parameter_names(statement) - {first}
    body = [part for part in statement.body if not is_constant_alone(part)]
    rows: Sequence[Mapping[str, ast.expr]] = [{}]
    known: set[str] = set()
    if len(statement.decorator_list) == 1 and (read := _parametrized(statement.decorator_list[0])) is not None:
        rows = read
        known = set(rows[0]) if rows else set()
    elif statement.decorator_list:
        is_plain = False
    names_used = frozenset(_identifiers(statement))
    for row in rows[:MOST_ROWS]:
        whole = (*_assignments(row, statement.lineno), *_unrolled(body, constants))
        plain = sum(1 for _ in takewhile(_is_claim_or_assignment, whole))
        yield TestFunction(whole, plain if is_plain and names <= known else 0, names_used)


def _identifiers(node: ast.AST) -> Iterator[str]:
    for part in walk_tree(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _assignments(row: Mapping[str, ast.expr], line: int) -> list[ast.stmt]:
    return [ast.Assign([ast.Name(name, ast.Store())], value, lineno=line) for name, value in row.items()]


def _parametrized(decorator: ast.expr) -> list[dict[str, ast.expr]] | None:
    """Return the rows of ``pytest.mark.parametrize(names, rows)``; None for other decorators."""
    if not isinstance(decorator, ast.Call) or not (dotted_name(decorator.func) or "").endswith("mark.parametrize"):
        return None
    if not {keyword.arg for keyword in decorator.keywords} <= _HARMLESS_KEYWORDS:
        return None
    match decorator.args:
        case [ast.Constant(value=str(text)), ast.List(elts=rows) | ast.Tuple(elts=rows)]:
            names = [name.strip() for name in text.split(",") if name.strip()]
        case [ast.List(elts=parts) | ast.Tuple(elts=parts), ast.List(elts=rows) | ast.Tuple(elts=rows)]:
            names = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        case _:
            return None
    found = list[dict[str, ast.expr]]()
    for row in rows:
        values = _values_of(row, len(names))
        if values is not None:
            found.append(dict(zip(names, values, strict=True)))
    return found


def _values_of(row: ast.expr, count: int) -> list[ast.expr] | None:
    """Return the values of a row, None where it is marked or of another length."""
    if isinstance(row, ast.Call) and (dotted_name(row.func) or "").rpartition(".")[2] == "param":
        is_marked = any(keyword.arg != "id" for keyword in row.keywords)
        return None if is_marked or len(row.args) != count else row.args
    if count == 1:
        return [row]
    return row.elts if isinstance(row, (ast.Tuple, ast.List)) and len(row.elts) == count else None


def _is_claim_or_assignment(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name()]) | ast.Assert() | ast.Pass():
            return True
        case ast.AnnAssign(target=ast.Name()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name))):
            return name.startswith("assert") and hasattr(unittest.TestCase, name)
        case _:
            return _raising(statement) is not None


def _loop_rows(loop: ast.For, known: Mapping[str, ast.expr]) -> list[dict[str, ast.expr]] | None:
    """Return the rows of a loop over literals, by the names that it binds; None for other loops.

    `known` are the lists and tuples that names are bound to.
    """
    items = known.get(loop.iter.id) if isinstance(loop.iter, ast.Name) else loop.iter
    if not isinstance(items, (ast.List, ast.Tuple)) or loop.orelse:
        return None
    names = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    found = list[dict[str, ast.expr]]()
    for row in items.elts[:MOST_ROWS]:
        values = [row] if len(names) == 1 else row.elts if isinstance(row, (ast.Tuple, ast.List)) else []
        if len(values) != len(names) or not all(isinstance(name, ast.Name) for name in names):
            return None
        found.append({name.id: value for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)})
    return found


def _of_unittest(statement: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return the two sides of ``self.assertEqual(a, b)``."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[left, right, *_])):
            return (left, right) if name in _EQUALITIES else None
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="assertIsNone"), args=[call])):
            return call, ast.Constant(None)
        case _:
            return None


def _raising(statement: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return the call and the exception of ``with pytest.raises(E): f(x)`` and ``self.assertRaises(E, f, x)``."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("self"), "assertRaises"), [kind, function, *args], keywords)):
            return ast.Call(function, args, keywords), kind
        case ast.With(
            items=[ast.withitem(context_expr=ast.Call(func=function, args=[kind, *_]))], body=[ast.Expr(call)]
        ):
            name = (dotted_name(function) or "").rpartition(".")[2]
            return (call, kind) if name in {"raises", "assertRaises", "assertRaisesRegex"} else None
        case _:
            return None


def read_claims(
    test: TestFunction,
    constants: Iterable[ast.stmt],
    reader: CallReader,
    meaning: TestNames,
    plain: int,
) -> Iterator[Example]:
    """Yield the calls of one function in a test, with the results that its first `plain` statements state.

    `constants` are assignments that stand before it.
    """
    names = KnownNames()
    kinds = dict[str, ast.expr]()
    for constant in constants:
        names.note(constant)
    for number, statement in enumerate(test.statements):
        for example in _read(statement, reader, names, meaning, kinds):
            yield example if number < plain else Example(example.arguments, None)
        names.note(_as_statement(meaning.rewritten(statement)))
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                kinds[name] = value
            case _:
                pass


def _as_statement(node: ast.AST) -> ast.stmt:
    return node if isinstance(node, ast.stmt) else ast.Pass()


def _unrolled(statements: Iterable[ast.stmt], constants: Mapping[str, ast.expr]) -> Iterator[ast.stmt]:
    known = dict(constants)
    for statement in statements:
        rows = _loop_rows(statement, known) if isinstance(statement, ast.For) else None
        if isinstance(statement, ast.For) and rows is not None:
            for row in rows:
                yield from _assignments(row, statement.lineno)
                yield from statement.body
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() | ast.Tuple() as value):
                known[name] = value
            case _:
                pass
        yield statement


def _read(
    statement: ast.stmt, reader: CallReader, names: KnownNames, meaning: TestNames, kinds: Mapping[str, ast.expr]
) -> list[Example]:
    def known(node: ast.AST) -> ast.AST:
        return names.visit(copied(meaning.rewritten(node)))

    raising = _raising(statement)
    if raising is not None:
        call, kind = raising
        kind = kinds.get(kind.id, kind) if isinstance(kind, ast.Name) else kind
        return _stated(known(call), None, meaning.exception(kind), reader)
    sides = _of_unittest(statement)
    if sides is None and isinstance(statement, ast.Assert):
        match statement.test:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                sides = left, right
            case _:
                pass
    if sides is None:
        return read_calls_inside(known(statement), reader, None)
    call, value = map(known, sides)
    if not reader.reads(call) and reader.reads(value):
        call, value = value, call
    expected = to_result_text(ast.unparse(value)) if names.are_certain(meaning.rewritten(statement)) else None
    return _stated(call, expected, None, reader)


def _stated(call: ast.AST, expected: str | None, raises: str | None, reader: CallReader) -> list[Example]:
    if not isinstance(call, ast.expr) or not reader.reads(call):
        return read_calls_inside(call, reader, None)
    examples = reader.examples(call, expected, None, raises=raises)
    return [Example(one.arguments, one.expected, one.raises, by_equality=True) for one in examples]
