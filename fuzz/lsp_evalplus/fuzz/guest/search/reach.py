"""Restricts a search to inputs on which a function is reached that the programs call somewhere inside."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..calling.instrument import with_prologue
from ..judging.judge import REJECTED, DelegatingJudge, Judge, Judgement

REACHED = "_lsp_reached_"


def marked(program: dict[str, Any], qualname: str) -> dict[str, Any]:
    """Return a program in which one of its functions notes that it runs; the program itself where it has none."""
    try:
        tree = ast.parse(program["source"].lstrip("\ufeff"))
        functions = _find(tree.body, [part for part in qualname.split(".") if part != "<locals>"])
        for function in functions:
            at = 1 if ast.get_docstring(function, clean=False) is not None else 0
            function.body.insert(at, ast.parse(f"{REACHED}[0] = True").body[0])
        return {**program, "source": with_prologue(tree, f"{REACHED} = [False]")} if functions else program
    except (SyntaxError, ValueError, RecursionError):
        return program


def _find(body: Sequence[ast.AST], names: list[str]) -> list[Any]:
    """All definitions of a function: which of them counts may be decided when the module is loaded."""
    found: list[Any] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == names[0] and len(names) > 1:
                found += _find(node.body, names[1:])
            elif node.name == names[0] and not isinstance(node, ast.ClassDef):
                found.append(node)
        else:
            found += _find([part for part in ast.iter_child_nodes(node) if isinstance(part, _HOLDERS)], names)
    return found


_HOLDERS = (ast.stmt, ast.ExceptHandler)


class Reaching(DelegatingJudge):
    """Another judge, which rejects the inputs on which no program reaches the function.

    Args:
        judge: the judge that does the work.
        namespaces: of the programs, as `marked`.
    """

    def __init__(self, judge: Judge, namespaces: list[dict[str, Any]]) -> None:
        super().__init__(judge)
        self._marks: list[list[bool]] = [one[REACHED] for one in namespaces if REACHED in one]

    def run(self, row: Any) -> Judgement:
        """As `Judge.run`."""
        for mark in self._marks:
            mark[0] = False
        judgement = self._judge.run(row)
        if any([mark[0] for mark in self._marks]):
            return judgement
        return Judgement(REJECTED, judgement.expected, judgement.actual)
