"""``bench leaderboard`` and ``bench compare`` of many files, on small result files, hostile names among them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three runs on forty tasks: all right, half right, none right; the last without plus tests if asked."""
    made: list[Path] = []
    for name, right in (("best", 40), ("half", 20), ("none", 0)):
        content = {
            f"T/{place}": [{"solution": "", "base_status": "pass", "plus_status": "pass" if place < right else "fail"}]
            for place in range(40)
        }
        made.append(tmp_path / f"{name}_eval_results.json")
        made[-1].write_text(json.dumps({"hash": "0", "eval": content}))
    return made


def rows_of(result: Result) -> list[list[dict[str, str]]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line)["rows"] for line in result.stdout.splitlines() if line.startswith("{")]


def test_runs_are_ranked(files: list[Path], run: Callable[..., Result]) -> None:
    (table,) = rows_of(run("compare", *reversed(files), "--format", "json"))

    assert [(row["run"], row["tier"], row["base %"], row["pass@1 %"]) for row in table] == [
        ("best", "1", "100.0", "100.0"),
        ("half", "2", "100.0", "50.0"),
        ("none", "3", "100.0", "0.0"),
    ]
    assert "Elo" not in table[0]


def test_a_leaderboard_is_written(files: list[Path], run: Callable[..., Result], tmp_path: Path) -> None:
    pattern = tmp_path / "*_eval_results.json"
    options = ("--output-dir", tmp_path / "site", "--rounds", 20, "--format", "json")
    table, tasks = rows_of(run("leaderboard", pattern, *options))
    results = json.loads((tmp_path / "site" / "results.json").read_text())

    assert int(table[0]["Elo"]) > int(table[1]["Elo"]) > int(table[2]["Elo"])
    assert [row["tasks"] for row in tasks] == ["0", "40", "0"]
    assert results["half"]["pass@1"] == {"base": 100.0, "plus": 50.0}
    assert results["best"]["elo_mle"] > results["none"]["elo_mle"]
    page = (tmp_path / "site" / "index.html").read_text()
    assert "default-src 'none'" in page
    assert run("leaderboard", pattern, *options).exit_code == 0
    assert json.loads((tmp_path / "site" / "results.json").read_text()) == results


def test_texts_of_result_files_are_texts_in_the_page(
    files: list[Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    for place, path in enumerate(files):
        content = json.loads(path.read_text())
        content["eval"][HOSTILE] = [{"solution": "", "base_status": "pass", "plus_status": "fail"}]
        path.rename(path.with_name(f"<b>{place}_eval_results.json"))
        path.with_name(f"<b>{place}_eval_results.json").write_text(json.dumps(content))
    done = run("leaderboard", tmp_path / "*_eval_results.json", "--output-dir", tmp_path / "site", "--rounds", 20)

    page = (tmp_path / "site" / "index.html").read_text()
    assert done.exit_code == 0, done.output
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_what_cannot_be_ranked_is_refused(files: list[Path], run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps({"eval": {"U/0": [{"base_status": "pass"}]}}))
    (tmp_path / "empty.json").write_text(json.dumps({"eval": {}}))
    for names, sentence in (
        ([files[0]], "Name two result files or more"),
        ([files[0], tmp_path / "other.json"], "no task in common"),
        ([files[0], tmp_path / "empty.json"], "empty has no task with samples"),
        ([files[0], tmp_path / "missing.json"], "there is no such result file"),
    ):
        result = run("leaderboard", *names)
        assert (result.exit_code, sentence in result.output) == (2, True), result.output


def test_a_run_without_plus_tests_is_compared_by_base_tests(
    files: list[Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    content = {f"T/{place}": [{"solution": "", "base_status": "pass", "plus_status": None}] for place in range(40)}
    (tmp_path / "base_eval_results.json").write_text(json.dumps({"hash": "0", "eval": content}))

    result = run("compare", *files, tmp_path / "base_eval_results.json", "--format", "json")

    assert "no verdicts for the plus tests" in result.stderr
    assert {row["pass@1 %"] for row in rows_of(result)[0]} == {"100.0"}
