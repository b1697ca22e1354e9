"""Mutants of one function: each in one place, the rest of the text untouched, and none that no call can tell."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.covering.mutants import find_mutants, thinned

SOURCE = '''"""Grüße: bytes are no characters."""  # kept

LIMIT = 3


@decorated(limit=4)
def f(x: "int" = 5, *, y: int = 6) -> "int":
    """Text 7."""
    größe: "int" = x + 1  # é
    if größe < LIMIT and y:
        raise ValueError("text 8")
    return größe


def g(x):
    return x - 1


class C:
    def f(self):
        return f"{1 + 1}"
'''


def test_a_mutant_changes_one_place_and_no_line() -> None:
    lines = SOURCE.splitlines()
    for mutant in find_mutants(SOURCE, "f"):
        changed = mutant.source.splitlines()
        assert [number for number, (one, two) in enumerate(zip(lines, changed), 1) if one != two] == [mutant.line]
        assert len(changed) == len(lines)
        assert mutant.before in lines[mutant.line - 1]
        ast.parse(mutant.source)


def test_only_what_calls_can_tell_is_changed() -> None:
    found = [(mutant.line, mutant.before, mutant.after) for mutant in find_mutants(SOURCE, "f")]

    assert sorted(found) == [
        (9, "1", "0"),
        (9, "1", "2"),
        (9, "x + 1", "(x - 1)"),
        (10, "größe < LIMIT", "(größe <= LIMIT)"),
        (10, "größe < LIMIT", "(größe > LIMIT)"),
        (10, "größe < LIMIT and y", "(größe < LIMIT or y)"),
        (10, "größe < LIMIT and y", "not (größe < LIMIT and y)"),
        (12, "größe", "None"),
    ]


def test_slips_of_whoever_writes_code_are_added_where_asked() -> None:
    source = "def f(xs, n):\n    n += 1\n    print(n)\n    return xs\n"
    usual = {one.source for one in find_mutants(source, "f")}
    found = {(one.before, one.after) for one in find_mutants(source, "f", is_thorough=True) if one.source not in usual}

    assert found == {("n += 1", "pass"), ("print(n)", "pass"), ("n", "xs"), ("xs", "n")}


@pytest.mark.parametrize(("source", "name"), [(SOURCE, "h"), (SOURCE, "C.g"), ("def f(:", "f"), ("", "f")])
def test_what_is_not_there_has_no_mutants(source: str, name: str) -> None:
    assert find_mutants(source, name) == []


def test_text_in_formatted_strings_is_left_alone() -> None:
    assert [(one.before, one.after) for one in find_mutants(SOURCE, "C.f")] == [('f"{1 + 1}"', "None")]


def test_the_last_definition_counts() -> None:
    source = "def f():\n    return 1\n\n\ndef f():\n    return 2\n"

    assert {one.line for one in find_mutants(source, "f")} == {6}


def test_many_are_thinned_evenly() -> None:
    mutants = find_mutants("def f(x):\n" + "".join(f"    x += {n}\n" for n in range(50)) + "    return x\n", "f")
    few = thinned(mutants, 10)

    assert len(few) == 10
    assert few[0].line < 5
    assert few[-1].line > 40
    assert thinned(few, 99) == few
