"""``check --explain`` and ``--observations``: what was tried is what the search counted."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from lsp_evalplus.commands.check.explanation import describe_shrinking

from ..conftest import Run

# The facts of the schema of an OpenPBTStats test case (github.com/tyche-pbt/tyche-extension), written for this test.
TEST_CASE = {
    "type": "object",
    "required": [
        "type",
        "status",
        "status_reason",
        "representation",
        "arguments",
        "how_generated",
        "features",
        "coverage",
        "timing",
        "metadata",
        "property",
        "run_start",
    ],
    "properties": {
        "type": {"const": "test_case"},
        "status": {"enum": ["passed", "failed", "gave_up"]},
        "status_reason": {"type": "string"},
        "representation": {"type": "string"},
        "arguments": {"type": "object"},
        "how_generated": {"type": ["string", "null"]},
        "features": {"type": "object"},
        "coverage": {"type": ["object", "null"]},
        "timing": {"type": "object"},
        "metadata": {"type": "object"},
        "property": {"type": "string"},
        "run_start": {"type": "number"},
    },
    "additionalProperties": False,
}


def test_stages_add_up_to_what_was_compared(project: Path, run: Run) -> None:
    (target,) = run("check", "stats.py::same", "--explain", "--format", "json").json["targets"]
    counted = target["trace"]["stages"].values()

    # Some inputs are run again, to see whether they reach new branches.
    assert 0 <= target["inputs"] - sum(counts.get("agree", 0) for counts in counted) < 50
    assert set(target["trace"]["kinds"]) >= {"int"}


def test_a_finding_says_how_it_became_small(project: Path, run: Run) -> None:
    (project / "long.py").write_text(
        "# lsp-evalplus: reference=right.py\n"
        "def total(xs: list[int]) -> int:\n    return sum(xs) if len(xs) < 4 else -1\n"
    )
    (project / "right.py").write_text("def total(xs: list[int]) -> int:\n    return sum(xs)\n")
    ran = run("check", "long.py::total", "--explain", "--format", "json")
    (target,) = ran.json["targets"]
    trace = target["trace"]

    assert target["verdict"] == "differs"
    assert trace["steps"] == len(trace["shrinking"]) - 1 or trace["steps"] > 30
    assert trace["shrinking"][-1] == target["counterexample"]["call"]
    text = run("check", "long.py::total", "--explain").out
    assert "    tried " in text
    assert "    arguments: (list[int]) " in text
    assert "became smaller" in text


def test_observations_are_what_tyche_reads(project: Path, run: Run) -> None:
    assert run("check", "stats.py", "--observations", "seen.jsonl").code == 1
    lines = [json.loads(line) for line in (project / "seen.jsonl").read_text().splitlines()]
    cases = [line for line in lines if line["type"] == "test_case"]

    assert {line["property"] for line in cases} == {"stats.py:2::median", "stats.py:7::same"}
    validator = jsonschema.Draft202012Validator(TEST_CASE)
    for case in cases:
        validator.validate(case)
    assert [case["representation"] for case in cases if case["how_generated"] == "smallest failing input"] == [
        "median([0, 1])"
    ]
    assert 10 < sum(case["property"] == "stats.py:7::same" for case in cases) <= 2_000


def test_observations_that_cannot_be_written(project: Path, run: Run) -> None:
    ran = run("check", "stats.py::same", "--observations", "stats.py/seen.jsonl")

    assert ran.code == 2
    assert "--observations: stats.py/seen.jsonl cannot be written" in ran.err


def test_a_long_way_is_told_shortly() -> None:
    told = describe_shrinking(tuple(f"f({place})" for place in range(100))).split(" → ")

    assert (told[0], told[-1]) == ("f(0)", "f(99)")
    assert len(told) <= 7
