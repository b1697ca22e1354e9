"""Rewrites calls of library functions to syntax that says the same: ``itemgetter("a")`` is ``lambda one: one["a"]``.

The readers of usage then know loops, lambdas and lookups only. What is rewritten is never run.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Set
from typing import Any, Callable

from ...static.walking import Function, name_of, walk_tree
from .handing_on import item_of

_MODULES = frozenset("itertools collections operator heapq more_itertools".split())
"""What `deque` and the like are looked up in: ``cache.set(key, value)`` is another function."""
_ONE = "one"
"""The parameter of functions that are written instead of `operator.itemgetter` and the like."""
_AS_THEY_ARE = frozenset("islice cycle deque set frozenset accumulate batched".split())
"""Functions that give the items of their first argument."""
_SIDE_BY_SIDE = frozenset("zip_longest product".split())
_SEVERAL_OF_ONE = frozenset("pairwise combinations combinations_with_replacement permutations".split())
_TAKEN = frozenset("heappop heappushpop heapreplace".split())


def in_plain_forms(function: Function, is_own: Callable[[ast.Call], bool]) -> Function:
    """Return a function in which calls of library functions are written as what they do; itself where it has none.

    Args:
        function: the function.
        is_own: whether a call is one of a function of the project, which may have the same name.
    """
    calls = _rewritable(function)
    own = frozenset([one.lineno for one in calls if isinstance(one, ast.Call) and is_own(one)])
    return _rewritten(function, own) if calls else function


@functools.lru_cache(maxsize=256)
def _rewritable(function: Function) -> list[ast.AST]:
    return [node for node in walk_tree(function) if _is_rewritten(node)]


@functools.lru_cache(maxsize=256)
def _rewritten(function: Function, own: Set[int]) -> Function:
    return _Rewriter(own).generic_visit(copy.deepcopy(function))  # type: ignore[no-any-return]


def _is_rewritten(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _written_for(node) is not None
    if isinstance(node, ast.For):
        return _grouped(node) is not None
    return isinstance(node, ast.Assign) and (_is_named_lambda(node) or bool(_taken_apart(node)))


def _is_named_lambda(node: ast.Assign) -> bool:
    return isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def _taken_apart(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of ``first, *rest, last = rows``, each with the part of the rows that it gets."""
    target = node.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) and isinstance(node.value, ast.Name) else []
    starred = [place for place, one in enumerate(parts) if isinstance(one, ast.Starred)]
    found: list[tuple[ast.expr, ast.expr]] = []
    for place, one in enumerate(parts if starred else ()):
        is_rest = isinstance(one, ast.Starred)
        key = (
            ast.Slice(ast.Constant(place))
            if is_rest
            else ast.Constant(place - (len(parts) if place > starred[0] else 0))
        )
        found.append((one.value if is_rest else one, ast.Subscript(node.value, key, ast.Load())))
    return found


class _Rewriter(ast.NodeTransformer):
    """Rewrites calls but for those in some lines."""

    def __init__(self, own: Set[int]) -> None:
        self._own = own

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Rewrite what a call has inside first."""
        self.generic_visit(node)
        written = _written_for(node) if node.lineno not in self._own else None
        return node if written is None else _at(written, node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        """Rewrite ``pick = lambda row: row.a`` as the definition of a function, ``first, *rest = rows`` as lookups."""
        self.generic_visit(node)
        if parts := _taken_apart(node):
            return [_at(ast.Assign([target], value), node) for target, value in parts]
        if not _is_named_lambda(node):
            return node
        function: Any = node.value
        body: list[ast.stmt] = [ast.Return(function.body)]
        return _at(ast.FunctionDef(name_of(node.targets[0]), function.args, body, [], None), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """Rewrite ``for key, rows in groupby(whole)`` as a loop over the keys, in which the rows are the whole."""
        self.generic_visit(node)
        found = _grouped(node)
        if found is None:
            return node
        key, rows = found
        given: Any = node.iter
        return _at(ast.For(key, node.iter, [ast.Assign([rows], given.args[0]), *node.body], node.orelse), node)


def _at(written: ast.AST, node: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(ast.copy_location(written, node))


def _grouped(node: ast.For) -> tuple[ast.expr, ast.expr] | None:
    """Return the target of the keys of a loop over groups, and that of their items."""
    is_grouped = isinstance(node.iter, ast.Call) and name_of(node.iter.func) == "groupby" and bool(node.iter.args)
    if not is_grouped or not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
        return None
    return node.target.elts[0], node.target.elts[1]


def _written_for(node: ast.Call) -> ast.expr | None:
    """Return what a call means, in the simplest syntax; None for other calls."""
    name = name_of(node.func)
    write = _WRITERS.get(name)
    if name == "from_iterable" and isinstance(node.func, ast.Attribute) and name_of(node.func.value) == "chain":
        return _of_all_lists(node.args[0]) if len(node.args) == 1 else None
    if isinstance(node.func, ast.Attribute) and (name == "popleft" or (name == "pop" and _are_places(node.args))):
        return _named_call("next", [node.func.value])
    if write is None or (isinstance(node.func, ast.Attribute) and name_of(node.func.value) not in _MODULES):
        return None
    return write(node.args)


def _are_places(given: list[ast.expr]) -> bool:
    """Return whether the arguments of ``pop`` are those of a list."""
    return all([isinstance(one, ast.Constant) and type(one.value) is int for one in given])


def _getter(given: list[ast.expr], part: Callable[[ast.expr, str | int], ast.expr]) -> ast.expr | None:
    """Return a function that gives a part of its argument, or several ones as a tuple."""
    keys = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, (str, int))]
    if not keys or len(keys) != len(given):
        return None
    parts = [part(ast.Name(_ONE, ast.Load()), key) for key in keys]
    arguments = ast.arguments([], [ast.arg(_ONE)], None, [], [], None, [])
    return ast.Lambda(arguments, parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))


def _attribute(whole: ast.expr, dotted: str | int) -> ast.expr:
    for name in str(dotted).split("."):
        whole = ast.Attribute(whole, name, ast.Load())
    return whole


def _lookup(whole: ast.expr, key: str | int) -> ast.expr:
    return ast.Subscript(whole, ast.Constant(key), ast.Load())


def _call_of(whole: ast.expr, name: str | int) -> ast.expr:
    return ast.Call(_attribute(whole, name), [], [])


def _of_all_lists(whole: ast.expr) -> ast.expr:
    """Return what stands for the items of all lists in one."""
    if isinstance(whole, (ast.ListComp, ast.GeneratorExp)):
        inner = ast.comprehension(ast.Name(_ONE, ast.Store()), whole.elt, [], 0)
        return ast.ListComp(ast.Name(_ONE, ast.Load()), [*whole.generators, inner])
    return item_of(whole)


def _listed(given: list[ast.expr]) -> ast.expr | None:
    return _named_call("list", given[:1]) if given else None


def _beside(given: list[ast.expr]) -> ast.expr | None:
    return _named_call("zip", given) if given else None


def _several(given: list[ast.expr]) -> ast.expr | None:
    is_pair = len(given) == 1 or (len(given) == 2 and isinstance(given[1], ast.Constant) and given[1].value == 2)
    return _named_call("zip", [given[0], given[0]]) if is_pair else None


def _chained(given: list[ast.expr]) -> ast.expr | None:
    """Return the first of some lists for all of them; an item for ``*lists``."""
    if not given:
        return None
    first = given[0]
    if isinstance(first, ast.Starred):
        return _of_all_lists(first.value)
    return given[0] if len(given) == 1 else ast.BoolOp(ast.Or(), given)


def _summed(given: list[ast.expr]) -> ast.expr | None:
    """Return an item of ``sum(lists, [])``."""
    return _of_all_lists(given[0]) if len(given) == 2 and isinstance(given[1], ast.List) else None


def _named_call(name: str, given: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(given), [])


_WRITERS: dict[str, Callable[[list[ast.expr]], ast.expr | None]] = {
    "itemgetter": lambda given: _getter(given, _lookup),
    "attrgetter": lambda given: _getter(given, _attribute),
    "methodcaller": lambda given: _getter(given[:1], _call_of) if len(given) == 1 else None,
    "chain": _chained,
    "sum": _summed,
    **dict.fromkeys(_AS_THEY_ARE, _listed),
    **dict.fromkeys(_SIDE_BY_SIDE, _beside),
    **dict.fromkeys(_SEVERAL_OF_ONE, _several),
    **dict.fromkeys(_TAKEN, lambda given: item_of(given[0]) if given else None),
}
