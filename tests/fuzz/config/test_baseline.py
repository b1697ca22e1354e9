"""The file of known findings: what is known however its path is written, what a broken file says."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.baseline import (
    Baseline,
    KnownFinding,
    extend_baseline,
    fingerprint_of,
    read_baseline,
    write_baseline,
)
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import OracleKind

KIND = OracleKind.REFERENCE


def entry(path: str, name: str = "f", arguments: str = "(1,)") -> KnownFinding:
    return KnownFinding(fingerprint_of(path, name, KIND, arguments), path, name, f"{name}(1)")


@pytest.mark.parametrize(
    ("written", "asked", "is_known"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "{root}/src/a.py", True),
        ("./src/a.py", "{root}/src/a.py", True),
        ("{root}/src/a.py", "{root}/src/a.py", True),
        ("../src/a.py", "{root}/src/a.py", True),
        ("src/b.py", "{root}/src/a.py", False),
        ("a.py", "{root}/src/a.py", False),
    ],
)
def test_a_finding_is_known_by_the_file_that_its_path_leads_to(
    tmp_path: Path, written: str, asked: str, is_known: bool
) -> None:
    (tmp_path / "ci").mkdir()
    write_baseline(tmp_path / "ci" / "known.json", [entry(written.format(root=tmp_path))])

    known = read_baseline(tmp_path / "ci" / "known.json", tmp_path)

    assert known.knows(asked.format(root=tmp_path), "f", KIND, "(1,)") is is_known


@pytest.mark.parametrize(
    ("name", "kind", "arguments"), [("g", KIND, "(1,)"), ("f", OracleKind.EXAMPLES, "(1,)"), ("f", KIND, "(2,)")]
)
def test_another_function_oracle_or_input_is_another_finding(
    tmp_path: Path, name: str, kind: OracleKind, arguments: str
) -> None:
    known = Baseline((entry("a.py"),), (tmp_path,))

    assert known.knows(str(tmp_path / "a.py"), "f", KIND, "(1,)")
    assert not known.knows(str(tmp_path / "a.py"), name, kind, arguments)


def test_what_is_written_is_read_again_sorted_and_once(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    entries = [entry("b.py"), entry("a.py", "ü"), entry("b.py")]

    write_baseline(path, entries)

    assert read_baseline(path).entries == (entry("a.py", "ü"), entry("b.py"))
    assert [one["path"] for one in json.loads(path.read_text())["findings"]] == ["a.py", "b.py"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": 3}'])
def test_what_is_no_baseline_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "known.json").write_text(text)

    with pytest.raises(UserError, match=r"known\.json"):
        read_baseline(tmp_path / "known.json")


def test_entries_that_make_no_sense_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text(
        '{"version": 1, "findings": [3, {}, {"fingerprint": 1}, {"fingerprint": "x"}]}'
    )

    assert read_baseline(tmp_path / "known.json").entries == (KnownFinding("x", None, ""),)


def test_what_several_add_at_the_same_time_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    entries = [entry("a.py", f"f{number}") for number in range(40)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: extend_baseline(path, one), entries))

    assert set(read_baseline(path).entries) == set(entries)
    assert list(tmp_path.iterdir()) == [path]
