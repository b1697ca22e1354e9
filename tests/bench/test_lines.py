"""Append-only logs: what a killed writer leaves is continued, one process writes at a time, a full disk is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.lines import ForeignLogError, LineLog
from lsp_evalplus.fuzz.errors import UserError

RECORDS: list[Any] = [["T/0", {"b": 1, "a": "\ud800"}], ["T/1", 2.5], {"z": 1, "y": []}]


def continued(path: Path, header: object = "mine", *, fresh: bool = False) -> list[Any]:
    """Opens a log, appends what it lacks of `RECORDS`, and returns what it had."""
    found: list[Any] = []
    log = LineLog(path, header)
    log.open(found.append, fresh=fresh)
    log.append(*RECORDS[len(found) :])
    log.close()
    return found


def test_a_log_cut_anywhere_is_completed_to_the_same_bytes(tmp_path: Path) -> None:
    assert continued(tmp_path / "whole") == []
    whole = (tmp_path / "whole").read_bytes()
    assert continued(tmp_path / "whole") == RECORDS
    for length in range(len(whole)):
        path = tmp_path / "cut"
        path.write_bytes(whole[:length])
        assert continued(path) == RECORDS[: max(0, whole[:length].count(b"\n") - 1)]
        assert path.read_bytes() == whole


@pytest.mark.parametrize("content", [b"garbage", b'{"other": "header"}\n["T/0"]\n'])
def test_a_log_of_something_else_is_refused_and_replaced_only_if_asked(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(ForeignLogError):
        continued(path)
    assert path.read_bytes() == content
    assert continued(path, fresh=True) == []
    assert continued(path) == RECORDS


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    first = LineLog(tmp_path / "log", "mine")
    first.open(lambda record: None)
    first.append(RECORDS[0])
    with pytest.raises(UserError, match="is being written by another process"):
        continued(tmp_path / "log", fresh=True)
    first.close()
    assert continued(tmp_path / "log") == RECORDS[:1]


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    log = LineLog(tmp_path / "log", "mine")
    log.open(lambda record: None)
    with monkeypatch.context() as patch:
        patch.setattr("os.write", refuse)
        with pytest.raises(UserError, match="log cannot be written: No space left"):
            log.append(["T/0"])
    log.close()
