"""Changes of functions as data: those that make no difference, and slips that people make, by the syntax tree.

Each takes a copy of a function and a random generator, changes the copy in place and returns whether it could. The
classes of slips are those of the mistakes that were seen in reviews and in bug fixes of public packages.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

import standard_library

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Change: TypeAlias = Callable[[Function, random.Random], bool]
Others: TypeAlias = Callable[[ast.AST], Iterator[ast.AST]]
"""What may stand in the place of a node by mistake."""

_ARITHMETIC: Final[Mapping[type, Any]] = MappingProxyType(
    {
        ast.Add: ast.Sub,
        ast.Sub: ast.Add,
        ast.Mult: ast.Add,
        ast.Mod: ast.FloorDiv,
        ast.Pow: ast.Mult,
        ast.LShift: ast.RShift,
        ast.RShift: ast.LShift,
        ast.BitAnd: ast.BitOr,
        ast.BitOr: ast.BitAnd,
    }
)
_BOUNDARIES: Final[Mapping[type, Any]] = MappingProxyType(
    {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
)
_TWINS: Final = (
    *("append extend", "startswith endswith", "lower upper", "lstrip rstrip", "find rfind", "index rindex", "any all"),
    *("partition rpartition", "split rsplit", "keys values", "add discard", "get pop", "min max", "match search"),
    *("union intersection", "floor ceil", "insert append", "update setdefault", "isdigit isalpha", "ljust rjust"),
)
_OTHER_METHOD: Final = MappingProxyType(
    {one: two for pair in map(str.split, _TWINS) for one, two in (pair[::-1], pair)}
)
_COPIES: Final = frozenset({"list", "dict", "set", "copy", "deepcopy", "bytearray"})
_CLEANED: Final = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize"})
_UNSEEN_FIELDS: Final = frozenset({"annotation", "returns", "decorator_list", "type_comment"})


def rename_or_add(function: Function, rng: random.Random) -> bool:
    """Make no difference: other names of local variables and exchanged branches, or an unused variable.

    Functions that look at their variables as a whole, as by ``locals()``, get a statement that does nothing.
    """
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    shows_variables = not names.isdisjoint(_OF_VARIABLES)
    if not shows_variables and isinstance(function, ast.FunctionDef) and standard_library.rewrite(function, rng):
        return True
    has_docstring = ast.get_docstring(function) is not None
    unused = "pass" if shows_variables else "_unused = None"
    function.body.insert(int(has_docstring), ast.parse(unused).body[0])
    return True


def make_list(function: Function) -> None:
    """Make a list that nothing reads, so that compiled code differs and behaviour does not."""
    has_docstring = ast.get_docstring(function) is not None
    function.body.insert(int(has_docstring), ast.parse("[]").body[0])


_OF_VARIABLES = frozenset(("locals", "vars", "dir", "eval", "exec"))


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _exchange(others: Others) -> Change:
    """The slip that puts one of the nodes of `others` where another stands."""

    def change(function: Function, rng: random.Random) -> bool:
        places = [(old, new) for old in _parts(function) for new in others(old)]
        if not places:
            return False
        old, new = rng.choice(places)
        function.body = [cast("ast.stmt", _Replaced(old, new).visit(statement)) for statement in function.body]
        return True

    change.__doc__ = others.__doc__
    return change


def _wrong_arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    """Another operator between numbers."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)


def _wrong_division(node: ast.AST) -> Iterator[ast.AST]:
    """``/`` for ``//``, or the other way round."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv)):
        yield ast.BinOp(node.left, ast.FloorDiv() if isinstance(node.op, ast.Div) else ast.Div(), node.right)


def _wrong_boundary(node: ast.AST) -> Iterator[ast.AST]:
    """``<`` for ``<=`` and their like."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _BOUNDARIES:
        yield ast.Compare(node.left, [_BOUNDARIES[type(node.ops[0])](), *node.ops[1:]], node.comparators)


def _and_for_or(node: ast.AST) -> Iterator[ast.AST]:
    """``and`` for ``or``, or the other way round."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _wrong_sign(node: ast.AST) -> Iterator[ast.AST]:
    """A minus sign forgotten, or an addition in place turned into a subtraction."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield ast.AugAssign(node.target, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.value)


def _off_by_one(node: ast.AST) -> Iterator[ast.AST]:
    """One more or less in a sum, a slice, a comparison or a range; a sum without its last number."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and _is_int(node.right):
        yield node.left
    if isinstance(node, ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                more = ast.BinOp(bound, ast.Add(), ast.Constant(1))
                lower, upper = (more if one is bound else one for one in (node.lower, node.upper))
                yield ast.Slice(lower, upper, node.step)
    if isinstance(node, ast.Compare) and _is_int(node.comparators[-1]):
        last: Any = node.comparators[-1]
        yield ast.Compare(node.left, node.ops, [*node.comparators[:-1], ast.Constant(last.value + 1)])
    if isinstance(node, ast.Call) and _called(node) == "range" and not node.keywords:
        stop = min(1, len(node.args) - 1)
        yield _with_argument(node, stop, ast.BinOp(node.args[stop], ast.Sub(), ast.Constant(1)))


def _wrong_index(node: ast.AST) -> Iterator[ast.AST]:
    """The last item for the first, or the one before."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    if ast.unparse(node.slice) == "-1":
        yield ast.Subscript(node.value, ast.Constant(0), node.ctx)
    elif _is_int(node.slice):
        index: Any = node.slice
        new = ast.Constant(index.value - 1) if index.value > 0 else ast.UnaryOp(ast.USub(), ast.Constant(1))
        yield ast.Subscript(node.value, new, node.ctx)


def _wrong_constant(node: ast.AST) -> Iterator[ast.AST]:
    """Another truth value, number or text."""
    if isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_values(node.value))


def _other_values(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value * 2 if value else 1
    elif isinstance(value, (str, bytes)):
        yield value[:-1] if value else (" " if isinstance(value, str) else b" ")


def _wrong_truth(node: ast.AST) -> Iterator[ast.AST]:
    """Truth where it should be ``is None``, or the other way round."""
    is_test = isinstance(node, ast.Compare) and ast.unparse(node.comparators[-1]) == "None"
    if isinstance(node, ast.Compare) and is_test and isinstance(node.ops[-1], (ast.Is, ast.IsNot)):
        yield ast.UnaryOp(ast.Not(), node.left) if isinstance(node.ops[-1], ast.Is) else node.left
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and _is_plain(node.operand):
        yield ast.Compare(node.operand, [ast.Is()], [ast.Constant(None)])
    if isinstance(node, (ast.If, ast.IfExp)) and _is_plain(node.test):
        test = ast.Compare(node.test, [ast.IsNot()], [ast.Constant(None)])
        yield ast.If(test, node.body, node.orelse) if isinstance(node, ast.If) else _if_expression(node, test)


def _if_expression(node: ast.IfExp, test: ast.expr) -> ast.IfExp:
    return ast.IfExp(test, node.body, node.orelse)


def _dropped_argument(node: ast.AST) -> Iterator[ast.AST]:
    """One of several arguments forgotten."""
    if not isinstance(node, ast.Call):
        return
    if node.keywords and len(node.args) + len(node.keywords) > 1:
        yield ast.Call(node.func, node.args, node.keywords[:-1])
    elif len(node.args) > 1:
        yield ast.Call(node.func, node.args[:-1], node.keywords)


def _dropped_part(node: ast.AST) -> Iterator[ast.AST]:
    """One part of a concatenation, a formatted text or a list, dict or set forgotten."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _is_int(node.right):
        yield from (node.left, node.right)
    if isinstance(node, ast.JoinedStr) and len(node.values) > 1:
        yield from (ast.JoinedStr(_without(node.values, number)) for number in range(len(node.values)))
    if isinstance(node, (ast.List, ast.Set)) and len(node.elts) > 1 and isinstance(getattr(node, "ctx", None), _LOADED):
        for number in range(len(node.elts)):
            elements = _without(node.elts, number)
            yield ast.List(elements, ast.Load()) if isinstance(node, ast.List) else ast.Set(elements)
    if isinstance(node, ast.Dict) and len(node.keys) > 1:
        for number in range(len(node.keys)):
            yield ast.Dict(_without(node.keys, number), _without(node.values, number))


_LOADED: Final = (ast.Load, type(None))


def _wrong_method(node: ast.AST) -> Iterator[ast.AST]:
    """A method or function with a similar name and another meaning."""
    if not isinstance(node, ast.Call) or _called(node) not in _OTHER_METHOD:
        return
    other = _OTHER_METHOD[_called(node)]
    if isinstance(node.func, ast.Attribute):
        yield ast.Call(ast.Attribute(node.func.value, other, ast.Load()), node.args, node.keywords)
    elif other in {"min", "max", "any", "all"}:
        yield ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)


def _forgot_copy(node: ast.AST) -> Iterator[ast.AST]:
    """The thing itself where a copy was meant."""
    if isinstance(node, ast.Call) and _called(node) in _COPIES and not node.keywords:
        if len(node.args) == 1 and not isinstance(node.args[0], (ast.GeneratorExp, ast.Starred)):
            yield node.args[0]
        elif not node.args and isinstance(node.func, ast.Attribute):
            yield node.func.value
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == ":" and isinstance(node.ctx, ast.Load):
        yield node.value


def _dropped_call(node: ast.AST) -> Iterator[ast.AST]:
    """A value not converted by a function of one argument."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords or len(node.args) != 1:
        return
    if node.func.id not in _COPIES and not isinstance(node.args[0], (ast.GeneratorExp, ast.Starred)):
        yield node.args[0]


def _dropped_cleaning(node: ast.AST) -> Iterator[ast.AST]:
    """A text as it came, not stripped or in lower case."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CLEANED:
        yield node.func.value


def _missing_else(node: ast.AST) -> Iterator[ast.AST]:
    """A branch without its ``else`` or ``elif``."""
    if isinstance(node, ast.If) and node.orelse:
        yield ast.If(node.test, node.body, [])


def _negated(node: ast.AST) -> Iterator[ast.AST]:
    """The opposite condition."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        is_not = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        test: Any = node.test.operand if is_not else ast.UnaryOp(ast.Not(), node.test)  # type: ignore[union-attr]
        if isinstance(node, ast.IfExp):
            yield _if_expression(node, test)
        else:
            yield type(node)(test, node.body, node.orelse)


def _dropped_condition(node: ast.AST) -> Iterator[ast.AST]:
    """One operand of ``and`` or ``or`` forgotten."""
    if isinstance(node, ast.BoolOp):
        for number in range(len(node.values)):
            rest = _without(node.values, number)
            yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]


def _early_return(node: ast.AST) -> Iterator[ast.AST]:
    """A loop that is left after its first item."""
    if isinstance(node, (ast.For, ast.AsyncFor)) and not isinstance(node.body[-1], (ast.Return, ast.Break, ast.Raise)):
        yield type(node)(node.target, node.iter, [*node.body, ast.Break()], node.orelse)


def _swapped_arguments(node: ast.AST) -> Iterator[ast.AST]:
    """The first two different arguments of a call exchanged."""
    if isinstance(node, ast.Call) and len(node.args) > 1:
        one, two, *rest = node.args
        if ast.dump(one) != ast.dump(two) and not any(isinstance(part, ast.Starred) for part in (one, two)):
            yield ast.Call(node.func, [two, one, *rest], node.keywords)


def forget_statement(function: Function, rng: random.Random) -> bool:
    """Replace an assignment to an attribute or an item, an augmented assignment or a call by nothing."""
    return _forget(function, rng, _is_effect)


def remove_guard(function: Function, rng: random.Random) -> bool:
    """Remove a branch that only leaves the function or goes on with the next item."""
    return _forget(function, rng, _is_guard)


def _forget(function: Function, rng: random.Random, is_meant: Callable[[ast.stmt], bool]) -> bool:
    blocks = [(block, number) for block in _blocks(function) for number, one in enumerate(block) if is_meant(one)]
    if not blocks:
        return False
    block, number = rng.choice(blocks)
    block[number] = ast.Pass()
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


def use_wrong_attribute(function: Function, rng: random.Random) -> bool:
    """Use another attribute of ``self`` than was meant, one that the function uses too."""
    found = [n for n in _parts(function) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"]
    names = sorted({node.attr for node in found})
    if len(names) < 2:
        return False
    node = rng.choice(found)
    node.attr = rng.choice([name for name in names if name != node.attr])
    return True


def give_wrong_default(function: Function, rng: random.Random) -> bool:
    """Give a parameter another default."""
    lists: list[list[Any]] = [function.args.defaults, function.args.kw_defaults]
    places = [
        (defaults, number, value)
        for defaults in lists
        for number, one in enumerate(defaults)
        if isinstance(one, ast.Constant)
        for value in _other_values(one.value)
    ]
    if not places:
        return False
    defaults, number, value = rng.choice(places)
    defaults[number] = ast.Constant(value)
    return True


SLIPS: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "wrong variable": use_wrong_variable,
        "wrong attribute": use_wrong_attribute,
        "forgotten statement": forget_statement,
        "swapped arguments": _exchange(_swapped_arguments),
        "missing else": _exchange(_missing_else),
        "off by one": _exchange(_off_by_one),
        "dropped argument": _exchange(_dropped_argument),
        "arithmetic": _exchange(_wrong_arithmetic),
        "guard removed": remove_guard,
        "dropped condition": _exchange(_dropped_condition),
        "wrong method": _exchange(_wrong_method),
        "wrong constant": _exchange(_wrong_constant),
        "negated": _exchange(_negated),
        "wrong default": give_wrong_default,
        "forgot copy": _exchange(_forgot_copy),
        "early return": _exchange(_early_return),
        "truthiness": _exchange(_wrong_truth),
        "dropped call": _exchange(_dropped_call),
        "boundary": _exchange(_wrong_boundary),
        "and/or": _exchange(_and_for_or),
        "wrong index": _exchange(_wrong_index),
        "dropped part": _exchange(_dropped_part),
        "sign": _exchange(_wrong_sign),
        "dropped strip/lower": _exchange(_dropped_cleaning),
        "division": _exchange(_wrong_division),
    }
)


def slip(function: Function, rng: random.Random) -> str | None:
    """Make one slip of a random class; return its name, None where none is possible."""
    before = ast.dump(function)
    for name in rng.sample(sorted(SLIPS), len(SLIPS)):
        if SLIPS[name](function, rng) and ast.dump(function) != before:
            return name
    return None


def _parts(function: Function) -> Iterator[ast.AST]:
    """The nodes of a body, without annotations, decorators and docstrings."""
    todo: list[ast.AST] = list(reversed(function.body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        for name, value in reversed(list(ast.iter_fields(node))):
            if name not in _UNSEEN_FIELDS:
                inside = value if isinstance(value, list) else [value]
                todo += [one for one in reversed(inside) if isinstance(one, ast.AST)]


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


def _is_guard(node: ast.stmt) -> bool:
    leaves = isinstance(node, ast.If) and isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue))
    return leaves and not node.orelse  # type: ignore[attr-defined]


def _is_int(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute))


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _with_argument(node: ast.Call, number: int, value: ast.expr) -> ast.Call:
    return ast.Call(node.func, [*node.args[:number], value, *node.args[number + 1 :]], node.keywords)


def _without(items: list[Any], number: int) -> list[Any]:
    return items[:number] + items[number + 1 :]
