"""Definitions of a module by which instances for a method are made: subclasses that define what a method of their base
leaves to them or that change what it uses, and what makes objects of its class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from lsp_evalplus.fuzz.guest.static.walking import walk_tree

from .definitions import Definition
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
                first = next((one.arg for one in (*part.args.posonlyargs, *part.args.args)), None)
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


def telling_subclasses(definition: Definition, classes: Mapping[str, ast.ClassDef]) -> list[str]:
    """Return the subclasses on whose instances a call of a method shows what it does not show on one of its own class.

    Those come first without which there may be no call: the method, or another one of its class, uses members of the
    instance that the class lacks, or the class has abstract methods. The other methods count because a changed one may
    no longer use them: two versions of a program are called on the same instances. In the others, a member that the
    method uses has another value, or another definition, than in its own class.

    Args:
        definition: a method of a class at the top of a module.
        classes: the classes at the top of the module, by name.
    """
    owner = definition.owners[0] if len(definition.owners) == 1 else None
    if not isinstance(owner, ast.ClassDef) or owner is not classes.get(owner.name):
        return []
    bases = _line(owner.name, classes)
    methods = [one for one in owner.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    read = members_of_instance(definition.node)
    left_open = read.union(*map(members_of_instance, methods)) - _members_of_all(bases, classes)
    left_open |= set(_abstract_methods(owner))
    added = {
        name: _members_of_all([one for one in _line(name, classes) if one not in bases], classes)
        for name in _subclasses(owner.name, classes)
    }
    completing = [name for name, members in added.items() if left_open & members]
    varying = [name for name, members in added.items() if read & members and name not in completing]
    return [*completing, *varying][:MOST_SUBCLASSES]


def makers(definition: Definition, tree: ast.Module) -> list[str]:
    """Return the functions and classes at the top of a module that make objects of a method's class.

    A class does where one of its methods returns a call of the other class, or is annotated with it.
    """
    owner = definition.owners[0] if len(definition.owners) == 1 else None
    if not isinstance(owner, ast.ClassDef):
        return []
    found = list[str]()
    for node in tree.body:
        functions = node.body if isinstance(node, ast.ClassDef) and node is not owner else [node]
        made = [one for one in functions if isinstance(one, ast.FunctionDef) and _makes(one, owner.name)]
        if made and isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.append(node.name)
    return found[:MOST_MAKERS]


def _makes(function: ast.FunctionDef, name: str) -> bool:
    returns = function.returns
    if isinstance(returns, ast.Constant) and returns.value == name:
        return True
    if isinstance(returns, ast.Name) and returns.id == name:
        return True
    made = [part.value for part in walk_tree(function) if isinstance(part, ast.Return)]
    return any(isinstance(one, ast.Call) and dotted_name(one.func) == name for one in made)


def members_of_instance(method: FunctionNode) -> set[str]:
    """Return the members that a method reads of its first parameter."""
    arguments = method.args
    first = next((one.arg for one in (*arguments.posonlyargs, *arguments.args)), None)
    return {
        part.attr
        for part in walk_tree(method)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == first
    }


def _abstract_methods(owner: ast.ClassDef) -> Iterator[str]:
    for part in owner.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorators = {(dotted_name(one) or "").rpartition(".")[2] for one in part.decorator_list}
            last = part.body[-1]
            raised = last.exc if isinstance(last, ast.Raise) else None
            raised = raised.func if isinstance(raised, ast.Call) else raised
            is_left_open = isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
            if "abstractmethod" in decorators or is_left_open:
                yield part.name


def _members_of_all(names: Iterable[str], classes: Mapping[str, ast.ClassDef]) -> set[str]:
    return set[str]().union(*(class_members(classes[name]) for name in names))


def _line(name: str, classes: Mapping[str, ast.ClassDef]) -> list[str]:
    """Return a class and its bases in the module."""
    found = [name]
    for one in found:
        bases = [dotted_name(base) or "" for base in classes[one].bases]
        found += [base for base in bases if base in classes and base not in found]
    return found


def _subclasses(name: str, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    return (one for one in classes if one != name and name in _line(one, classes))
