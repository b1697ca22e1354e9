"""Detect results that depend on rounding: there another order of the same arithmetic is no difference.

A copy of the reference rounds every inexact float operation up or down at random (Monte Carlo arithmetic: Parker 1997;
Févotte and Lathuilière, "Verrou", 2016). Its results are ones that the reference could have returned. On
``round(12.345 * 1.19, 2)`` there are two, and a candidate that returns the other one is not wrong. Only the reference
is perturbed: a candidate that is unstable where it is stable (``a + b == c`` for ``math.isclose(a + b, c)``) is wrong.
"""

from __future__ import annotations

import ast
import math
import operator
import random
from collections.abc import Iterator
from typing import Any, Callable

from ..calling.instrument import with_prologue
from ..comparison.equality import Rules, same
from ..static.walking import name_of, walk_tree
from ..values.dynamic import type_of

SAMPLES = 14
"""Runs of the copy: all rounded up, all rounded down, the rest at random."""
MARGIN = 4.0
"""A candidate may deviate from the reference by the deviation of the copy times this."""

_TOTAL = "_lsp_rounded_%s_"
_RESULT = "_lsp_rounded_result_"
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
}
_INEXACT_CALLS = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh degrees dist erf erfc exp exp2 expm1 fsum gamma hypot lgamma "
    "log log10 log1p log2 pow radians sin sinh sqrt sum sumprod tan tanh prod "
    "correlation covariance fmean geometric_mean harmonic_mean mean pstdev pvariance stdev variance".split()
)
_SHORT = float(1 << 20)
"""A result that is a whole multiple of 2**-20 counts as exact."""


class _Rewriter(ast.NodeTransformer):
    """Rewrites float arithmetic as calls of functions that round at random."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return node if name is None else _call(_TOTAL % name, [node.left, node.right])

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None or not isinstance(node.target, ast.Name):
            return self._element(node, name)
        old = ast.Name(id=node.target.id, ctx=ast.Load())
        return ast.Assign(targets=[node.target], value=_call(_TOTAL % ("i" + name), [old, node.value]), lineno=0)

    def _element(self, node: ast.AugAssign, name: str | None) -> Any:
        """``row[i] += x`` where evaluating the target twice has no effect."""
        target = node.target
        if name is None or not isinstance(target, (ast.Subscript, ast.Attribute)):
            return node
        if not all([isinstance(part, _WITHOUT_EFFECT) for part in walk_tree(target)]):
            return node
        old: Any = ast.parse(ast.unparse(target), mode="eval").body
        return ast.Assign(targets=[target], value=_call(_TOTAL % ("i" + name), [old, node.value]), lineno=0)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        function = node.func
        name = name_of(function)
        if name not in _INEXACT_CALLS:
            return node
        node.args.insert(0, function)
        node.func = ast.Name(id=_RESULT, ctx=ast.Load())
        return node

    def visit_MatchValue(self, node: Any) -> Any:
        """Patterns cannot contain calls."""
        return node


_WITHOUT_EFFECT = (ast.Subscript, ast.Attribute, ast.Name, ast.Constant, ast.Tuple, ast.expr_context)


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])


def rounding_source(source: str) -> str | None:
    """The source with its float arithmetic rewritten as calls of the functions of `Noise`, None when that fails.

    The functions are missing while the module is loaded: until then the plain operations are used.
    """
    try:
        return with_prologue(_Rewriter().visit(ast.parse(source)), _prologue())
    except (SyntaxError, ValueError, RecursionError, AttributeError):
        return None


def _prologue() -> str:
    lines = [f"{_RESULT} = lambda function, *values, **named: function(*values, **named)"]
    for name in _OPERATORS.values():
        for one in (name, "i" + name):
            lines.append(f"from operator import {one} as {_TOTAL % one}")
    return "\n".join(lines)


class Noise:
    """Rounds what is inexact, up or down; `inexact` counts how often."""

    def __init__(self) -> None:
        self.inexact = 0
        self._steps: Iterator[float] = iter(())

    def put_into(self, namespace: dict[str, Any]) -> None:
        """Replace the plain operations in a loaded program."""
        for name, is_exact in _EXACT.items():
            namespace[_TOTAL % name] = self._operation(getattr(operator, name), is_exact)
            namespace[_TOTAL % ("i" + name)] = self._operation(getattr(operator, "i" + name), is_exact)
        namespace[_RESULT] = self._result

    def start(self, sample: int) -> None:
        """Begin a run: the first rounds nothing, the next two all one way, all others at random."""
        self.inexact = 0
        rng = random.Random(sample)
        directions = {0: (0.0,), 1: (math.inf,), 2: (-math.inf,)}.get(sample, (math.inf, -math.inf, 0.0))
        self._steps = iter(lambda: rng.choice(directions), None)

    def _operation(self, operate: Callable[[Any, Any], Any], is_exact: Callable[[Any, Any, float], bool]) -> Any:
        def rounded(one: Any, two: Any) -> Any:
            value = operate(one, two)
            if not _is_float(value) or not _is_number(one) or not _is_number(two):
                return value
            return value if not math.isfinite(value) or is_exact(one, two, value) else self._step(value)

        return rounded

    def _result(self, function: Any, *values: Any, **named: Any) -> Any:
        """The result of a function of numbers, with a rounding for each of its steps."""
        if values and getattr(function, "__module__", None) in _ACCUMULATING and hasattr(values[0], "__next__"):
            values = (list(values[0]), *values[1:])
        value = function(*values, **named)
        if not _is_float(value) or not math.isfinite(value):
            return value
        items = _floats(values[0] if values else getattr(function, "__self__", None))
        name = getattr(function, "__name__", "")
        if name in _TOTALS and items and not all(map(_is_short, items)):
            total = sum(map(abs, items))
            return self._shift(value, EPSILON * (total if name in _MEANS else total * len(items)))
        return value if _is_short(value) else self._step(value)

    def _step(self, value: float) -> float:
        self.inexact += 1
        toward = next(self._steps)
        return type(value)(math.nextafter(value, toward)) if toward else value

    def _shift(self, value: float, most: float) -> float:
        """A result of many roundings, which may be off by this much."""
        self.inexact += 1
        toward = next(self._steps)
        return type(value)(value + math.copysign(max(most, math.ulp(value)), toward)) if toward else value


_PLAIN = (int, float)
_ACCUMULATING = ("builtins", "math", "statistics")
"""Modules whose functions iterate over their first argument once, so that a list may replace it."""
_TOTALS = frozenset("sum fsum mean fmean nansum nanmean average".split())
_MEANS = frozenset("mean fmean nanmean average".split())
EPSILON = 2.0**-52


def _is_float(value: Any) -> bool:
    """Whether a value is a float of double precision, Python's own or NumPy's."""
    return type(value) is float or (isinstance(value, float) and type(value).__module__ == "numpy")


def _is_number(value: Any) -> bool:
    return type(value) in _PLAIN or _is_float(value)


def _floats(values: Any) -> list[float]:
    """The numbers of a flat collection; none where it holds anything else, and for other values."""
    if type(values).__module__ == "numpy" and hasattr(values, "tolist"):
        values = values.tolist()
    if type(values) not in (list, tuple, set, frozenset) or not all(map(_is_number, values)):
        return []
    return [float(value) for value in values]


def _is_short(value: float) -> bool:
    """Whether a result counts as exact: a root or a sum that was rounded is hardly ever so short."""
    return (value * _SHORT).is_integer()


def _is_exact_sum(one: Any, two: Any, value: float) -> bool:
    return _ratio_sum(one, two) == value.as_integer_ratio()


def _ratio_sum(one: Any, two: Any) -> tuple[int, int]:
    (a, b), (c, d) = one.as_integer_ratio(), two.as_integer_ratio()
    return _lowest(a * d + c * b, b * d)


def _lowest(above: int, below: int) -> tuple[int, int]:
    shared = math.gcd(above, below)
    return (above // shared, below // shared)


def _is_exact_product(one: Any, two: Any, value: float) -> bool:
    (a, b), (c, d) = one.as_integer_ratio(), two.as_integer_ratio()
    return _lowest(a * c, b * d) == value.as_integer_ratio()


def _is_exact_quotient(one: Any, two: Any, value: float) -> bool:
    return _is_exact_product(value, two, float(one)) if abs(one) < 1e300 else False


def _is_exact_power(one: Any, two: Any, value: float) -> bool:
    if int(two) != two or not 0 <= two <= 16:
        return _is_short(value)
    above, below = one.as_integer_ratio()
    return (above ** int(two), below ** int(two)) == value.as_integer_ratio()


_EXACT: dict[str, Callable[[Any, Any, float], bool]] = {
    "add": _is_exact_sum,
    "sub": lambda one, two, value: _is_exact_sum(one, -two, value),
    "mul": _is_exact_product,
    "truediv": _is_exact_quotient,
    "pow": _is_exact_power,
}


def explains(
    run: Callable[[], Any], noise: Noise, expected: Any, actual: Any, agrees: Callable[[Any, Any], bool]
) -> bool:
    """Whether the reference, rounded differently, returns the candidate's result, or deviates as far from its own.

    Args:
        run: one run of the rounding copy on the input, with a result that has a ``value``.
        noise: the rounding of the copy.
        expected: the result of the reference.
        actual: the result of the candidate.
        agrees: whether two results are the same.
    """
    noise.start(0)
    run()
    if not noise.inexact:
        return False
    spread = 0.0
    for sample in range(1, SAMPLES):
        noise.start(sample)
        result = run()
        if agrees(result, actual):
            return True
        spread = max(spread, distance(expected.value, result.value))
    if not spread:
        return False
    rules = Rules()
    rules.absolute = max(rules.absolute, MARGIN * spread)
    return same(expected.value, actual.value, rules)


def distance(one: Any, two: Any, depth: int = 0) -> float:
    """The largest difference of two numbers at the same position of two values."""
    if type(one) in _PLAIN and type(two) in _PLAIN:
        try:
            gap = abs(float(one) - float(two))
        except OverflowError:
            return 0.0
        return gap if math.isfinite(gap) else 0.0
    kind = type_of(one)
    if kind is not type(two) or depth > 4:
        return 0.0
    pairs: list[tuple[Any, Any]] = []
    if kind in (list, tuple) and len(one) == len(two):
        pairs = list(zip(one[:1000], two))
    elif kind is dict:
        pairs = [(part, two[key]) for key, part in list(one.items())[:1000] if key in two]
    return max([distance(a, b, depth + 1) for a, b in pairs], default=0.0)
