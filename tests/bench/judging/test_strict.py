"""Both comparators on the same pairs: what is right, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lsp_evalplus.bench.judging.evalplus_compat import (
    FORCED_ATOL,
    is_floats,
    is_same_for_evalplus,
    loaded_before,
    may_miss,
)
from lsp_evalplus.bench.judging.expected import ExpectedPart, Numbers, PartOutputs
from lsp_evalplus.bench.judging.strict import Case, contains_nan, is_same, number_kinds
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.fuzz.guest.values.plain import Opaque, encode

NAN = float("nan")
BOTH, STRICT, EVALPLUS, NEITHER = (True, True), (True, False), (False, True), (False, False)
CASES: list[tuple[str, Any, Any, tuple[bool, bool]]] = [
    ("equal ints", 3, 3, BOTH),
    ("different ints", 3, 4, NEITHER),
    ("defect 8: bool for int", 1, True, EVALPLUS),
    ("defect 8: float for int", 1, 1.0, EVALPLUS),
    ("int for float", 2.0, 2, BOTH),
    ("another int for float", 2.0, 3, NEITHER),
    ("bool for float", 1.0, True, EVALPLUS),
    ("huge ints", 10**400, 10**400 + 1, NEITHER),
    ("huge int for float", 1e300, 10**400, NEITHER),
    ("close floats", 0.3, 0.1 + 0.2, BOTH),
    ("distant floats", 0.3, 0.301, NEITHER),
    ("relative closeness", 1e9, 1e9 + 50, BOTH),
    ("infinities", float("inf"), float("inf"), BOTH),
    ("opposite infinities", float("inf"), float("-inf"), NEITHER),
    ("defect 5: NaN", NAN, float("nan"), STRICT),
    ("NaN for a number", 1.0, NAN, NEITHER),
    ("flat floats", [0.3, 1.0], [0.1 + 0.2, 1.0], BOTH),
    ("defect 6: nested floats", [[0.3]], [[0.1 + 0.2]], STRICT),
    ("defect 6: dict of floats", {"a": 0.3}, {"a": 0.1 + 0.2}, STRICT),
    ("defect 6: floats among ints", [1, 0.3], [1, 0.1 + 0.2], STRICT),
    ("complex", 1 + 1j, 1 + 1.0000000001j, STRICT),
    ("tuple for list", [1, 2], (1, 2), NEITHER),
    ("order", [1, 2], [2, 1], NEITHER),
    ("length", [1.0], [1.0, 2.0], NEITHER),
    ("str for bytes", b"a", "a", NEITHER),
    ("lone surrogate", "\ud800", "\ud800", BOTH),
    ("None for False", False, None, NEITHER),
    ("set", {1, 2}, {2, 1}, BOTH),
    ("set of close floats", {0.3, 5.0}, {0.1 + 0.2, 5.0}, STRICT),
    ("set of other kinds", {1, 2}, {True, 2}, EVALPLUS),
    ("frozenset for set", {1}, frozenset({1}), EVALPLUS),
    ("dict order", {"a": 1, "b": 2}, {"b": 2, "a": 1}, BOTH),
    ("dict key kinds", {1: "x"}, {True: "x"}, EVALPLUS),
    ("dict with a key more", {1: 2}, {1: 2, 3: 4}, NEITHER),
    ("standard container", {"a": 1}, Opaque("collections.Counter", "Counter({'a': 1})", {"a": 1}), BOTH),
    ("wrong standard container", {"a": 1}, Opaque("collections.Counter", "Counter()", {}), NEITHER),
    ("NumPy scalar", 2.5, Opaque("numpy.float64", "2.5", 2.5), BOTH),
    ("NumPy array", [1, 2], Opaque("numpy.ndarray", "array([1, 2])", [1, 2]), NEITHER),
    ("NumPy array of one", [1], Opaque("numpy.ndarray", "array([1])", [1]), EVALPLUS),
    ("a class of its own that is a list", [1], Opaque("solution.L", "[1]", [1]), BOTH),
    ("a class of its own that is another list", [1], Opaque("solution.L", "[1]", [2]), NEITHER),
    ("named tuple", (1, 2), Opaque("solution.P", "P(a=1, b=2)", (1, 2)), BOTH),
    ("NumPy scalars in a set", {1, 2}, {1, Opaque("numpy.int64", "np.int64(2)", 2)}, BOTH),
    ("NumPy scalar as a key", {1: "a"}, {Opaque("numpy.int64", "np.int64(1)", 1): "a"}, BOTH),
    ("single precision", 0.1, Opaque("numpy.float32", "np.float32(0.1)", 0.10000000149011612), BOTH),
    ("single precision, far off", 0.1, Opaque("numpy.float32", "np.float32(0.2)", 0.20000000298023224), NEITHER),
    ("single precision, too large", 1e300, Opaque("numpy.float32", "np.float32(0.2)", 0.2), NEITHER),
    ("double for a large int", 10**25 + 1, Opaque("numpy.float64", "np.float64(1e+25)", 1e25), EVALPLUS),
    ("double for another int", 10**25 + 1, Opaque("numpy.float64", "np.float64(2e+25)", 2e25), NEITHER),
    ("double for an int that is larger than any", 10**400, Opaque("numpy.float64", "np.float64(1.0)", 1.0), NEITHER),
    ("doubles in a list", [10**25 + 1], [Opaque("numpy.float64", "np.float64(1e+25)", 1e25)], EVALPLUS),
    ("double for a list of it", [1.0], Opaque("numpy.float64", "np.float64(1.0)", 1.0), EVALPLUS),
    ("double for a text", "1.0", Opaque("numpy.float64", "np.float64(1.0)", 1.0), NEITHER),
    ("large NumPy int for a float", 2.0**53, Opaque("numpy.int64", "np.int64(9007199254740993)", 2**53 + 1), BOTH),
    ("NumPy bool", True, Opaque("numpy.bool", "np.True_", True), BOTH),
    ("dates", 5, Opaque("numpy.timedelta64", "np.timedelta64(5,'ns')", 5), BOTH),
    ("long double", 0.1, Opaque("numpy.longdouble", "np.longdouble('0.1')", 0.1), STRICT),
    ("long double that is a float", 0.5, Opaque("numpy.longdouble", "np.longdouble('0.5')", 0.5), BOTH),
    ("array of a large int", [2**62 + 1], Opaque("numpy.ndarray", "array([4.61168602e+18])", [2.0**62]), EVALPLUS),
    ("array of a larger int", [10**25 + 1], Opaque("numpy.ndarray", "array([1.e+25])", [1e25]), NEITHER),
    ("array of no number", [1], Opaque("numpy.ndarray", "array(['1'], dtype='<U1')", ["1"]), NEITHER),
    ("single precision in an array", [0.1], Opaque("numpy.ndarray", "array([0.1], dtype=float32)", [0.1]), NEITHER),
    ("array without dimensions", 10**25 + 1, Opaque("numpy.ndarray", "array(1.e+25)", 1e25), EVALPLUS),
    (
        "single precision without dimensions",
        0.1,
        Opaque("numpy.ndarray", "array(0.1, dtype=float32)", 0.10000000149011612),
        EVALPLUS,
    ),
    ("array in a list", [[1, 2]], [Opaque("numpy.ndarray", "array([1, 2])", [1, 2])], NEITHER),
    ("array of one in a list", [1], [Opaque("numpy.ndarray", "array([1])", [1])], EVALPLUS),
    ("fraction", 2, Opaque("fractions.Fraction", "Fraction(2, 1)"), EVALPLUS),
    ("another fraction", 2, Opaque("fractions.Fraction", "Fraction(2, 3)"), NEITHER),
    ("fractions in a list", [0.5], [Opaque("fractions.Fraction", "Fraction(1, 2)")], EVALPLUS),
    ("no fraction", 2, Opaque("fractions.Fraction", "Fraction(2, 0)"), NEITHER),
    ("decimal", 0.5, Opaque("decimal.Decimal", "Decimal('0.5')"), EVALPLUS),
    ("decimal that is no float", 0.1, Opaque("decimal.Decimal", "Decimal('0.1')"), NEITHER),
    ("no decimal", 1, Opaque("decimal.Decimal", "Decimal('one')"), NEITHER),
    ("symbolic integer", 3, Opaque("sympy.core.numbers.Integer", "3"), EVALPLUS),
    ("another symbolic integer", 3, Opaque("sympy.core.numbers.Integer", "4"), NEITHER),
    (
        "array where the reference gives one",
        Opaque("numpy.ndarray", "array([0.3])", [0.3]),
        Opaque("numpy.ndarray", "array([0.30000000000000004])", [0.1 + 0.2]),
        STRICT,
    ),
    (
        "counter where the reference gives one",
        Opaque("collections.Counter", "Counter({'a': 1, 'b': 1})", {"a": 1, "b": 1}),
        Opaque("collections.Counter", "Counter({'b': 1, 'a': 1})", {"b": 1, "a": 1}),
        BOTH,
    ),
    (
        "dict where the reference gives a counter",
        Opaque("collections.Counter", "Counter({'a': 1})", {"a": 1}),
        {"a": 1},
        BOTH,
    ),
    ("defect 2: an object equal to everything", 3, Opaque("solution.Equal", "3"), NEITHER),
    ("an item equal to everything", [3], [Opaque("solution.Equal", "3")], NEITHER),
]


@pytest.mark.parametrize(("expected", "actual", "verdicts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_comparators(
    make_problem: Callable[..., Problem], expected: Any, actual: Any, verdicts: tuple[bool, bool]
) -> None:
    atol = FORCED_ATOL if is_floats(expected) else 0.0
    case = Case(make_problem(), [1], expected, atol)
    assert (is_same(case, actual), is_same_for_evalplus(case, actual)) == verdicts


def test_kinds_of_number_that_a_task_mixes_are_interchangeable(make_problem: Callable[..., Problem]) -> None:
    case = Case(make_problem(), [1], [1, True], 0.0, frozenset((int, bool)))
    assert is_same(case, [True, 1])
    assert not is_same(case, [1.0, 1])


def test_defect_7_the_tolerance_of_evalplus_stays(make_problem: Callable[..., Problem]) -> None:
    part = ExpectedPart(make_problem(), Part.BASE, PartOutputs(["1", "[0.5,2.0]", "1"]))
    in_force = [part.tolerance(index) for index in range(3)]
    assert in_force == [0.0, FORCED_ATOL, FORCED_ATOL]
    before, after = (Case(make_problem(), [1], 10**9, atol) for atol in (in_force[0], in_force[2]))
    assert [is_same_for_evalplus(case, 10**9 + 50) for case in (before, after)] == [False, True]
    assert [is_same(case, 10**9 + 50) for case in (before, after)] == [False, False]


def test_the_tolerance_of_a_task_is_kept(make_problem: Callable[..., Problem]) -> None:
    part = ExpectedPart(make_problem(atol=1e-4), Part.BASE, PartOutputs(["1", "0.5"]))
    assert [part.tolerance(index) for index in range(2)] == [1e-4, 1e-4]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.0, True), ([1.0, 2.0], True), ((1.0,), True), ([], False), ([1, 2.0], False), ([[1.0]], False), (1, False)],
)
def test_is_floats(value: Any, expected: bool) -> None:
    assert is_floats(value) is expected


def test_what_is_found_inside_values() -> None:
    assert number_kinds([1, {"a": (True, {2.0})}]) == {int, bool, float}
    assert contains_nan({"a": [(NAN,)]})
    assert not contains_nan({"nan": ["nan"]})


TEXTS = [1, -3, 10**30, True, None, 1.5, -0.0, 1e300, "1.5", "true", [], [1, 2.5, True], [[], [1e-7]], (1, 2.0)]
MORE_TEXTS = [{1: 2.0}, {1, 2}, [NAN], [None, "x", 1.0], ["a", [True]]]


@pytest.mark.parametrize("value", [*TEXTS, *MORE_TEXTS])
def test_kinds_of_number_are_read_off_the_text(value: object) -> None:
    problem = Problem("T/0", "def f():\n", "f", "    return 1\n", "", [()], [], 0.0, Family.CUSTOM)
    part = ExpectedPart(problem, Part.BASE, PartOutputs([json.dumps(encode(value), separators=(",", ":"))]))
    kinds = number_kinds(value)
    assert part.mixed == (frozenset(kinds) if len(kinds) > 1 else frozenset())
    assert part.tolerance(0) == (FORCED_ATOL if is_floats(value) else 0.0)
    assert Numbers.read(json.loads(json.dumps(part.numbers.to_plain()))) == part.numbers


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import math, re as r\nfrom collections import Counter\ndef f(x):\n    return x\n", False),
        ("def f(opening, isopen):\n    opened = isopen\n    return opening  # how to exit\n", False),
        ("def f(x):\n    import itertools; from typing import List\n    return x\n", False),
        ("import numpy as np\nfrom numpy.linalg import norm\n", False),
        ("import numpy as np\nnp.loadtxt('x')\n", True),
        ("def f(x):\n    return open (x)\n", True),
        ("def f(x):\n    if x: import os.path\n", True),
        ("from os import path\n", True),
        ("import math; import tempfile\n", True),
        ("import math, pathlib\n", True),
        ("from scipy.special import comb\n", True),
        ("import sys\nsys.stdin.read()\n", True),
        ("import sys\nprint(sys.maxsize)\n", False),
        ("__import__('o' + 's').getcwd()\n", True),
        ("from . import x\n", True),
        ("import\nfrom\nimport ,\n", False),
    ],
)
def test_programs_that_may_need_what_evalplus_withholds(program: str, expected: bool) -> None:
    assert may_miss(program) is expected


def test_what_evalplus_has_loaded_before() -> None:
    assert "numpy" not in loaded_before("import os\n")
    assert {"numpy", "pandas"} <= set(loaded_before("import pandas as pd\n"))
