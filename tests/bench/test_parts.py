"""Logs of several processes: what is done is their union, whatever a killed one left behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.parts import SharedLog, logs_in
from lsp_evalplus.fuzz.errors import UserError


def read(folder: Path, header: object = "mine") -> list[Any]:
    found: list[Any] = []

    def take(record: Any) -> None:
        found.append(record["value"])

    SharedLog(folder, header).read(take)
    return found


def test_all_records_under_the_same_header_are_read_and_those_written_last_come_last(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    assert read(folder) == []
    logs = [SharedLog(folder, header) for header in ("mine", "mine", "another")]
    assert not folder.exists()
    for log, values in zip(logs, ((1, 3), (2,), (4,)), strict=True):
        for value in values:
            log.append({"value": value})
    newest = {1: 30, 2: 20, 4: 10}
    for path in logs_in(folder):
        (value,) = (value for value in newest if f'"value": {value}' in path.read_text())
        os.utime(path, ns=(newest[value], newest[value]))
    assert read(folder) == [2, 1, 3]
    assert read(folder, "another") == [4]
    for log in logs:
        log.close()


def test_what_is_no_record_is_skipped(tmp_path: Path) -> None:
    log = SharedLog(tmp_path, "mine")
    log.append({"value": 1})
    log.close()
    (path,) = logs_in(tmp_path)
    with path.open("ab") as file:
        file.write(b'nonsense\n{"other": 2}\n[]\n{"value": 3}\n{"value": 4')
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder.jsonl").mkdir()
    assert read(tmp_path) == [1, 3]


def test_removing_takes_the_logs_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    one, two = SharedLog(folder, "mine"), SharedLog(folder, "mine")
    one.append({"value": 1})
    two.append({"value": 2})
    (folder / "notes.txt").touch()
    one.remove()
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    two.append({"value": 3})  # The folder has lost its log, which is no error of the one who writes it.
    two.close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "parts").touch()
    with pytest.raises(UserError, match="cannot be made"):
        SharedLog(tmp_path / "parts", "mine").append({})
