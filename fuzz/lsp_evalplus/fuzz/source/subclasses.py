"""Definitions of a module by which instances for a method are made: subclasses that define what a method of their base
leaves to them or that change what it uses, and what makes objects of its class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property

from lsp_evalplus.fuzz.guest.static.parameter_members import members_of_instance, positional_names
from lsp_evalplus.fuzz.guest.static.walking import walk_tree

from .definitions import Definition
from .obstacles import is_stub
from .scopes import FunctionNode, dotted_name

MOST_SUBCLASSES = 4
"""Maximum number of subclasses that are part of a program."""
MOST_MAKERS = 3
"""Maximum number of functions and classes that are part of it because they make its objects."""


def class_members(node: ast.ClassDef) -> set[str]:
    """Return the names that a class binds, and those that its methods store in their first parameter."""
    found = set[str]()
    for part in node.body:
        match part:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(part.name)
                first = next(iter(positional_names(part)), None)
                for inner in walk_tree(part):
                    match inner:
                        case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Store()) if name == first:
                            found.add(attribute)
                        case _:
                            pass
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Assign(targets=targets):
                found.update(one.id for one in targets if isinstance(one, ast.Name))
            case _:
                pass
    return found


class ClassesOfModule:
    """The classes and functions at the top of a module, each read once for all methods of the module.

    Args:
        tree: the module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._body = tree.body
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._members = dict[str, set[str]]()
        self._read = dict[ast.AST, set[str]]()

    def telling_subclasses(self, definition: Definition) -> list[str]:
        """Return the subclasses on whose instances a call of a method shows what it does not show on one of its own
        class.

        Those come first without which there may be no call: the method, or another one of its class, uses members of
        the instance that the class lacks, or the class has abstract methods. The other methods count because a changed
        one may no longer use them: two versions of a program are called on the same instances. In the others, a member
        that the method uses has another value, or another definition, than in its own class.

        Args:
            definition: a method of a class at the top of the module.
        """
        owner = _owner_of(definition)
        if owner is None or owner is not self._classes.get(owner.name):
            return []
        below = [name for name, line in self._lines.items() if name != owner.name and owner.name in line]
        if not below:
            return []
        bases = self._lines[owner.name]
        methods = [one for one in owner.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        read = self._members_of_instance(definition.node)
        left_open = read.union(*map(self._members_of_instance, methods)) - self._members_of_all(bases)
        left_open |= abstract_methods(owner) | raising_methods(owner)
        added = {name: self._members_of_all([one for one in self._lines[name] if one not in bases]) for name in below}
        completing = [name for name, members in added.items() if left_open & members]
        varying = [name for name, members in added.items() if read & members and name not in completing]
        return [*completing, *varying][:MOST_SUBCLASSES]

    def makers(self, definition: Definition) -> list[str]:
        """Return the functions and classes at the top of the module that make objects of a method's class.

        A class does where one of its methods returns a call of the other class, or is annotated with it.
        """
        owner = _owner_of(definition)
        if owner is None:
            return []
        found = [node.name for node, made in self._made if node is not owner and owner.name in made]
        return found[:MOST_MAKERS]

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        """Each class with its bases in the module, itself first."""
        return {name: _line(name, self._classes) for name in self._classes}

    @cached_property
    def _made(self) -> list[tuple[ast.ClassDef | ast.FunctionDef, set[str]]]:
        """The classes and functions, with the names of what their functions make."""
        found = list[tuple[ast.ClassDef | ast.FunctionDef, set[str]]]()
        for node in self._body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                functions = node.body if isinstance(node, ast.ClassDef) else [node]
                made = [_made_by(one) for one in functions if isinstance(one, ast.FunctionDef)]
                found.append((node, set[str]().union(*made)))
        return found

    def _members_of_all(self, names: Iterable[str]) -> set[str]:
        return set[str]().union(*map(self._members_of, names))

    def _members_of(self, name: str) -> set[str]:
        if name not in self._members:
            self._members[name] = class_members(self._classes[name])
        return self._members[name]

    def _members_of_instance(self, method: FunctionNode) -> set[str]:
        if method not in self._read:
            self._read[method] = members_of_instance(method)
        return self._read[method]


def _owner_of(definition: Definition) -> ast.ClassDef | None:
    """Return the class of a method that stands in nothing else."""
    owner = definition.owners[0] if len(definition.owners) == 1 else None
    return owner if isinstance(owner, ast.ClassDef) else None


def _made_by(function: ast.FunctionDef) -> set[str]:
    """Return the names with which a function is annotated, and those of what it returns calls of."""
    made = [part.value for part in walk_tree(function) if isinstance(part, ast.Return)]
    found = {dotted_name(one.func) or "" for one in made if isinstance(one, ast.Call)}
    match function.returns:
        case ast.Constant(value=str(name)) | ast.Name(id=name):
            return {*found, name}
        case _:
            return found


def abstract_methods(owner: ast.ClassDef) -> set[str]:
    """Return the methods of a class that its decorators declare abstract."""
    found = set[str]()
    for part in _methods_in(owner):
        decorators = {(dotted_name(one) or "").rpartition(".")[2] for one in part.decorator_list}
        if decorators & {"abstractmethod", "abstractproperty"}:
            found.add(part.name)
    return found


def raising_methods(owner: ast.ClassDef) -> set[str]:
    """Return the methods of a class that end by raising `NotImplementedError`."""
    found = set[str]()
    for part in _methods_in(owner):
        last = part.body[-1]
        raised = last.exc if isinstance(last, ast.Raise) else None
        raised = raised.func if isinstance(raised, ast.Call) else raised
        if isinstance(raised, ast.Name) and raised.id == "NotImplementedError":
            found.add(part.name)
    return found


def _methods_in(owner: ast.ClassDef) -> list[FunctionNode]:
    return [part for part in owner.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]


def stubs(owner: ast.ClassDef) -> set[str]:
    """Return the methods of a class that do nothing but raise `NotImplementedError`."""
    left_open = raising_methods(owner)
    return {part.name for part in _methods_in(owner) if part.name in left_open and is_stub(part)}


def _line(name: str, classes: Mapping[str, ast.ClassDef]) -> list[str]:
    """Return a class and its bases in the module."""
    found = [name]
    for one in found:
        bases = [dotted_name(base) or "" for base in classes[one].bases]
        found += [base for base in bases if base in classes and base not in found]
    return found
