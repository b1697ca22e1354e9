"""The command on small tasks in BigCodeBench's schema: verdicts by both rules, cheats, files, broken environments."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.bigcodebench.files import model_of, named_split, pass_at_k_path
from lsp_evalplus.bench.bigcodebench.outcome import CaseReport, Outcome, Reference, verdict_of
from lsp_evalplus.bench.datasets.locate import locate_bigcodebench
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.results.results import read_results
from lsp_evalplus.fuzz.errors import UserError

TESTS = (
    "import unittest\nfrom unittest.mock import patch\n\nclass TestCases(unittest.TestCase):\n"
    "    def test_number(self):\n        self.assertEqual(task_func(2), 4)\n"
    "    def test_patched(self):\n        with patch('math.floor', return_value=7):\n"
    "            self.assertEqual(task_func(0.5), 14)\n"
    "    def test_one_file(self):\n        self.assertEqual(task_func.__globals__, globals())\n"
)
HEAD = "import math\ndef task_func(x):\n"
BODY = "    return 2 * math.floor(x)\n"


def task(number: int, **changed: str) -> dict[str, Any]:
    row = {
        "task_id": f"BigCodeBench/{number}",
        "complete_prompt": HEAD + '    """Double it."""\n',
        "instruct_prompt": "Double it.",
        "code_prompt": HEAD,
        "canonical_solution": BODY,
        "test": TESTS,
        "entry_point": "task_func",
        "libs": "['math']",
    }
    return {**row, **changed}


@pytest.fixture
def judged(tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs ``bench --dataset bigcodebench`` on tasks and (task number, sample) pairs."""

    def judge(
        tasks: list[dict[str, Any]], samples: list[tuple[int, dict[str, str]]], *options: object
    ) -> tuple[dict[str, Any], Result]:
        path = tmp_path / "tasks.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in tasks))
        monkeypatch.setenv("BIGCODEBENCH_OVERRIDE_PATH", str(path))
        source = tmp_path / "m--bigcodebench-instruct--x.jsonl"
        rows = [{"task_id": f"BigCodeBench/{number}", **sample} for number, sample in samples]
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = run("--dataset", "bigcodebench", "--samples", source, "--format", "csv", "--jobs", 2, *options)
        output = tmp_path / "m--bigcodebench-instruct--x_eval_results.json"
        return json.loads(output.read_text()) if output.exists() else {}, result

    return judge


CASES = {
    "right": (HEAD + BODY, "pass", "pass"),
    "needs the calibration": ("def task_func(x):\n" + BODY, "pass", "pass"),
    "wrong": (HEAD + "    return math.floor(x)\n", "fail", "fail"),
    "does not compile": ("def task_func(x:\n", "fail", "fail"),
    "exits": ("raise SystemExit(0)\n", "fail", "fail"),
    "ends its process": ("import os\nos._exit(0)\n", "timeout", "timeout"),
    "patches unittest at import": (
        "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\ndef task_func(x): return 0\n",
        "fail",
        "fail",
    ),
    "patches unittest when called": (
        "import unittest\ndef task_func(x):\n    unittest.TestCase.assertEqual = lambda *_: None\n    return 0\n",
        "fail",
        "fail",
    ),
    "puts another module in its place": (
        (
            "import sys, types\nfake = types.ModuleType('unittest')\nfake.TestCase = object\n"
            "sys.modules['unittest'] = fake\ndef task_func(x): return 0\n"
        ),
        "fail",
        "fail",
    ),
    "skips its tests": (
        "import unittest\ndef task_func(x):\n    raise unittest.SkipTest('no')\n",
        "fail",
        "pass",
    ),
}
"""Solutions with the verdicts by the strict rule and by upstream's, for which a skipped test is passed."""


def test_verdicts_by_both_rules_and_files(judged: Callable[..., Any], tmp_path: Path) -> None:
    tasks = [task(number) for number in range(len(CASES))]
    samples = [(number, {"solution": solution}) for number, (solution, _, _) in enumerate(CASES.values())]
    results, result = judged(tasks, samples)
    assert result.exit_code == 0, result.output
    found: dict[str, tuple[str, str]] = {}
    for name, (entry,) in zip(CASES, results["eval"].values()):
        found[name] = (entry["status"], entry.get("other_rule", entry)["status"])
    assert found == {name: (strict, upstream) for name, (_, strict, upstream) in CASES.items()}
    assert results["eval"]["BigCodeBench/0"][0]["solution"] == HEAD + "\n    pass\n" + HEAD + BODY
    scores = json.loads((tmp_path / "m--bigcodebench-instruct--x_pass_at_k.json").read_text())
    wanted = {"pass@1": 0.2, "model": "m", "split": "instruct", "gt_pass_rate": 1.0, "failed_tasks": []}
    assert {key: scores[key] for key in wanted} == wanted
    assert "By upstream's rule only, 1 sample passes:" in result.output
    read = read_results(tmp_path / "m--bigcodebench-instruct--x_eval_results.json")
    assert [group[0]["base_status"] for group in read["eval"].values()][:3] == ["pass", "pass", "fail"]


def test_a_broken_environment_is_refused_until_it_is_allowed(judged: Callable[..., Any], tmp_path: Path) -> None:
    tasks = [task(0), task(1, canonical_solution="    import no_such_library\n")]
    samples = [(0, {"completion": BODY}), (1, {"completion": BODY})]
    results, result = judged(tasks, samples)
    assert (result.exit_code, results) == (2, {})
    assert "1 of 2 references fail in this environment (50.0 % pass)" in result.output
    assert "No module named 'no_such_library'" in result.output
    results, result = judged(tasks, samples, "--allow-broken-environment", "--no-calibrated")
    assert result.exit_code == 0, result.output
    scores = json.loads((tmp_path / "m--bigcodebench-instruct--x_pass_at_k.json").read_text())
    assert (scores["gt_pass_rate"], scores["failed_tasks"]) == (0.5, ["BigCodeBench/1"])
    assert scores["lsp_evalplus"]["valid"] == {"pass@1": 1.0}
    _, result = judged(tasks, samples, "--check-gt-only")
    assert result.exit_code == 1
    _, result = judged(tasks, samples, "--no-gt")
    assert result.exit_code == 2
    _, result = judged(tasks, samples, "--no-gt", "--compat", "bigcodebench")
    assert result.exit_code == 0, result.output
    scores = json.loads((tmp_path / "m--bigcodebench-instruct--x_pass_at_k.json").read_text())
    assert (scores["gt_pass_rate"], scores["failed_tasks"], scores["pass@1"]) == (None, None, 1.0)


LARGE = "    taken = b'x' * (600 << 20)\n"
BOMBS = {
    "by pieces": "    kept = []\n    for _ in range(512):\n        kept.append(b'x' * (32 << 20))\n",
    "in spite of errors": (
        "    kept = []\n    for _ in range(2048):\n        try:\n            kept.append(b'x' * (32 << 20))\n"
        "        except MemoryError:\n            kept.append(b'x' * (1 << 20))\n"
    ),
    "by children": (
        "    import os, time\n    for _ in range(32):\n        if os.fork() == 0:\n"
        "            kept = b'x' * (512 << 20)\n            time.sleep(60)\n    time.sleep(60)\n"
    ),
    "at import": "    pass\nkept = [b'x' * (32 << 20) for _ in range(512)]\ndef task_func(x):\n",
}
"""Bodies that take 16 GB before they do what is right."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="containers are for Linux")
def test_samples_that_take_16_gb_fail_alone(judged: Callable[..., Any]) -> None:
    """A sample that needs more than its share, but no more than it may have, passes as its neighbours do."""
    bodies = {"right": "", **BOMBS, "large": LARGE, "right after them": ""}
    results, result = judged(
        [task(number) for number in range(len(bodies))],
        [(number, {"solution": HEAD + body + BODY}) for number, body in enumerate(bodies.values())],
    )
    assert result.exit_code == 0, result.output
    found = {name: entry["status"] for name, (entry,) in zip(bodies, results["eval"].values())}
    passed = dict.fromkeys(bodies, "pass")
    assert {name: "pass" if status == "pass" else "no" for name, status in found.items()} == {
        **passed,
        **dict.fromkeys(BOMBS, "no"),
    }, found


REFERENCE = Reference({"test_a": "pass", "test_b": "skip"}, 0.1)
PASSED = [CaseReport("test_a", "pass"), CaseReport("test_b", "skip")]


@pytest.mark.parametrize(
    ("outcome", "strict", "upstream"),
    [
        (Outcome(PASSED, has_ended=True), "pass", "pass"),
        (Outcome(PASSED), "timeout", "timeout"),
        (Outcome(PASSED[1:], has_ended=True), "fail", "pass"),
        (Outcome([], has_ended=True), "fail", "pass"),
        (Outcome([*PASSED, PASSED[0]], has_ended=True), "fail", "pass"),
        (Outcome([*PASSED, CaseReport("test_c", "pass")], has_ended=True), "fail", "pass"),
        (Outcome([CaseReport("test_a", "skip"), PASSED[1]], has_ended=True), "fail", "pass"),
        (
            Outcome([CaseReport("test_a", "pass", tampered=("TestCase.run",)), PASSED[1]], has_ended=True),
            "fail",
            "pass",
        ),
        (Outcome([*PASSED, CaseReport("setUpClass", "error", "boom")], has_ended=True), "fail", "fail"),
    ],
)
def test_a_pass_is_every_test_of_the_reference_once(outcome: Outcome, strict: str, upstream: str) -> None:
    verdict = verdict_of(REFERENCE, outcome)
    assert (verdict.strict, verdict.upstream) == (Status(strict), Status(upstream))
    assert bool(verdict.details) is (strict == "fail")


def test_names_of_files_are_upstreams() -> None:
    for ending in ("sanitized_calibrated", "sanitized-calibrated"):
        path = Path(f"org--model--main--bigcodebench-hard-instruct--vllm-0.0-1-{ending}.jsonl")
        assert named_split(path) == ("instruct", "hard")
        assert model_of(path) == "org--model--main"
    assert named_split(Path("samples.jsonl")) == (None, None)
    assert pass_at_k_path(Path("a/x_eval_results.json")) == Path("a/x_pass_at_k.json")
    assert pass_at_k_path(Path("a/eval_results.json")) == Path("a/pass_at_k.json")


def test_what_was_judged_before_is_told(judged: Callable[..., Any], tmp_path: Path) -> None:
    samples = [(1, {"solution": HEAD + BODY}), (1, {"solution": HEAD + "    return x\n"})]
    first, _ = judged([task(1)], samples)
    (tmp_path / "m--bigcodebench-instruct--x_eval_results.json").unlink()

    again, said = judged([task(1)], samples)
    fresh, anew = judged([task(1)], samples, "--fresh")

    assert again == first == fresh
    assert "Judged before: 2 of 2 programs; --fresh judges again." in said.stderr
    assert "judged before" not in anew.stderr


def test_a_run_that_was_killed_between_its_two_files_writes_the_second(
    judged: Callable[..., Any], tmp_path: Path
) -> None:
    samples = [(1, {"solution": HEAD + BODY}), (1, {"solution": HEAD + "    return x\n"})]
    judged([task(1)], samples)
    scores = tmp_path / "m--bigcodebench-instruct--x_pass_at_k.json"
    expected = scores.read_bytes()
    scores.unlink()

    _, said = judged([task(1)], samples)

    assert scores.read_bytes() == expected
    assert "results of an earlier run" in said.stderr


def test_failed_samples_are_written_to_be_run(
    judged: Callable[..., Any], run: Callable[..., Result], tmp_path: Path
) -> None:
    samples = [(1, {"solution": HEAD + BODY}), (1, {"solution": HEAD + "    return math.floor(x)\n"})]
    judged([task(1)], samples)
    results = tmp_path / "m--bigcodebench-instruct--x_eval_results.json"

    told = run("inspect", results)

    (place,) = (tmp_path / "m--bigcodebench-instruct--x_eval_results_inspect").rglob("program.py")
    assert told.exit_code == 0, told.output
    assert place.parent.name == "1"
    assert "test_number" in (place.parent / "report.txt").read_text()
    done = subprocess.run([sys.executable, place], capture_output=True, text=True)
    assert done.returncode == 1
    assert "FAILED (failures=2)" in done.stderr


def test_results_of_something_else_are_not_inspected(
    run: Callable[..., Result], tmp_path: Path, judged: Callable[..., Any]
) -> None:
    judged([task(1)], [(1, {"solution": HEAD + BODY})])
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"eval": {"HumanEval/0": [{"base_status": "pass"}]}}))

    for path, sentence in ((other, "no task of BigCodeBench"), (tmp_path / "none.json", "no such result file")):
        told = run("inspect", path)
        assert (told.exit_code, sentence in told.output) == (2, True), told.output
    told = run("inspect", tmp_path / "m--bigcodebench-instruct--x_eval_results.json")
    assert "Every sample passed" in told.output


STANDARD = (
    1,
    8,
    27,
    127,
    158,
    206,
    268,
    281,
    320,
    329,
    339,
    370,
    398,
    466,
    543,
    569,
    642,
    670,
    694,
    714,
    724,
    741,
    755,
    767,
    779,
    796,
    817,
    832,
    847,
    858,
    892,
    911,
    937,
    961,
    989,
    1009,
    1090,
    1102,
    1113,
    1123,
)


@pytest.mark.dataset
@pytest.mark.slow
def test_references_that_need_the_standard_library_only(run: Callable[..., Result]) -> None:
    """Forty of the three hundred; none of them needs processes, sockets, ``/tmp`` by name or a real chmod.

    Without `LSP_EVALPLUS_DATA` the tasks are downloaded, so this runs wherever there is one of them or a network.
    """
    try:
        locate_bigcodebench()
    except UserError as error:
        pytest.skip(str(error))
    ids = ",".join(map(str, STANDARD))
    result = run("--dataset", "bigcodebench", "--check-gt-only", "--ids", ids, "--format", "csv")
    assert result.exit_code == 0, result.output
    assert f"{len(STANDARD)}/{len(STANDARD)}" in result.output
