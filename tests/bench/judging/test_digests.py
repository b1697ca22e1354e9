"""What is judged by digests: never otherwise than the values themselves would be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lsp_evalplus.bench.judging.digests import Digest, Outline
from lsp_evalplus.bench.judging.evalplus_compat import is_same_for_evalplus
from lsp_evalplus.bench.judging.expected import (
    VALUE_LIMITS,
    ExpectedPart,
    LargeOutput,
    PartOutputs,
    output_of_digest,
    to_output,
)
from lsp_evalplus.bench.judging.part_judge import Answer, PartJudge
from lsp_evalplus.bench.judging.strict import Case, is_same
from lsp_evalplus.bench.judging.verdicts import Rule, Status, to_text
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.fuzz.guest.comparison.digest import digest_of_value
from lsp_evalplus.fuzz.guest.values.plain import Opaque, decode, encode

MANY = 4_001
HUGE = 1 << 80
VALUES: list[Any] = [
    None,
    7,
    0.5,
    "",
    "ab",
    [],
    (),
    [1, 2],
    {1: 2},
    {3},
    Opaque("numpy.ndarray", "array([1])", [1]),
    [[1]] * 20,
    "a" * 30_000,
    "a" * 29_999 + "b",
    "b" + "a" * 29_999,
    "a" * 30_001,
    [1] * MANY,
    (1,) * MANY,
    [1.0] * MANY,
    [1 + 1e-9] * MANY,
    [1.1] + [1.0] * (MANY - 1),
    [1.0] * (MANY - 1) + [1.1],
    [True] * MANY,
    [1, 1.0] * (MANY // 2) + [1],
    [1.0] * (MANY - 1) + [1],
    (1.0,) * MANY,
    [True, 1.0] * (MANY // 2) + [1.0],
    [True, 1] * (MANY // 2) + [1],
    [True, 1, 1.0] + [1] * (MANY - 3),
    [0.0] * MANY,
    [0] * (MANY - 1) + [-0.0],
    [0] * MANY,
    [False] * MANY,
    [1 << 53] * MANY,
    [(1 << 53) + 1] * MANY,
    [float(1 << 53)] * MANY,
    [10**400] * MANY,
    [float("inf")] * MANY,
    [None] * MANY,
    [1.0] * (MANY + 1),
    [float("nan")] * MANY,
    [HUGE] * MANY,
    [float(HUGE)] * MANY,
    [*[1] * (MANY - 1), HUGE],
    ["a"] * MANY,
    ["a"] * (MANY - 1) + ["b"],
    ["b"] + ["a"] * (MANY - 1),
    [[1]] * MANY,
    {number: number for number in range(MANY)},
    1 << 100_000,
    (1 << 100_000) + 1,
    -(1 << 100_000),
    1 << 80_000,
    1 << 79_000,
    True,
    float("inf"),
    1e308,
]
SMALL = 12
"""The first of them are small; of the others, the default suite expects every second."""
NUMBERS = [
    pytest.param(number, marks=pytest.mark.slow) if number >= SMALL and number % 2 else number
    for number in range(len(VALUES))
]


def as_json(encoded: Any) -> str:
    return json.dumps(encoded, separators=(",", ":"))


def write(value: Any) -> str:
    return as_json(encode(value, VALUE_LIMITS))


def answer_of(value: Any) -> Answer:
    """As it comes from a guest."""
    output = to_output(write(value))
    if isinstance(output, LargeOutput):
        return Answer(Part.PLUS, 0, digest=Digest.read(output.digest.to_plain()))
    return Answer(Part.PLUS, 0, value=output)


@pytest.fixture(scope="module")
def answers() -> list[tuple[Answer, Any]]:
    """What guests say of the values, and the values as the host reads them."""
    return [(answer_of(value), decode(json.loads(write(value)))) for value in VALUES]


COMPANIES: list[Any] = [[1, 0.5], [True, 0.5], [1, True], [True, 1, 0.5]]
"""Expected values of another input, which say which types of numbers are mixed."""


@pytest.mark.parametrize("company", [None, *[pytest.param(one, marks=pytest.mark.slow) for one in COMPANIES]], ids=str)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_verdict_is_that_on_the_values(number: int, company: Any, answers: list[tuple[Answer, Any]]) -> None:
    expected = VALUES[number]
    problem = Problem("Large/0", "", "f", "", "", [(1,)], [(1,), (2,)], 0, Family.HUMANEVAL)
    part = ExpectedPart(problem, Part.PLUS, PartOutputs([to_output(write(expected)), write(company)]))
    settled = 0
    for place, (answer, actual) in enumerate(answers):
        judge = PartJudge(part, details=True)
        judge.take(answer)
        if judge.unread:
            continue
        settled += 1
        case = Case(problem, (1,), expected, part.tolerance(0), part.mixed)
        verdicts = judge.verdicts()
        assert (verdicts[Rule.STRICT].status is Status.PASS) == is_same(case, actual), place
        assert (verdicts[Rule.EVALPLUS].status is Status.PASS) == is_same_for_evalplus(case, actual), place
        said = {failure.actual for verdict in verdicts.values() for failure in verdict.failures}
        assert said <= {to_text(actual), "nan, which evalplus never finds equal"}, place
    if part.outline(0) is not None:
        assert settled > len(VALUES) // 2


def kept_of_digest(value: Any) -> LargeOutput | None:
    digest = Digest.read(digest_of_value(value, VALUE_LIMITS, as_json))
    return None if digest is None else output_of_digest(digest)


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_what_is_kept_of_a_digest_is_what_is_kept_of_its_value(number: int) -> None:
    assert kept_of_digest(VALUES[number]) in (None, to_output(write(VALUES[number])))


@pytest.mark.parametrize(
    ("value", "is_enough"),
    [
        *[([1] * MANY, True), ([1.0] * MANY, True), ([1, 0.5, True] * MANY, True), ("a" * 30_000, True)],
        pytest.param(1 << 100_000, True, id="a large integer"),
        *[([float("nan")] * MANY, False), ([HUGE, 0.5] * MANY, False)],
        *[(["a"] * MANY, False), ([None, 1] * MANY, False), ([[1]] * MANY, False)],
    ],
)
def test_a_digest_is_enough_where_it_tells_the_numbers_in_the_value(value: Any, is_enough: bool) -> None:
    assert (kept_of_digest(value) is not None) == is_enough


def test_numbers_of_other_types_are_told_without_their_values() -> None:
    problem = Problem("Large/0", "", "f", "", "", [(1,)], [(1,)], 0, Family.HUMANEVAL)
    halves = [1, 3, *[number / 2 for number in range(MANY)]]
    floats = ExpectedPart(problem, Part.PLUS, PartOutputs([to_output(write([2.0] * MANY))]))
    mixed = ExpectedPart(problem, Part.PLUS, PartOutputs([to_output(write(halves))]))
    found: list[tuple[Status, Status]] = []
    for part, value in (
        (floats, [2] * MANY),
        (floats, [True] * MANY),
        (mixed, [1.0, 3.0, *halves[2:]]),
        (mixed, [int(number) if number == int(number) else number for number in halves]),
    ):
        judge = PartJudge(part, details=True)
        judge.take(answer_of(value))
        assert not judge.unread
        found.append((judge.verdicts()[Rule.STRICT].status, judge.verdicts()[Rule.EVALPLUS].status))

    assert found == [(Status.PASS, Status.PASS), (Status.FAIL, Status.FAIL), *[(Status.PASS, Status.PASS)] * 2]


@pytest.mark.parametrize(
    "plain",
    [None, [], {}, {"digest": 1}, {"digest": None, "head": "[]"}, {"kind": "raised"}],
)
def test_what_is_no_digest(plain: Any) -> None:
    assert Digest.read(plain) is None


@pytest.mark.parametrize("head", [None, 5, "", "[", '{"x":1}', '{"o":["a","b",null]}', "[" * 100_000])
@pytest.mark.parametrize("length", [None, "7", True, 7])
def test_digests_of_hostile_guests_tell_nothing(head: Any, length: Any) -> None:
    digest = Digest.read({"digest": "x", "length": length, "head": head})

    assert digest is not None
    assert Outline.of_digest(digest) is None
