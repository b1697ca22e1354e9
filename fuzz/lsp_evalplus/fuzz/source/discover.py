"""Discover function targets in source code, even if other parts of the file do not parse.

`read_module` parses the source once and lists its functions cheaply; `Module.target` builds one target, with its
program, on demand. `discover` and `find_target` are shorthands.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import hashlib
import sys
from functools import cached_property
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import own_nodes, walk_tree
from lsp_evalplus.fuzz.guest.values.source_text import is_test_name
from lsp_evalplus.fuzz.model import Binding, FunctionKind, FunctionTarget, Parameter, Program, Span

from .definitions import Definition, decorator_name, dump_code, find_definitions, is_deleter, is_nested, is_overload
from .obstacles import find_need_of_older, find_structural_obstacle, is_stub, is_test
from .parsing import ParsedText, parse_text
from .project import Place, find_place
from .scopes import FunctionNode, identifiers_in, parameter_nodes, used_names
from .side_effects import EffectFinder
from .slicing import Slice, Slicer, imported_names
from .subclasses import ClassesOfModule


class Module:
    """A parsed module. Everything derived from it is computed on first use and cached."""

    def __init__(self, text: str, path: Path | None = None) -> None:
        self.path = path
        self.parsed: ParsedText = parse_text(text)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Every function by name, in source order; of several definitions of one name the last, of a property the
        getter."""
        found = dict[str, Definition]()
        for definition in self._all_definitions:
            if is_overload(definition.node) or (definition.name in found and is_deleter(definition.node)):
                continue
            found.pop(definition.name, None)
            found[definition.name] = definition
        return found

    @cached_property
    def other_parts(self) -> dict[str, tuple[Span, ...]]:
        """Where else the code of a function stands, by its name: definitions that one of the same name hides.

        An implementation that a generic function registers is a part of that function; any other, as an overload, is
        one of the listed function.
        """
        found = dict[str, tuple[Span, ...]]()
        for definition in self._all_definitions:
            if self.definitions.get(definition.name) is not definition:
                name = self._registered_with(definition) or definition.name
                found[name] = (*found.get(name, ()), definition.span)
        return found

    def _registered_with(self, definition: Definition) -> str | None:
        """Return the generic function that registers an implementation by ``@name.register``; None for the others."""
        scope = definition.name.rpartition(".")[0]
        for decorator in definition.node.decorator_list:
            name, _, method = (decorator_name(decorator) or "").rpartition(".")
            known = [one for one in (f"{scope}.{name}", name) if method == "register" and one in self.definitions]
            if known:
                return known[0]
        return None

    @cached_property
    def _all_definitions(self) -> tuple[Definition, ...]:
        return tuple(find_definitions(self.parsed))

    @cached_property
    def place(self) -> Place | None:
        """Location of the file in its project; None for source without a file."""
        imported = {name.partition(".")[0] for name in self.aliases.values()}
        return find_place(self.path, imported) if self.path is not None else None

    @cached_property
    def doctests(self) -> tuple[tuple[str, int], ...]:
        """Docstrings of the module's functions and classes that hold doctests, each with its zero-based first line."""
        found = list[tuple[str, int]]()
        for node in walk_tree(self.parsed.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                docstring = ast.get_docstring(node, clean=False)
                if docstring and ">>>" in docstring:
                    found.append((docstring, node.body[0].lineno - 1))
        return tuple(found)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Local name -> dotted name of the imported object."""
        return imported_names(self.parsed.tree)

    def target(self, name: str) -> FunctionTarget:
        """Build the target of one function.

        Raises:
            UserError: there is no such function, and names close to it are suggested; or it is nested too deeply.
        """
        definition = self.definitions.get(name)
        if definition is None:
            raise UserError(self._describe_missing(name))
        try:
            return self._build(definition)
        except RecursionError:
            raise UserError(f"{name} cannot be read: its module is nested too deeply.") from None

    def targets(self) -> list[FunctionTarget]:
        """Build all targets, including those with an obstacle, in source order."""
        return [self._build(definition) for definition in self.definitions.values()]

    def fingerprint(self, name: str) -> str:
        """Return a hash of the code of the function and of all it needs from this module.

        It is independent of comments, layout and docstrings. Imported modules are not included.
        """
        definition = self.definitions[name]
        parts = [dump_code(definition.node)]
        units = self._slicer.needed_units(used_names(definition.node) | self._needed(definition))
        parts += [unit.code for unit in units]
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def is_as_in(self, other: Module, name: str) -> bool:
        """Whether the function and all it needs from this module have the same code in another one."""
        if dump_code(self.definitions[name].node) != dump_code(other.definitions[name].node):
            return False
        return self.fingerprint(name) == other.fingerprint(name)

    def identifiers(self, name: str) -> frozenset[str]:
        """Return the names and attributes in the code of the function and of all it needs from this module."""
        node = self.definitions[name].node
        units = self._slicer.needed_units(used_names(node))
        return identifiers_in([node]).union(*[unit.identifiers for unit in units])

    def _build(self, definition: Definition) -> FunctionTarget:
        node = definition.node
        obstacle = find_structural_obstacle(definition, self._nested_duplicates)
        if obstacle is None and self._is_test_file and is_test(definition):
            obstacle = "it is a test, or part of one"
        reads = None
        if obstacle is None:
            obstacle, reads = self._effects.find_obstacle(node)
        cut = self._program_slice(definition)
        return FunctionTarget(
            program=self._program(definition, cut),
            parameters=_read_parameters(definition),
            returns=ast.unparse(node.returns) if node.returns else None,
            docstring=ast.get_docstring(node, clean=False),
            kind=_read_kind(node),
            binding=_read_binding(definition),
            span=definition.span,
            name_span=definition.name_span,
            name=definition.name,
            obstacle=obstacle,
            needs_older=find_need_of_older(definition),
            reads=reads,
            is_stub=is_stub(definition.node),
            skipped=cut.skipped,
        )

    def _program(self, definition: Definition, cut: Slice) -> Program:
        place = self.place
        return Program(
            source=cut.source,
            qualname=definition.name.rpartition("<locals>.")[2],
            path=str(self.path) if self.path is not None else None,
            package=place.package if place is not None else None,
            search_path=place.search_path if place is not None else (),
            first_line=_first_line(definition) if definition.name in self._conditional_duplicates else 0,
            whole=self.parsed.text if cut.is_part and not is_nested(definition) else "",
            skips_code=bool(cut.skipped),
        )

    def _program_slice(self, definition: Definition) -> Slice:
        if not is_nested(definition):
            return self._slicer.cut(self._needed(definition))
        cut = self._slicer.cut(used_names(definition.node))
        return dataclasses.replace(cut, source=_lift(self.parsed, cut, definition))

    def _needed(self, definition: Definition) -> set[str]:
        """Return the names at the top of the module by which a function is called."""
        classes = self._classes
        first = definition.name.partition(".")[0]
        return {first, *classes.telling_subclasses(definition), *classes.makers(definition)}

    @cached_property
    def _classes(self) -> ClassesOfModule:
        return ClassesOfModule(self.parsed.tree)

    @cached_property
    def _slicer(self) -> Slicer:
        return Slicer(self.parsed)

    @cached_property
    def _is_test_file(self) -> bool:
        name = self.path.stem if self.path is not None else ""
        return is_test_name(f"{name}.py") or name == "conftest"

    @cached_property
    def _effects(self) -> EffectFinder:
        functions = {name: found.node for name, found in self.definitions.items() if "." not in name}
        return EffectFinder(self.aliases, functions)

    @cached_property
    def _conditional_duplicates(self) -> frozenset[str]:
        seen, twice = set[str](), set[str]()
        for definition in self._all_definitions:
            if definition.is_conditional and not is_overload(definition.node):
                (twice if definition.name in seen else seen).add(definition.name)
        return frozenset(twice)

    @cached_property
    def _nested_duplicates(self) -> frozenset[str]:
        return frozenset(name for name in self._conditional_duplicates if is_nested(self.definitions[name]))

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
    """Return the grammar version used for parsing: that of the Python lsp-evalplus itself runs on."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def read_module(text: str, path: Path | None = None) -> Module:
    """Parse source code that may contain syntax errors; `path` is where it is, or will be, saved."""
    return Module(text, path)


def discover(text: str, path: Path | None = None) -> list[FunctionTarget]:
    """Return every function target of the source, in order."""
    return Module(text, path).targets()


def find_target(text: str, name: str, path: Path | None = None) -> FunctionTarget:
    """Return the function called `name` (``f``, ``Class.method``, ``outer.<locals>.inner``).

    Raises:
        UserError: there is no such function.
    """
    return Module(text, path).target(name)


def _lift(parsed: ParsedText, cut: Slice, definition: Definition) -> str:
    """Lift a nested function to the top level and keep its line numbers: ``if True:`` replaces its owner's line."""
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


def _first_line(definition: Definition) -> int:
    """Return the function's first line as Python counts it: its first decorator, else its ``def``."""
    return min([_line(definition.node), *map(_line, definition.node.decorator_list)])


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


def _end_line(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or _line(node)


def _read_kind(node: FunctionNode) -> FunctionKind:
    yields = _yields(node)
    if isinstance(node, ast.AsyncFunctionDef):
        return FunctionKind.ASYNC_GENERATOR if yields else FunctionKind.COROUTINE
    return FunctionKind.GENERATOR if yields else FunctionKind.FUNCTION


def _yields(node: FunctionNode) -> bool:
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in own_nodes(node.body))


def _read_binding(definition: Definition) -> Binding:
    if not definition.owners or not isinstance(definition.owners[-1], ast.ClassDef):
        return Binding.FREE
    decorators = {decorator_name(decorator) for decorator in definition.node.decorator_list}
    if "staticmethod" in decorators:
        return Binding.STATICMETHOD
    return Binding.CLASSMETHOD if "classmethod" in decorators else Binding.METHOD


def _read_parameters(definition: Definition) -> tuple[Parameter, ...]:
    """Return the parameters a caller passes, without ``self`` and ``cls``."""
    arguments = definition.node.args
    positional = positional_parameters(arguments)
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
