"""Verdicts as evalplus gives them, quirks included, for scores comparable with published ones.

Reproduced from ``evalplus.eval.unsafe_execute`` (0.3.1 and 26d6d00; defects are numbered as in docs/bench-judging.md):

* ``==`` decides first, so ``1 == 1.0 == True`` (defect 8);
* a tolerance applies only where the task has one or once a float, or a flat list or tuple of floats, was expected; it
  then stays in force for the later inputs of the same part (defect 7), and nested floats compare exactly (defect 6);
* NaN never equals NaN by ``==``, nor by ``allclose`` (defect 5);
* names removed by `reliability_guard`, such as `open` and ``os.getcwd``, are hidden from programs (`HIDDEN_NAMES`);
* a call that times out raises an exception, hence ``fail``; ``timeout`` means that the process did not end in time or
  ended without a result, by ``os._exit`` or a crash.

*Not* reproduced, because it requires candidate and answers in one process: the candidate's own ``__eq__`` (defect 2),
frames (defect 3), the oracle of HumanEval/32 reading mutated arguments (defect 4), and HumanEval/32 failing its own
reference in 0.3.1 (defect 1).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.fuzz.guest.values.plain import Opaque

from .strict import NUMPY_ARRAY, RELATIVE_TOLERANCE, Case
from .task_oracles import NOT_NONE_ENTRY_POINTS, digit_distance, is_set_equality_task, polynomial, pyramid_surface
from .verdicts import Status

FORCED_ATOL = 1e-6
HIDDEN_NAMES = tuple(
    """
    builtins.exit builtins.quit builtins.open builtins.help
    os.kill os.killpg os.system os.fork os.forkpty os.putenv os.setuid os.getcwd os.chdir os.fchdir os.chroot
    os.remove os.removedirs os.rmdir os.unlink os.rename os.renames os.replace os.truncate
    os.chmod os.fchmod os.lchmod os.chown os.fchown os.lchown os.lchflags
    shutil.rmtree shutil.move shutil.chown subprocess.Popen
    ipdb joblib resource psutil tkinter
    """.split()
)
"""Names that evalplus sets to None while a program runs (``evalplus.eval.utils.reliability_guard``)."""
_ITERABLE = (list, tuple, set, frozenset, dict, str, bytes)


_ASKS = re.compile(
    r"""
      \b(?:open|exit|quit|help)[ \t]*\(
    | \b(?:os|shutil|subprocess|builtins|__builtins__|__import__|importlib|ipdb|joblib|resource|psutil|tkinter)\b
    | \bsys[ \t]*\.[ \t]*(?:_*std|modules)
    | \b(?:np|numpy)[ \t]*\.[ \t]*(?:load|save|genfromtxt|fromfile|memmap)
    """,
    re.VERBOSE,
)
_IMPORTS = re.compile(r"(?:^|[;:])[ \t]*(?:import[ \t]+([^\n;\#]+)|from[ \t]+([\w.]+)[ \t]+import\b)", re.MULTILINE)
_MANAGES_WITHOUT = frozenset(
    """
    __future__ abc array base64 binascii bisect calendar cmath collections contextlib copy dataclasses datetime decimal
    enum fractions functools hashlib heapq itertools json keyword math numbers numpy operator queue random re statistics
    string struct sys textwrap time types typing typing_extensions unicodedata zlib
    """.split()
)
"""Modules that work without the hidden names, for every use that solutions make of them."""


def may_miss(program: str) -> bool:
    """Whether a program may need hidden names (`HIDDEN_NAMES`), directly or through a module it imports."""
    return bool(_ASKS.search(program)) or not _MANAGES_WITHOUT.issuperset(_imported_by(program))


def loaded_before(program: str) -> Sequence[str]:
    """Modules that evalplus has loaded before it hides names, among those that a program cannot load afterwards."""
    imported = _imported_by(program)
    needs_numpy = not sys.stdlib_module_names.issuperset(imported)
    return ["multiprocessing", "tempfile", *(["numpy"] if needs_numpy else []), *(imported & {"pandas"})]


def _imported_by(program: str) -> set[str]:
    """The top-level modules that a program appears to import."""
    found: set[str] = set()
    for match in _IMPORTS.finditer(program):
        items = [item.split(maxsplit=1) for item in (match[1] or match[2]).split(",")]
        found.update(words[0].partition(".")[0] for words in items if words)
    return found


def status_of(status: Status, *, ended: bool) -> Status:
    """The status that evalplus reports for a failure; `ended` says whether the process had ended on it."""
    return Status.TIMEOUT if ended else Status.FAIL if status is Status.TIMEOUT else status


def tolerance(problem: Problem, *, follows_floats: bool) -> float:
    """The absolute tolerance in force at an input, kept after a float for the rest of the part (defect 7).

    `follows_floats` says whether `is_floats` holds for the expected value of this input or an earlier one.
    """
    return FORCED_ATOL if follows_floats and problem.atol == 0 else problem.atol


def is_floats(value: Any) -> bool:
    """Whether `value` is a float, or a non-empty flat list or tuple of floats."""
    if type(value) in (list, tuple):
        items = cast("Sequence[Any]", value)
        return bool(items) and all(type(item) is float for item in items)
    return type(value) is float


def is_same_for_evalplus(case: Case, actual: Any) -> bool:
    """Whether evalplus passes `actual`; an exception during the comparison is a failure, as in evalplus."""
    try:
        return _is_same(case, actual)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return False


def _is_same(case: Case, actual: Any) -> bool:
    if case.problem.family is Family.MBPP and case.problem.entry_point in NOT_NONE_ENTRY_POINTS:
        return bool(case.expected == (actual if type(actual) is bool else actual is not None))
    value = _unwrap(actual)
    expected = _unwrap(case.expected)
    if case.problem.family is Family.HUMANEVAL and case.problem.entry_point == "find_zero":
        (coefficients,) = case.arguments
        return abs(polynomial(coefficients, value)) <= case.problem.atol
    unordered = is_set_equality_task(case.problem)
    exact = _has_same_items(case.expected, actual) if unordered else bool(value == expected)
    if case.problem.family is Family.MBPP:
        exact = _special(case, value, exact=exact)
    if exact or case.atol == 0:
        return exact
    return type(actual) is not Opaque and _is_close(expected, value, case.atol)


def _has_same_items(expected: Any, actual: Any) -> bool:
    """``set(actual) == set(expected)``, after ``actual == expected``, which fails for arrays of other lengths."""
    if type(actual) is Opaque:
        if actual.type_name == NUMPY_ARRAY and len({len(actual.base), len(expected)} - {1}) > 1:
            return False
        actual = actual.base
    if type(actual) not in _ITERABLE:
        return False
    return {_unwrap(item) for item in actual} == set(expected)


def _is_close(expected: Any, actual: Any, atol: float) -> bool:
    if type(actual) is not type(expected):
        return False
    if type(expected) is float and math.isfinite(expected) and math.isfinite(actual):
        return abs(actual - expected) <= atol + RELATIVE_TOLERANCE * abs(expected)  # as `numpy.allclose` computes it
    import numpy as np  # heavy, and needed only where plain equality failed

    if isinstance(expected, (list, tuple)) and len(cast("Sequence[Any]", expected)) != len(actual):
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(actual, cast("Any", expected), rtol=RELATIVE_TOLERANCE, atol=atol))


def _special(case: Case, value: Any, *, exact: bool) -> bool:
    """The special oracles of MBPP+, applied as loosely as in evalplus."""
    match case.problem.entry_point:
        case "are_equivalent":
            return True
        case "sum_div":
            return exact or value == 0
        case "surface_Area":
            return exact or abs(value - pyramid_surface(*case.arguments)) <= case.atol
        case "digit_distance_nums":
            return exact or value == digit_distance(*case.arguments)
        case _:
            return exact


def _length(items: Any) -> int | None:
    """The number of items in a list; None for anything else."""
    return len(cast("list[Any]", items)) if type(items) is list else None


class _Array:
    """A NumPy array among other values, where ``==`` must give a single truth value."""

    def __init__(self, items: Any, dtype: str | None) -> None:
        self.items = items
        self.dtype = dtype

    def __eq__(self, other: object) -> bool:
        """``array([x]) == [x]`` is an array of one True, which counts as true.

        Raises `ValueError` where NumPy would, for arrays of several items or none.
        """
        items = self.items
        while _length(items) == 1:
            items = items[0]
        if _length(items) is not None:
            raise ValueError("the truth value of an array is ambiguous")
        return bool(self.rebuild() == (other.rebuild() if isinstance(other, _Array) else other))

    __hash__ = None  # type: ignore[assignment]

    def rebuild(self) -> Any:
        """The NumPy array."""
        import numpy as np

        np.seterr(all="ignore")
        return np.array(self.items, self.dtype)


def _unwrap(value: Any) -> Any:
    """Replace values that equal a plain value in Python with it: subclasses, NumPy scalars, fractions."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Opaque):
        base: Any = value.base
        if value.type_name == NUMPY_ARRAY:
            dtype = _DTYPE.search(value.text)
            return _Array(_unwrap(base), dtype[1] if dtype else None)
        if value.type_name.startswith(_NUMPY) and type(base) in _NUMBERS:
            exact = _LONG_FLOAT.fullmatch(value.text)
            return _to_scalar(exact[1] if exact else base, value.type_name.removeprefix(_NUMPY))
        return _to_number(value) if base is None else _unwrap(base)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        return {_unwrap(key): _unwrap(item) for key, item in pairs.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        if type(cast("Any", value)) in _FLAT and _PLAIN.issuperset(map(type, cast("Sequence[Any]", value))):
            return cast("Any", value)
        items = [_unwrap(item) for item in cast("Sequence[Any]", value)]
        rebuild: Callable[[list[Any]], Any] = type(cast("list[Any]", value))
        return rebuild(items)
    return value


_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes))
_FLAT = frozenset((list, tuple, set, frozenset))
_NUMPY = "numpy."
_NUMBERS = (bool, int, float, complex)
_DTYPE = re.compile(r"\bdtype=(\w+)\)\Z")
"""The dtype in the repr of an array, where it differs from the default of its items."""
_LONG_FLOAT = re.compile(r"np\.longdouble\('([^']+)'\)")


def _to_scalar(value: Any, dtype: str) -> Any:
    """The NumPy scalar, which equals values that round to it, such as a large int; other values unchanged."""
    import numpy as np

    np.seterr(all="ignore")  # In this thread: a float too large for the dtype rounds to infinity, without a warning.
    try:
        kind = np.dtype(dtype)
    except TypeError:
        return value
    return np.array(value, kind)[()] if kind.kind in "biufc" else value


_FRACTION = re.compile(r"Fraction\((-?\d+), (\d+)\)")
_DECIMAL = re.compile(r"Decimal\('([^']+)'\)")


def _to_number(value: Opaque) -> Any:
    """The number that an opaque value represents (``Fraction(2, 1) == 2``); other values unchanged."""
    if value.type_name == "fractions.Fraction" and (fraction := _FRACTION.fullmatch(value.text)):
        return Fraction(int(fraction[1]), int(fraction[2]))
    if value.type_name == "decimal.Decimal" and (decimal := _DECIMAL.fullmatch(value.text)):
        return Decimal(decimal[1])
    is_symbolic = value.type_name.startswith("sympy.core.numbers.")
    return int(value.text) if is_symbolic and re.fullmatch(r"-?\d+", value.text) else value
