"""Leave one family out: a mistake that only the family left out makes is misjudged, and is told by its run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Dataset, Problem
from lsp_evalplus.bench.reduction.corpus import Corpus, Run
from lsp_evalplus.bench.reduction.kill_matrix import RIGHT, KillRow
from lsp_evalplus.bench.reduction.leave_out import Judging, leave_out_families, leave_out_runs, to_table
from lsp_evalplus.bench.reduction.suite import Choice, all_useful, choose_suite, fill_suite

RIGHT_KEY, COMMON, RARE, HANGING = (("T/0", name) for name in ("right", "common", "rare", "hanging"))


def killed_by(*indices: int, complete: bool = True) -> KillRow:
    return KillRow(frozenset(), dict.fromkeys(Rule, sum(1 << index for index in indices)), 0, complete)


ROWS = {
    RIGHT_KEY: RIGHT,
    COMMON: killed_by(1, 2),
    RARE: killed_by(4),
    HANGING: killed_by(3, complete=False),
}
RUNS = [
    Run("small", "one", [COMMON, RIGHT_KEY]),
    Run("large", "two", [COMMON, RARE, RIGHT_KEY, RIGHT_KEY]),
    Run("slow", "three", [HANGING]),
]


@pytest.fixture
def dataset(make_problem: Callable[..., Problem]) -> Dataset:
    task = make_problem(task_id="T/0", plus_inputs=[[number] for number in range(5)])
    return Dataset("d", "custom", "", "", "", {"T/0": task})


@pytest.mark.parametrize(
    ("with_timeouts", "slow"),
    [(False, 0.0), (True, 100.0)],  # What kills a hanging program is not known unless time-outs count.
)
def test_only_the_mistake_of_one_family_is_misjudged(dataset: Dataset, with_timeouts: bool, slow: float) -> None:
    corpus = Corpus({}, {}, RUNS)
    judging = Judging(ROWS, Rule.STRICT, with_timeouts)
    cover = partial(choose_suite, ROWS, choice=Choice(1, with_timeouts, {}))
    found = leave_out_families("1-fold", dataset, corpus, judging, cover)
    assert found.points == {"small": 0.0, "large": 25.0, "slow": slow}
    seen = leave_out_runs("1-fold", dataset, corpus, judging, cover, [])
    assert set(seen.points.values()) == {0.0}
    assert seen.tests == 1 + 3
    (row,) = to_table("title", [seen], 1).rows
    assert row == ["1-fold", "4.00", "0.00", "0.00", "0.000", "3", "3", "3"]


def test_a_refused_input_is_not_chosen() -> None:
    suite = choose_suite(ROWS, ROWS, Choice(1, False, {"T/0": 0b10010}))
    assert suite == {"T/0": 0b01100}


def test_every_input_that_kills_a_rarely_killed_program_is_kept() -> None:
    most = max(row.kills[Rule.STRICT].bit_count() for row in ROWS.values())
    few = choose_suite(ROWS, ROWS, Choice(1, False, {}))
    kept = choose_suite(ROWS, ROWS, Choice(1, False, {}, rare=most))
    assert kept == all_useful(ROWS, ROWS, Choice(1, False, {}))
    assert kept != few


@pytest.mark.parametrize(("least", "filled"), [(1, 0b10), (3, 0b01011), (4, 0b01111), (9, 0b01111)])
def test_a_filled_suite_keeps_the_cover_and_takes_no_refused_input(dataset: Dataset, least: int, filled: int) -> None:
    assert fill_suite({"T/0": 0b10}, dataset, least, Choice(1, False, {"T/0": 0b10000})) == {"T/0": filled}
