"""Asserts that say that an input is not valid: they refuse it, and mean something for every other input."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Example
from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.server.edits import precondition
from lsp_evalplus.server.edits.model import apply_edits


@pytest.mark.parametrize(
    ("head", "arguments", "examples", "expected"),
    [
        ("def f(a: int, *, b: str = 'x'):", "{'args': (1,), 'kwargs': {'b': ' '}}", [], ["not (a == 1 and b == ' ')"]),
        ("def f(a, b):", "([], [])", ["([1], [])"], ["len(a) > 0"]),
        ("def f(a, b):", "([1], [1, 1])", ["([2], [2])"], ["len(set(b)) == len(b)", "len(a) == len(b)"]),
        ("def f(a, b):", "(2, 1)", [], ["a <= b"]),
        ("def f(a, b):", "(1, 'x')", [], ["not (a == 1 and b == 'x')"]),
        ("def f(a, b):", "(3, [1, 2])", ["(1, [1, 2])"], ["a in b"]),
        ("def f(a):", "(-1,)", ["(1,)"], ["a >= 0", "a > 0"]),
        # No parameter has what is read of the process.
        ("def f(a):", "{'args': (-1,), 'kwargs': {'sys_argv': []}}", ["(1,)"], []),
    ],
)
def test_conditions_have_a_meaning_for_the_input_that_they_refuse(
    head: str, arguments: str, examples: list[str], expected: list[str]
) -> None:
    target = find_target(f"{head}\n    return a\n", "f")

    found = precondition.preconditions(target, arguments, [Example(one, "1") for one in examples])

    assert found == expected


INTS = "all(isinstance(item, int) for item in a)"
STRINGS = "all(isinstance(item, str) for item in a)"


@pytest.mark.parametrize(
    ("annotation", "arguments", "examples", "expected"),
    [
        ("", "([0.1],)", [], ["not (a == [0.1])"]),
        (": list[float]", "([0.1],)", [], ["not (a == [0.1])"]),
        (": list[float]", "([0.1],)", ["([1],)"], ["not (a == [0.1])"]),
        (": 'list[float]'", "([0.1],)", ["([1],)"], ["not (a == [0.1])"]),
        (": Numbers", "([0.1],)", ["([1],)"], ["not (a == [0.1])"]),
        (": list[object]", "(['x'],)", ["([1],)"], ["not (a == ['x'])"]),
        (": list[int | str]", "(['x'],)", ["([1],)"], ["not (a == ['x'])"]),
        ("", "([0.1],)", ["([1],)"], [INTS]),
        (": list", "([0.1],)", ["([1],)"], [INTS]),
        (": typing.Sequence[int]", "([0.1],)", ["([1],)"], [INTS]),
        (": list[str]", "([0.1],)", ["(['x'],)"], [STRINGS]),
        ("", "([True],)", ["([1, 2],)"], ["len(a) > 1"]),
        (": float", "(0.5,)", ["(1,)"], ["a == int(a)"]),
        (": int", "(0.5,)", ["(1,)"], ["isinstance(a, int)", "a == int(a)"]),
    ],
)
def test_no_condition_speaks_against_an_annotation(
    annotation: str, arguments: str, examples: list[str], expected: list[str]
) -> None:
    target = find_target(f"def f(a{annotation}):\n    return a\n", "f")
    reference = find_target("def g(a):\n    return a\n", "g")

    seen = [Example(one, "1") for one in examples]
    assert precondition.preconditions(target, arguments, seen) == expected
    assert precondition.preconditions(reference, arguments, seen, declared=target) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("\n    return a\n", "\n    assert a\n    return a\n"),
        ('\n    """A."""\n    return a\n', '\n    """A."""\n    assert a\n    return a\n'),
        (" return a\n", None),
        ('\n    """A."""; return a\n', None),
    ],
)
def test_an_assert_goes_before_everything_else(body: str, expected: str | None) -> None:
    text = f"def f(a):{body}"

    edit = precondition.add_precondition(find_target(text, "f"), "a", text.split("\n"))

    assert (apply_edits(text, (edit,)) if edit is not None else None) == (f"def f(a):{expected}" if expected else None)
