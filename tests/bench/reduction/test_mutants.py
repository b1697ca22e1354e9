"""Mutants: programs that compile, differ from the reference and from one another, and are the same each time."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.bench.reduction.mutants import MOST_MUTANTS, mutants_of

BODY = "    if x < 3 and x != 0:\n        return [x + 1, 'a']\n    return None\n"


def test_mutants_of_a_small_function(make_problem: Callable[..., Problem]) -> None:
    texts = mutants_of(make_problem(canonical_solution=BODY))
    for expected in ("x <= 3", "x > 3", "or x != 0", "x == 0", "x < 4", "x - 1", "'ax'", "if not (", "return None\n"):
        assert any(expected in text for text in texts), expected
    assert len(set(texts)) == len(texts)
    assert ast.unparse(ast.parse("def f(x):\n" + BODY)) not in texts
    assert texts == mutants_of(make_problem(canonical_solution=BODY))
    for text in texts:
        compile(text, "mutant", "exec")


def test_many_mutants_are_thinned_out_and_broken_references_have_none(make_problem: Callable[..., Problem]) -> None:
    long = "".join(f"    x += {number}\n" for number in range(60)) + "    return x\n"
    assert len(mutants_of(make_problem(canonical_solution=long))) == MOST_MUTANTS
    assert mutants_of(make_problem(canonical_solution="    return (\n")) == []
