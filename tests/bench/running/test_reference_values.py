"""The whole values of a reference that is run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from lsp_evalplus.bench.judging.part_judge import Answer, Ended
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.running import program_judge
from lsp_evalplus.bench.running.guest_client import Place

PROBLEM = Problem("T/0", "def f(x):\n", "f", "    return [x]\n", "", [], [[1], [2], [3]], 0.0, Family.CUSTOM)
PLACES = [(Part.PLUS, index) for index in range(3)]


@pytest.mark.parametrize(
    ("failing_runs", "is_killed", "expected"),
    [
        (0, False, ["[1]", "[2]", "[3]"]),
        (1, False, ["[1]", "[2]", "[3]"]),
        (1, True, ["[1]", "[2]", "[3]"]),
        (2, False, ["[1]", "raised MemoryError", "[3]"]),
        (2, True, ["[1]", "out of memory", "out of memory"]),
    ],
)
async def test_fails_for_want_of_memory(
    failing_runs: int, is_killed: bool, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed the first time is run once more, and nothing else; what fails again says why.

    Only a machine without memory could show this, so the guests are replaced here.
    """
    runs: list[list[int]] = []

    async def collect(_guests: Any, problem: Problem, *arguments: Any) -> tuple[list[Answer], Ended]:
        places = cast("Sequence[Place]", arguments[-1])
        runs.append([index for _, index in places])
        answers: list[Answer] = []
        for part, index in places:
            if index == 1 and len(runs) <= failing_runs:
                if is_killed:
                    return answers, Ended("memory", None, None, "out of memory", has_died=True)
                answers.append(Answer(part, index, text="raised MemoryError"))
            else:
                answers.append(Answer(part, index, value=f"[{problem.plus_inputs[index][0]}]"))
        return answers, Ended("finished", None, None)

    monkeypatch.setattr(program_judge, "collect", collect)

    answers = await program_judge.values_of_reference(cast("Any", None), PROBLEM, PLACES)

    assert [(answer.part, answer.index) for answer in answers] == PLACES
    assert [answer.value or answer.text for answer in answers] == expected
    assert runs == [[0, 1, 2], *([[1, 2] if is_killed else [1]] if failing_runs else [])]
