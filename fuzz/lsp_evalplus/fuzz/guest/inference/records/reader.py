"""Infers the keys of dicts used as records, and the attributes of objects: those that a function looks up, and how it
uses their values.

``dict`` as an annotation, or none, does not give the keys without which a lookup fails; the function's source does.
Where no class is known whose objects have the attributes, a `types.SimpleNamespace` stands for such an object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from ...static.parameter_members import (
    counted_sequences,
    fallbacks,
    goes_through_keys,
    is_call_of_plain,
    keyed_by_names,
    positional_names,
    zipped,
)
from ...static.walking import SCOPES, Function, operands, walk_tree
from ...values.shapes import BOOL, BYTES, INT, NUMBER, STR, SetShape
from ..library_calls import items_taken_by, summed_in, taken_by, whole_numbers_in, words_taken_by
from ..usage import is_bytes, used_as_bytes
from .comparisons import PLAIN_CLASSES, are_places, fit, note_compared, note_constant, note_default, note_sought
from .date_arithmetic import times_in
from .handing_on import Callees, calls_with_items, with_keywords
from .likely_values import FILLING, OF_SETS, OF_STRINGS, WRITTEN
from .match_objects import BY_GROUP
from .parsed_strings import decoded_in, parsed_in
from .plain_forms import in_plain_forms
from .recursion import unify
from .tried_calls import tried_calls
from .turns import calls_in_turn
from .value_usage import Use, share

_Told = TypeVar("_Told")

OF_MAPPINGS = frozenset(("get", "pop", "setdefault"))
"""Methods that look a key up."""
_AS_MAPPING = frozenset(("items", "keys", "values", "copy", "update"))
_KEEPERS = frozenset(("append", "add", "insert", "setdefault"))
_COPIES = frozenset(("copy", "deepcopy"))
_SAME_ITEMS = frozenset(("sorted", "list", "tuple", "reversed", "iter", "filter", "dict", *_COPIES))
_ONE_OF = frozenset(("max", "min", "next"))
_SEEKING = frozenset("count find rfind index rindex startswith endswith".split())
"""Methods of sequences and strings that take bounds after what they seek."""
_OF_NUMBERS = frozenset(("round", "abs", "float", "int", "divmod", "pow"))
_MOST_INNER = 24
"""Calls of inner functions that are followed."""
_MOST_WRITTEN = 4
"""Items of a list that is written in a loop for which the body is read."""
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


class Reader(ast.NodeVisitor):
    """Tracks the parameters of a function through its source, and through that of functions that it hands parts to."""

    def __init__(
        self, function: Function, uses: dict[str, Use], *, demands: bool, callees: Callees | None = None
    ) -> None:
        function = self._function = in_plain_forms(function, callees.is_own if callees is not None else lambda _: False)
        self._callees = callees
        self._names = dict(uses)
        self._known: dict[ast.AST, Use | None] = {}
        """What expressions stand for, as long as no name is bound anew: chains of calls are read part by part."""
        inner = [one for one in walk_tree(function) if isinstance(one, SCOPES[:2]) and one is not function]
        self._inner = {one.name: one for one in inner}
        self._inside: list[ast.AST] = []
        """Functions of this one that are being read because of what they are given."""
        self._further = _MOST_INNER
        self._own_name = "" if function.name in [getattr(one, "name", "") for one in inner] else function.name
        self._counts = counted_sequences(function)
        self._fallbacks = fallbacks(function)
        self._times = times_in(function)
        self._parameters = [uses.get(name) for name in positional_names(function)]
        self._keyed = keyed_by_names(function)
        self._constants: dict[str, ast.expr] = {}
        """Constants by the names that they are assigned to."""
        self._demands = demands
        """Whether a lookup implies that the key is always present."""
        for statement in function.body:
            self.visit(statement)

    def _read_inner(self, call: ast.Call) -> None:
        """Read a lambda or a function of this one that is given values, or parts of such."""
        function = self._inner.get(call.func.id, call.func) if isinstance(call.func, ast.Name) else call.func
        given = [self._use(one) for one in call.args]
        if isinstance(function, ast.Lambda):
            for parameter, use in zip(function.args.args, given):
                self._set(parameter.arg, use)
        elif isinstance(function, SCOPES[:2]) and function not in self._inside and any(given) and self._further:
            self._further -= 1
            self._inside.append(function)
            before = dict(self._names)
            for parameter, use in zip(function.args.args, given):
                self._set(parameter.arg, use)
            for statement in function.body:
                self.visit(statement)
            self._names = before
            self._known.clear()
            self._inside.pop()
        elif self._callees is not None:
            self._hand_on(call, self._callees)

    def _use(self, node: ast.AST | None) -> Use | None:
        """Return the usage record of an expression that stands for a parameter, or for a part of one."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if node is None:
            return None
        if node not in self._known:
            self._known[node] = self._use_of_part(node)
        return self._known[node]

    def _use_of_part(self, node: ast.AST) -> Use | None:
        if isinstance(node, ast.Subscript):
            return self._looked_up(node)
        if isinstance(node, ast.Attribute):
            owner, stored = self._use(node.value), self._names.get(_stored_as(node))
            return stored if stored is not None or owner is None else owner.attribute(node.attr)
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.BoolOp):
            # ``part and part.kind`` is what the last one is, ``kind or "plain"`` what the first one is.
            is_last = isinstance(node.op, ast.And)
            return (
                self._use(node.values[-1]) if is_last else share(self._use(node.values[0]), node.values[1:], self._use)
            )
        if isinstance(node, ast.IfExp):
            return share(self._use(node.body), [node.orelse], self._use) or self._use(node.orelse)
        if isinstance(node, ast.NamedExpr):
            return self._use(node.value)
        return self._awaited(node) if isinstance(node, ast.Await) else None

    def _awaited(self, node: ast.Await) -> Use | None:
        called = self._use(node.value.func) if isinstance(node.value, ast.Call) else None
        if called is not None:
            called.is_awaited = True
        return self._use(node.value)

    def _looked_up(self, node: ast.Subscript) -> Use | None:
        owner = self._use(node.value)
        if owner is None:
            return None
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(key, str):
            if self._demands and isinstance(node.ctx, ast.Load):
                owner.required.add(key)
            if isinstance(node.ctx, ast.Load):
                return owner.field(key)
            owner.shapes += [WRITTEN] if isinstance(node.ctx, ast.Store) else []
            return None
        if isinstance(node.slice, ast.Slice):
            return owner
        if isinstance(key, int) or isinstance(node.slice, ast.UnaryOp):
            count = self._counts.get(ast.unparse(node.value), 0) if self._counts else 0
            return owner.unpacked(count)[key] if type(key) is int and 0 <= key < count else owner.item()
        owner.is_indexed = owner.is_subscripted = True
        return owner.item()

    def _called(self, node: ast.Call) -> Use | None:
        function, encoded = node.func, self._use(decoded_in(node))
        if encoded is not None:
            return encoded.decoded()
        # No method of a mapping takes keywords.
        if isinstance(function, ast.Attribute) and function.attr in OF_MAPPINGS and node.args and not node.keywords:
            owner, key = self._plain_owner(function, node), node.args[0]
            if owner is not None and not isinstance(key, ast.Constant):
                owner.is_open = owner.is_indexed = True
                found = owner.item()
                if function.attr == "get" and len(node.args) == 1:
                    owner.attribute(function.attr).result = found
                return share(found, node.args[1:], self._use)
            if owner is not None and isinstance(key, ast.Constant) and isinstance(key.value, str):
                owner.optional.add(key.value)
                found = owner.field(key.value)
                if len(node.args) > 1:
                    note_constant(found, node.args[1])
                return found
        if isinstance(function, ast.Attribute) and function.attr in ("values", "items") and not node.args:
            owner = self._plain_owner(function, node)
            if owner is not None and not owner.fields:
                return owner.values(with_keys=function.attr == "items")
        if isinstance(function, ast.Attribute) and function.attr in _COPIES and node.args:
            return self._use(node.args[0])
        if isinstance(function, ast.Name) and node.args and function.id in _SAME_ITEMS | _ONE_OF:
            whole = self._use(node.args[-1] if function.id == "filter" else node.args[0])
            return whole.item() if whole is not None and function.id in _ONE_OF and len(node.args) == 1 else whole
        called = self._use(function)
        return None if called is None else called.returned()

    def _plain_owner(self, function: ast.Attribute, call: ast.Call) -> Use | None:
        """Return what a method is called on, where it may be one of a builtin type."""
        owner = self._use(function.value)
        if owner is not None and not is_call_of_plain(call):
            owner.methods |= {function.attr}
        return None if owner is None or function.attr in owner.methods else owner

    def _bind(self, target: ast.AST, use: Use | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            places = use.unpacked(len(target.elts)) if use is not None and are_places(target.elts) else []
            for part, place in zip_longest(target.elts, places):
                self._bind(part.value if isinstance(part, ast.Starred) else part, place)
        elif isinstance(target, ast.Name):
            self._set(target.id, use)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self._set(_stored_as(target), use)

    def _set(self, name: str, use: Use | None) -> None:
        self._known.clear()
        if use is not None:
            self._names[name] = use
        else:
            self._names.pop(name, None)

    def _go_through(self, target: ast.AST, whole: ast.expr) -> None:
        is_counted = isinstance(whole, ast.Call) and getattr(whole.func, "id", "") == "enumerate"
        if is_counted and isinstance(whole, ast.Call) and whole.args and isinstance(target, ast.Tuple):
            self._go_through(target.elts[-1], whole.args[0])
            return
        if pairs := zipped(whole, target):
            for part, one in pairs:
                self._go_through(part, one)
            return
        use = self._use(whole)
        mapping = self._use(goes_through_keys(target, whole, self._keyed))
        if mapping is not None and not mapping.fields:
            mapping.is_keyed = mapping.is_mapping = True
            mapping.item()
        elif use is not None and use.fields and use.looks_up:
            use.is_open = True
        elif use is not None:
            use.is_gone_through = True
            self._bind(target, use.item())
            return
        for part in walk_tree(target):
            self._bind(part, None)

    def visit_For(self, node: ast.For) -> None:
        """Record iteration; the body is read for each item that is written."""
        items = node.iter.elts if isinstance(node.iter, (ast.Tuple, ast.List)) else []
        if not 0 < len(items) <= _MOST_WRITTEN:
            self._go_through(node.target, node.iter)
            self.generic_visit(node)
            return
        for item in items:
            if isinstance(node.target, (ast.Tuple, ast.List)):
                self._unpack(node.target.elts, item)
            else:
                self._bind(node.target, self._use(item))
            self.generic_visit(node)

    def visit_With(self, node: Any) -> None:
        """Record what is entered, and what the body is given."""
        for item in node.items:
            use = self._use(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, use.body() if use is not None else None)
            elif use is not None:
                use.body()
        self.generic_visit(node)

    visit_AsyncWith = visit_With  # noqa: N815

    def _visit_comprehension(self, node: Any) -> None:
        for part in node.generators:
            self._go_through(part.target, part.iter)
            for condition in part.ifs:
                self._ask(condition)
        self._keep(getattr(node, "elt", getattr(node, "value", None)))
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    def visit_Assign(self, node: ast.Assign) -> None:
        """Record an alias of a part."""
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name) and isinstance(node.value, (ast.Constant, ast.JoinedStr)):
                self._constants[target.id] = node.value
            if node in self._fallbacks and (known := self._use(target if isinstance(target, ast.Name) else None)):
                note_constant(known, node.value)
                continue
            self._go_on(target, node.value)
            if isinstance(target, (ast.Tuple, ast.List)):
                self._unpack(target.elts, node.value)
            else:
                self._bind(target, self._use(node.value))
            if not isinstance(target, ast.Name):
                self._keep(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Record an alias of a part."""
        self.generic_visit(node)
        self._bind(node.target, self._use(node.value))

    def _unpack(self, parts: Sequence[ast.expr], value: ast.expr) -> None:
        """Bind the targets of an assignment to the items of its value."""
        whole = self._use(value)
        found: Sequence[Use | None] = [None] * len(parts)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts):
            found = [self._use(one) for one in value.elts]
        elif whole is not None and not whole.fields and are_places(parts):
            found = whole.unpacked(len(parts))
        for part, use in zip(parts, found):
            self._bind(part.value if isinstance(part, ast.Starred) else part, use)

    def _go_on(self, target: ast.expr, value: ast.expr) -> None:
        """Unify an object with its attribute that takes its place, as in ``node = node.next``."""
        if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            whole = self._use(value.value) if value.value.id == target.id else None
            if whole is not None:
                whole.is_asked |= whole.attribute(value.attr).is_asked
                whole.attributes[value.attr] = whole
                self._known.clear()

    def visit_FunctionDef(self, node: Any) -> None:
        """Record the decorators that a function or class which is defined inside is handed to."""
        inside = set(walk_tree(node))
        others = [one for one in walk_tree(self._function) if isinstance(one, ast.Name) and one not in inside]
        is_used = any([one.id == node.name for one in others])
        for use in filter(None, map(self._use, node.decorator_list)):
            use.arguments = max(use.arguments or 0, 1)
            use.is_ordered |= not is_used
        self._set(node.name, None)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Return(self, node: Any) -> None:
        """Record a returned value."""
        self._keep(node.value)
        self.generic_visit(node)

    visit_Yield = visit_Return  # noqa: N815

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        """Record iteration."""
        use = self._use(node.value)
        if use is not None and not use.fields:
            use.is_gone_through = True
            use.item()
        self.generic_visit(node)

    def _keep(self, node: ast.AST | None) -> None:
        use = self._use(node)
        if use is not None:
            use.is_kept = True

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Record a lookup, whatever its result is used for."""
        self._use(node)
        self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        """Infer whole numbers from bounds."""
        self._are_places(filter(None, (node.lower, node.upper, node.step)))
        self.generic_visit(node)

    def _are_places(self, nodes: Iterable[ast.expr]) -> None:
        for use in filter(None, map(self._use, nodes)):
            use.shapes.append(INT)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Record the use of an attribute, whatever for."""
        if isinstance(node.ctx, ast.Load):
            self._use(node)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Record a call whose result is not used."""
        self.generic_visit(node)
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        called = self._use(call.func) if isinstance(call, ast.Call) else None
        if called is not None:
            called.is_ordered, called.is_awaited = True, called.is_awaited or call is not node.value

    def visit_Call(self, node: ast.Call) -> None:
        """Infer usage from the methods and functions that a value is passed to; recursive calls unify the arguments."""
        self._use(node)
        function = node.func
        called, as_bytes = self._use(function), self._use(used_as_bytes(node))
        if as_bytes is not None:
            as_bytes.shapes.append(BYTES)
        if called is not None:
            called.arguments = max(called.arguments or 0, len(node.args))
            called.is_in_turn |= node in calls_in_turn(self._function)
            called.caught += tried_calls(self._function).get(node, ())
        self._note_call(node)
        if isinstance(function, ast.Attribute):
            self._read_method_call(function, node, as_bytes)
        elif isinstance(function, ast.Name):
            self._read_plain_call(function.id, node)
        self._read_library_call(node)
        for one in calls_with_items(node):
            if (whole := self._use(one.args[-1].value)) is not None:  # type: ignore[attr-defined]
                whole.is_gone_through = True
                self._read_inner(one)
        if self._callees is not None:
            self._hand_on(node, self._callees)
        if isinstance(function, ast.Name) and function.id in self._inner:
            self._read_inner(node)
        self.generic_visit(node)
        for part, shape in self._used(summed_in(node)):
            part.shapes.append(shape)

    def _read_method_call(self, function: ast.Attribute, node: ast.Call, as_bytes: Use | None) -> None:
        """Infer usage from the method that is called."""
        owner = self._plain_owner(function, node)
        self._are_places(node.args[1:] if function.attr in _SEEKING else ())
        if owner is not None and function.attr in _AS_MAPPING:
            owner.is_open = True
            owner.shapes += [WRITTEN] if node.keywords else []
        elif owner is not None and function.attr in BY_GROUP:
            constants = [one.value for one in node.args if isinstance(one, ast.Constant)]
            owner.groups += [one for one in constants if isinstance(one, (int, str))]
        elif owner is not None and function.attr in OF_STRINGS and owner is not as_bytes:
            owner.shapes.append(STR)
            owner.is_text = True
        elif owner is not None and function.attr in OF_SETS:
            owner.shapes.append(SetShape(STR))
        for argument in node.args if function.attr in _KEEPERS else ():
            self._keep(argument)
        if owner is not None and function.attr in FILLING:
            owner.shapes.append(FILLING[function.attr])

    def _note_call(self, node: ast.Call) -> None:
        for one in (node.func, *node.args, *[keyword.value for keyword in node.keywords]):
            part = self._use(one)
            if part is not None:
                part.calls.append(node)

    def _read_library_call(self, node: ast.Call) -> None:
        for part, shape in self._used(taken_by(node)):
            part.shapes.append(shape)
        for part, shape in self._used(parsed_in(node)):
            part.parsed = shape
        for part, words in self._used(words_taken_by(node)):
            part.is_key = not part.words
            part.words += words
        for part, shape in self._used(items_taken_by(node)):
            if not part.fields and not part.kinds:
                part.is_gone_through = True
                part.item().shapes += [] if shape is None else [shape]

    def _used(self, told: Iterable[tuple[ast.expr, _Told]]) -> Iterator[tuple[Use, _Told]]:
        """Yield the usage of those expressions that are a value, or part of one, with what is told of each."""
        for node, what in told:
            part = self._use(node)
            if part is not None:
                yield part, what

    def _hand_on(self, node: ast.Call, callees: Callees) -> None:
        """Read a function of the project that is given a value, or a part of one."""
        rows = [one.value for one in node.keywords if one.arg is None and self._use(one.value) is not None]
        node = with_keywords(node, rows[0], callees.names_left(node)) if rows else node
        places = [(place, one) for place, one in enumerate(node.args)] + [(one.arg, one.value) for one in node.keywords]
        uses = {place: use for place, one in places if place is not None and (use := self._use(one)) is not None}
        found = callees.called(node, list(uses)) if uses else None
        for place, hint in found.stated.items() if found is not None else ():
            kind = PLAIN_CLASSES.get(getattr(hint, "__name__", ""))
            uses[place].shapes += [kind] if kind is not None else []
        if found is not None and found.function is not None:
            known = {name: uses[place] for place, name in found.names.items()}
            Reader(found.function, known, demands=self._demands, callees=found.callees)

    def _read_plain_call(self, name: str, node: ast.Call) -> None:
        for index, argument in enumerate(node.args):
            part = self._use(argument)
            if part is None:
                continue
            if name == self._own_name and index < len(self._parameters):
                self._unify(argument, self._parameters[index])
            elif name in _OF_NUMBERS or (name in ("max", "min") and len(node.args) > 1):
                part.shapes.append(NUMBER)
            elif name in ("isinstance", "dict"):
                part.is_open = True
                if name == "isinstance" and index == 0:
                    part.kinds += [one.id for one in walk_tree(node.args[-1]) if isinstance(one, ast.Name)]
                    part.asked += map(ast.unparse, getattr(node.args[-1], "elts", node.args[-1:]))

    def _unify(self, argument: ast.expr, whole: Use | None) -> None:
        """Unify an argument of a recursive call with the parameter."""
        part = self._use(argument)
        if whole is None or (part is not None and part.kinds):
            return
        unify(part, whole, filter(None, self._parameters))
        if isinstance(argument, ast.Name):
            self._set(argument.id, whole)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Infer numbers from arithmetic; for a sum, possibly of strings, the other side decides."""
        added = operands(node, ast.Add)
        for whole, shape in self._used([(one, BYTES) for one in added] if any(map(is_bytes, added)) else ()):
            whole.shapes[:] = [shape]
        for whole, shape in self._used(whole_numbers_in(node)):
            whole.shapes.append(shape)
        for one, other in ((node.left, node.right), (node.right, node.left)):
            use = self._use(one)
            if use is None or BYTES in use.shapes:
                continue
            if one in self._times:
                use.shapes.append(self._times[one])
            elif isinstance(node.op, _ARITHMETIC):
                use.shapes.append(NUMBER)
            elif isinstance(node.op, ast.Add):
                self._add_up(use, other)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Record an augmented assignment."""
        for one, other in ((node.target, node.value), (node.value, node.target)):
            use = self._use(one)
            if use is not None and isinstance(node.op, _ARITHMETIC):
                use.shapes.append(NUMBER)
            elif use is not None:
                self._add_up(use, other)
        self.generic_visit(node)

    def _add_up(self, use: Use, other: ast.expr) -> None:
        """Infer numbers or strings from the other operand; if that is ambiguous, the judge has to accept either."""
        parts = [self._constants.get(getattr(part, "id", ""), part) for part in operands(other)]
        if any([isinstance(part, ast.JoinedStr) for part in parts]):
            use.shapes.append(STR)
            return
        known = [part for part in parts if isinstance(part, ast.Constant) and not isinstance(part.value, bool)]
        for part in known[:1]:
            note_constant(use, part)
        if not known and self._demands:
            use.shapes += [NUMBER, STR]
            use.is_either = True

    def visit_Compare(self, node: ast.Compare) -> None:
        """Record compared values, and keys that may be missing."""
        sides = [node.left, *node.comparators]
        for one, operator, two in zip(sides, node.ops, sides[1:]):
            if isinstance(operator, (ast.In, ast.NotIn)):
                owner = self._use(two)
                if owner is not None:
                    note_sought(owner, one)
                use = self._use(one)
                for part in getattr(two, "elts", []) if use is not None else []:
                    note_compared(use, part)
                continue
            for side, other in ((one, two), (two, one)):
                use = self._use(side)
                if use is not None:
                    use.note_none(other)
                    note_compared(use, other)
                    if side in self._times:
                        use.shapes.append(self._times[side])
                    elif isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and not isinstance(
                        other, ast.Constant
                    ):
                        use.shapes.append(INT)
        self.generic_visit(node)

    def visit_Match(self, node: Any) -> None:
        """Record the keys, items and values of patterns, which are bound to their names."""
        use = self._use(node.subject)
        self.visit(node.subject)
        for case in node.cases:
            if use is not None:
                fit(case.pattern, use, self._set)
            for part in [*([case.guard] if case.guard is not None else []), *case.body]:
                self.visit(part)

    def visit_If(self, node: Any) -> None:
        """Record a truth test."""
        self._ask(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_Assert = visit_If  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Record the truth tests of all operands but the last, which may be the result."""
        for operand in node.values[:-1]:
            self._ask(operand)
        note_default(node, self._use)
        self.generic_visit(node)

    def _ask(self, node: ast.expr) -> None:
        for part in node.values if isinstance(node, ast.BoolOp) else [node]:
            asked = part.operand if isinstance(part, ast.UnaryOp) else part
            if (use := self._use(asked)) is not None:
                use.is_asked = True
                use.shapes += [BOOL] if not use.fields and use.element is None else []


def _stored_as(node: ast.Attribute) -> str:
    return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""
