"""Leaderboards that others have published, files of 0 and 1 by model and task, and what is known of models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.ranking.facts import Facts, fact_columns, facts_of
from lsp_evalplus.bench.ranking.published import pairs, published_table, read_board

HOSTILE = "</script><script>alert(1)</script>\u202e"
HARD = {
    "big": {
        "pass@1": {"complete": 40.5, "instruct": 29.7},
        "size": 70,
        "prompted": True,
        "link": "https://example.org/b",
    },
    "small": {
        "pass@1": {"complete": 12.8, "instruct": None},
        "size": 7,
        "prompted": False,
        "link": "javascript:alert(1)",
    },
    "unseen": {"pass@1": {"complete": None, "instruct": None}, "size": 3},
    "middle": {"pass@1": {"complete": 20.3, "instruct": 13.5}, "size": 46.7, "act_param": 12.9, "elo_mle": 1017},
}


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def tables_of(result: Result) -> list[list[dict[str, str]]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line)["rows"] for line in result.stdout.splitlines() if line.startswith("{")]


def test_models_are_in_order_of_the_score_that_most_have() -> None:
    board = read_board({"hard": HARD})

    assert list(board.parts) == ["complete", "instruct"]
    assert [model.name for model in board.models] == ["big", "middle", "small"]
    assert board.without_score == 1
    assert published_table(board).urls == {"big": "https://example.org/b"}


@pytest.mark.parametrize(
    ("part", "values", "tasks"),
    [
        ("complete", [40.5, 12.8, 20.3], 148),
        ("complete", [40.5, 12.8, 20.4], 1140),
        ("humaneval+", [86.6, 79.3], 164),
        ("humaneval+", [86.6, 79.0], None),
        ("mbpp+", [73.3], None),
    ],
)
def test_intervals_are_of_the_tasks_that_the_scores_are_shares_of(
    part: str, values: list[float], tasks: int | None
) -> None:
    content = {f"m{place}": {"pass@1": {part: value}} for place, value in enumerate(values)}

    board = read_board({"file": content})
    score = board.models[-1].scores[part]

    assert board.tasks == ({} if tasks is None else {part: tasks})
    assert (score.low < score.value < score.high) == (tasks is not None)


def test_two_published_leaderboards_stand_beside_each_other() -> None:
    board = read_board({"full": {"a": {"pass@1": {"complete": 50.0}}}, "hard": {"a": {"pass@1": {"complete": 25.0}}}})

    assert list(board.models[0].scores) == ["full: complete", "hard: complete"]


def test_base_tests_stand_beside_more_tests() -> None:
    scores = {"humaneval": 88.4, "humaneval+": 79.3, "mbpp": 82.5, "mbpp+": 69.7}
    board = read_board({"file": {"a": {"pass@1": scores}, "b": {"pass@1": scores | {"mbpp": None, "mbpp+": None}}}})
    table = published_table(board)

    assert list(board.parts) == ["humaneval+", "humaneval", "mbpp+", "mbpp"]
    assert pairs(board) == [("humaneval", "humaneval+"), ("mbpp", "mbpp+")]
    assert [row[table.header.index("mean %")] for row in table.rows] == ["80.0", ""]
    assert pairs(read_board({"file": HARD})) == [("complete", "instruct")]
    assert pairs(read_board({"file": {"a": {"pass@1": 50}}})) == []


def test_the_command_shows_a_published_leaderboard(run: Callable[..., Result], tmp_path: Path) -> None:
    path = write(tmp_path / "board.json", {**HARD, HOSTILE: {"pass@1": {"complete": 10.1}, "date": HOSTILE}})

    result = run("leaderboard", path, "--output-dir", tmp_path / "site", "--format", "json")
    (table,) = tables_of(result)
    results = json.loads((tmp_path / "site" / "results.json").read_text())
    page = (tmp_path / "site" / "index.html").read_text()

    assert [(row["model"], row["complete %"], row["size (B)"]) for row in table[:2]] == [
        ("big", "40.5", "70"),
        ("middle", "20.3", "46.7"),
    ]
    assert "published without results by task" in result.stderr
    assert "left out: 1 model." in result.stderr
    assert results["middle"]["elo_mle"] == 1017
    assert results["big"]["pass@1"] == {"complete": 40.5, "instruct": 29.7}
    assert results["big"]["link"] == "https://example.org/b"
    assert 'href="https://example.org/b"' in page
    assert 'href="javascript:' not in page
    assert "<script>alert" not in page
    assert 'id="chart-size"' in page
    assert run("report", path, "-o", tmp_path / "report.html").exit_code == 0


def test_runs_come_from_one_file_of_zeros_and_ones(run: Callable[..., Result], tmp_path: Path) -> None:
    good, bad = ({f"T/{place}": int(place < right) for place in range(40)} for right in (30, 5))
    sets = {"easy": {"good": good, "bad": bad}, "hard": {"bad": bad, "worse": dict.fromkeys(bad, 0)}}
    path = write(tmp_path / "perf.json", sets)

    refused = run("leaderboard", path, "--rounds", 20)
    assert refused.exit_code == 2
    assert "choose one by --set: easy, hard." in refused.output
    assert "none is 'none'" in run("leaderboard", path, "--set", "none").output
    table = tables_of(run("leaderboard", path, "--set", "easy", "--rounds", 20, "--format", "json"))[0]
    assert [(row["run"], row["pass@1 %"]) for row in table] == [("good", "75.0"), ("bad", "12.5")]
    one, two = (write(tmp_path / f"{name}.json", sets["hard"]) for name in ("first", "second"))
    table = tables_of(run("compare", one, two, one, "--format", "json"))[0]
    assert [row["run"] for row in table] == ["first/bad", "second/bad", "first/worse", "second/worse"]


def test_files_of_both_kinds_are_not_mixed(run: Callable[..., Result], tmp_path: Path) -> None:
    board = write(tmp_path / "board.json", HARD)
    one = write(tmp_path / "one.json", {"eval": {"T/0": [{"base_status": "pass"}]}})
    other = write(tmp_path / "other.json", {"a": 1})

    assert "is a published leaderboard" in run("leaderboard", board, one).output
    assert "`bench leaderboard` shows it" in run("compare", board, board, board).output
    assert "neither a leaderboard" in run("leaderboard", one, other).output
    assert "no model has a pass@1" in run("leaderboard", write(board, {"a": {"pass@1": "much"}})).output


def test_what_is_known_of_models_stands_beside_their_scores(run: Callable[..., Result], tmp_path: Path) -> None:
    for name, right in (("big", 30), ("small", 10), ("middle", 20)):
        content = {f"T/{place}": [{"base_status": "pass" if place < right else "fail"}] for place in range(40)}
        write(tmp_path / f"{name}_eval_results.json", {"hash": "0", "eval": content})
    known = write(tmp_path / "known.json", HARD)
    options = ("--rounds", 20, "--models", known, "--output-dir", tmp_path / "site", "--format", "json")

    table = tables_of(run("leaderboard", tmp_path / "*_eval_results.json", *options))[0]
    assert [(row["run"], row["size (B)"], row["prompt"]) for row in table] == [
        ("big", "70", "chat"),
        ("middle", "46.7", ""),
        ("small", "7", "text"),
    ]
    assert 'id="chart-size"' in (tmp_path / "site" / "index.html").read_text()
    assert json.loads((tmp_path / "site" / "results.json").read_text())["big"]["size"] == 70
    write(known, {"other": {}})
    assert "has none of the runs" in run("leaderboard", tmp_path / "*_eval_results.json", *options).output


def test_facts_of_unexpected_types_are_none() -> None:
    odd = facts_of(
        {"size": "7B", "act_param": True, "prompted": "yes", "moe": 1, "open-data": None, "link": "ftp://x", "date": 1}
    )

    assert odd == Facts()
    assert fact_columns({"a": odd}) == {}


@pytest.mark.dataset
@pytest.mark.parametrize(
    ("name", "models"),
    [("leaderboard_results", 156), ("leaderboard_results-hard", 202), ("leaderboard_results_32cd78c", 139)],
)
def test_bigcodebench_has_published_leaderboards(
    data_folder: Path, run: Callable[..., Result], tmp_path: Path, name: str, models: int
) -> None:
    path = data_folder / "bigcodebench" / f"{name}.json"

    (table,) = tables_of(run("leaderboard", path, "--output-dir", tmp_path, "--format", "json"))

    assert len(table) == models
    published = json.loads(path.read_text())
    for model, record in json.loads((tmp_path / "results.json").read_text()).items():
        given = {part: value for part, value in published[model]["pass@1"].items() if value is not None}
        assert record["pass@1"] == given
        assert record.get("elo_mle") == published[model].get("elo_mle")


@pytest.mark.slow
@pytest.mark.dataset
def test_the_command_rates_as_bigcodebench_did(data_folder: Path, run: Callable[..., Result], tmp_path: Path) -> None:
    folder = data_folder / "bigcodebench"
    for name, wanted in json.loads((folder / "elo_fixture.json").read_text()).items():
        options = ("--set", name, "--rounds", 20, "--output-dir", tmp_path / name)
        assert run("leaderboard", folder / "task_perf.json", *options).exit_code == 0

        results = json.loads((tmp_path / name / "results.json").read_text())
        assert {model: one["elo"] for model, one in results.items()} == pytest.approx(wanted["point"], abs=0.05)
