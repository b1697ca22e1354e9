"""Plans, chunks and results are plain values, and come back as they were sent."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import pytest

from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.problem import Family, Part, Problem, TaskTests
from lsp_evalplus.bench.remote.plan import ChunkResult, chunk_of, read_chunk
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.store.keys import task_digest

NESTED = [(1,), ([2.5, {"a": (1, None)}],)]
WITH_INPUTS = Problem(
    "Own/1", "def f(x):\n", "f", "    return x\n", "    assert x\n", NESTED, [(10**30,)], 1e-6, Family.HUMANEVAL
)
CHECKS = TaskTests(["assert f(1)"], ["x"], "import os")
WITH_TESTS = Problem("Own/2", "def f(x):\n", "f", "    return x\n", "", [], [], 0.0, Family.CUSTOM, CHECKS)


@pytest.mark.parametrize("problem", [WITH_INPUTS, WITH_TESTS])
def test_a_chunk_holds_its_task_and_its_programs(problem: Problem) -> None:
    jobs = [Unjudged(problem, str(number), f"x = {number}", (Part.BASE,)) for number in range(3)]

    sent = pickle.loads(pickle.dumps(chunk_of(jobs)))
    dataset, samples = read_chunk(sent)

    (read,) = dataset.problems.values()
    plain = replace(read, base_inputs=list(read.base_inputs), plus_inputs=list(read.plus_inputs))
    of_lists = [[list(arguments) for arguments in inputs] for inputs in (problem.base_inputs, problem.plus_inputs)]
    assert plain == replace(problem, base_inputs=of_lists[0], plus_inputs=of_lists[1])
    assert task_digest(read) == task_digest(problem)
    assert [one.solution for one in samples.samples] == ["x = 0", "x = 1", "x = 2"]


def test_a_result_is_json() -> None:
    row: Any = SampleVerdict({}).to_json()
    result = ChunkResult({"d": SampleVerdict.from_json(row)}, 1.5, {"landlock": "refused"}, ["a sentence"])

    assert ChunkResult.from_plain(json.loads(json.dumps(result.to_plain()))) == result
