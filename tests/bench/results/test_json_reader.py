"""A JSON text is read member by member: the same values, whatever the size of the pieces."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.results.json_reader import JsonReader
from lsp_evalplus.bench.results.results import read_results, read_statuses
from lsp_evalplus.fuzz.errors import UserError

VALUES: list[Any] = [
    0,
    -12.5e3,
    True,
    None,
    "",
    'ä\u2028"\\\n',
    [],
    {},
    [1, [2, {"a": "}"}]],
    {"b": {"c": [1e-9, "]"]}},
]


def read_all(text: str, piece: int) -> dict[str, Any]:
    """All members of an object."""
    reader = JsonReader(io.StringIO(text), piece)
    found = {name: reader.value() for name in reader.members()}
    reader.end()
    return found


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("indent", [None, 1])
def test_values_are_those_of_json(piece: int, indent: int | None) -> None:
    value = {f"{number} \u00e9": one for number, one in enumerate(VALUES)}
    assert read_all(json.dumps(value, indent=indent), piece) == value
    assert read_all(json.dumps(value, ensure_ascii=False) + "\n", piece) == value
    assert read_all(" { } ", piece) == {}


@pytest.mark.parametrize("piece", [1, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "{",
        '{"a"',
        '{"a":',
        '{"a": 1',
        '{"a": 1,}',
        '{"a" 1}',
        "{1: 2}",
        '{"a": 1} x',
        '{"a": 01}',
        "{,}",
    ],
)
def test_other_texts_are_refused(text: str, piece: int) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_all(text, piece)


def entry(base: str, plus: str | None, **more: Any) -> dict[str, Any]:
    """An entry of a result file."""
    return {"task_id": "T/0", "solution": "x" * 500, "base_status": base, "plus_status": plus, **more}


@pytest.mark.parametrize("name", ["r.json", "r.json.gz"])
def test_statuses_are_those_of_the_whole_results(tmp_path: Path, name: str) -> None:
    other = {"name": "strict", "base_status": "pass", "plus_status": "fail"}
    content = {
        "date": "",
        "eval": {
            "T/0": [entry("pass", "fail"), entry("pass", "pass", other_comparator=other)],
            "T/1": [],
            "T/2": {"base": [["pass", []]], "plus": [["fail", []]]},
            "T/3": [{"status": "pass"}],
        },
        "lsp_evalplus": {"compat": "strict"},
    }
    path = tmp_path / name
    text = json.dumps(content).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    whole = read_results(path)
    kept = ("base_status", "plus_status", "other_comparator")
    slim = {
        task: [{key: one[key] for key in kept if key in one} for one in entries]
        for task, entries in whole["eval"].items()
    }
    assert read_statuses(path) == {**whole, "eval": slim}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"eval": 3}', "{}", '{"eval": {"T/0": [5]}}', '{"eval": {}} {', "\udcff"]
)
def test_what_is_no_result_file_is_told_in_the_same_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for read in (read_results, read_statuses):
        with pytest.raises(UserError, match=r"r\.json(: T/0: is not a list of| is not a result file)"):
            read(path)
    with pytest.raises(UserError, match="no such result file"):
        read_statuses(tmp_path / "other.json")


def test_a_damaged_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.json.gz"
    path.write_bytes(gzip.compress(b'{"eval": {}}' * 10)[:-9])
    with pytest.raises(UserError, match=r"cannot be read|is not a result file"):
        read_statuses(path)


def test_programs_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    entries = [entry("pass", "fail", solution="y" * 2000) for _ in range(500)]
    path.write_text(json.dumps({"eval": {f"T/{number}": entries for number in range(20)}}))
    tracemalloc.start()
    found = read_statuses(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(map(len, found["eval"].values())) == 10_000
    assert peak < path.stat().st_size / 2
