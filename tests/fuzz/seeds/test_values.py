"""Values in prose: where they end, and what is none."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.seeds.values import read_result, read_value, to_value_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", "3"),
        ("-3.5e2 is it", "-350.0"),
        ("3. Then", "3"),
        ("0x1F", "31"),
        ("'a b' # comment", "'a b'"),
        ('"it\'s" and', '"it\'s"'),
        ("b'x'", "b'x'"),
        ("True", "True"),
        ("true", "True"),
        ("None.", "None"),
        ("[1, [2, 'a]']]; more", "[1, [2, 'a]']]"),
        ("{'a': (1, 2)}", "{'a': (1, 2)}"),
        ("{1, 2}", "{1, 2}"),
        ("()", "()"),
        ("(1,)", "(1,)"),
        ("inf", "float('inf')"),
        ("-inf", "-float('inf')"),
        ("[nan]", "[float('nan')]"),
        ("float('nan')", "float('nan')"),
        ("set()", "set()"),
        ("Point(1, y=2)", "Point(1, y=2)"),
        ("datetime.date(2020, 1, 2)", "datetime.date(2020, 1, 2)"),
        ("[10 ** 3, 'ab' * 2]", "[1000, 'abab']"),
        ("1+2j", None),
        ("1, f(2) = 3", "1"),
        ("5 and f(2) is 6", "5"),
        ("", None),
        ("x", None),
        ("x + 1", None),
        ("3 + 4", None),
        ("3 * n", None),
        ("3 - 1", None),
        ("3 -> 4", "3"),
        ("1 or 2", None),
        ("1 if x else 2", None),
        ("1, 2", None),
        ("[1, ..., 3]", None),
        ("[1, x]", None),
        ("[1, 2", None),
        ("'open", None),
        ("f(1)", None),
        ("os.system('x')", None),
        ("3rd", None),
        ("[x for x in y]", None),
        ("[9 ** 99999]", None),
        ("Trueish", None),
    ],
)
def test_a_value_at_the_start(text: str, value: str | None) -> None:
    found = read_value(text, 0)
    assert (found[0] if found else None) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("'a', 'b'.", None), ("'a', None;", None), ("'a', ['b', ...].", None), ("'a', as ever.", "'a'"), ("1, 2.", "1")],
)
def test_a_result_of_several_parts_is_passed_over(text: str, value: str | None) -> None:
    found = read_result(text, 0)
    assert (found.value if found else None) == value


@pytest.mark.parametrize(
    "text", ["", "[" * 500, "\0", "lambda: 1", "x.y", "print(1)", "f''", "*a", "a=1", "'a'.join(b)"]
)
def test_what_is_no_value(text: str) -> None:
    assert to_value_text(text) is None


@pytest.mark.parametrize(
    ("text", "value"), [("1 + 2j", "1 + 2j"), ("Color.RED", "Color.RED"), ("math.inf", "math.inf")]
)
def test_other_values(text: str, value: str) -> None:
    assert to_value_text(text) == value
