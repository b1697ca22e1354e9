"""Digests of large values: equal for equal values, different for different ones, none for what is small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.comparison import digest
from lsp_evalplus.fuzz.guest.comparison.digest import DIGEST_ITEMS, DIGEST_LENGTH, digest_of_value
from lsp_evalplus.fuzz.guest.values.plain import Limits

LIMITS = Limits(depth=10, nodes=20_000, size=60_000)
MANY = DIGEST_ITEMS + 1
HUGE = 1 << 200


class _Number(int):
    pass


def digest_of(value, limits=LIMITS):
    digest = digest_of_value(value, limits, json.dumps)
    return None if digest is None else " ".join([digest["digest"], *digest.get("kinds", ())])


@pytest.mark.parametrize(
    "make",
    [
        lambda: "ä" * (DIGEST_LENGTH + 1),
        lambda: "\ud800" * (DIGEST_LENGTH + 1),
        lambda: [*range(MANY)],
        lambda: (0.5,) * MANY,
        lambda: [None, True, 2, 2.5, -HUGE] * MANY,
        lambda: ["a", "ab"] * MANY,
    ],
)
def test_equal_values_have_one_digest(make):
    """Even if one of them holds the same object many times, and the other one equal objects."""
    limits = Limits(depth=10, nodes=100_000, size=60_000)
    value = make()
    again = eval(repr(value))

    assert digest_of(value, limits) == digest_of(again, limits) is not None


def test_numbers_have_one_digest_whatever_their_types():
    texts = [json.dumps(digest_of_value(value, LIMITS, json.dumps)) for value in ([1, 0.5] * MANY, [1.0, 0.5] * MANY)]
    first, second = (json.loads(text) for text in texts)

    assert first["digest"] == second["digest"]
    assert (first["kinds"], second["kinds"]) == (["float", "int"], ["float"])
    beyond = [[(1 << 53) + 1, 0.5] * MANY, [float((1 << 53) + 1), 0.5] * MANY]
    assert len({digest_of(value) for value in beyond}) == 2


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "number", [0, (1 << 49) - 1, 1 << 49, (1 << 53) - 1, 1 << 53, 1e300, float("inf"), float("nan")]
)
def test_how_large_numbers_are_is_found_out_quickly_or_exactly(monkeypatch, number, sign):
    value = [sign * number, 0.5, 7] * MANY
    quickly = digest_of(value)
    monkeypatch.setattr(digest, "_are_small", lambda numbers: False)

    assert quickly == digest_of(value)


def test_different_values_have_different_digests():
    values = [
        [1] * MANY,
        (1,) * MANY,
        [True] * MANY,
        [1.0] * MANY,
        [1] * (MANY + 1),
        [0.0] * MANY,
        [-0.0] * MANY,
        [None] * MANY,
        ["1"] * MANY,
        ["1", "11"] * MANY,
        ["11", "1"] * MANY,
        "1" * (DIGEST_LENGTH + 1),
        "1" * (DIGEST_LENGTH + 2),
        1 << 4 * DIGEST_LENGTH,
        -1 << 4 * DIGEST_LENGTH,
        (1 << 4 * DIGEST_LENGTH) + 1,
    ]

    assert len({digest_of(value) for value in values}) == len(values)


@pytest.mark.parametrize(
    "value",
    [
        "x" * DIGEST_LENGTH,
        [1] * DIGEST_ITEMS,
        [[1]] * MANY,
        [1, "1"] * MANY,
        [_Number(1)] * MANY,
        [b"1"] * MANY,
        {1: 2},
        dict.fromkeys(range(MANY)),
        set(range(MANY)),
        bytes(DIGEST_LENGTH + 1),
        7,
        (1 << 4 * DIGEST_LENGTH) - 1,
    ],
    ids=type,
)
def test_what_is_small_or_has_structure_has_none(value):
    assert digest_of(value) is None


@pytest.mark.parametrize("value", [1 << 240_000, "x" * 60_001, [1] * 20_000, ["x" * 20] * MANY], ids=type)
def test_what_is_too_large_has_none(value):
    """It is to be refused, with the sentence that says why."""
    assert digest_of(value) is None


@pytest.mark.parametrize(
    ("value", "head"),
    [
        ("ab" * DIGEST_LENGTH, "ab" * 200),
        ([1, 2.5, None, True] * MANY, [1, 2.5, None, True] * 100),
        (["a", "b"] * MANY, ["a", "b"] * 200),
        (["a" * 100] * MANY, ["a" * 100] * 400),
        (["a" * 101] + ["a"] * MANY, None),
        ([1 << 62] * MANY, None),
        ([-(1 << 62)] * MANY, None),
        ([*range(400), *[1 << 62] * MANY], [*range(400)]),
    ],
)
def test_a_digest_tells_how_a_value_begins(value, head):
    digest = digest_of_value(value, Limits(depth=10, nodes=100_000, size=1_000_000), json.dumps)

    assert digest["length"] == len(value)
    assert digest.get("head") == (None if head is None else json.dumps(head))


def test_other_processes_and_hash_seeds_give_the_same():
    """References may be run by one interpreter, and samples by another one."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(digest.__file__).parents[3])!r})\n"
        "from fuzz.guest.comparison.digest import digest_of_value\n"
        "from fuzz.guest.values.plain import Limits\n"
        f"print(digest_of_value(['a', 'b' * 5] * {MANY}, Limits(10, 20_000, 60_000), repr)['digest'])\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == digest_of(["a", "b" * 5] * MANY)
