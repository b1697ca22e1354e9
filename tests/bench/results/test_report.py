"""Tables: their forms, what they say, comparisons and sweeps."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.results.report import (
    compare,
    comparison_table,
    pick_ks,
    score_table,
    sweep_table,
    task_table,
    temperature_of,
)
from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.bench.results.tables import TableFormat, to_rich, to_text
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

TABLE = Table("A_title 100 %", ["", "a|b", "c_d"], [["x & y", "1", "50 %"], ["z", "2", "{}"]])


def test_markdown() -> None:
    lines = to_text(TABLE, TableFormat.MARKDOWN).splitlines()
    assert lines[2:] == ["|  | a\\|b | c_d |", "| --- | ---: | ---: |", "| x & y | 1 | 50 % |", "| z | 2 | {} |"]


def test_latex_is_escaped() -> None:
    text = to_text(TABLE, TableFormat.LATEX)
    assert r"\begin{tabular}{lrr}" in text
    assert r"  x \& y & 1 & 50 \% \\" in text
    assert r"c\_d" in text
    assert r"\{\}" in text


def test_csv_is_read_back() -> None:
    assert list(csv.reader(io.StringIO(to_text(TABLE, TableFormat.CSV)))) == [TABLE.header, *TABLE.rows]


def test_rich_shows_every_cell() -> None:
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=100).print(to_rich(TABLE)[0])
    assert all(cell in out.getvalue() for row in TABLE.rows for cell in row)


@pytest.mark.parametrize(("width", "left_out"), [(120, []), (80, []), (70, ["to first"]), (60, ["to first", "base %"])])
def test_a_narrow_terminal_has_whole_names_and_numbers(width: int, left_out: list[str]) -> None:
    from rich.console import Console

    names = ["Qwen2.5-Coder-32B-Instruct_temperature_0.2", "Qwen2.5-Coder-32B-Instruct_temperature_0.8"]
    rows = [[name, "1", "98.8", "96.4", "90.0-98.8", "-12.5"] for name in names]
    header = ["run", "#", "base %", "pass@1 %", "95 %", "to first"]
    out = io.StringIO()
    table, missing = to_rich(Table("Runs", header, rows, spare=["to first", "base %"]), width)
    Console(file=out, width=width).print(table)

    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.getvalue().splitlines() if "│" in line]
    columns = ["".join(parts) for parts in zip(*cells)]
    kept = [place for place, name in enumerate(header) if name not in left_out]
    assert missing == left_out
    assert columns == ["".join(row[place] for row in rows) for place in kept]


def test_names_are_shown_as_they_are() -> None:
    from rich.console import Console

    odd = Table("run[bold].jsonl\nsecond", ["a\nb"], [["Own/[red]\r\n1"]])
    out = io.StringIO()
    Console(file=out, width=100).print(to_rich(Table(odd.title, ["a wider column", ""], []))[0])
    assert "run[bold].jsonl" in out.getvalue()
    assert to_text(odd, TableFormat.MARKDOWN).splitlines() == [
        "**run[bold].jsonl second**",
        "",
        "| a b |",
        "| --- |",
        "| Own/[red] 1 |",
    ]
    latex = to_text(odd, TableFormat.LATEX).splitlines()
    assert (latex[0], latex[5]) == ("% run[bold].jsonl second", r"  Own/[red] 1 \\")


def test_rich_is_no_plain_form() -> None:
    with pytest.raises(ValueError, match="not a plain form"):
        to_text(TABLE, TableFormat.RICH)


def scores(*pairs: tuple[int, int]) -> TaskScores:
    return TaskScores({f"T/{number}": pair for number, pair in enumerate(pairs)})


def test_score_table() -> None:
    both = {Part.BASE: scores((1, 1), (1, 1), (1, 0)), Part.PLUS: scores((1, 1), (1, 0), (1, 0))}
    rows = score_table("t", {Rule.STRICT: both, Rule.EVALPLUS: both}, [1]).rows
    assert [row[:3] for row in rows] == [["pass@1", "base", "66.7"], ["pass@1", "base + plus", "33.3"]]
    assert [row[4:] for row in rows] == [["2/3", "3", "strict, evalplus"], ["1/3", "3", "strict, evalplus"]]
    more = both | {Part.PLUS: scores((1, 1), (1, 1), (1, 0))}
    rows = score_table("t", {Rule.STRICT: both, Rule.EVALPLUS: more}, [1]).rows
    assert [[row[1], row[2], row[6]] for row in rows] == [
        ["base", "66.7", "strict, evalplus"],
        ["base + plus", "33.3", "strict"],
        ["base + plus", "66.7", "evalplus"],
    ]
    assert task_table("t", both).rows[1] == ["T/1", "1/1", "0/1"]


def test_ks() -> None:
    few, many = scores((10, 1), (12, 3)), scores((100, 1))
    assert (pick_ks((), few), pick_ks((), many), pick_ks((2, 5), few)) == ([1, 10], [1, 10, 100], [2, 5])
    with pytest.raises(UserError, match="pass@11 needs 11 samples of every task; T/0 has 10"):
        pick_ks((11,), few)


def test_comparison_is_paired() -> None:
    one = scores(*[(1, 1)] * 6, *[(1, 0)] * 6)
    two = scores(*[(1, 1)] * 11, (1, 0))
    found = compare(one, two)
    assert (found.tasks, found.only_first, found.only_second, found.method) == (12, 0, 5, "McNemar, exact")
    assert found.p_value == pytest.approx(2 / 32)
    assert found.low < found.second - found.first < found.high
    cells = comparison_table("t", {Part.BASE: found}).rows[0]
    assert cells[:5] == ["base", "12", "50.0", "91.7", "+41.7"]


def test_comparison_of_several_samples_and_of_different_tasks() -> None:
    found = compare(scores((4, 1), (4, 2), (4, 4)), scores((4, 3), (4, 4)))
    assert (found.tasks, found.method) == (2, "sign-flip permutation")
    with pytest.raises(UserError, match="no task in common"):
        compare(scores((1, 1)), TaskScores({"Other/0": (1, 1)}))


@pytest.mark.parametrize(
    ("name", "temperature"),
    [
        ("model_openai_temp_0.8.jsonl", "0.8"),
        ("model--m_vllm_temp_0.0.jsonl.gz", "0.0"),
        ("codegen-16b_t0.2.zip", "0.2"),
        ("temperature=1.jsonl", "1"),
        ("model_t_1.jsonl", "1"),
        ("model_temp0.jsonl", "0"),
        ("gpt-4.jsonl", "gpt-4"),
        ("flan-t5-base.jsonl", "flan-t5-base"),
        ("flan-t5.jsonl", "flan-t5"),
        ("codet5-base_temp_0.4.jsonl", "0.4"),
        ("t5-base_temp_0.4_t5.jsonl", "0.4"),
    ],
)
def test_temperatures_in_names(name: str, temperature: str) -> None:
    assert temperature_of(Path(name)) == temperature


def test_sweep_shows_the_best_temperature_for_each_k() -> None:
    greedy = {Part.BASE: scores((1, 1), (1, 0))}
    low = {Part.BASE: scores((10, 9), (10, 0))}
    high = {Part.BASE: scores((10, 4), (10, 3))}
    table = sweep_table("t", {"0.0": greedy, "0.2": low, "0.8": high}, [1, 10])
    assert list(table.header) == ["tests", "pass@1*", "pass@1", "T*_1", "pass@10", "T*_10"]
    assert table.rows == [["base", "50.0", "45.0", "0.2", "100.0", "0.8"]]
