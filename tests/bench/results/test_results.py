"""Result files of ours and of evalplus."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.expected import OutputCache, PartOutputs
from lsp_evalplus.bench.judging.verdicts import Failure, PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Dataset, Family, Part, Problem
from lsp_evalplus.bench.results.results import (
    RunKey,
    is_result_of,
    keep_aside,
    read_results,
    result_path,
    scores_in,
    to_json_input,
    to_results,
    write_results,
)
from lsp_evalplus.bench.running.environment import digest_distributions
from lsp_evalplus.bench.samples.samples import Sample, SampleSet
from lsp_evalplus.fuzz.errors import UserError

KEY = RunKey("humaneval", "v0.1.10", "d", "s", False, False, 1.0, 4.0, 60.0, None, 2, 3, "3.11.7", "e", 1 << 32)
PASSED = PartVerdict(Status.PASS)
FAILED = PartVerdict(Status.FAIL, (Failure(3, "raised \ud800"),))


def verdict(plus: PartVerdict = PASSED) -> SampleVerdict:
    return SampleVerdict(
        {Part.BASE: dict.fromkeys(Rule, PASSED), Part.PLUS: {Rule.STRICT: plus, Rule.EVALPLUS: PASSED}}
    )


def test_verdicts_survive_being_written() -> None:
    one = verdict(FAILED)
    again = SampleVerdict.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert one.differing == [Part.PLUS]
    assert not one.passes(Part.PLUS, Rule.STRICT)
    assert one.passes(Part.PLUS, Rule.EVALPLUS)


def test_environments_are_told_apart_by_what_is_installed(tmp_path: Path) -> None:
    installed = {"first": ["a-1.0.dist-info", "a"], "same": ["b", "a-1.0.dist-info"], "newer": ["a-1.1.dist-info"]}
    for folder, names in installed.items():
        for name in names:
            (tmp_path / folder / name).mkdir(parents=True)
    found = {name: digest_distributions([str(tmp_path / "none"), str(tmp_path / name)]) for name in installed}
    assert found["first"] == found["same"] != found["newer"]


@pytest.mark.parametrize(
    ("samples", "wanted"),
    [
        ("a.jsonl", "a_eval_results.json"),
        ("a.b.jsonl.gz", "a.b_eval_results.json"),
        ("a.zip", "a_eval_results.json"),
        ("folder", "folder/eval_results.json"),
    ],
)
def test_result_path(tmp_path: Path, samples: str, wanted: str) -> None:
    (tmp_path / "folder").mkdir()
    assert result_path(tmp_path / samples) == tmp_path / wanted


@pytest.mark.parametrize(
    ("number", "arguments", "stored"),
    [
        (124, (0.0, 1j), ["0.0", "1j"]),
        (252, [1 + 2j], ["(1+2j)"]),
        (115, [[{1}, {}]], [[[1], {}]]),
        (2, [(1, 2), ("a",)], [[1, 2], ["a"]]),
    ],
)
def test_inputs_are_written_as_the_data_set_has_them(
    make_problem: Any, number: int, arguments: Any, stored: Any
) -> None:
    task = make_problem(task_id=f"Mbpp/{number}", family=Family.MBPP)
    assert json.loads(json.dumps(to_json_input(task, arguments))) == stored


def entry(base: str, plus: str | None) -> dict[str, Any]:
    return {"task_id": "t", "solution": "", "base_status": base, "plus_status": plus, "base_fail_tests": []}


def test_files_of_evalplus_are_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    new = {"HumanEval/0": [entry("pass", "pass"), entry("pass", "fail"), entry("timeout", "pass")]}
    old = {"HumanEval/0": {"nfiles": 2, "base": [["pass", []], ["fail", []]], "plus": [["pass", []]]}}
    for evaluated, base, plus in ((new, (3, 2), (3, 1)), (old, (2, 1), None)):
        write_results(path, {"date": "2024-01-01 10:00", "hash": "x", "eval": evaluated})
        results = read_results(path)
        assert scores_in(results, Part.BASE, path).tasks == {"HumanEval/0": base}
        if plus is not None:
            assert scores_in(results, Part.PLUS, path).tasks == {"HumanEval/0": plus}


def test_plus_scores_of_a_base_only_run_are_not_zero_but_missing(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_results(path, {"eval": {"HumanEval/0": [entry("pass", None)]}})
    with pytest.raises(UserError, match="no verdicts for the plus tests"):
        scores_in(read_results(path), Part.PLUS, path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"eval": 3}'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"r\.json is not a result file"):
        read_results(path)


@pytest.mark.parametrize("value", [5, None, [5], ["pass"], {"base": [5]}, {"base": 7}, {"base": [[]]}])
def test_broken_entries_are_told(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"eval": {"T/0": value}}))
    with pytest.raises(UserError, match=r"r\.json: T/0: is not a list of"):
        read_results(path)


def test_results_are_only_reused_for_the_same_run(tmp_path: Path) -> None:
    from dataclasses import asdict, replace

    path = tmp_path / "r.json"
    write_results(path, {"eval": {}, "lsp_evalplus": {**asdict(KEY), "compat": "strict"}})
    assert is_result_of(path, KEY, Rule.STRICT) is not None
    assert is_result_of(path, KEY, Rule.EVALPLUS) is None
    assert is_result_of(path, replace(KEY, base_only=True), Rule.STRICT) is None
    write_results(path, {"eval": {}})
    assert is_result_of(path, KEY, Rule.STRICT) is None


def test_a_file_is_written_task_by_task_and_as_json_itself_writes_it(
    tmp_path: Path, make_problem: Callable[..., Problem]
) -> None:
    problems = {f"T/{number}": make_problem(task_id=f"T/{number}") for number in range(40)}
    dataset = Dataset("d", "v", "m", "s", "p", problems)
    samples = [Sample(task, 0, f"x = '{'y' * 50_000}\u00e4'", "line 1") for task in problems]
    verdicts = {(sample.task_id, sample.digest): verdict() for sample in samples}
    key = replace(KEY, tasks=40, samples=40)
    results = to_results(dataset, SampleSet("p", "s", samples, ()), verdicts, key, Rule.STRICT, {}, {})
    tracemalloc.start()
    write_results(tmp_path / "r.json", results)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    written = (tmp_path / "r.json").read_text()
    assert peak < len(written) / 4
    assert written == json.dumps({**results, "eval": dict(results["eval"])}) + "\n"
    assert "T/40" not in results["eval"]
    write_results(tmp_path / "r.json", {"eval": {}})
    assert (tmp_path / "r.json").read_text() == '{"eval": {}}\n'


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    dataset = Dataset("own", "custom", "0", "0", "own.jsonl", {})
    writer = OutputCache(tmp_path, dataset, "3.11").writer()
    with monkeypatch.context() as patch:
        patch.setattr("zipfile.ZipFile.writestr", refuse)
        with pytest.raises(UserError, match=r"references cannot be written \(No space left on device\)"):
            writer.add("T/0", {Part.BASE: PartOutputs([])})
    writer.close(keep=False)
    assert list((tmp_path / "references").iterdir()) == []


def test_earlier_files_are_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert keep_aside(path) is None
    names: list[str] = []
    for number in range(80):
        path.write_text(str(number))
        aside = keep_aside(path)
        assert aside is not None
        assert aside.read_text() == str(number)
        names.append(aside.name)
    assert names[:3] == ["r.json.bak", "r.json.bak2", "r.json.bak3"]
    assert len(list(tmp_path.iterdir())) == len(set(names)) == 80


def test_a_file_that_cannot_be_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / ("r" * 253)
    path.write_text("one")
    with pytest.raises(UserError, match=r"cannot be moved to r+\.bak: File name too long"):
        keep_aside(path)
    assert path.read_text() == "one"
