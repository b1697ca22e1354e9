"""Detect results that depend on the iteration order of a set, or of a folder's listing: there another order is no
difference.

The order of both is unspecified; that small integers come in ascending order, and strings as the hash seed has it, is
coincidence. A copy of the reference iterates over each set in other orders: its results are ones that the reference
could have returned. Where these are the same items in another order, any order is accepted. As with rounding
only the reference is perturbed: a candidate that iterates over a set where the reference keeps an order is wrong.
"""

from __future__ import annotations

import ast
import random
from typing import Any, Callable

from ..calling.instrument import with_prologue
from ..comparison.equality import Rules, is_plain_key, same
from ..static.set_usage import makes_set
from ..static.walking import name_of, walk_statements, walk_tree
from ..surroundings.listing_order import LISTING
from ..values.dynamic import type_of
from ..values.rendering import Yielded

SAMPLES = 20
"""Runs of the copy: as it is, backwards, sorted, sorted backwards, the rest shuffled, with each item first in turn."""
MAXIMUM_SAMPLES = 64
"""Runs where sets have more items than that."""
FIRST_SAMPLES = 6
"""Runs after which a copy that always returned the same counts as independent of the order."""
MAXIMUM_MATCHED = 300
"""Items without a hash that are matched with one another."""

_ORDERED = "_lsp_ordered_"
_POPPED = "_lsp_popped_"
_LISTED = "_lsp_listed_"
_PROLOGUE = f"{_ORDERED} = {_LISTED} = lambda value: value\n{_POPPED} = lambda value: value.pop()"
_ITERATING_CALLS = frozenset(
    "list tuple dict enumerate zip map filter iter max min sum sorted fromkeys join extend extendleft update fmean "
    "reduce deque Counter OrderedDict chain product permutations combinations combinations_with_replacement accumulate "
    "islice starmap takewhile dropwhile groupby cycle zip_longest pairwise compress nlargest nsmallest fsum mean "
    "writelines".split()
)


class _Rewriter(ast.NodeTransformer):
    """Rewrites iterations as calls of a function that reorders the items of sets."""

    def __init__(self, own: set[str], listing: set[ast.AST]) -> None:
        self._listing = listing
        """The calls that list folders."""
        self._own = own
        """The functions of the program, which may use more of a set than its items."""

    def visit_For(self, node: ast.For) -> Any:
        return self._with_ordered(node, "iter")

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        return self._with_ordered(node, "iter")

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        return self._with_ordered(node, "value")

    def visit_Starred(self, node: ast.Starred) -> Any:
        return self._with_ordered(node, "value") if isinstance(node.ctx, ast.Load) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        is_unpacked = any([isinstance(target, (ast.Tuple, ast.List)) or _is_slice(target) for target in node.targets])
        return self._with_ordered(node, "value") if is_unpacked else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        function = node.func
        if node in self._listing:
            return _call(_LISTED, node)
        if isinstance(function, ast.Attribute) and function.attr == "pop" and not node.args and not node.keywords:
            return _call(_POPPED, function.value)
        name = name_of(function)
        if name in _ITERATING_CALLS and name not in self._own:
            node.args = [one if isinstance(one, ast.Starred) else _call(_ORDERED, one) for one in node.args]
        return node

    def _with_ordered(self, node: Any, field: str) -> Any:
        self.generic_visit(node)
        setattr(node, field, _call(_ORDERED, getattr(node, field)))
        return node


def _listing_calls(tree: ast.Module) -> set[ast.AST]:
    """Return the calls that list folders: methods of paths, and functions of `os` and `glob`."""
    imports = [one for one in walk_statements(tree) if isinstance(one, ast.ImportFrom) and one.module in ("os", "glob")]
    known = {one.asname or one.name for part in imports for one in part.names}
    own = {one.name for one in walk_statements(tree) if isinstance(one, ast.FunctionDef)}
    return {
        node
        for node in walk_tree(tree)
        if isinstance(node, ast.Call) and name_of(node.func) in LISTING and _is_listing(node.func, known, own)
    }


def _is_listing(callee: ast.expr, known: set[str], own: set[str]) -> bool:
    if isinstance(callee, ast.Attribute):
        is_of_module = isinstance(callee.value, ast.Name) and callee.value.id in ("os", "glob")
        return is_of_module or (callee.attr not in own and callee.attr != "walk")
    return isinstance(callee, ast.Name) and callee.id in known


def _is_slice(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def _call(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[argument], keywords=[])


def reordering_source(source: str) -> str | None:
    """The source with its iterations rewritten as calls of the functions of `Order`.

    None when that fails, and for a program without sets and listings. The functions are missing while the module is
    loaded: until then the plain operations are used.
    """
    try:
        tree = ast.parse(source)
        listing = _listing_calls(tree)
        if not listing and not any(map(makes_set, walk_tree(tree))):
            return None
        own = {node.name for node in walk_statements(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        return with_prologue(_Rewriter(own, listing).visit(tree), _PROLOGUE)
    except (SyntaxError, ValueError, RecursionError, AttributeError):
        return None


class Order:
    """Reorders the items of sets and listings; `arranged` counts those of more than one item."""

    def __init__(self) -> None:
        self.arranged = 0
        self.largest = 0
        """The size of the largest set in any run."""
        self._sample = 0

    def put_into(self, namespace: dict[str, Any]) -> None:
        """Replace the plain operations in a loaded program."""
        namespace[_ORDERED] = self._ordered
        namespace[_POPPED] = self._popped
        namespace[_LISTED] = self._listed

    def start(self, sample: int) -> None:
        """Begin a run, in which all sets of the same items have one order, as they mostly have."""
        self.arranged = 0
        self._sample = sample

    def _ordered(self, value: Any) -> Any:
        return self._arranged(list(value)) if type(value) in (set, frozenset) and len(value) > 1 else value

    def _listed(self, value: Any) -> Any:
        """Return what lists a folder, in another order; for others than lists and iterators the value itself."""
        kind: Any = type_of(value)
        if kind is list:
            return self._arranged(value) if len(value) > 1 else value
        reordered = getattr(kind, "reordered", None)  # As listings of `surroundings.listing_order` have.
        if reordered is not None:
            return reordered(value, self._arranged)
        return self._walked(value) if hasattr(value, "__next__") else value

    def _walked(self, value: Any) -> Any:
        held: list[Any] = []
        for one in value:
            if type_of(one) is tuple:  # Of `os.walk`, which enters the folders that its caller leaves in the list.
                for part in one[1:3]:
                    part[:] = self._arranged(list(part)) if len(part) > 1 else part
                yield one
            else:
                held.append(one)
        yield from self._arranged(held) if len(held) > 1 else held

    def _popped(self, value: Any) -> Any:
        if type_of(value) is not set or len(value) < 2:
            return value.pop()
        item = self._arranged(list(value))[0]
        value.remove(item)
        return item

    def _arranged(self, items: list[Any]) -> list[Any]:
        self.arranged += 1
        self.largest = max(self.largest, len(items))
        if self._sample < 2:
            return items[::-1] if self._sample else items
        ordered = _sorted(items)
        if self._sample > 3:
            first = ordered.pop((self._sample - 4) % len(ordered))
            random.Random(self._sample).shuffle(ordered)
            ordered.insert(0, first)
        return ordered[::-1] if self._sample == 3 else ordered


def _sorted(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


def explains(
    run: Callable[[], Any],
    order: Order,
    expected: Any,
    actual: Any,
    content: Callable[[Any], list[Any] | None],
    rules: Rules,
) -> bool:
    """Whether the reference, with its sets in another order, may return the candidate's result.

    Args:
        run: one run of the reordering copy on the input.
        order: the reordering of the copy.
        expected: the result of the reference.
        actual: the result of the candidate.
        content: the parts of a result that are compared, None for one that returned nothing.
        rules: how numbers are compared.
    """
    wanted, given = content(expected), content(actual)
    order.start(0)
    first = content(run())
    if not order.arranged or wanted is None or given is None or not same(wanted, first, rules):
        return False
    found: list[list[Any]] = []
    for sample in range(1, min(max(SAMPLES, order.largest + 4), MAXIMUM_SAMPLES)):
        order.start(sample)
        result = content(run())
        if result is None:
            continue
        if same(result, given, rules):
            return True
        found.append(result)
        if sample == FIRST_SAMPLES and all([same(wanted, one, rules) for one in found]):
            return False
    return _admits_each(wanted, found, given, rules)


def _admits(expected: Any, samples: list[Any], actual: Any, rules: Rules) -> bool:
    """Whether a value differs from the reference's only where the copy's do, and only by the order of its items."""
    if same(expected, actual, rules):
        return True
    if all([same(expected, one, rules) for one in samples]):
        return False
    if any([same(one, actual, rules) for one in samples]):
        return True
    kind = _kind_of(expected)
    if any([_kind_of(one) is not kind for one in [*samples, actual]]):
        return False
    if kind is str:
        return all([sorted(expected) == sorted(one) for one in [*samples, actual]])
    if kind is dict:
        return _admits_values(expected, samples, actual, rules)
    if kind is not list and kind is not tuple:
        return False
    if all([same_items(expected, one, rules) for one in samples]):
        return same_items(expected, actual, rules)
    return _admits_each(list(expected), samples, list(actual), rules)


def _kind_of(value: Any) -> Any:
    return list if type_of(value) is Yielded else type_of(value)


def _admits_each(expected: list[Any], samples: list[Any], actual: list[Any], rules: Rules) -> bool:
    if any([len(one) != len(expected) for one in [*samples, actual]]):
        return False
    return all([_admits(part, [one[at] for one in samples], actual[at], rules) for at, part in enumerate(expected)])


def _admits_values(
    expected: dict[Any, Any], samples: list[dict[Any, Any]], actual: dict[Any, Any], rules: Rules
) -> bool:
    if any([one.keys() != expected.keys() for one in [*samples, actual]]):
        return False
    return all([_admits(part, [one[key] for one in samples], actual[key], rules) for key, part in expected.items()])


def same_items(one: Any, two: Any, rules: Rules) -> bool:
    """Whether two sequences have the same items, as often, in any order."""
    if all(map(is_plain_key, one)) and all(map(is_plain_key, two)):
        return same(sorted(one, key=repr), sorted(two, key=repr), rules)
    rest = list(two)
    if len(rest) > MAXIMUM_MATCHED:
        return False
    for item in one:
        at = next((at for at, other in enumerate(rest) if same(item, other, rules)), None)
        if at is None:
            return False
        del rest[at]
    return not rest
