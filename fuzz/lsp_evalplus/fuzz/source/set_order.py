"""Programs whose results may depend on hashes: the order of a set, the number of a hash, the address of an object.

A set that is only asked for its items (``x in seen``, ``seen.add(x)``, ``len(seen)``) shows nothing of its order, nor
does a name that only holds such a set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, cast

from lsp_evalplus.fuzz.guest.static.walking import SCOPES, targets_of, walk_tree

_CONSTRUCTORS: Final = frozenset({"set", "frozenset"})
_NUMBERS: Final = frozenset({"hash", "id"})
_VIEWS: Final = frozenset({"keys", "items"})
_SET_OPERATORS: Final = ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub
_UNORDERED: Final = frozenset({"len", "bool", "any", "all", "isinstance", "issubclass"})
"""Functions whose results do not depend on the order of their argument."""
_TAKING: Final = frozenset(
    "difference_update intersection_update symmetric_difference_update issubset issuperset isdisjoint".split()
)
"""Methods of sets that take others, and whose results depend on the order of neither."""
_ASKING: Final = _TAKING | {"add", "discard", "remove", "clear", "update"}
_MAKING: Final = frozenset("union intersection difference symmetric_difference copy".split())
"""Methods of sets that make others."""
_WORDS: Final = ("set", "{", "hash", "id", "keys", "items")
"""Each of what this module looks for is written with one of these."""


def depends_on_hashes(source: str, tree: ast.Module) -> bool:
    """Whether a program may iterate over a set that it makes, show one, or ask for a hash or an identity.

    Args:
        source: of the program.
        tree: its syntax tree.
    """
    if not any(word in source for word in _WORDS):
        return False
    uses = _Uses(tree)
    return any(map(uses.asks_for_number, uses.names())) or any(map(uses.shows_order, uses.sets()))


class _Uses:
    """What is done with the sets of one program."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = walk_tree(tree)
        self._parents = {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}
        self._of_others = {
            name for node in self._nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        }
        self._followed: set[tuple[ast.AST | None, str]] = set()

    def names(self) -> Iterator[ast.Name]:
        """Names that are read."""
        return (node for node in self._nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))

    def asks_for_number(self, name: ast.Name) -> bool:
        """Whether it is a function of hashes or identities that is called, or passed by keyword (``key=id``)."""
        parent = self._parents.get(name)
        is_used = isinstance(parent, ast.keyword) or (isinstance(parent, ast.Call) and parent.func is name)
        return name.id in _NUMBERS and is_used

    def sets(self) -> Iterator[ast.AST]:
        """Expressions that make sets, and their constructors where something else is to call these."""
        for node in self._nodes:
            if isinstance(node, ast.SetComp) or _has_order(node) or _is_operation_on_views(node):
                yield node
            elif isinstance(node, ast.Name) and node.id in _CONSTRUCTORS and isinstance(node.ctx, ast.Load):
                parent = self._parents.get(node)
                if isinstance(parent, ast.Call) and parent.func is node:
                    yield parent
                elif not self._states_type(node):
                    yield node

    def shows_order(self, made: ast.AST) -> bool:
        """Whether the order of a set may show in what is done with it."""
        parent = self._parents.get(made)
        if isinstance(parent, ast.Call):
            return self._shows_in_call(parent)
        if isinstance(parent, ast.Attribute):
            return self._shows_in_method(parent)
        if isinstance(parent, ast.IfExp | ast.Assert) and parent.test is made:
            return False
        if isinstance(parent, ast.BoolOp | ast.IfExp | ast.NamedExpr):
            is_shown = self.shows_order(parent)
            return is_shown or (isinstance(parent, ast.NamedExpr) and self._is_shown_by_name(parent.target))
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, _SET_OPERATORS):
            return self.shows_order(parent)
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            return any(map(self._is_shown_by_name, targets_of(parent)))
        if isinstance(parent, ast.AugAssign):
            return not isinstance(parent.op, _SET_OPERATORS)
        return not isinstance(parent, ast.Compare | ast.UnaryOp | ast.If | ast.While | ast.Expr)

    def _shows_in_call(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute):
            return self.shows_order(call) if call.func.attr in _MAKING else call.func.attr not in _TAKING
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name in _CONSTRUCTORS:
            return self.shows_order(call)
        return name not in _UNORDERED and not (name == "sorted" and not call.keywords)

    def _shows_in_method(self, method: ast.Attribute) -> bool:
        call = self._parents.get(method)
        if not isinstance(call, ast.Call) or call.func is not method:
            return True
        return self.shows_order(call) if method.attr in _MAKING else method.attr not in _ASKING

    def _is_shown_by_name(self, target: ast.expr) -> bool:
        """Whether the order shows where the target of an assignment, or an attribute of its name, is read."""
        if not isinstance(target, ast.Name | ast.Attribute):
            return True
        name = target.id if isinstance(target, ast.Name) else target.attr
        scope = self._function_of(target) if isinstance(target, ast.Name) and name not in self._of_others else None
        if (scope, name) in self._followed:
            return False
        self._followed.add((scope, name))
        return any(map(self.shows_order, self._reads_of(name, scope)))

    def _function_of(self, node: ast.AST) -> ast.AST | None:
        """The innermost function or class around a node if it is a function; None elsewhere."""
        parent = self._parents.get(node)
        while parent is not None and not isinstance(parent, SCOPES):
            parent = self._parents.get(parent)
        return None if isinstance(parent, ast.ClassDef) else parent

    def _reads_of(self, name: str, scope: ast.AST | None) -> Iterator[ast.expr]:
        """Reads of a local variable in its function or, without one, of a name and of attributes in the program."""
        for node in self._nodes if scope is None else walk_tree(scope):
            if isinstance(node, ast.Name):
                is_read = node.id == name
            else:
                is_read = scope is None and isinstance(node, ast.Attribute) and node.attr == name
            if is_read and isinstance(getattr(node, "ctx", None), ast.Load):
                yield cast("ast.expr", node)

    def _states_type(self, name: ast.Name) -> bool:
        """Whether a constructor is only named as a type: in an annotation, or for ``isinstance``."""
        node: ast.AST = name
        parent = self._parents.get(node)
        while isinstance(parent, ast.Tuple | ast.Subscript | ast.BinOp):
            node, parent = parent, self._parents.get(parent)
        if isinstance(parent, ast.Call):
            return isinstance(parent.func, ast.Name) and parent.func.id in _UNORDERED
        if isinstance(parent, ast.arg):
            return True
        if isinstance(parent, ast.AnnAssign):
            return parent.annotation is node
        return isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef) and parent.returns is node


def _has_order(node: ast.AST) -> bool:
    """Whether it is a display of a set of more than one item."""
    return isinstance(node, ast.Set) and (len(node.elts) > 1 or isinstance(node.elts[0], ast.Starred))


def _is_operation_on_views(node: ast.AST) -> bool:
    """Whether it computes a set from the keys or the items of a dict."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, _SET_OPERATORS)
        and any(
            isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr in _VIEWS
            for side in (node.left, node.right)
        )
    )
