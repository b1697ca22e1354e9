"""Text -> function targets, also when other parts of the file do not parse.

`read_module` reads a text once and names its functions cheaply; `Module.target` builds one target, with its program, on
demand. `discover` and `find_target` are short forms.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from .effects import EffectFinder
from .errors import UserError
from .model import Binding, FunctionKind, FunctionTarget, Parameter, Program, Span
from .parsing import ParsedText, code_point_column, node_span, parse_text
from .project import Place, find_place
from .scopes import FunctionNode, bound_names, dotted_name, parameter_nodes, used_names
from .slicing import Slice, Slicer, imported_names


@dataclass(frozen=True, slots=True)
class Definition:
    """A function definition found in a module; cheap, without its program."""

    name: str
    """``f``, ``Class.method`` or ``outer.<locals>.inner``."""
    node: FunctionNode
    owners: tuple[ast.AST, ...]
    """Classes and functions it stands in, the outermost first."""
    span: Span
    name_span: Span
    is_conditional: bool
    """Whether it stands under ``if``, ``try`` or a loop."""


class Module:
    """A text read once. Everything derived from it is computed when first asked for, and kept."""

    def __init__(self, text: str, path: Path | None = None) -> None:
        self.path = path
        self.parsed: ParsedText = parse_text(text)
        self._dumps = dict[int, str]()

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Every function by name, in the order of the text; of several definitions of one name, the last."""
        found = dict[str, Definition]()
        for definition in _walk(self.parsed):
            if not _is_overload(definition.node):
                found.pop(definition.name, None)
                found[definition.name] = definition
        return found

    @cached_property
    def place(self) -> Place | None:
        """Where the file stands in its project; None for a text without a file."""
        imported = {name.partition(".")[0] for name in self.aliases.values()}
        return find_place(self.path, imported) if self.path is not None else None

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Local name -> dotted name of what it was imported as."""
        return imported_names(self.parsed.tree)

    def target(self, name: str) -> FunctionTarget:
        """Build the target of one function.

        Raises:
            UserError: there is no such function; names close to it are suggested.
        """
        definition = self.definitions.get(name)
        if definition is None:
            raise UserError(self._describe_missing(name))
        return self._build(definition)

    def targets(self) -> list[FunctionTarget]:
        """Build all targets, those with an obstacle too, in the order of the text."""
        return [self._build(definition) for definition in self.definitions.values()]

    def fingerprint(self, name: str) -> str:
        """A hash of what the function does by its text and that of all it needs from this module.

        Comments, layout and docstrings do not change it. Imported modules are not looked into.
        """
        definition = self.definitions[name]
        parts = [dump_code(definition.node)]
        for unit in self._slicer.needed_units(used_names(definition.node) | {definition.name.partition(".")[0]}):
            if unit.first_line not in self._dumps:
                self._dumps[unit.first_line] = "\n".join(map(dump_code, unit.nodes))
            parts.append(self._dumps[unit.first_line])
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def _build(self, definition: Definition) -> FunctionTarget:
        node = definition.node
        obstacle = _structural_obstacle(definition, self._conditional_duplicates)
        if obstacle is None and self._is_test_file and _is_test(definition):
            obstacle = "it is a test, or part of one"
        if obstacle is None:
            obstacle = self._effects.find_obstacle(node)
        cut = self._program_slice(definition)
        return FunctionTarget(
            program=self._program(definition, cut.source),
            parameters=_read_parameters(definition),
            returns=ast.unparse(node.returns) if node.returns else None,
            docstring=ast.get_docstring(node, clean=False),
            kind=_read_kind(node),
            binding=_read_binding(definition),
            span=definition.span,
            name_span=definition.name_span,
            name=definition.name,
            obstacle=obstacle,
            skipped=cut.skipped,
        )

    def _program(self, definition: Definition, source: str) -> Program:
        place = self.place
        return Program(
            source=source,
            qualname=definition.name.rpartition("<locals>.")[2],
            path=str(self.path) if self.path is not None else None,
            package=place.package if place is not None else None,
            search_path=place.search_path if place is not None else (),
        )

    def _program_slice(self, definition: Definition) -> Slice:
        if not _is_nested(definition):
            return self._slicer.cut([definition.name.partition(".")[0]])
        cut = self._slicer.cut(used_names(definition.node))
        return Slice(_lift(self.parsed, cut, definition), cut.skipped)

    @cached_property
    def _slicer(self) -> Slicer:
        return Slicer(self.parsed)

    @cached_property
    def _is_test_file(self) -> bool:
        name = self.path.stem if self.path is not None else ""
        return name.startswith("test_") or name.endswith("_test") or name in {"conftest", "tests"}

    @cached_property
    def _effects(self) -> EffectFinder:
        functions = {name: found.node for name, found in self.definitions.items() if "." not in name}
        return EffectFinder(self.aliases, functions)

    @cached_property
    def _conditional_duplicates(self) -> frozenset[str]:
        seen, twice = set[str](), set[str]()
        for definition in _walk(self.parsed):
            if definition.is_conditional and not _is_overload(definition.node):
                (twice if definition.name in seen else seen).add(definition.name)
        return frozenset(twice)

    def _describe_missing(self, name: str) -> str:
        where = str(self.path) if self.path is not None else "the text"
        close = difflib.get_close_matches(name, self.definitions, n=3)
        if close:
            return f"{where} has no function {name!r}; did you mean {' or '.join(map(repr, close))}?"
        if self.parsed.problem and not self.definitions:
            grammar = describe_grammar()
            return f"{where} has no function {name!r}: it does not parse as Python {grammar} ({self.parsed.problem})."
        known = ", ".join(list(self.definitions)[:8]) or "none"
        broken = f" Part of it does not parse ({self.parsed.problem})." if self.parsed.problem else ""
        return f"{where} has no function {name!r}; functions found: {known}.{broken}"


def describe_grammar() -> str:
    """The version of the grammar that texts are read with: that of the Python lsp-evalplus itself runs on."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def read_module(text: str, path: Path | None = None) -> Module:
    """Read a text that may hold syntax errors; `path` is where it is, or will be, saved."""
    return Module(text, path)


def discover(text: str, path: Path | None = None) -> list[FunctionTarget]:
    """Every function of a text, in order."""
    return Module(text, path).targets()


def find_target(text: str, name: str, path: Path | None = None) -> FunctionTarget:
    """The function called `name` (``f``, ``Class.method``, ``outer.<locals>.inner``).

    Raises:
        UserError: there is no such function.
    """
    return Module(text, path).target(name)


def dump_code(node: ast.AST) -> str:
    """A text of the syntax tree that is the same whatever comments, layout and docstrings are."""
    parts = list[str]()
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.AST):
            parts.append(type(part).__name__)
            pending.append(_END)
            pending += (_code_of(part, name) for name in part._fields)
        elif isinstance(part, list):
            parts.append("[")
            pending.append(_END)
            pending += cast("list[object]", part)
        else:
            parts.append(part if part is _END else repr(part))
    return " ".join(parts)


_END = "]"


def _code_of(node: ast.AST, field: str) -> object:
    """A field of a node, where a body is without its docstring."""
    value: Any = getattr(node, field, None)
    if field == "body" and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        has_docstring = ast.get_docstring(node, clean=False) is not None
        return (value[1:] or [ast.Pass()]) if has_docstring else value
    return value


def _walk(parsed: ParsedText) -> Iterator[Definition]:
    pending: list[tuple[ast.AST, tuple[ast.AST, ...], str, bool]] = [
        (node, (), "", False) for node in reversed(parsed.tree.body)
    ]
    while pending:
        node, owners, prefix, conditional = pending.pop()
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDERS)]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield _definition(parsed, node, owners, prefix, conditional=conditional)
            owners, prefix, conditional = (*owners, node), f"{prefix}{node.name}.<locals>.", False
        elif isinstance(node, ast.ClassDef):
            owners, prefix, conditional = (*owners, node), f"{prefix}{node.name}.", False
        else:
            conditional = True
        pending.extend((child, owners, prefix, conditional) for child in reversed(children))


_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _definition(
    parsed: ParsedText, node: FunctionNode, owners: tuple[ast.AST, ...], prefix: str, *, conditional: bool
) -> Definition:
    span = node_span(parsed.lines, node)
    if node.decorator_list:
        first = node.decorator_list[0]
        line = parsed.lines[first.lineno - 1]
        column = line.rfind("@", 0, code_point_column(line, first.col_offset))
        span = Span(first.lineno - 1, max(column, 0), span.end_line, span.end_column)
    return Definition(prefix + node.name, node, owners, span, _name_span(parsed, node), conditional)


def _name_span(parsed: ParsedText, node: FunctionNode) -> Span:
    """The name follows ``def``, usually on its line; a backslash may move it to a later one."""
    number = node.lineno - 1
    column = code_point_column(parsed.lines[number], node.col_offset) + (
        5 if isinstance(node, ast.AsyncFunctionDef) else 0
    )
    column = parsed.lines[number].index("def", column) + 3 if "def" in parsed.lines[number][column:] else column
    while (start := parsed.lines[number].find(node.name, column)) < 0 and number + 1 < len(parsed.lines):
        number, column = number + 1, 0
    start = max(start, 0)
    return Span(number, start, number, start + len(node.name))


def _is_nested(definition: Definition) -> bool:
    return any(not isinstance(owner, ast.ClassDef) for owner in definition.owners)


def _lift(parsed: ParsedText, cut: Slice, definition: Definition) -> str:
    """Put a nested function at the top level without moving a line: ``if True:`` takes the line of its owner."""
    lines = cut.source.split("\n")
    owner = definition.owners[-1]
    first = min(
        [node.lineno for node in getattr(definition.owners[0], "decorator_list", [])] + [_line(definition.owners[0])]
    )
    lines[first - 1 : _end_line(definition.owners[0])] = [""] * (_end_line(definition.owners[0]) - first + 1)
    lines[_line(owner) - 1] = "if True:"
    start, end = definition.span.start_line, definition.span.end_line + 1
    lines[start:end] = parsed.lines[start:end]
    return "\n".join(lines)


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


def _end_line(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or _line(node)


def _structural_obstacle(definition: Definition, twice: frozenset[str]) -> str | None:
    node = definition.node
    decorators = {(_decorator_name(decorator) or "").rpartition(".")[2] for decorator in node.decorator_list}
    if definition.name in twice:
        return "it is defined more than once, and which definition counts is decided when the module runs"
    if decorators & {"abstractmethod", "abstractproperty"}:
        return "it is abstract"
    if decorators & {"property", "cached_property", "setter", "getter", "deleter"}:
        return "it is a property"
    if "fixture" in decorators:
        return "it is a test fixture"
    if _is_stub(node):
        return "it has no body yet"
    if node.name.startswith("__") and node.name.endswith("__") and definition.owners and node.name != "__call__":
        return f"{node.name} is checked through its class, not alone"
    return _nesting_obstacle(definition)


def _is_test(definition: Definition) -> bool:
    owners = [getattr(owner, "name", "") for owner in definition.owners]
    return any(name.startswith(("test", "Test")) for name in (definition.node.name, *owners))


def _nesting_obstacle(definition: Definition) -> str | None:
    if not _is_nested(definition):
        return None
    if isinstance(definition.owners[-1], ast.ClassDef):
        return "its class is defined inside a function"
    around = set[str]()
    for owner in definition.owners:
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            around |= _local_names(owner)
    needed = sorted((used_names(definition.node) & around) - {definition.node.name})
    if not needed:
        return None
    owner = definition.owners[-1]
    return f"it is nested and needs {', '.join(needed)} of {getattr(owner, 'name', 'the function around it')}()"


def _local_names(function: FunctionNode) -> set[str]:
    names = {parameter.arg for parameter in parameter_nodes(function.args)}
    return names.union(*map(bound_names, function.body))


def _is_stub(node: FunctionNode) -> bool:
    """Nothing but a docstring, ``...``, ``pass`` or ``raise NotImplementedError``."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return all(_is_placeholder(statement) for statement in body)


def _is_placeholder(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return False


def _is_overload(node: FunctionNode) -> bool:
    return any((_decorator_name(decorator) or "").rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def _decorator_name(decorator: ast.expr) -> str | None:
    return dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _read_kind(node: FunctionNode) -> FunctionKind:
    yields = _yields(node)
    if isinstance(node, ast.AsyncFunctionDef):
        return FunctionKind.ASYNC_GENERATOR if yields else FunctionKind.COROUTINE
    return FunctionKind.GENERATOR if yields else FunctionKind.FUNCTION


def _yields(node: FunctionNode) -> bool:
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(part))
    return False


def _read_binding(definition: Definition) -> Binding:
    if not definition.owners or not isinstance(definition.owners[-1], ast.ClassDef):
        return Binding.FREE
    decorators = {_decorator_name(decorator) for decorator in definition.node.decorator_list}
    if "staticmethod" in decorators:
        return Binding.STATICMETHOD
    return Binding.CLASSMETHOD if "classmethod" in decorators else Binding.METHOD


def _read_parameters(definition: Definition) -> tuple[Parameter, ...]:
    """The parameters a caller passes: ``self`` and ``cls`` are left out."""
    arguments = definition.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr | None] = dict(
        zip([parameter.arg for parameter in reversed(positional)], reversed(arguments.defaults))
    )
    defaults |= dict(zip([parameter.arg for parameter in arguments.kwonlyargs], arguments.kw_defaults))
    kinds = {id(parameter): "positional_only" for parameter in arguments.posonlyargs}
    kinds |= {id(parameter): "keyword_only" for parameter in arguments.kwonlyargs}
    kinds |= {id(arguments.vararg): "var_positional", id(arguments.kwarg): "var_keyword"}
    parameters = [
        Parameter(
            name=parameter.arg,
            kind=kinds.get(id(parameter), "positional_or_keyword"),
            annotation=ast.unparse(parameter.annotation) if parameter.annotation else None,
            default=ast.unparse(default) if (default := defaults.get(parameter.arg)) is not None else None,
        )
        for parameter in parameter_nodes(arguments)
    ]
    receives = _read_binding(definition) in {Binding.METHOD, Binding.CLASSMETHOD}
    return tuple(parameters[1:] if receives and positional else parameters)
