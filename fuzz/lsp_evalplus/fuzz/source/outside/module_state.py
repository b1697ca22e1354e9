"""Variables of its module that a function changes, as a registry or a counter, and that others rely on; the same for
the attributes of its class that a method changes.

What only the function itself uses is its own, as a cache is. A variable whose definition or whose other uses differ
between two versions of a module may mean something else in each, so it is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from lsp_evalplus.fuzz.guest.static.parameter_members import is_name
from lsp_evalplus.fuzz.guest.static.walking import own_nodes, targets_of, walk_tree
from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.scopes import FunctionNode, dotted_name, mutated_part, parameter_nodes

MOST_VARIABLES: Final = 4
_CONTAINERS: Final = frozenset("dict list set defaultdict OrderedDict Counter deque".split())
_CACHE: Final = re.compile(r"cache|memo|lock", re.IGNORECASE)


def changed_variables(newer: Program, older: Program) -> tuple[str, ...]:
    """Return the names of the variables that either version of a function changes when it is called; of attributes of
    its class with that of the class, ``Shape.kinds``.

    Args:
        newer: the program with the function.
        older: its previous version.
    """
    one, two = (_Module.read(program) for program in (newer, older))
    if one is None or two is None:
        return ()
    names = dict.fromkeys([*one.changed(), *two.changed()])
    return tuple(name for name in names if _is_relied_on(name, one, two))[:MOST_VARIABLES]


def _is_relied_on(name: str, one: _Module, two: _Module) -> bool:
    uses, others = one.uses_of(name), two.uses_of(name)
    if uses != others or not one.defines(name):
        return False
    if _CACHE.search(name) and (one.returns_value() or two.returns_value()):
        return False
    return len(uses) > 1 or not name.rpartition(".")[2].startswith("_")


class _Module:
    """One version of a module, and the function in it."""

    def __init__(self, tree: ast.Module, function: FunctionNode) -> None:
        self._tree = tree
        self._function = function
        self._own = list(own_nodes(function.body))
        self._inner = [one for one in walk_tree(function) if isinstance(one, FunctionNode) and one is not function]
        """The functions that are made in it: a decorator that it returns fills a registry when it is called."""

    @classmethod
    def read(cls, program: Program) -> _Module | None:
        """Return the module of a program; None where it has not the function exactly once, outside of other classes
        than those of the module."""
        tree = parse_module(program.whole or program.source)
        body: list[ast.stmt] = tree.body if tree is not None else []
        owner, _, name = program.qualname.rpartition(".")
        owners = [one for one in body if isinstance(one, ast.ClassDef) and one.name == owner]
        holders = [one.body for one in owners] if owner else [body]
        named = [one for held in holders for one in held if isinstance(one, FunctionNode) and one.name == name]
        if tree is None or len(named) != 1:
            return None
        return _Class(tree, named[0], owners[0]) if owner else cls(tree, named[0])

    def changed(self) -> Iterator[str]:
        """Names that the function assigns as global variables, or whose containers it changes."""
        nodes = [*self._own, *[node for one in self._inner for node in own_nodes(one.body)]]
        shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        local = {one.arg for function in (self._function, *self._inner) for one in parameter_nodes(function.args)} | {
            node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for node in nodes:
            if isinstance(node, ast.Name):
                name = node.id if isinstance(node.ctx, ast.Store) and node.id in shared else ""
            else:
                part = mutated_part(node)
                is_attribute = isinstance(part, ast.Attribute) and not isinstance(node, ast.Call)
                name = _root_of(part) if part is not None and not is_attribute else ""
            if name and (name in shared or (name not in local and self._is_container(name))):
                yield name

    def _definitions(self, name: str) -> list[ast.expr | None]:
        """The values that statements of the module assign to a variable."""
        return _assigned(self._tree.body, name)

    def defines(self, name: str) -> bool:
        """Whether the module assigns a variable once."""
        return len(self._definitions(name)) == 1

    def _is_container(self, name: str) -> bool:
        for value in self._definitions(name):
            if isinstance(value, ast.Call):
                return (dotted_name(value.func) or "").rpartition(".")[2] in _CONTAINERS
            return isinstance(value, ast.Dict | ast.List | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
        return False

    def uses_of(self, name: str) -> list[str]:
        """The statements of the module that name a variable, but for the function itself."""
        return [
            ast.dump(one)
            for one in self._tree.body
            if one is not self._function and any(is_name(part, name) for part in walk_tree(one))
        ]

    def returns_value(self) -> bool:
        """Whether the function states what it returns."""
        values = [node.value for node in self._own if isinstance(node, ast.Return)]
        return any(one is not None and not (isinstance(one, ast.Constant) and one.value is None) for one in values)


class _Class(_Module):
    """The same of a class of the module, and a method in it."""

    def __init__(self, tree: ast.Module, function: FunctionNode, owner: ast.ClassDef) -> None:
        super().__init__(tree, function)
        self._owner = owner

    def changed(self) -> Iterator[str]:
        """Names of the attributes of the class that the method assigns or changes."""
        for node in self._own:
            part: ast.AST | None = mutated_part(node)
            while isinstance(part, ast.Subscript | ast.Attribute | ast.Call):
                if isinstance(part, ast.Attribute) and self._is_class(part.value):
                    yield f"{self._owner.name}.{part.attr}"
                part = part.func if isinstance(part, ast.Call) else part.value

    def _is_class(self, node: ast.expr) -> bool:
        """Whether an expression is the class: ``cls``, its name, ``type(self)`` or ``self.__class__``."""
        is_bound = any(is_name(one, "classmethod") for one in self._function.decorator_list)
        first = next((one.arg for one in parameter_nodes(self._function.args)), "")
        if is_bound and is_name(node, first):
            return True
        return ast.unparse(node) in (self._owner.name, f"type({first})", f"{first}.__class__")

    def defines(self, name: str) -> bool:
        """Whether the class assigns an attribute at most once: a base may do so, or methods alone."""
        return len(self._definitions(name)) <= 1

    def _definitions(self, name: str) -> list[ast.expr | None]:
        return _assigned(self._owner.body, name.rpartition(".")[2])

    def uses_of(self, name: str) -> list[str]:
        """The statements of the class and of the module that name an attribute, but for the method itself."""
        attribute = name.rpartition(".")[2]
        own = [one for one in self._owner.body if one is not self._function]
        used = [one for one in own if any(is_name(part, attribute) for part in walk_tree(one))]
        others = [*own, *[one for one in self._tree.body if one is not self._owner]]
        asked = [one for one in others if any(getattr(part, "attr", None) == attribute for part in walk_tree(one))]
        return [*map(ast.dump, used), *map(ast.dump, asked)]


def _assigned(body: list[ast.stmt], name: str) -> list[ast.expr | None]:
    """The values that some statements assign to a variable."""
    found: list[ast.expr | None] = []
    for one in body:
        if isinstance(one, ast.Assign | ast.AnnAssign):
            found += [one.value for part in targets_of(one) if is_name(part, name)]
    return found


def _root_of(node: ast.AST) -> str:
    """The variable whose part an expression is: ``x`` of ``x[a].setdefault(b, [])``; empty for anything else."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
