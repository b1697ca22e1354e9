"""The function of a program in the tree of its module, and those that it reaches there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from lsp_evalplus.fuzz.guest.static.parameter_members import positional_parameters
from lsp_evalplus.fuzz.guest.static.walking import name_of, walk_statements, walk_tree
from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.scopes import FunctionNode

MOST_FUNCTIONS: Final = 100


@dataclass(frozen=True, slots=True)
class LocatedFunction:
    """A function in its module."""

    tree: ast.Module
    owner: str
    """Qualified name of the class of a method; empty for others."""
    node: FunctionNode

    def reached(self) -> list[FunctionNode]:
        """Return the function and those of its module that may be reached from it, by the names that they use."""
        own = dict[str, list[FunctionNode]]()
        for node in walk_statements(self.tree):
            if isinstance(node, FunctionNode):
                own.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                made = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
                own.setdefault(node.name, []).extend(made)
        own["cls"] = own["__class__"] = own.get(self.owner, [])
        reached: dict[int, FunctionNode] = {id(self.node): self.node}
        pending = [self.node]
        while pending and len(reached) < MOST_FUNCTIONS:
            for part in walk_tree(pending.pop(0)):
                used = name_of(part.func if isinstance(part, ast.Call) else part)
                for callee in own.get(used, ()):
                    if id(callee) not in reached:
                        reached[id(callee)] = callee
                        pending.append(callee)
        return list(reached.values())


def locate(program: Program) -> LocatedFunction | None:
    """Return the last definition of a program's function, or method, outside of functions; None where there is none."""
    tree = parse_module(program.source.lstrip("\ufeff"))
    body: list[ast.stmt] = tree.body if tree is not None else []
    found: ast.stmt | None = None
    for name in program.qualname.split("."):
        named = [one for one in body if getattr(one, "name", None) == name]
        found = named[-1] if named else None
        body = found.body if isinstance(found, ast.ClassDef) else []
    if tree is None or not isinstance(found, FunctionNode):
        return None
    return LocatedFunction(tree, program.qualname.rpartition(".")[0], found)


def passed_parameters(function: FunctionNode) -> list[ast.arg]:
    """Return the parameters that the positional arguments of a call are for, without ``self`` and ``cls``."""
    listed = positional_parameters(function.args)
    return listed[bool(listed) and listed[0].arg in ("self", "cls") :]
