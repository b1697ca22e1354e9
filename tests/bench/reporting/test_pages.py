"""Pages of one run and of several: what they say is what the result files say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.generation.usage import usage_path
from lsp_evalplus.bench.ranking.board import Bootstrap, rank
from lsp_evalplus.bench.ranking.sources import read_runs
from lsp_evalplus.bench.reporting.failures import wrong_programs
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.reporting.one_run import page_of_run
from lsp_evalplus.bench.results.results import read_results
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.page import Page, Section, to_page


def entry(base: str, plus: str | None, program: str = "def f(): pass", **more: Any) -> dict[str, Any]:
    return {"solution": program, "base_status": base, "plus_status": plus, **more}


def write(path: Path, tasks: Mapping[str, list[dict[str, Any]]]) -> Path:
    path.write_text(json.dumps({"hash": "0", "eval": tasks}))
    return path


def section(page: Page, name: str) -> Section:
    (found,) = [item for item in page.sections if item.id == name]
    return found


def page_of(path: Path) -> Page:
    return page_of_run(path, read_results(path), "run")


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """Two samples of three tasks: one right, one that only plus tests refuse, one wrong and one too slow."""
    return write(
        tmp_path / "model_eval_results.json",
        {
            "T/1": [entry("pass", "pass"), entry("pass", "pass")],
            "T/2": [
                entry("pass", "fail", "def f(): return 1", plus_fail_tests=[[10, 20, 30], [1]]),
                entry("pass", "fail", "def f(): return 1", plus_fail_tests=[[5]]),
            ],
            "T/3": [
                entry(
                    "fail",
                    "fail",
                    "def f(): return 3",
                    base_details=[
                        {"index": 4, "call": "f([1, 2, 3])", "expected": "6", "actual": "5"},
                        {"index": 7, "call": "f([])", "expected": "0", "actual": "None"},
                    ],
                ),
                entry("timeout", "timeout", "while True: pass"),
            ],
        },
    )


def test_wrong_programs_are_told_once_those_that_pass_base_first(run_file: Path) -> None:
    found, number = wrong_programs(read_results(run_file))

    assert number == 3
    assert [(item.task, item.kind, item.call, item.expected, item.actual, item.twins) for item in found] == [
        ("T/2", "passes base, fails plus", "[1]", "", "", 2),
        ("T/3", "fail", "f([])", "0", "None", 1),
        ("T/3", "timeout", "", "", "", 1),
    ]


def test_what_has_no_room_is_counted(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsp_evalplus.bench.reporting.failures._MOST_BYTES", 40)
    page = page_of(run_file)

    assert len(page.failures) == 1
    assert "1 of them are on this page, which would become too large with all." in section(page, "wrong").text


@pytest.mark.parametrize("character", ["x", "\u4e2d", "<", "\x00"])
def test_programs_of_any_characters_have_the_same_room(tmp_path: Path, character: str) -> None:
    programs = [entry("fail", "fail", f"# {number}\n{20_000 * character}") for number in range(400)]
    page = page_of(write(tmp_path / "model_eval_results.json", {"T/1": programs}))

    assert len(page.failures) > 0
    assert len(to_page(page)) < 8_000_000


def test_scores_and_rates_are_those_of_the_file(run_file: Path) -> None:
    page = page_of(run_file)
    table = section(page, "scores").table
    rates = section(page, "rates")

    assert table is not None
    assert [row[:2] for row in table.rows] == [["pass@1, base", "66.7"], ["pass@1, base + plus", "33.3"]]
    assert rates.chart is not None
    assert rates.chart.data["rows"] == [
        {"task": "T/1", "base": 1.0, "plus": 1.0},
        {"task": "T/2", "base": 1.0, "plus": 0.0},
        {"task": "T/3", "base": 0.0, "plus": 0.0},
    ]
    assert rates.table is not None
    assert [row[0] for row in rates.table.rows] == ["T/2", "T/3", "T/1"]


def test_pass_at_k_needs_several_samples(run_file: Path, tmp_path: Path) -> None:
    single = write(tmp_path / "single.json", {"T/1": [entry("pass", "pass")], "T/2": [entry("fail", "fail")]})

    assert [point["k"] for point in section(page_of(run_file), "pass-at-k").chart.data["points"]] == [1, 2, 1, 2]  # type: ignore[union-attr]
    assert "pass-at-k" not in [item.id for item in page_of(single).sections]


def test_a_run_on_base_tests_has_no_plus(tmp_path: Path) -> None:
    page = page_of(write(tmp_path / "base.json", {"T/1": [entry("pass", None)], "T/2": [entry("fail", None)]}))
    table = section(page, "scores").table

    assert table is not None
    assert [row[0] for row in table.rows] == ["pass@1, base"]


def test_disagreements_of_the_comparators_are_listed(tmp_path: Path) -> None:
    other = {"name": "evalplus", "base_status": "pass", "plus_status": "pass"}
    page = page_of(write(tmp_path / "x.json", {"T/1": [entry("pass", "fail", other_comparator=other)]}))
    table = section(page, "comparators").table

    assert table is not None
    assert list(table.rows) == [["T/1", "0", "pass/fail", "evalplus", "pass/pass"]]


def test_a_file_without_samples_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.json", {"T/1": []})

    with pytest.raises(UserError, match="has no task with samples"):
        page_of(path)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs on forty tasks; the second has no sample of the last one."""
    good = {f"T/{n}": [entry("pass", "pass" if n < 30 else "fail")] for n in range(40)}
    bad = {f"T/{n}": [entry("pass" if n < 20 else "fail", "fail")] for n in range(39)}
    return [write(tmp_path / "good.json", good), write(tmp_path / "bad.json", bad)]


def test_several_runs(runs: list[Path]) -> None:
    page = page_of_runs(rank(*read_runs(runs), Bootstrap(20, 0)), "Runs", {"good": 2.5})
    heat = section(page, "tasks").chart
    solved = section(page, "solved")
    drop = section(page, "drop").chart
    cost = section(page, "cost").table

    assert heat is not None
    assert heat.data["runs"] == ["good", "bad"]
    assert heat.data["percents"][0] == [100] * 30 + [0] * 10
    assert heat.data["percents"][1] == [0] * 39 + [-1]
    assert solved.text[0].startswith("No run solves 10 tasks, and every run solves 0 tasks.")
    assert drop is not None
    assert drop.data["rows"][0] == {"name": "good", "first": 1.0, "second": 0.75}
    assert cost is not None
    assert [row[:2] for row in cost.rows] == [["good", "2.5"]]
    assert any("39 to 40 tasks" in text for text in section(page, "order").text)


def test_what_generation_cost_is_shown(run_file: Path, runs: list[Path], run: Callable[..., Result]) -> None:
    usage = {"requests": 9, "prompt_tokens": 12000, "completion_tokens": 3400, "cost": 0.75}
    write_usage(run_file, usage)
    assert ["generation: prompt tokens", "12,000"] in rows_of(section(page_of(run_file), "settings"))

    for place, path in enumerate(runs):
        write_usage(path, usage | {"cost": 1.5 + place})
    output = run_file.with_name("costs.html")
    assert run("report", *runs, "-o", output, "--rounds", 20).exit_code == 0
    assert 'id="chart-cost"' in output.read_text()


def write_usage(results: Path, usage: dict[str, float]) -> None:
    usage_path(results).write_text(json.dumps(usage))


def rows_of(shown: Section) -> list[list[str]]:
    assert shown.table is not None
    return [list(row) for row in shown.table.rows]


def test_every_chart_has_its_table(runs: list[Path], run_file: Path) -> None:
    for page in (page_of_runs(rank(*read_runs(runs), Bootstrap(20, 0)), "Runs", {"good": 1}), page_of(run_file)):
        assert [item.id for item in page.sections if item.chart is not None and item.table is None] == []


def test_the_command_writes_the_page(runs: list[Path], run: Callable[..., Result], tmp_path: Path) -> None:
    output = tmp_path / "report.html"

    result = run("report", *runs, "-o", output, "--rounds", 20, "--title", "<b>Runs</b>")
    assert result.exit_code == 0, result.output
    assert "&lt;b&gt;Runs&lt;/b&gt;" in output.read_text()
    before = output.read_bytes()
    assert run("report", *runs, "-o", output, "--rounds", 20, "--title", "<b>Runs</b>").exit_code == 0
    assert output.read_bytes() == before

    assert run("report", runs[0], "-o", output).exit_code == 0
    assert "Tasks by pass rate" in output.read_text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is not a JSON object of costs by run"),
        ('{"good": "much"}', "is not a JSON object of costs by run"),
        ('{"other": 1}', "none of the runs: good, bad"),
        ("{", "cannot be read as JSON"),
    ],
)
def test_costs_that_cannot_be_read(
    runs: list[Path], run: Callable[..., Result], tmp_path: Path, content: str, message: str
) -> None:
    costs = tmp_path / "costs.json"
    costs.write_text(content)

    result = run("report", *runs, "-o", tmp_path / "r.html", "--costs", costs)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert not (tmp_path / "r.html").exists()


def test_costs_compare_runs(runs: list[Path], run: Callable[..., Result], tmp_path: Path) -> None:
    assert run("report", runs[0], "--costs", tmp_path / "costs.json").exit_code == 2


def test_a_page_that_cannot_be_written(runs: list[Path], run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("report", *runs, "-o", tmp_path / "file" / "report.html")

    assert result.exit_code == 2
    assert "cannot be written" in result.output
