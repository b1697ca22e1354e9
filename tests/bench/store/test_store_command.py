"""The verdict store as a user of ``bench`` meets it: who is judged again, and who is not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.judging.verdicts import Failure, PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Part, TaskTests
from lsp_evalplus.bench.running.recorded import has_timed_out, is_about, is_lasting

RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return abs(x) * 2\n"
LOOPS = "def double(x):\n    while x < 0:\n        x -= 1\n    return 2 * x\n"
HALVES = "def halves(xs):\n    return [0.5 * x for x in xs]\n"
PASSED = PartVerdict(Status.PASS)


@pytest.fixture
def no_guests(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Lets no guest start any more."""

    def forbid() -> None:
        def refuse(*_: Any, **__: Any) -> Any:
            raise AssertionError("a guest was started")

        for name in ("start", "begin", "provide", "warm"):
            monkeypatch.setattr(f"lsp_evalplus.fuzz.host.pool.GuestPool.{name}", refuse)
        monkeypatch.setattr("lsp_evalplus.fuzz.host.forkserver.ForkServer.start", refuse)

    return forbid


def test_a_second_run_starts_no_guest_and_one_more_sample_is_judged_alone(
    tasks: Path,
    write_samples: Callable[..., Path],
    run: Callable[..., Result],
    no_guests: Callable[[], Any],
    tmp_path: Path,
) -> None:
    arguments = ("--dataset", tasks, "--store", tmp_path / "store", "--samples")
    pairs = [(0, RIGHT), (0, WRONG), (1, HALVES)]
    first = run(*arguments, write_samples(pairs), "-o", tmp_path / "first.json")
    assert first.exit_code == 0, first.output
    assert "Judged before" not in first.stderr
    # Of another model, in another order, in a data set of other tasks too.
    more = write_samples([(0, WRONG), (0, RIGHT + "#\n"), (1, HALVES), (0, RIGHT)], "more.jsonl")
    assert "Judged before: 3 of 4 programs" in run(*arguments, more).stderr
    no_guests()
    for options in ((), ("--compat", "evalplus"), ("--limit", 1)):
        again = run(*arguments, write_samples(pairs), "-o", tmp_path / "again.json", *options)
        assert (again.exit_code, again.exception) == (0, None)
        assert f"Judged before: {2 if options[:1] == ('--limit',) else 3} of " in again.stderr
        if not options:
            assert (tmp_path / "again.json").read_bytes() == (tmp_path / "first.json").read_bytes()
    for options in (("--fresh",), ("--no-store",), ("--min-time-limit", 2), ("--base-only",)):
        chosen = arguments[:2] if options == ("--no-store",) else arguments[:4]
        judged = run(*chosen, "--samples", write_samples(pairs), "-o", tmp_path / "again.json", *options)
        assert "a guest was started" in repr(judged.exception), options


def test_timeouts_are_judged_again_only_if_asked(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, RIGHT), (0, LOOPS)])
    arguments = ("--dataset", tasks, "--samples", samples, "--min-time-limit", 0.1)
    output = samples.with_name("samples_eval_results.json")
    assert run(*arguments).exit_code == 0
    whole = output.read_bytes()
    recheck = ("--recheck", "timeouts")
    for options, count, is_removed in (((), 2, True), (recheck, 1, True), (recheck, 1, False)):
        if is_removed:
            output.unlink()
        again = run(*arguments, *options)
        assert f"Judged before: {count} of 2 programs" in again.stderr
        assert output.read_bytes() == whole


def test_what_a_store_claims_of_tests_that_are_not_there_is_not_believed(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    samples = write_samples([(0, WRONG)])
    arguments = ("--dataset", tasks, "--samples", samples, "--store", tmp_path / "store")
    output = samples.with_name("samples_eval_results.json")
    assert run(*arguments).exit_code == 0
    whole = output.read_bytes()
    (segment,) = (tmp_path / "store").glob("*/*.jsonl")
    lines = segment.read_bytes().splitlines(keepends=True)
    row = json.loads(lines[-1])
    row[2]["plus"]["strict"][1][0] = 1 << 70
    segment.write_bytes(b"".join(lines[:-1]) + json.dumps(row).encode() + b"\n")
    output.unlink()
    again = run(*arguments)
    assert again.exit_code == 0, again.output
    assert "Skipped 1 line of the verdict store that cannot be read as a verdict" in again.stderr
    assert output.read_bytes() == whole


def test_two_runs_with_one_output_lose_no_verdict(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], no_guests: Callable[[], Any]
) -> None:
    samples = write_samples([(0, f"def double(x):\n    return x * 2 + (x > 10 ** {number})\n") for number in range(30)])
    arguments = ["--dataset", str(tasks), "--samples", str(samples)]
    command = [sys.executable, "-m", "lsp_evalplus", "bench", *arguments, "--jobs", "1"]
    runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=280)[1] for one in runs]
    assert [one.returncode for one in runs] == [0, 0], said
    output = samples.with_name("samples_eval_results.json")
    whole = output.read_bytes()
    output.unlink()
    no_guests()
    again = run(*arguments)
    assert again.exception is None, again.output
    assert "Judged before: 30 of 30 programs" in again.stderr
    assert output.read_bytes() == whole


def test_no_store_takes_no_other_option_of_it(tasks: Path, run: Callable[..., Result]) -> None:
    refused = run("--dataset", tasks, "--no-store", "--recheck", "timeouts")
    assert (refused.exit_code, "leave out --store and --recheck" in refused.stderr) == (2, True)


def test_a_plan_counts_what_is_missing_and_runs_nothing(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], no_guests: Callable[[], Any]
) -> None:
    first, second = write_samples([(0, RIGHT), (1, HALVES)]), write_samples([(0, RIGHT), (0, WRONG)], "b.jsonl")
    arguments = ("--dataset", tasks, "--samples", first, "--samples", second, "--format", "csv")
    assert "0.03 s a program is assumed" in run("plan", *arguments).stderr
    assert run(*arguments[:4]).exit_code == 0
    no_guests()
    planned = run("plan", *arguments)
    assert planned.exit_code == 0, planned.output
    rows = dict(line.split(",", 1) for line in planned.stdout.splitlines()[1:] if "," in line)
    counts = {"files": "2", "samples": "4", "different programs": "3", "judged before": "2", "to judge": "1"}
    assert {name: rows[name] for name in counts} == counts
    assert "Measured: 1 of 1 task;" in planned.stderr
    assert run("plan", *arguments, "--min-time-limit", 2).stdout.count("to judge,3") == 1


def test_what_a_store_holds_is_told(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    for number, text in enumerate((RIGHT, WRONG)):
        chosen = write_samples([(0, text)], f"{number}.jsonl")
        assert run("--dataset", tasks, "--samples", chosen, "--store", tmp_path / "store").exit_code == 0
    told = run("store", "--store", tmp_path / "store", "--compact", "--format", "csv")
    assert told.exit_code == 0, told.output
    # This process, which wrote both segments, lives.
    assert ("verdicts,2" in told.stdout, "segments,2" in told.stdout) == (True, True)
    assert "Joined 0 files of processes that are gone" in told.stderr
    refused = run("store", "--store", tmp_path / "nowhere")
    assert (refused.exit_code, "there is no such folder" in refused.stderr) == (2, True)


def failed(text: str, status: Status = Status.FAIL, index: int = 0) -> SampleVerdict:
    return SampleVerdict({Part.BASE: dict.fromkeys(Rule, PartVerdict(status, (Failure(index, text),)))})


@pytest.mark.parametrize(
    ("verdict", "lasts", "timed_out"),
    [
        (SampleVerdict({}), False, False),
        (SampleVerdict({Part.BASE: dict.fromkeys(Rule, PASSED)}), True, False),
        (failed("3"), True, False),
        (failed("used too much memory"), False, False),
        (failed("was stopped"), False, False),
        (failed("'used too much memory'"), True, False),
        (failed("no result within its time", Status.TIMEOUT), True, True),
        (failed("no result within its time"), True, True),
        (failed("crashed"), True, False),
    ],
)
def test_what_depends_on_the_machine(verdict: SampleVerdict, lasts: bool, timed_out: bool) -> None:
    assert (is_lasting(verdict), has_timed_out(verdict)) == (lasts, timed_out)


def test_a_verdict_is_about_the_tests_that_there_are(make_problem: Callable[..., Any]) -> None:
    inputs, tests = make_problem(base_inputs=[[1], [2]]), make_problem(base_inputs=[], tests=TaskTests(["assert f(1)"]))
    base = [Part.BASE]
    assert is_about(failed("3", index=1), inputs, base, None)
    assert is_about(failed("3", index=-1), inputs, base, None)
    assert not is_about(failed("3", index=2), inputs, base, None)
    assert not is_about(failed("3", index=-2), inputs, base, None)
    assert not is_about(failed("3", Status.PASS), inputs, base, None)
    assert not is_about(SampleVerdict({Part.BASE: dict.fromkeys(Rule, PartVerdict(Status.FAIL))}), inputs, base, None)
    assert not is_about(SampleVerdict({Part.BASE: {Rule.STRICT: PASSED}}), inputs, base, None)
    assert not is_about(failed("3"), inputs, [Part.BASE, Part.PLUS], None)
    assert is_about(failed("3", index=5), tests, base, None)
    assert not is_about(failed("3", index=5), tests, base, {Part.BASE: 1})
