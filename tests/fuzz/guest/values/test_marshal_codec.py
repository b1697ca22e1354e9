"""Inputs as they travel: the same values arrive, types and texts included."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.values.marshal_codec import read_marshalled, write_marshalled


def nested(depth):
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -7,
        1 << 200,
        0.1,
        -0.0,
        float("inf"),
        1j,
        "ä\ud800\0",
        b"\xff",
        [1, [2.0, "x"]],
        (1, (None,)),
        {"b": 1, "a": [2], (3,): {}},
        {1, 2},
        frozenset("a"),
        nested(150),
    ],
)
def test_what_is_written_is_read(value):
    [(arguments, keywords)] = read_marshalled(write_marshalled([[value, 1]]))

    assert repr(arguments) == repr((value, 1))
    assert keywords == {}


def test_equal_inputs_are_objects_of_their_own():
    shared = [1]
    [(first, _), (second, _)] = read_marshalled(write_marshalled([(shared, shared), (shared,)]))

    assert len({id(item) for item in (*first, *second)}) == 3


def test_what_is_not_plain_is_refused():
    with pytest.raises(ValueError, match="unmarshallable"):
        write_marshalled([(object(),)])
