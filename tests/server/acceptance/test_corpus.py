"""How exactly accepted code is recognised among recorded edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from .corpus.measure import ACCEPTED, OWN, judge, precision, recordings

REQUIRED = 0.95


@pytest.mark.slow
def test_of_every_kind_of_edits_nearly_all_are_told_rightly(tmp_path: Path) -> None:
    """Every third edit of the corpus; the table in docs/editors-measured.md is of all of them."""
    found = {kind: judge(kind, recordings(kind, 1, tmp_path)[::3], tmp_path / "project") for kind in (*ACCEPTED, *OWN)}

    assert {kind: score.count for kind, score in found.items()} == dict.fromkeys(found, 20)
    wrong = {kind: score.wrong for kind, score in found.items() if score.recall < REQUIRED}
    assert not wrong
    assert {kind: precision(kind, found) for kind in found if precision(kind, found) < REQUIRED} == {}
