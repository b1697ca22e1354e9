"""Changes of functions as data: those that make no difference, and slips that people make, by the syntax tree.

Each takes a copy of a function and a random generator, changes the copy in place and returns whether it could.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

import standard_library

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Change: TypeAlias = Callable[[Function, random.Random], bool]


def rename_or_add(function: Function, rng: random.Random) -> bool:
    """Make no difference: other names of local variables and exchanged branches, or an unused variable."""
    if isinstance(function, ast.FunctionDef) and standard_library.rewrite(function, rng):
        return True
    has_docstring = ast.get_docstring(function) is not None
    function.body.insert(int(has_docstring), ast.parse("_unused = None").body[0])
    return True


def change_operator(function: Function, rng: random.Random) -> bool:
    """Replace a comparison, an operator or a number by another one."""
    return isinstance(function, ast.FunctionDef) and standard_library.mistake(function, rng)


def forget_statement(function: Function, rng: random.Random) -> bool:
    """Replace an assignment to an attribute or an item, an augmented assignment or a call by nothing."""
    blocks = [(block, number) for block in _blocks(function) for number, one in enumerate(block) if _is_effect(one)]
    if not blocks:
        return False
    block, number = rng.choice(blocks)
    block[number] = ast.Pass()
    return True


def negate_condition(function: Function, rng: random.Random) -> bool:
    """Negate the condition of a branch."""
    tests = [node for node in _parts(function) if isinstance(node, (ast.If, ast.IfExp))]
    if not tests:
        return False
    node = rng.choice(tests)
    node.test = node.test.operand if isinstance(node.test, ast.UnaryOp) else ast.UnaryOp(ast.Not(), node.test)
    return True


def remove_guard(function: Function, rng: random.Random) -> bool:
    """Remove a branch that only leaves the function."""
    guards = [
        (block, number)
        for block in _blocks(function)
        for number, one in enumerate(block)
        if isinstance(one, ast.If)
        and not one.orelse
        and isinstance(one.body[-1], (ast.Return, ast.Raise, ast.Continue))
    ]
    if not guards:
        return False
    block, number = rng.choice(guards)
    block[number] = ast.Pass()
    return True


def swap_arguments(function: Function, rng: random.Random) -> bool:
    """Exchange the first two different arguments of a call."""
    calls = [
        node
        for node in _parts(function)
        if isinstance(node, ast.Call) and len(node.args) > 1 and ast.dump(node.args[0]) != ast.dump(node.args[1])
    ]
    calls = [call for call in calls if not any(isinstance(one, ast.Starred) for one in call.args[:2])]
    if not calls:
        return False
    call = rng.choice(calls)
    call.args[0], call.args[1] = call.args[1], call.args[0]
    return True


def use_wrong_variable(function: Function, rng: random.Random) -> bool:
    """Read another variable or parameter than was meant."""
    own = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)} - {"self", "cls"}
    own |= {n.id for n in _parts(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read = [n for n in _parts(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in own]
    if not read or len(own) < 2:
        return False
    node = rng.choice(read)
    node.id = rng.choice(sorted(own - {node.id}))
    return True


def drop_condition(function: Function, rng: random.Random) -> bool:
    """Drop one operand of ``and`` or ``or``."""
    found = [node for node in _parts(function) if isinstance(node, ast.BoolOp)]
    if not found:
        return False
    node = rng.choice(found)
    node.values.pop(rng.randrange(len(node.values)))
    if len(node.values) == 1:
        node.values.append(node.values[0])
    return True


def use_wrong_attribute(function: Function, rng: random.Random) -> bool:
    """Use another attribute of ``self`` than was meant, one that the function uses too."""
    found = [n for n in _parts(function) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"]
    names = sorted({node.attr for node in found})
    if len(names) < 2:
        return False
    node = rng.choice(found)
    node.attr = rng.choice([name for name in names if name != node.attr])
    return True


SLIPS: Mapping[str, Change] = MappingProxyType(
    {
        "operator": change_operator,
        "forgotten statement": forget_statement,
        "negated": negate_condition,
        "guard removed": remove_guard,
        "swapped arguments": swap_arguments,
        "wrong variable": use_wrong_variable,
        "dropped condition": drop_condition,
        "wrong attribute": use_wrong_attribute,
    }
)


def slip(function: Function, rng: random.Random) -> str | None:
    """Make one slip of a random class; return its name, None where none is possible."""
    for name in rng.sample(sorted(SLIPS), len(SLIPS)):
        if SLIPS[name](function, rng):
            return name
    return None


def _parts(function: Function) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _blocks(function: Function) -> Iterator[list[ast.stmt]]:
    yield function.body
    for node in _parts(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _is_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return isinstance(node, ast.AugAssign) or any(isinstance(one, (ast.Attribute, ast.Subscript)) for one in targets)
