"""Classes that define what another class of the project leaves open, wherever they stand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from lsp_evalplus.fuzz.guest.static.parameter_members import members_of_instance, methods_reached
from lsp_evalplus.fuzz.source.scopes import FunctionNode

from .facts import ClassFacts

MOST_IMPLEMENTATIONS = 4
"""Maximum number of classes that implement one."""


class Inheritance:
    """The classes of a project and how they derive from each other.

    Args:
        classes: by their full names.
        canonical: returns the name by which its own module defines a thing.
    """

    def __init__(self, classes: Mapping[str, ClassFacts], canonical: Callable[[str], str]) -> None:
        self._classes = classes
        self._bases = {one.name: [canonical(base) for base in one.bases] for one in classes.values()}
        self._below: dict[str, list[str]] = {}
        for name, bases in self._bases.items():
            for base in bases:
                self._below.setdefault(base, []).append(name)

    def subclasses(self, name: str) -> Sequence[str]:
        """Return the classes that name a class as a base."""
        return self._below.get(name, ())

    def implementations(self, name: str, method: FunctionNode | None, methods: Sequence[FunctionNode]) -> list[str]:
        """Return the classes of other modules whose instances have what a class leaves to its subclasses.

        There are none where a subclass of its own module is complete: that one is part of the program.

        Args:
            name: the full name of the class.
            method: the method of it that is to be called; None where any instance will do.
            methods: all methods of the class.
        """
        if name not in self._classes:
            return []
        missing = self._missing(name, method, methods)
        if not missing and not self._needs_subclass(name, method, methods):
            return []
        home = name.rpartition(".")[0]
        below = [one for one in self._all_below(name) if not self.left_open(one) and missing <= self._members(one)]
        if any(one.rpartition(".")[0] == home for one in below):
            return []
        # Those of tests are made for one of them.
        return sorted(below, key=lambda one: (_is_of_tests(one), one.count("."), len(self._line(one)), one))[
            :MOST_IMPLEMENTATIONS
        ]

    def left_open(self, name: str) -> set[str]:
        """Return the methods of a class that nothing but an exception, or nothing at all, stands for."""
        first: dict[str, bool] = {}
        for one in self._line(name):
            facts = self._classes[one]
            for member in facts.members:
                first.setdefault(member, member in facts.abstract or member in facts.stubs)
        return {member for member, is_open in first.items() if is_open}

    def _needs_subclass(self, name: str, method: FunctionNode | None, methods: Sequence[FunctionNode]) -> bool:
        left_open = self.left_open(name)
        if any(not left_open.isdisjoint(self._classes[one].abstract) for one in self._line(name)):
            return True
        return method is not None and not left_open.isdisjoint(_used_by(method, methods))

    def _missing(self, name: str, method: FunctionNode | None, methods: Sequence[FunctionNode]) -> set[str]:
        """Return the members that a method uses and only subclasses have, as with mixins; none for an unknown base."""
        if method is None or any(base not in self._classes for one in self._line(name) for base in self._bases[one]):
            return set()
        used = {one for one in _used_by(method, methods) if not one.startswith("__")}
        return used - self._members(name)

    def _members(self, name: str) -> set[str]:
        return {member for one in self._line(name) for member in self._classes[one].members}

    def _line(self, name: str) -> list[str]:
        """Return a class and its bases in the project."""
        found = [name]
        for one in found:
            found += [base for base in self._bases[one] if base in self._classes and base not in found]
        return found

    def _all_below(self, name: str) -> Iterator[str]:
        waiting, met = list(self.subclasses(name)), {name}
        for one in waiting:
            if one not in met:
                met.add(one)
                yield one
                waiting += self.subclasses(one)


def methods_of(tree: ast.Module, owner: str) -> list[FunctionNode]:
    """Return the methods of a class at the top of a module."""
    bodies = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner]
    return [one for body in bodies for one in body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]


def _used_by(method: FunctionNode, methods: Sequence[FunctionNode]) -> set[str]:
    """Return the members of the instance that a method reads, and those methods of its class that it calls."""
    reached = methods_reached(method, {one.name: one for one in methods})
    return set[str]().union(*map(members_of_instance, reached))


def _is_of_tests(name: str) -> bool:
    return any(part.startswith("test") or part.endswith(("_test", "_tests")) for part in name.lower().split("."))
