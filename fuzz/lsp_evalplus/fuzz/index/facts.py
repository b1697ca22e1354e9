"""What one module states about objects: constructor calls with known arguments, classes, and functions that make them.

Names in it are full dotted names, resolved by the module's own imports. Of a call whose arguments are only partly
known, the unknown ones are `HOLE`.
"""

from __future__ import annotations

import ast
import doctest
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import FUNCTIONS, has_star, targets_of, walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.building import LIBRARY_MODULES
from lsp_evalplus.fuzz.guest.values.recipes.model import CALLABLES, HOLE
from lsp_evalplus.fuzz.seeds.doctests import dedented
from lsp_evalplus.fuzz.source.parsing import parse_module, parse_statements
from lsp_evalplus.fuzz.source.scopes import FunctionNode, annotation_names, dotted_name, parameter_nodes
from lsp_evalplus.fuzz.source.subclasses import abstract_methods, class_members, stubs

MOST_CALLS = 400
"""Maximum number of calls kept of one module."""
LONGEST_CALL = 300
"""Maximum length, in characters, of a call that is kept."""
ANY_CLASS = "*"
"""Stands for the class where a strategy is registered in a loop, or by a function that is handed the class."""
DEEPEST = 8
"""Maximum nesting of a call's arguments."""
_MOST_DOCTEST = 20_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_CODE = re.compile(
    r"^[ \t]*```[ \t]*(?:python|py)\b[^\n]*\n(.*?)^[ \t]*```"
    r"|^\.\. (?:code|code-block|sourcecode):: *python[^\n]*\n((?:[ \t]+[^\n]*\n|[ \t]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
"""Code in Markdown, or in reStructuredText."""
_REGISTERS = "hypothesis.strategies.register_type_strategy"
_WITH_CALLS = (ast.expr, ast.keyword, ast.comprehension)
_HARMLESS = CALLABLES - {"hash", "iter", "type", "object", "map", "filter", "zip", "enumerate"}
"""Builtins whose calls are arguments."""


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a class, a function or a method."""

    name: str
    """The full name of what is called; of a method, ``.name``."""
    text: str
    """The expression, with full names."""
    is_whole: bool
    """Whether all of its arguments are known."""


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class, as its statement says."""

    name: str
    bases: tuple[str, ...]
    needs: tuple[str, ...]
    """Full names in the annotations of its constructor and its fields."""
    members: tuple[str, ...] = ()
    """What its statement binds, and the attributes that its methods assign to their first parameter."""
    abstract: tuple[str, ...] = ()
    """Its methods that are declared abstract."""
    stubs: tuple[str, ...] = ()
    """Its methods that do nothing but raise `NotImplementedError`."""


@dataclass(frozen=True, slots=True)
class Factory:
    """A function or method that returns an object of a class, by its annotation or by all of its returns."""

    name: str
    makes: str
    """The full name of the class."""
    is_free: bool
    """Whether it can be called without arguments, but the instance of a method."""
    owner: str | None = None
    """The full name of the class on whose instances it is called; None for functions, class and static methods."""


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What one module states."""

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Full names of what it binds; of star imports, ``*`` before the module's name."""
    calls: tuple[Call, ...] = ()
    classes: tuple[ClassFacts, ...] = ()
    factories: tuple[Factory, ...] = ()
    registered: tuple[str, ...] = ()
    """Full names of the classes for which it registers Hypothesis strategies; `ANY_CLASS` where its text names none."""


def to_plain(facts: ModuleFacts) -> list[Any]:
    """Return the facts as JSON."""
    return [
        dict(facts.names),
        [[one.name, one.text, one.is_whole] for one in facts.calls],
        [[one.name, one.bases, one.needs, one.members, one.abstract, one.stubs] for one in facts.classes],
        [[one.name, one.makes, one.is_free, one.owner] for one in facts.factories],
        list(facts.registered),
    ]


def from_plain(plain: Any) -> ModuleFacts:
    """Return the facts that `to_plain` wrote. Raises `ValueError` or `TypeError` for anything else."""
    names, calls, classes, factories, registered = plain
    return ModuleFacts(
        {str(name): str(full) for name, full in names.items()},
        tuple(Call(str(name), str(text), bool(is_whole)) for name, text, is_whole in calls),
        tuple(
            ClassFacts(str(name), *(tuple(map(str, words)) for words in (bases, needs, members, abstract, open_ones)))
            for name, bases, needs, members, abstract, open_ones in classes
        ),
        tuple(
            Factory(str(name), str(makes), bool(is_free), None if owner is None else str(owner))
            for name, makes, is_free, owner in factories
        ),
        tuple(map(str, registered)),
    )


def is_dotted(name: str) -> bool:
    """Whether a name can stand in an expression: that of a file may not, nor that of an import beyond the project."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def read_facts(text: str, module: str, *, is_package: bool = False) -> ModuleFacts:
    """Return what a module with the dotted name `module` states; nothing where it does not parse."""
    tree = parse_module(text) if is_dotted(module) else None
    return ModuleFacts() if tree is None else _Reader(module, is_package=is_package).read(tree)


def read_document(text: str) -> ModuleFacts:
    """Return the calls in the code of a document in Markdown or reStructuredText, which binds nothing for others."""
    reader = _Reader("", is_package=False)
    blocks = [block for block in _PARAGRAPHS.split(text) if ">>>" in block]
    sources = [source for block in blocks for source in _sources_in(block)]
    sources += [dedented(found[1] or found[2]) for found in _CODE.finditer(text) if ">>>" not in found[0]]
    reader.read_calls([statement for source in sources for statement in parse_statements(source)])
    return ModuleFacts(calls=reader.calls)


def _sources_in(text: str) -> list[str]:
    """Return the prompts of a doctest; none where their indentation is inconsistent."""
    try:
        return [one.source for one in doctest.DocTestParser().get_examples(dedented(text))]
    except ValueError:
        return []


class _Reader:
    def __init__(self, module: str, *, is_package: bool) -> None:
        self._module = module
        self._package = module if is_package else module.rpartition(".")[0]
        self._names = dict[str, str]()
        self._calls = dict[str, Call]()

    def read(self, tree: ast.Module) -> ModuleFacts:
        self._bind(tree.body)
        self._read_body(tree.body, {}, self._fixtures(tree.body))
        classes = [(f"{self._module}.{node.name}", node) for node in tree.body if isinstance(node, ast.ClassDef)]
        return ModuleFacts(
            self._names,
            self.calls,
            tuple(self._class(name, node) for name, node in classes),
            tuple(self._factories(tree, classes)),
            tuple(dict.fromkeys(self._registered(tree))),
        )

    def read_calls(self, statements: Sequence[ast.stmt]) -> None:
        """Read the calls of statements that bind nothing for others."""
        self._read_body(statements, {}, {})

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that were read."""
        return tuple(self._calls.values())

    def _registered(self, tree: ast.Module) -> Iterator[str]:
        """Yield the classes for which the module registers Hypothesis strategies."""
        for node in (
            walk_tree(tree) if any(name.partition(".")[0] == "hypothesis" for name in self._names.values()) else ()
        ):
            match node:
                case ast.Call(func=function, args=[kind, *_]) if self._full(dotted_name(function)) == _REGISTERS:
                    full = self._full(dotted_name(kind))
                    yield ANY_CLASS if full is None else full
                case _:
                    pass

    def _bind(self, body: Sequence[ast.stmt]) -> None:
        """Record the full names of what the statements of a module bind, also under a condition."""
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._names.update(self._imported(node))
            elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self._names[node.name] = f"{self._module}.{node.name}"
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                names = [one.id for one in targets_of(node) if isinstance(one, ast.Name)]
                self._names.update((name, f"{self._module}.{name}") for name in names)
            elif isinstance(node, (ast.If, ast.Try)):
                for inner in _bodies(node):
                    self._bind(inner)

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
            return
        source = self._absolute(node)
        for alias in node.names if is_dotted(source) else ():
            if alias.name == "*":
                yield f"*{source}", source
            else:
                yield alias.asname or alias.name, f"{source}.{alias.name}"

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self._package.split(".")
        return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])

    def _full(self, name: str | None) -> str | None:
        """Return the full name of a dotted name; None where the module does not bind it."""
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        return None if first not in self._names else self._names[first] + dot + rest

    # Calls

    def _read_body(
        self, body: Sequence[ast.stmt], values: Mapping[str, ast.expr], fixtures: Mapping[str, ast.expr]
    ) -> set[str]:
        """Read the calls of statements, in order; return the names that these bind.

        `values` are what local names are known to be bound to, `fixtures` the same for parameters of tests.
        """
        known, bound = dict(values), set[str]()
        for statement in body:
            if len(self._calls) >= MOST_CALLS:
                break
            if isinstance(statement, FUNCTIONS):
                own = {one.arg: fixtures.get(one.arg, _UNKNOWN) for one in parameter_nodes(statement.args)}
                self._read_body(statement.body, {**known, **own}, fixtures)
            elif isinstance(statement, ast.ClassDef):
                self._read_body(statement.body, known, fixtures)
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                found = dict(self._imported(statement))
                self._names.update(found)
                for name in found:
                    known.pop(name, None)
            else:
                bound |= self._read_statement(statement, known, fixtures)
        return bound

    def _read_statement(
        self, statement: ast.stmt, known: dict[str, ast.expr], fixtures: Mapping[str, ast.expr]
    ) -> set[str]:
        match statement:
            case ast.Expr(value=ast.Constant(value=str(text))):
                if ">>>" in text and len(text) < _MOST_DOCTEST:
                    self._read_doctest(text)
                return set()
            case _:
                pass
        bound = set[str]()
        for node in _expressions(statement):
            self._read_calls(node, known, bound)
        for inner in _bodies(statement):
            bound |= self._read_body(inner, known, fixtures)
        value = self._bound_value(statement, known)
        known.update(dict.fromkeys(bound, value or _UNKNOWN))
        return bound

    def _bound_value(self, statement: ast.stmt, known: Mapping[str, ast.expr]) -> ast.expr | None:
        """Return what an assignment to one name binds it to, where that is known."""
        match statement:
            case (
                ast.Assign(targets=[ast.Name()], value=value)
                | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
            ):
                return self._built(value, known, 0)
            case _:
                return None

    def _read_doctest(self, text: str) -> None:
        before = dict(self._names)
        self.read_calls([one for source in _sources_in(text) for one in parse_statements(source)])
        self._names = before

    def _read_calls(self, node: ast.AST, known: Mapping[str, ast.expr], bound: set[str]) -> None:
        """Read the calls in an expression that are known, and the names that it binds."""
        kind = type(node)
        if kind is ast.Constant:
            return
        if kind is ast.Name:
            if isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined] # it is a name
                bound.add(node.id)  # type: ignore[attr-defined]
            return
        if isinstance(node, ast.Call):
            self._read_call(node, known)
        elif isinstance(node, ast.Lambda):
            return
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list):
                for one in cast("list[ast.AST | None]", part):
                    if isinstance(one, _WITH_CALLS):
                        self._read_calls(one, known, bound)
            elif isinstance(part, _WITH_CALLS):
                self._read_calls(part, known, bound)

    def _read_call(self, node: ast.Call, known: Mapping[str, ast.expr]) -> None:
        if len(self._calls) >= MOST_CALLS or not (node.args or node.keywords or isinstance(node.func, ast.Attribute)):
            return
        name = dotted_name(node.func)
        first = (name or "").partition(".")[0]
        full = self._full(name) if name is not None and first not in known else None
        if full is None and isinstance(node.func, ast.Attribute):
            instance = self._built(node.func.value, known, 0)
            full = f".{node.func.attr}"
            if not isinstance(instance, ast.Call):
                return
            function: ast.expr = ast.Attribute(instance, node.func.attr, ast.Load())
        elif full is not None:
            function = _expression(full)
        else:
            return
        found = self._with_arguments(node, function, known, 0, allows_holes=True)
        if found is None:
            return
        text = ast.unparse(found)
        if len(text) <= LONGEST_CALL:
            self._calls.setdefault(text, Call(full, text, HOLE not in text))

    def _with_arguments(
        self,
        node: ast.Call,
        function: ast.expr,
        known: Mapping[str, ast.expr],
        depth: int,
        *,
        allows_holes: bool = False,
    ) -> ast.Call | None:
        """Return a call with known arguments, or holes in their place; None where there are only holes or stars."""
        args = [self._built(one, known, depth + 1) for one in node.args]
        named = [(one.arg, self._built(one.value, known, depth + 1)) for one in node.keywords]
        is_starred = has_star(node.args) or any(name is None for name, _ in named)
        values = [*args, *(value for _, value in named)]
        if is_starred or (None in values and not (allows_holes and any(value is not None for value in values))):
            return None
        return ast.Call(
            function,
            [one if one is not None else ast.Name(HOLE) for one in args],
            [ast.keyword(name, value if value is not None else ast.Name(HOLE)) for name, value in named],
        )

    def _built(self, node: ast.expr, known: Mapping[str, ast.expr], depth: int) -> ast.expr | None:
        """Return an expression of literals, named things of modules and calls of them, by full names; None for
        others."""
        if depth > DEEPEST:
            return None
        match node:
            case ast.Constant():
                return None if node.value is Ellipsis else node
            case ast.Name() | ast.Attribute():
                return self._named(node, known)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float())):
                return node
            case ast.Tuple() | ast.List() | ast.Set():
                parts = [self._built(one, known, depth + 1) for one in node.elts]
                return type(node)([one for one in parts if one is not None]) if None not in parts else None
            case ast.Dict():
                return self._dict(node, known, depth)
            case ast.Call():
                return self._call(node, known, depth)
            case _:
                return None

    def _dict(self, node: ast.Dict, known: Mapping[str, ast.expr], depth: int) -> ast.expr | None:
        keys = [None if key is None else self._built(key, known, depth + 1) for key in node.keys]
        values = [self._built(value, known, depth + 1) for value in node.values]
        if None in keys or None in values:
            return None
        return ast.Dict(list(keys), [value for value in values if value is not None])

    def _named(self, node: ast.Name | ast.Attribute, known: Mapping[str, ast.expr]) -> ast.expr | None:
        name = dotted_name(node)
        first, _, rest = (name or "").partition(".")
        if first in known:
            value = known[first]
            return None if value is _UNKNOWN or rest else value
        full = self._full(name)
        return None if full is None else _expression(full)

    def _call(self, node: ast.Call, known: Mapping[str, ast.expr], depth: int) -> ast.expr | None:
        name = dotted_name(node.func)
        if name is None or name.partition(".")[0] in known:
            return None
        full = self._full(name) or (name if name in _HARMLESS else None)
        if full is None:
            return None
        return self._with_arguments(node, _expression(full), known, depth)

    def _fixtures(self, body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
        """Return what the fixtures of a test module return or yield, where that is a known call."""
        found = dict[str, ast.expr]()
        for node in body:
            if not isinstance(node, FUNCTIONS) or not any(map(_is_fixture, node.decorator_list)):
                continue
            known = {argument.arg: found.get(argument.arg, _UNKNOWN) for argument in parameter_nodes(node.args)}
            for statement in node.body:
                match statement:
                    case ast.Return(value=ast.expr() as value) | ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                        built = self._built(value, known, 0)
                        if built is not None:
                            found[node.name] = built
                    case ast.Assign(targets=[ast.Name(id=name)]):
                        known[name] = self._bound_value(statement, known) or _UNKNOWN
                    case _:
                        pass
        return found

    # Classes and functions

    def _class(self, name: str, node: ast.ClassDef) -> ClassFacts:
        bases = [self._full(dotted_name(base)) for base in node.bases]
        needed = dict[str, None]()
        for part in node.body:
            annotations: list[ast.expr | None] = []
            if isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__"):
                annotations = [argument.annotation for argument in parameter_nodes(part.args)]
            elif isinstance(part, ast.AnnAssign):
                annotations = [part.annotation]
            for annotation in annotations:
                needed |= dict.fromkeys(sorted(annotation_names(annotation)))
        needs = [self._full(one) for one in needed]
        members = tuple(sorted(class_members(node)))
        return ClassFacts(
            name,
            tuple(one for one in bases if one),
            tuple(one for one in needs if one),
            members,
            tuple(sorted(abstract_methods(node))),
            tuple(sorted(stubs(node))),
        )

    def _factories(self, tree: ast.Module, classes: Sequence[tuple[str, ast.ClassDef]]) -> Iterator[Factory]:
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                yield from self._factory(f"{self._module}.{node.name}", node, None)
        for name, owner in classes:
            for node in owner.body:
                decorators = [dotted_name(one) for one in getattr(node, "decorator_list", [])]
                if isinstance(node, ast.FunctionDef) and decorators in (["classmethod"], ["staticmethod"]):
                    yield from self._factory(f"{name}.{node.name}", node, name)
                elif isinstance(node, ast.FunctionDef) and not decorators:
                    made = self._factory(f"{name}.{node.name}", node, name, is_method=True)
                    yield from (one for one in made if one.makes != name)

    def _factory(
        self, name: str, node: FunctionNode, owner: str | None, *, is_method: bool = False
    ) -> Iterator[Factory]:
        made = self._annotated(node.returns, owner) or self._returned(node, owner)
        if made is None:
            return
        arguments = node.args
        positional = positional_parameters(arguments)
        takes_first = is_method or (owner is not None and _is_of_class(node))
        is_free = len(positional) - len(arguments.defaults) - takes_first <= 0 and None not in arguments.kw_defaults
        yield Factory(name, made, is_free, owner if is_method else None)

    def _annotated(self, annotation: ast.expr | None, owner: str | None) -> str | None:
        match annotation:
            case None:
                return None
            case ast.Constant(value=str(text)):
                name: str | None = text
            case _:
                name = dotted_name(annotation)
        if name is not None and name.rpartition(".")[2] == "Self":
            return owner
        full = self._full(name)
        is_ours = full is not None and full.partition(".")[0] not in {"typing", "typing_extensions", "collections"}
        return full if is_ours else None

    def _returned(self, node: FunctionNode, owner: str | None) -> str | None:
        """Return the class that every return statement of a function calls."""
        found = set[str | None]()
        for part in walk_tree(node):
            if isinstance(part, ast.Return):
                call = part.value
                name = dotted_name(call.func) if isinstance(call, ast.Call) else None
                found.add(owner if name == "cls" else self._full(name))
        made = found.pop() if len(found) == 1 else None
        return made if made is not None and made.rpartition(".")[2][:1].isupper() else None


_UNKNOWN = ast.Name(HOLE)
"""The value of a local name that is bound to something unknown."""


def _is_fixture(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (dotted_name(function) or "").rpartition(".")[2] == "fixture"


def _is_of_class(node: FunctionNode) -> bool:
    return any(dotted_name(one) == "classmethod" for one in node.decorator_list)


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement that are not in the statements below it."""
    for name in statement._fields:
        part = getattr(statement, name, None)
        parts = cast("list[Any]", part) if isinstance(part, list) else [part]
        yield from [one for one in parts if isinstance(one, (ast.expr, ast.withitem))]


def _bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of statements below a statement."""
    found: list[list[ast.stmt]] = []
    for name in ("body", "orelse", "finalbody"):
        found.append(getattr(statement, name, []))
    for name in ("handlers", "cases"):
        found += [one.body for one in getattr(statement, name, [])]
    return [one for one in found if one]


def _expression(dotted: str) -> ast.expr:
    first, *rest = dotted.split(".")
    found: ast.expr = ast.Name(first, ast.Load())
    for name in rest:
        found = ast.Attribute(found, name, ast.Load())
    return found


def roots_of(text: str) -> frozenset[str]:
    """Return the first parts of the names in an expression, without builtins, the library's modules and holes."""
    tree = ast.parse(text, mode="eval")
    names = {part.id for part in walk_tree(tree) if isinstance(part, ast.Name)}
    return frozenset(names - _HARMLESS - set(LIBRARY_MODULES) - {HOLE})
