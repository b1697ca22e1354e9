"""Infers the types of parameters without annotation from their usage in the source: comparisons, type tests,
and names.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, NamedTuple

from ..program.source_facts import nodes_of, nodes_of_all
from ..static.parameter_members import (
    copied,
    is_call_of_plain,
    parameter_names,
    positional_parameters,
)
from ..static.walking import Function, items_in, name_of, operands, walk_tree
from ..values.shapes import NAMED, Shape
from .library_calls import taken_as_strings

_ROUNDING = frozenset("round floor ceil trunc modf isclose".split())
_CUTTING = _ROUNDING | {"int"}
_TEXTS = re.compile(
    r"(?:.*_)?(?:text|string|word|sentence|line|url|uri|path|filename|title|header|message|char|letter|prefix|suffix|email|html"
    r"|username|password|phrase|haystack|needle)"
)
_SYMMETRIC = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __sub__ __radd__ __rsub__ __iadd__ __isub__ __and__ __or__"
    " __xor__ __mul__ __truediv__ __floordiv__ __mod__ __matmul__".split()
)
"""Operators whose other operand is often of the same class."""
_METHODS = {
    **dict.fromkeys(
        "lower upper strip lstrip rstrip split rsplit splitlines startswith endswith replace".split(), "str"
    ),
    **dict.fromkeys("partition rpartition casefold isdigit isalpha isspace translate zfill".split(), "str"),
    **dict.fromkeys("rfind rindex swapcase capitalize isupper islower isalnum isnumeric isdecimal".split(), "str"),
    **dict.fromkeys("isidentifier isprintable isascii ljust rjust expandtabs removeprefix removesuffix".split(), "str"),
    **dict.fromkeys("issubset issuperset isdisjoint symmetric_difference".split(), "set"),
    **dict.fromkeys("items keys values setdefault".split(), "dict"),
    **dict.fromkeys("append extend insert sort reverse".split(), "list"),
}
"""Methods that reveal the type of their receiver."""
TELLING = frozenset((*_METHODS, "__getitem__", "get"))
"""These, and what is asked of dicts."""
_OF_BYTES = {
    **dict.fromkeys(("int.from_bytes", "io.BytesIO", "base64.b64encode", "binascii.hexlify"), 0),
    **dict.fromkeys(("struct.unpack", "struct.unpack_from"), 1),
}
"""Functions that take bytes, with the place of these among the arguments."""


SAME_ITEMS = frozenset("iter list tuple set sorted reversed".split())
"""Functions whose results have the items of their argument."""
_CASES = frozenset("lower upper strip casefold".split())
_LONGEST_WORD = 60
_NOTHING: Mapping[str, Set[str]] = MappingProxyType({})


class Evidence(NamedTuple):
    """Usage of the parameters without annotation, by name."""

    told: Mapping[str, Set[str]] = _NOTHING
    """Type names of each parameter, from comparisons and arithmetic."""
    used: Mapping[str, Set[str]] = _NOTHING
    """Types whose operations are used on it."""
    tested: Mapping[str, Set[str]] = _NOTHING
    """Types that it may have among others, from `isinstance`."""
    shapes: Mapping[str, Sequence[Shape]] = MappingProxyType({})
    """Possible shapes, from the program's own classes and the keys that are looked up in it."""
    words: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Strings that it is compared with, whether annotated or not."""
    asked: Mapping[str, Set[str]] = _NOTHING
    """Those of the types in `tested` for which the judging program tests."""
    optional: Set[str] = frozenset()
    """The parameters that the judging program compares with None."""
    optional_in_both: Set[str] = frozenset()
    """Those that it tests for truth, and the candidate for truth or for None."""
    newly_optional: Set[str] = frozenset()
    """Those that only the candidate compares with None."""
    tested_for_none: Set[str] = frozenset()
    """Names, also of attributes, that the judging program's module compares with None, or uses as conditions."""
    constants: Mapping[str, Sequence[Any]] = MappingProxyType({})
    """Constants with which the reference compares it: they are meant, whatever an annotation says."""
    choices: Mapping[str, Sequence[Any]] = MappingProxyType({})
    """Constants that decide what either program does with it, whether annotated or not (`choices`)."""
    item_choices: Mapping[str, Sequence[Any]] = MappingProxyType({})
    """The same of its items."""
    command_lines: Mapping[str, Sequence[Any]] = MappingProxyType({})
    """Lists of words that the module's parsers of command lines take."""
    admitted: Mapping[str, Sequence[Shape]] = MappingProxyType({})
    """What an older version asks of it beside what annotations and examples show: it may be that too."""
    keys: Set[str] = frozenset()
    """Parameters that are keys of the records which other parameters hold."""
    stand_ins: Mapping[str, Shape] = MappingProxyType({})
    """Objects with the attributes that are used, where classes are known that have them too: these go first."""

    examined: Set[str] = frozenset()
    """Those that the judging program asks for their type or their attributes."""

    def uses(self, name: str) -> set[str]:
        """Return the types that a parameter almost certainly has, by its usage or name."""
        tested = self.tested.get(name, frozenset[str]())
        used = set(self.used.get(name, ()))
        if not used and not tested and is_text_name(name):
            return {"str"}
        # Code after a type test is not usage by the values that fail it.
        return set() if used <= tested else used

    def leanings(self, name: str) -> set[str]:
        """Return all types for which there is any usage."""
        return self.uses(name) | set(self.told.get(name, ())) | set(self.tested.get(name, ()))


def compared_words(functions: list[Function | None]) -> dict[str, list[str]]:
    """Return, by name, the words of several letters that it is compared with, such as names of modes."""
    found: dict[str, list[str]] = {}
    for node in nodes_of_all(functions):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
                _note_words(found, side, items_in(other))
        elif hasattr(ast, "Match") and isinstance(node, ast.Match):
            values = [part.value for part in patterns_of(node) if isinstance(part, ast.MatchValue)]
            _note_words(found, node.subject, values)
    return found


def patterns_of(node: Any) -> Iterator[Any]:
    """Yield the patterns that the subject of a ``match`` statement is compared with, without their parts."""
    waiting = [case.pattern for case in reversed(node.cases)]
    while waiting:
        pattern = waiting.pop()
        if isinstance(pattern, ast.MatchOr):
            waiting += reversed(pattern.patterns)
        elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            waiting.append(pattern.pattern)
        yield pattern


def _note_words(found: dict[str, list[str]], side: ast.expr, others: Sequence[ast.expr]) -> None:
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr in _CASES:
        side = side.func.value
    values = [other.value for other in others if isinstance(other, ast.Constant)]
    words = [v for v in values if isinstance(v, str) and 1 < len(v) < _LONGEST_WORD and v[0].isalpha()]
    if isinstance(side, ast.Name) and words:
        listed = found.setdefault(side.id, [])
        listed += [word for word in words if word not in listed]


def told_kinds(functions: list[Function | None]) -> dict[str, set[str]]:
    """Return, by name, the types of the constants that it is compared with in any of the functions; floats where
    it is used in arithmetic with them, or rounded, or cut to an integer beside other arithmetic."""
    found: dict[str, set[str]] = {}
    cut: set[str] = set()
    counted: set[str] = set()
    for node in nodes_of_all(functions):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, operator, two in zip(sides, node.ops, sides[1:]):
                is_membership = isinstance(operator, (ast.In, ast.NotIn))
                _note(found, one, items_in(two) if is_membership else [two])
                if not is_membership:
                    _note(found, two, [one])
        elif isinstance(node, ast.BinOp):
            for name in _names_beside_floats(node):
                found.setdefault(name, set()).add("float")
            counted.update(_names_of_numbers(node))
        elif isinstance(node, ast.Call) and name_of(node.func) in _CUTTING:
            names = [one.id for one in node.args[:1] if isinstance(one, ast.Name)]
            cut.update(names)
            for name in names if name_of(node.func) in _ROUNDING else ():
                found.setdefault(name, set()).add("float")
    for name in cut & counted:
        found.setdefault(name, set()).add("float")
    return found


def asked_types(functions: list[Function | None]) -> dict[str, list[str]]:
    """Return, by name, the types that it is tested for, as they are written, without duplicates."""
    found: dict[str, list[str]] = {}
    for node in nodes_of_all(functions):
        for subject, types in type_tests(node):
            if isinstance(subject, ast.Name):
                names = [ast.unparse(one) for one in _alternatives(types) if isinstance(one, (ast.Name, ast.Attribute))]
                listed = found.setdefault(subject.id, [])
                listed += [name for name in names if name not in listed]
    return found


def type_tests(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a node tests for a type, and the types: ``isinstance``, ``type(x) is``, and patterns of classes."""
    if isinstance(node, ast.Call) and name_of(node.func) == "isinstance" and len(node.args) == 2:
        yield node.args[0], node.args[1]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        one = node.left
        if isinstance(one, ast.Call) and name_of(one.func) == "type" and len(one.args) == 1:
            yield one.args[0], node.comparators[0]
    elif hasattr(ast, "Match") and isinstance(node, ast.Match):
        for part in patterns_of(node):
            if isinstance(part, ast.MatchClass):
                yield node.subject, part.cls


def _alternatives(types: ast.expr) -> list[ast.expr]:
    """Return the types of a tuple or of a union with bars."""
    if isinstance(types, ast.BinOp) and isinstance(types.op, ast.BitOr):
        return _alternatives(types.left) + _alternatives(types.right)
    return items_in(types)


def used_kinds(functions: list[Function | None]) -> dict[str, set[str]]:
    """Return, by name, the types that have its methods, or that have strings as subscripts."""
    found: dict[str, set[str]] = {}
    others: set[int] = set()
    for node in nodes_of_all(functions):
        kind = ""
        owner: ast.expr | None = None
        if isinstance(node, ast.Call) and (as_bytes := used_as_bytes(node)) is not None:
            owner, kind = as_bytes, "bytes"
            others.add(id(node.func))
        elif isinstance(node, ast.Call) and not is_call_of_plain(node):
            others.add(id(node.func))
        elif isinstance(node, ast.Attribute) and id(node) not in others:
            owner, kind = node.value, _METHODS.get(node.attr, "")
        elif isinstance(node, ast.Subscript):
            is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            owner, kind = node.value, "dict" if is_key else ""
        elif isinstance(node, ast.Call) and (as_strings := taken_as_strings(node)):
            for one in as_strings:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, set()).add("str")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            owner, kind = node.args[0] if len(node.args) == 1 else None, "dict"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            # Many kinds of objects have values for names.
            is_lookup = 0 < len(node.args) < 3 and not node.keywords and not isinstance(node.args[0], ast.Constant)
            owner, kind = node.func.value if is_lookup else None, "dict"
        if kind and isinstance(owner, ast.Name):
            found.setdefault(owner.id, set()).add(kind)
    for name, origin in _copies(functions):
        found.setdefault(origin, set()).update(found.get(name, ()))
    return {name: kinds for name, kinds in found.items() if kinds}


def _copies(functions: list[Function | None]) -> Iterator[tuple[str, str]]:
    """Yield the variables that hold a copy of another one alone, ``result = copy.deepcopy(base)``, with that one."""
    for function in functions:
        nodes = nodes_of(function) if function is not None else ()
        bound = Counter(one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        for node in nodes:
            given = copied(node.value) if isinstance(node, ast.Assign) else None
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if given is not None and isinstance(target, ast.Name) and bound[target.id] == 1:
                yield target.id, given.id


def is_bytes(node: ast.expr) -> bool:
    """Whether it is a constant of bytes, one repeated, or a tuple with such."""
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    parts = operands(node) if is_product else getattr(node, "elts", [node])
    return any([isinstance(part, ast.Constant) and isinstance(part.value, bytes) for part in parts])


def used_as_bytes(node: ast.Call) -> ast.expr | None:
    """Return what a call takes for bytes: a method of both bytes and strings is given bytes, or a function takes them
    apart; None for other calls."""
    function, arguments = node.func, node.args
    if not isinstance(function, ast.Attribute):
        return None
    if _METHODS.get(function.attr) == "str" and any([is_bytes(one) for one in arguments]):
        return function.value
    if function.attr == "decode" and all([isinstance(one, ast.Constant) for one in arguments]):
        return function.value
    name = f"{function.value.id}.{function.attr}" if isinstance(function.value, ast.Name) else ""
    place = _OF_BYTES.get(name, len(arguments))
    taken = arguments[place] if place < len(arguments) else None
    return taken.value if isinstance(taken, ast.Subscript) and isinstance(taken.slice, ast.Slice) else taken


def number_fields(tree: ast.AST, owner: str) -> set[str]:
    """Return the attributes of a class's instances that its methods use in operations for numbers only."""
    found: set[str] = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for part in walk_tree(node):
                found.update(one.attr for one in _reckoned(part) if isinstance(one.value, ast.Name))
    return found


def _reckoned(node: ast.AST) -> list[ast.Attribute]:
    """Return the attributes beside an operator that has numbers on both sides."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sides = [node.operand]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)):
        sides = [node.left, node.right]
    else:
        return []
    attributes = [side for side in sides if isinstance(side, ast.Attribute)]
    # A string times a number is a string, and a path may be divided by a name.
    is_plain = isinstance(node, ast.UnaryOp) or isinstance(node.op, (ast.FloorDiv, ast.Pow))
    return attributes if is_plain or (isinstance(node.op, ast.Mult) and len(attributes) == len(sides)) else []


def is_kind(name: str) -> bool:
    """Return whether a type name is that of a builtin type that has a shape."""
    return name in NAMED


def is_symmetric(method: str) -> bool:
    """Return whether a method is an operator that usually takes another object of its class."""
    return method in _SYMMETRIC


def is_text_name(name: str) -> bool:
    """Return whether a parameter's name almost certainly means a string."""
    return bool(_TEXTS.fullmatch(name))


def loops_over(function: Function) -> list[tuple[str, str]]:
    """Return each name that a function iterates over, with the variable of the loop that has its items."""
    loops = [node for node in nodes_of(function) if isinstance(node, (ast.For, ast.comprehension))]
    pairs = [pair for loop in loops for pair in _taken_from(loop.iter, loop.target)]
    return [(name.id, item.id) for name, item in pairs if isinstance(name, ast.Name) and isinstance(item, ast.Name)]


def _taken_from(items: ast.expr, target: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a loop takes items from, with their variable: the second of ``enumerate``; ``zip`` has several."""
    called = name_of(items.func) if isinstance(items, ast.Call) else ""
    given = items.args if isinstance(items, ast.Call) else []
    variables = target.elts if isinstance(target, ast.Tuple) else []
    if called == "enumerate" and given and len(variables) == 2:
        yield _gone_through(given[0]), variables[1]
    elif called == "zip" and len(given) == len(variables):
        yield from zip(map(_gone_through, given), variables)
    else:
        yield _gone_through(items), target


def keys_of_records(function: Function | None) -> dict[str, dict[str, bool]]:
    """Return the parameters whose items are looked up by the values of other parameters, with the names of these, and
    whether the lookup needs the key: ``[row[key] for row in rows]``, ``sorted(rows, key=lambda row: row[key])``."""
    if function is None:
        return {}
    names = parameter_names(function)
    holders: dict[str, list[str]] = {}
    for name, item in (*loops_over(function), *_sorted_by(function)):
        if name in names:
            holders.setdefault(item, []).append(name)
    found: dict[str, dict[str, bool]] = {}
    for node in nodes_of(function) if holders else ():
        pair: tuple[ast.expr, ast.expr] | None = None
        if isinstance(node, ast.Subscript):
            pair = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            pair = (node.func.value, node.args[0]) if node.args else None
        if pair is None or not all([isinstance(one, ast.Name) for one in pair]):
            continue
        item, key = map(name_of, pair)
        for holder in holders.get(item, ()) if key in names else ():
            keys = found.setdefault(holder, {})
            keys[key] = keys.get(key, False) or isinstance(node, ast.Subscript)
    return found


def _sorted_by(function: Function) -> Iterator[tuple[str, str]]:
    """Yield each name that a function sorts or chooses from by a lambda, with the parameter of that."""
    for node in nodes_of(function):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            keys = [one.value for one in node.keywords if one.arg == "key" and isinstance(one.value, ast.Lambda)]
            for key in keys:
                yield from ((node.args[0].id, one.arg) for one in key.args.args[:1])


def _gone_through(items: ast.expr) -> ast.expr:
    """Return what a loop takes items from: what is copied, sorted or reversed for it."""
    if isinstance(items, ast.Call) and name_of(items.func) in SAME_ITEMS and len(items.args) == 1:
        return items.args[0]
    return items


def _names_beside_floats(node: ast.BinOp) -> Iterator[str]:
    """Yield the names that are one operand of an operation whose other operand contains a float."""
    if not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return
    for one, two in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, ast.Name) and _has_float(two):
            yield one.id


def _names_of_numbers(node: ast.BinOp) -> list[str]:
    """Return the names that are operands of an operation that strings do not have."""
    is_of_numbers = isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv))
    return [one.id for one in (node.left, node.right) if is_of_numbers and isinstance(one, ast.Name)]


def _has_float(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.UnaryOp):
        return _has_float(node.operand)
    return isinstance(node, ast.BinOp) and (_has_float(node.left) or _has_float(node.right))


def _note(found: dict[str, set[str]], side: ast.expr, others: list[ast.expr]) -> None:
    values = [other.value for other in others if isinstance(other, ast.Constant)]
    if isinstance(side, ast.Name):
        kinds = {type(value).__name__ for value in values if isinstance(value, (str, bytes, int, float))}
        found.setdefault(side.id, set()).update(kinds - {"bool"})
    elif isinstance(side, ast.Subscript) and isinstance(side.value, ast.Name) and isinstance(side.slice, ast.Slice):
        # A slice of a list never equals a string.
        found.setdefault(side.value.id, set()).update({type(v).__name__ for v in values if isinstance(v, (str, bytes))})


def handed_down(function: Function | None) -> set[str]:
    """Return parameters without annotation and with default None that a recursive function passes to itself.

    They carry state that the first call creates (``memo=None``): no caller passes them.
    """
    if function is None:
        return set()
    positional = positional_parameters(function.args)
    candidates = {
        argument.arg
        for argument, default in zip(reversed(positional), reversed(function.args.defaults))
        if argument.annotation is None and isinstance(default, ast.Constant) and default.value is None
    }
    found: set[str] = set()
    for node in nodes_of(function) if candidates else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function.name:
            found |= {argument.arg for argument, _ in zip(positional, node.args)}
            found |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    return found & candidates
