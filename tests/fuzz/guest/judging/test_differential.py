"""Running pairs in this process: refusals, effects, families of exceptions, limits, layouts of arguments."""

from __future__ import annotations

import io
import sys
import time
from argparse import Namespace
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.instrument import COUNTERS, blocks_in, instrument
from lsp_evalplus.fuzz.guest.calling.invocation import CallResult
from lsp_evalplus.fuzz.guest.calling.rows import Layout, parse_rows, trim_parameters
from lsp_evalplus.fuzz.guest.calling.subject import Subject, parameters_of
from lsp_evalplus.fuzz.guest.comparison.equality import same_family
from lsp_evalplus.fuzz.guest.evidence.refusals import refusal_of
from lsp_evalplus.fuzz.guest.generation.domain import Hull
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint
from lsp_evalplus.fuzz.guest.inference.hints import hints_of
from lsp_evalplus.fuzz.guest.judging.differential import Differential, Refusals, Sides
from lsp_evalplus.fuzz.guest.judging.judge import CODES
from lsp_evalplus.fuzz.guest.judging.outcomes import Demands, Outcomes
from lsp_evalplus.fuzz.guest.program.source_facts import Anatomy
from lsp_evalplus.fuzz.guest.search.coverage import Feedback
from lsp_evalplus.fuzz.guest.values.carved import CARVED
from lsp_evalplus.fuzz.guest.values.metrics import is_modest, is_small, largest_int, mixes_times
from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text


def subject(source: str, qualname: str = "f") -> Subject:
    return Subject({"source": source, "qualname": qualname})


def layout_of(program: Subject, qualname: str = "f") -> Layout:
    found = parameters_of(program, hints_of(program.loaded.function), shape_of_hint)
    return Layout(trim_parameters(found), program.loaded, qualname)


def _have_other_arguments(row: Any, expected: CallResult, actual: CallResult, *, are_equal: bool) -> bool:
    return not are_equal


def judge(reference: str, candidate: str, text: str, clock: CallClock) -> tuple[str, str]:
    right, ours = subject(reference), subject(candidate)
    layout = layout_of(right)
    sides = Sides(ours.side(layout.form), right.side(layout.form), clock)
    outcomes = Outcomes(Demands(), sides.candidate.is_refused_call, _have_other_arguments)
    found = Differential(sides, Refusals(refusal_of(right)), outcomes).run(layout.row(text))
    return CODES[found.code], found.difference


PAIRS = [
    ("def f(x): return x", "def f(x): return x", "(1,)", "agree", ""),
    ("def f(x): return x", "def f(x): return -x", "(1,)", "differ", "value"),
    ("def f(x):\n assert x > 0\n return x", "def f(x): return 0", "(-1,)", "rejected", ""),
    ("def f(x): return 1 // x", "def f(x): return 0", "(0,)", "rejected", ""),
    ("def f(x):\n if x: raise ValueError\n return x", "def f(x): return x", "(1,)", "differ", "returned"),
    ("def f(x):\n if x: raise ValueError\n return x", "def f(x): return int('x')", "(1,)", "agree", ""),
    ("def f(x): return x", "def f(x): return x[0]", "(1,)", "differ", "raised TypeError"),
    ("def f(x): return 0", "def f(x): raise MemoryError", "(1000,)", "undecided", ""),
    ("def f(x): return 0", "def f(x): raise MemoryError", "(1,)", "differ", "raised MemoryError"),
    ("def f(x): return 0", "def f(x):\n while True: pass", "(1,)", "slow", "hang"),
    ("def f(x):\n while True: pass", "def f(x): return 0", "(1,)", "slow", ""),
    ("def f(x): return len(x)", "def f(x):\n x.append(1)\n return len(x) - 1", "([],)", "differ", "arguments"),
    ("def f(*x): return sum(x)", "def f(*x): return sum(x[1:])", "(1, 2)", "differ", "value"),
    ("def f(*, k=1): return k", "def f(*, k=2): return k", "()", "differ", "value"),
    ("def f(x, y=[]): return y", "def f(x, y=[]):\n y.append(x)\n return y", "(1,)", "differ", "value"),
    ("def f(x): return x * 1e200 * 1e200", "def f(x): return 0", "(1e10,)", "undecided", "value"),
    ("def f(x): return float('inf')", "def f(x): return 0", "(1,)", "differ", "value"),
]


@pytest.mark.parametrize(("reference", "candidate", "arguments", "code", "difference"), PAIRS)
def test_code(reference: str, candidate: str, arguments: str, code: str, difference: str, clock: CallClock) -> None:
    found = judge(reference, candidate, arguments, clock)

    assert found[0] == code
    assert difference in ("", found[1])


class OwnError(ValueError):
    pass


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (ValueError(), OwnError(), True),
        (OwnError(), ValueError(), True),
        (KeyError(), IndexError(), True),
        (Exception(), TypeError(), True),
        (TypeError(), Exception(), False),
        (ValueError(), TypeError(), False),
        (OSError(), FileNotFoundError(), True),
    ],
)
def test_families(expected: Exception, actual: Exception, same: bool) -> None:
    assert same_family(expected, actual) is same


def test_a_limit_ends_a_call_and_leaves_the_next_alone(clock: CallClock) -> None:
    endless = subject("def f(x):\n    while x: pass\n    return 1").side()

    started = time.process_time()
    slow = endless.run((True,), clock, 0.05)
    took = time.process_time() - started

    assert slow.kind == "timed_out"
    assert 0.04 < took < 30
    assert endless.run((False,), clock, 0.05).value == 1


def test_prints_are_captured_where_they_count(clock: CallClock) -> None:
    side = subject("def f(x): print('hello', x)").side(capture=True)
    saved, sys.stdout = sys.stdout, io.StringIO()
    try:
        result = side.run((1,), clock, 1.0)
        assert sys.stdout.getvalue() == ""
    finally:
        sys.stdout = saved
    assert result.output == "hello 1\n"


TEXTS = [
    ("def f(a, b=2): pass", "(1,)", "f(1)", "(1,)"),
    ("def f(a, b=2): pass", "(1, 2)", "f(1)", "(1,)"),
    ("def f(a, b=2): pass", "(1, 3)", "f(1, 3)", "(1, 3)"),
    ("def f(a, *, k=False): pass", "{'args': (1,), 'kwargs': {'k': True}}", "f(1, k=True)", None),
    ("def f(*a): pass", "(1, 2)", "f(1, 2)", "(1, 2)"),
    ("def f(): pass", "()", "f()", "()"),
]


@pytest.mark.parametrize(("source", "given", "call", "text"), TEXTS)
def test_texts_of_arguments(source: str, given: str, call: str, text: str | None) -> None:
    layout = layout_of(subject(source))

    row = layout.row(given)

    assert layout.call_text(row) == call
    assert layout.arguments_text(row) == (text or given)


@pytest.mark.parametrize(
    "text", ["(1, 2)", "()", "{'args': (1,), 'kwargs': {'z': 1}}", "1", "nonsense(", "[x for x in y]"]
)
def test_texts_that_do_not_fit(text: str) -> None:
    layout = layout_of(subject("def f(a): pass"))

    with pytest.raises(RecipeError):
        layout.row(text)
    assert parse_rows(layout, [text, "(7,)"]) == [(7,)]


CONTRACTS = [
    ("def f(x):\n    assert x\n    return x", (2, 2)),
    ("def f(x):\n    '''Doc.'''\n    assert x\n    assert x > 1\n    y = 1\n    return y", (3, 4)),
    ("def f(x):\n    for y in x:\n        assert y\n    return x", (2, 3)),
    ("def f(x):\n    y = sorted(x)\n    return y", (0, 0)),
    ("def f(x):\n    if x:\n        return 1\n    assert x == 0\n    return 2", (0, 0)),
]


@pytest.mark.parametrize(("source", "lines"), CONTRACTS)
def test_contract_lines(source: str, lines: tuple[int, int]) -> None:
    anatomy = Anatomy(source, "f")

    assert (anatomy.contract_start, anatomy.contract_end) == lines


@pytest.mark.parametrize(
    ("text", "modest", "small", "largest"),
    [
        ("([1, 2],)", True, True, 2),
        ("(10**12,)", False, False, 10**12),
        ("(-500,)", True, False, 500),
        ("('é',)", False, True, 0),
        ("('5000000000000001',)", False, True, 0),
        ("('4006381333931',)", True, True, 0),
        ("('00000000000000000',)", True, True, 0),
        ("('12-31-2024',)", True, True, 0),
        ("([0] * 200,)", False, False, 0),
        ("({'a': 1e-9},)", False, True, 0),
    ],
)
def test_plausible_rows(text: str, modest: bool, small: bool, largest: int) -> None:
    row = from_text(text)

    assert (is_modest(row), is_small(row), largest_int(row)) == (modest, small, largest)


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        ("(datetime.datetime(2000, 1, 1), datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc))", True),
        ("([datetime.datetime(2000, 1, 1)], datetime.date(2000, 1, 1))", False),
        ("(datetime(2000, 1, 1, tzinfo=timezone.utc), datetime(2000, 1, 1, 0, 0, 0, 0, timezone.utc))", False),
    ],
)
def test_times_with_and_without_an_offset(text: str, mixed: bool) -> None:
    assert mixes_times(from_text(text)) == mixed


def test_hull_of_the_examples() -> None:
    hull = Hull([([1, 2],), ([3],)])

    assert hull.contains(([5, 5],))
    assert not hull.contains(([-1],))
    assert not hull.contains(([],))
    assert Hull([([1],)]).contains(([-1],)), "one example is too few to say no"


BEHAVIOUR = '''
"""Doc."""
from __future__ import annotations
def f(n):
    total = 0
    for i in range(n):
        if i % 3 == 0 and i != 6:
            total += i
        elif not i in (4, 5):
            total -= 1
        else:
            total *= 2
    while total > 100: total //= 2
    try:
        return [total, total < 5 < 10, 10 // (n - 7)]
    except ZeroDivisionError:
        return total
'''


def test_instrumented_copies_behave_the_same_and_tell_more() -> None:
    source = instrument(BEHAVIOUR)
    assert source is not None
    plain, copy = subject(BEHAVIOUR), subject(source)
    feedback = Feedback([copy.namespace])
    watched = feedback.watch(0, copy.loaded.function)

    novelties: list[int] = []
    for n in (0, 1, 7, 7, 30):
        feedback.clear()
        copy.loaded.function(100 - n)  # What makes arguments does not count,
        assert watched(n) == plain.loaded.function(n)
        watched(50 + n)  # nor what looks at results.
        novelties.append(feedback.novelty())

    assert COUNTERS in copy.namespace
    assert novelties[:3] == [3, 3, 3]
    assert novelties[3] == 0
    assert feedback.branches() >= 7
    assert any(sides == (29, 6) or 29 in sides for sides in feedback.comparisons().values())


@pytest.mark.parametrize(("numbers", "is_complete"), [((1, 2, 30), False), ((1, 7, 10, 50), True)])
def test_coverage_is_complete_when_all_blocks_of_the_function_were_reached(
    numbers: tuple[int, ...], is_complete: bool
) -> None:
    source = instrument(BEHAVIOUR + "def other(n):\n    return n\n")
    assert source is not None
    copy = subject(source)
    feedback = Feedback([copy.namespace], [blocks_in(copy.anatomy.function)])
    watched = feedback.watch(0, copy.loaded.function)
    for number in numbers:
        feedback.clear()
        watched(number)
        feedback.novelty()

    assert feedback.is_complete is is_complete
    assert not Feedback([copy.namespace]).is_complete


def test_what_cannot_be_instrumented_is_left_alone() -> None:
    assert instrument("def f(:") is None


def test_the_instance_of_a_row_may_be_of_a_subclass() -> None:
    source = """
class Base:
    def __init__(self):
        self.items = {}

    def get(self, key: str):
        return self.items.get(key)

    @classmethod
    def made(cls):
        return cls()

class Derived(Base):
    pass
"""
    layout = layout_of(subject(source, "Base.get"), "Base.get")
    for text, again in (("(Derived(), 'a')", ""), ("(Derived.made(), 'a')", ""), ("(Base(), 'a')", "('a',)")):
        row = layout.row(text)
        assert len(row) == len(layout.parameters) == 2
        assert layout.arguments_text(row) == (again or text)
        assert [repr(one) for one in layout.row(again or text)] == [repr(one) for one in row]


def test_a_constructor_whose_exception_has_no_text_refuses_an_input(clock: CallClock) -> None:
    source = (
        "class Odd(Exception):\n def __str__(self): return [][1]\n"
        "class Point:\n def __init__(self, x):\n  if x: raise Odd(x)\n"
        "def f(point: Point): return 1\n"
    )

    assert judge(source, source, "(Point(1),)", clock) == ("rejected", "")
    assert judge(source, source, "(Point(0),)", clock) == ("agree", "")


class Endless:
    """An object that holds itself."""

    def __init__(self, number: int) -> None:
        self.number, self.itself = number, self


class Carving:
    """Gives what a test gives to the function."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __call__(self, *_place: object) -> object:
        return self._value

    def in_test(self, *_arguments: object) -> None:
        """No test has to stand still."""


@pytest.mark.parametrize(
    ("older", "newer", "code"),
    [
        ({"by": setattr}, {"by": setattr}, "differ"),
        ({"by": setattr}, {"by": type}, "rejected"),
        ([3, {2.5}, object()], [3, {2.5}, object()], "differ"),
        ([3, {2.5}, object()], [3, {2}, object()], "rejected"),
        (Namespace(x=1, parts=[2], old=3), Namespace(x=1, parts=[2], new=4), "differ"),
        (Namespace(x=1, parts=[2]), Namespace(x=1, parts=(2, 3)), "differ"),
        (Namespace(x=1, parts=[2]), Namespace(x=2, parts=[2]), "rejected"),
        (Namespace(x=1, parts=[2]), Namespace(x=1, parts=[2, 3]), "rejected"),
        ((one for one in [1]), (one for one in [2]), "rejected"),
        (Endless(1), Endless(1), "differ"),
        (Endless(1), Endless(2), "rejected"),
    ],
)
def test_versions_are_compared_where_a_test_gave_both_the_same(
    older: object, newer: object, code: str, clock: CallClock
) -> None:
    """What a test passes may come from another function that has changed, or from the order of a set."""
    right, ours = subject("def f(x): return 1"), subject("def f(x): return 2")
    for program, value in ((right, older), (ours, newer)):
        program.loaded.namespace[CARVED] = Carving(value)
    layout = layout_of(right)
    sides = Sides(ours.side(layout.form), right.side(layout.form), clock)
    outcomes = Outcomes(Demands(), sides.candidate.is_refused_call, _have_other_arguments)

    found = Differential(sides, Refusals(refusal_of(right)), outcomes).run(layout.row(f"({CARVED}('t', 'x'),)"))

    assert CODES[found.code] == code
