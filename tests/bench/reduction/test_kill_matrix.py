"""The file of a kill matrix: an interrupted one continues, a foreign one is refused, a finished one is in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.reduction.kill_matrix import RIGHT, KillFile, KillRow
from lsp_evalplus.fuzz.errors import UserError

ROWS = {
    ("T/10", "a"): KillRow(frozenset({Rule.EVALPLUS}), {Rule.STRICT: 1 << 900, Rule.EVALPLUS: 0}, 0b10, False),
    ("T/2", "b"): RIGHT,
}


def write(path: Path) -> bytes:
    matrix = KillFile(path, {"dataset": "d"})
    matrix.open(fresh=False)
    for key, row in ROWS.items():
        if key not in matrix.rows:
            matrix.append(key, row)
    assert matrix.rows == ROWS
    matrix.finish(["T/2", "T/10"])
    return path.read_bytes()


def test_a_file_cut_anywhere_is_completed_to_the_same_bytes(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole")
    for length in range(0, len(whole), 7):
        path = tmp_path / str(length)
        path.write_bytes(whole[:length])
        assert write(path) == whole


def test_rows_of_shards_are_taken_and_their_logs_removed(tmp_path: Path) -> None:
    whole, path = write(tmp_path / "whole"), tmp_path / "kills"
    for key, row in ROWS.items():
        shard = KillFile(path, {"dataset": "d"}, is_part=True)
        shard.open(fresh=False)
        shard.append(key, row)
        shard.close()
    assert not path.exists()
    assert len(list((tmp_path / "kills.parts").iterdir())) == 2
    anew = KillFile(path, {"dataset": "d"}, is_part=True)
    anew.open(fresh=True)
    assert not anew.rows
    assert write(path) == whole
    assert not (tmp_path / "kills.parts").exists()
    late = KillFile(path, {"dataset": "d"}, is_part=True)
    late.open(fresh=False)
    assert late.rows == ROWS
    assert path.read_bytes() == whole


def test_the_matrix_of_other_data_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "kills")
    other = KillFile(tmp_path / "kills", {"dataset": "other"})
    with pytest.raises(UserError, match="another data set"):
        other.open(fresh=False)
    shard = KillFile(tmp_path / "kills", {"dataset": "other"}, is_part=True)
    with pytest.raises(UserError, match="another data set"):
        shard.open(fresh=False)
    other.open(fresh=True)
    assert not other.rows
    other.close()


def test_base_kills_and_timeouts_are_no_plus_kills() -> None:
    row = ROWS["T/10", "a"]
    assert row.killers(Rule.STRICT, with_timeouts=False) == 1 << 900
    assert row.killers(Rule.STRICT, with_timeouts=True) == 1 << 900 | 0b10
    assert row.killers(Rule.EVALPLUS, with_timeouts=True) == 0
