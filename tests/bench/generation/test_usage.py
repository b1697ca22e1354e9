"""What samples cost is kept beside them, and added up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_evalplus.bench.generation.usage import add_usage, read_usage, usage_path
from lsp_evalplus.fuzz.llm.replies import Usage


@pytest.mark.parametrize("name", ["m.jsonl", "m_eval_results.json", "m_eval_results.json.gz"])
def test_samples_and_their_results_have_one_file(name: str) -> None:
    assert usage_path(Path("a") / name) == Path("a/m.usage.json")


def test_runs_that_continue_add_up(tmp_path: Path) -> None:
    samples = tmp_path / "m.jsonl"
    add_usage(samples, Usage(2, 100, 50), 0.5, resumed=True)
    add_usage(samples, Usage(1, 10, 5), 0.25, resumed=True)
    add_usage(samples, Usage(), None, resumed=True)

    assert read_usage(samples) == {"requests": 3, "prompt_tokens": 110, "completion_tokens": 55, "cost": 0.75}

    add_usage(samples, Usage(1, 10, 5), 0.25, resumed=False)
    assert read_usage(samples)["cost"] == 0.25


@pytest.mark.parametrize("costs", [(0.5, None), (None, 0.5)])
def test_a_part_of_the_cost_is_no_cost(tmp_path: Path, costs: tuple[float | None, ...]) -> None:
    for cost in costs:
        add_usage(tmp_path / "m.jsonl", Usage(1, 10, 5), cost, resumed=True)

    assert read_usage(tmp_path / "m.jsonl") == {"requests": 2, "prompt_tokens": 20, "completion_tokens": 10}


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"cost": "much", "requests": -1})])
def test_what_is_no_usage_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "m.usage.json").write_text(content)

    assert read_usage(tmp_path / "m.jsonl") == {}
