"""The command from end to end, on a small data set of one's own, in real guests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.locate import cache_folder

RIGHT = "def double(x):\n    return x + x\n"
WRONG_PLUS = "def double(x):\n    return abs(x) * 2\n"
WRONG_BASE = "def double(x):\n    return x\n"
LOOPS = "def double(x):\n    while x < 0:\n        pass\n    return 2 * x\n"
HALVES = "def halves(xs):\n    return [0.5 * x for x in xs]\n"


def statuses(path: Path) -> list[tuple[str, str | None]]:
    results = json.loads(path.read_text())
    return [(entry["base_status"], entry["plus_status"]) for group in results["eval"].values() for entry in group]


def test_verdicts_and_scores(tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]) -> None:
    samples = write_samples([(0, RIGHT), (0, WRONG_PLUS), (0, WRONG_BASE), (0, LOOPS), (0, "def double("), (1, HALVES)])
    result = run("--dataset", tasks, "--samples", samples, "--format", "csv", "--min-time-limit", 0.5)
    assert result.exit_code == 0, result.output
    path = samples.with_name("samples_eval_results.json")
    assert statuses(path) == [
        ("pass", "pass"),
        ("pass", "fail"),
        ("fail", "fail"),
        ("pass", "timeout"),
        ("fail", "fail"),
        ("pass", "pass"),
    ]
    results = json.loads(path.read_text())
    assert results["pass_at_k"] == {"base": {"pass@1": 0.8}, "plus": {"pass@1": 0.6}}
    assert [entry["plus_fail_tests"] for entry in results["eval"]["Small/0"]][:3] == [[], [[-3]], [[-3]]]
    assert "pass@1,base + plus,60.0," in result.stdout
    assert (samples.parent / ".lsp-evalplus" / ".gitignore").read_text() == "*\n"
    assert (cache_folder() / "verdicts").stat().st_mode & 0o077 == 0


def test_the_same_run_is_not_repeated_and_another_one_is(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, RIGHT), (1, HALVES)])
    arguments = ("--dataset", tasks, "--samples", samples)
    first = run(*arguments, "--base-only")
    assert "earlier run" not in first.stderr
    assert "earlier run" in run(*arguments, "--base-only").stderr
    # Defect 10 of evalplus: the plus score of a base-only result is 0.000.
    full = run(*arguments)
    assert "earlier run" not in full.stderr
    assert "is now samples_eval_results.json.bak" in full.stderr
    assert statuses(samples.with_name("samples_eval_results.json")) == [("pass", "pass")] * 2
    write_samples([(0, WRONG_BASE), (1, HALVES)])
    assert "earlier run" not in run(*arguments).stderr
    assert statuses(samples.with_name("samples_eval_results.json"))[0] == ("fail", "fail")


def test_a_cache_that_was_damaged_is_made_again(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, WRONG_BASE), (1, HALVES)])
    assert run("--dataset", tasks, "--samples", samples).exit_code == 0
    before = statuses(samples.with_name("samples_eval_results.json"))
    (archive,) = cache_folder().glob("references/*.zip")
    data = bytearray(archive.read_bytes())
    data[40:60] = bytes(20)  # In the first member: the list of members is whole.
    archive.write_bytes(data)

    again = run("--dataset", tasks, "--samples", samples, "--fresh")

    assert again.exit_code == 0, again.stderr
    assert statuses(samples.with_name("samples_eval_results.json")) == before


@pytest.mark.parametrize("option", ["--samples", "--dataset"])
def test_results_never_replace_what_is_read(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], option: str
) -> None:
    samples = write_samples([(0, HALVES)])
    named = {"--samples": samples, "--dataset": tasks}[option]
    before = named.read_bytes()

    result = run("--dataset", tasks, "--samples", samples, "--output-file", named)

    assert result.exit_code == 2
    assert f"--output-file names the file of {option}" in result.stderr
    assert named.read_bytes() == before
    assert not named.with_name(named.name + ".bak").exists()


def test_details_name_every_failing_input(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, WRONG_BASE)])
    assert run("--dataset", tasks, "--samples", samples, "--test-details", "--compat", "evalplus").exit_code == 0
    (entry,) = json.loads(samples.with_name("samples_eval_results.json").read_text())["eval"]["Small/0"]
    assert entry["base_fail_tests"] == [[1], [2]]
    assert entry["base_details"][0] == {"index": 0, "call": "double(1)", "expected": "2", "actual": "1"}
    assert [detail["index"] for detail in entry["plus_details"]] == [1, 2]


def test_comparators_are_set_against_each_other(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, "def double(x):\n    return 2.0 * x\n")])
    strict = run("--dataset", tasks, "--samples", samples)
    assert "Small/0 sample 0 (line 1), base: strict: fail and evalplus: pass, input 0 gave 2.0" in strict.stderr
    assert statuses(samples.with_name("samples_eval_results.json")) == [("fail", "fail")]
    run("--dataset", tasks, "--samples", samples, "--compat", "evalplus")
    assert statuses(samples.with_name("samples_eval_results.json")) == [("pass", "pass")]


def test_both_scores_are_shown_where_they_differ(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, "def double(x):\n    return 2.0 * x\n"), (1, HALVES)])
    for compat in ("strict", "strict", "evalplus"):  # The second time, the results of the first one are shown.
        shown = run("--dataset", tasks, "--samples", samples, "--format", "csv", "--compat", compat)
        rows = [line.split(",") for line in shown.stdout.splitlines() if line.startswith("pass@1,base,")]
        assert {row[-1]: row[2] for row in rows} == {"strict": "50.0", "evalplus": "100.0"}
        assert rows[0][-1] == compat
        assert "Published scores compare with the row evalplus" in shown.stderr


FENCED = f"Sure, here it is:\n\n```python\n{RIGHT}```\nThis doubles x."


def test_raw_answers_are_told_and_sanitized(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, FENCED), (0, "def double("), (0, WRONG_BASE), (1, HALVES)])
    for _ in range(2):  # The second time, the results of the first one are shown.
        plain = run("--dataset", tasks, "--samples", samples, "--format", "csv")
        said = "Cannot be compiled: 2 of 4 samples, 1 of them with Markdown fences (the first is line 1 (Small/0))"
        assert said in plain.stderr
        assert "--sanitize also scores the code that they contain" in plain.stderr
        assert "pass@1,base,50.0," in plain.stdout
    both = run("--dataset", tasks, "--samples", samples, "--format", "csv", "--sanitize")
    assert both.exit_code == 0, both.output
    raw, sanitized = (line for line in both.stdout.splitlines() if line.startswith("pass@1,base,"))
    assert raw.startswith("pass@1,base,50.0,")
    assert sanitized.startswith("pass@1,base,66.7,")
    assert " of 4 samples changed: " in both.stderr
    assert statuses(samples.with_name("samples-sanitized_eval_results.json"))[0] == ("pass", "pass")


def test_compiling_samples_are_not_talked_about(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, WRONG_BASE), (0, "import nowhere\n"), (1, "pass")])
    assert "Cannot be compiled" not in run("--dataset", tasks, "--samples", samples).stderr


@pytest.mark.parametrize("options", [[], ["--model", "m", "--samples", "a.jsonl"]])
def test_sanitize_needs_samples(options: list[str], tasks: Path, run: Callable[..., Result]) -> None:
    result = run("--dataset", tasks, "--sanitize", *options)
    assert result.exit_code == 2
    assert "--sanitize needs --samples" in result.stderr


@pytest.mark.parametrize("command", ["sanitize", "syncheck"])
def test_samples_can_be_an_option(command: str, tasks: Path, write_samples: Callable[..., Path]) -> None:
    samples = write_samples([(0, RIGHT), (1, HALVES)])

    def run_main(*arguments: str) -> subprocess.CompletedProcess[str]:
        whole = [sys.executable, "-m", "lsp_evalplus", command, "--dataset", str(tasks), *arguments]
        return subprocess.run(whole, capture_output=True, text=True, timeout=280, check=False)

    one, other = run_main(str(samples)), run_main("--samples", str(samples))
    assert (one.returncode, one.stdout) == (other.returncode, other.stdout) == (0, one.stdout)
    for wrong in ([], [str(samples), "--samples", str(samples)]):
        refused = run_main(*wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "name the samples once" in refused.stderr


def test_without_samples_the_references_are_checked(tasks: Path, run: Callable[..., Result]) -> None:
    result = run("--dataset", tasks)
    assert result.exit_code == 0
    assert "the references of tasks.jsonl are run and judged" in result.stderr
    assert "2/2" in result.stdout


def test_a_reference_that_fails_on_an_input(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    record = json.loads(tasks.read_text().splitlines()[0])
    record["plus_input"].append(["2"])
    record["canonical_solution"] = "    return 2 * int(x) if type(x) is int else x / 0\n"
    tasks.write_text(json.dumps(record) + "\n")
    result = run("--dataset", tasks, "--samples", write_samples([(0, RIGHT)]))
    assert result.exit_code == 0
    assert "Nobody is judged on Small/0 plus input 3: the reference itself fails (raised TypeError" in result.stderr
    assert "1/1" in result.stdout


def test_tables_compare_and_sweep(tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]) -> None:
    low = write_samples([(0, RIGHT), (1, "pass")], "m_temp_0.2.jsonl")
    high = write_samples([(0, WRONG_PLUS), (1, HALVES)], "m_temp_0.8.jsonl")
    result = run("--dataset", tasks, "--samples", low, "--samples", high, "--format", "markdown", "--per-task")
    assert "| base + plus | 50.0 | 0.2 |" in result.stdout
    assert "| base | 100.0 | 0.8 |" in result.stdout
    assert "| Small/1 | 0/1 | 0/1 |" in result.stdout
    files = [path.with_name(f"{path.stem}_eval_results.json") for path in (low, high)]
    compared = run("compare", *files, "--format", "markdown")
    assert compared.exit_code == 0
    assert "McNemar" in compared.stdout
    # In a narrow terminal the column has no room, and a note says so.
    narrow = run("compare", *files)
    assert "McNemar" in narrow.stdout or "test" in narrow.stderr


def test_files_of_a_sweep_are_told_apart_before_anything_is_run(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    files = [write_samples([(0, RIGHT)], name) for name in ("a_temp_0.8.jsonl", "b_temp_0.8.jsonl")]
    result = run("--dataset", tasks, "--samples", files[0], "--samples", files[1])
    assert (result.exit_code, "give them names with their temperatures" in result.stderr) == (2, True)
    assert not list(tasks.parent.glob("*_eval_results.json"))


def test_tasks_without_samples_are_not_compared(tmp_path: Path, run: Callable[..., Result]) -> None:
    passed = [{"base_status": "pass", "plus_status": "pass"}]
    contents = {"a.json": {"T/0": passed, "T/1": []}, "b.json": {"T/0": passed, "T/1": passed}}
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps({"hash": "0", "eval": content}))
    compared = run("compare", tmp_path / "a.json", tmp_path / "b.json", "--format", "csv")
    assert compared.exit_code == 0
    assert "base,1,100.0,100.0" in compared.stdout
    assert "a.json has no samples of 1 of its tasks, which are left out: T/1." in compared.stderr


def test_verdicts_of_two_runs_are_compared(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    samples = write_samples([(0, RIGHT), (0, "def double(x):\n    return 2.0 * x\n")])
    files = {name: tmp_path / f"{name}.json" for name in ("strict", "evalplus")}
    for name, path in files.items():
        run("--dataset", tasks, "--samples", samples, "--compat", name, "-o", path)
    found = run("compare", "--verdicts", files["strict"], files["evalplus"], "--format", "csv")
    assert found.exit_code == 1
    assert found.stdout.splitlines()[1:] == ["Small/0,1,fail/fail,pass/pass"]
    assert "Judged differently: 1 of 2 samples" in found.stderr
    assert run("compare", "--verdicts", files["strict"], files["strict"]).exit_code == 0
    other = write_samples([(1, HALVES)], "other.jsonl")
    run("--dataset", tasks, "--samples", other, "-o", tmp_path / "other.json")
    assert run("compare", "--verdicts", files["strict"], tmp_path / "other.json").exit_code == 2


def test_k_is_checked_before_the_run(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, RIGHT)])
    result = run("--dataset", tasks, "--samples", samples, "--k", "1,2")
    assert result.exit_code == 2
    assert "pass@2 needs 2 samples of every task; Small/0 has 1" in result.stderr
    assert not samples.with_name("samples_eval_results.json").exists()


FAULTS: list[tuple[str, tuple[str, ...], str]] = [
    ("no data set", (), "--dataset is missing"),
    ("unknown data set", ("--dataset", "humanevil"), "not a known data set"),
    ("no such samples", ("--dataset", "TASKS", "--samples", "nowhere.jsonl"), "no such file or folder"),
    ("empty samples", ("--dataset", "TASKS", "--samples", "EMPTY"), "has no samples"),
    ("malformed samples", ("--dataset", "TASKS", "--samples", "BROKEN"), "line 2: not valid JSON"),
    ("output in a file", ("--dataset", "TASKS", "--samples", "GOOD", "-o", "TASKS/x/r.json"), "cannot be written"),
    ("output is a folder", ("--dataset", "TASKS", "--samples", "GOOD", "-o", "FOLDER"), "is a folder"),
    ("bad k", ("--dataset", "TASKS", "--samples", "GOOD", "--k", "0"), "positive whole numbers"),
    ("a k left out", ("--dataset", "TASKS", "--samples", "GOOD", "--k", "1,,2"), "has an empty item"),
    ("an id left out", ("--dataset", "TASKS", "--samples", "GOOD", "--ids", ","), "has an empty item"),
    (
        "a time without end",
        ("--dataset", "TASKS", "--samples", "GOOD", "--min-time-limit", "1e308"),
        "not in the range",
    ),
    (
        "how to ask nobody",
        ("--dataset", "TASKS", "--samples", "GOOD", "--greedy"),
        "--greedy says how a model is asked",
    ),
    ("unknown id", ("--dataset", "TASKS", "--samples", "GOOD", "--ids", "Small/9"), "no such task"),
    ("no interpreter", ("--dataset", "TASKS", "--samples", "GOOD", "--python", "/nowhere/python"), "no interpreter"),
    ("no result file", ("compare", "nowhere.json", "nowhere.json"), "there is no such result file"),
]


@pytest.mark.parametrize(("arguments", "sentence"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_faults_are_one_sentence_and_exit_2(
    tasks: Path,
    write_samples: Callable[..., Path],
    run: Callable[..., Result],
    tmp_path: Path,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    good = write_samples([(0, RIGHT)])
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "broken.jsonl").write_text(good.read_text() + "{broken\n")
    words = {"TASKS": tasks, "EMPTY": tmp_path / "empty.jsonl", "BROKEN": tmp_path / "broken.jsonl", "GOOD": good}
    filled = list(arguments)
    for word, path in {**words, "FOLDER": tmp_path}.items():
        filled = [argument.replace(word, str(path)) for argument in filled]
    result = run(*filled)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir(mode=0o500)
    result = run("--dataset", tasks, "--samples", write_samples([(0, RIGHT)]), "-o", folder / "r.json")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


@pytest.mark.parametrize("variable", ["EVALPLUS_TIMEOUT_PER_TASK", "EVALPLUS_MAX_MEMORY_BYTES"])
def test_environment_of_evalplus(
    tasks: Path,
    write_samples: Callable[..., Path],
    run: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    arguments = ("--dataset", tasks, "--samples", write_samples([(0, RIGHT)]))
    monkeypatch.setenv(variable, "4294967296" if "BYTES" in variable else "20")
    assert run(*arguments).exit_code == 0
    for text in ("much", "inf", "nan", "-2"):
        monkeypatch.setenv(variable, text)
        result = run(*arguments)
        assert (result.exit_code, f"{variable} is '{text}'" in result.stderr) == (2, True)


@pytest.mark.slow
def test_another_memory_or_environment_is_another_run(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--dataset", tasks, "--samples", write_samples([(0, RIGHT)]))
    run(*arguments)
    assert "earlier run of the same samples" in run(*arguments).stderr
    monkeypatch.setenv("EVALPLUS_MAX_MEMORY_BYTES", "2147483648")
    assert "is now samples_eval_results.json.bak." in run(*arguments).stderr
    assert "earlier run of the same samples" in run(*arguments).stderr
    monkeypatch.setattr("lsp_evalplus.bench.running.evaluate.digest_distributions", lambda _path: "another")
    assert "is now samples_eval_results.json.bak2." in run(*arguments).stderr


def test_minus_one_is_no_limit_of_memory(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    hungry = "def double(x):\n    bytearray(2**20)\n    return 2 * x\n"
    arguments = ("--dataset", tasks, "--samples", write_samples([(0, hungry)]), "--format", "csv")
    monkeypatch.setenv("EVALPLUS_MAX_MEMORY_BYTES", "-1")
    assert "pass@1,base + plus,100.0" in run(*arguments).stdout


@pytest.mark.parametrize("option", ["--min-time-limit", "--gt-time-limit-factor", "--temperature", "--price-in"])
@pytest.mark.parametrize("number", ["inf", "nan"])
def test_numbers_are_finite(tasks: Path, run: Callable[..., Result], option: str, number: str) -> None:
    result = run("--dataset", tasks, option, number)
    assert (result.exit_code, f"{number} is not a finite number" in result.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_run_continues_to_the_same_bytes(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    pairs = [(0, f"def double(x):\n    return x * 2 + (x > 10 ** {number})\n") for number in range(60)]
    samples = write_samples(pairs)
    arguments = ["--dataset", str(tasks), "--samples", str(samples), "--jobs", "1"]
    assert run(*arguments, "-o", tmp_path / "whole.json", "--no-store").exit_code == 0
    assert not (tmp_path / ".lsp-evalplus").exists()
    arguments += ["-o", str(tmp_path / "killed.json"), "--store", str(tmp_path / "store")]
    process = subprocess.Popen([sys.executable, "-m", "lsp_evalplus", "bench", *arguments], stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if rows_in(tmp_path / "store") > 20:
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    assert not (tmp_path / "killed.json").exists(), "it ended before it was killed"
    kept = rows_in(tmp_path / "store")
    assert 0 < kept < 60
    resumed = run(*arguments)
    assert resumed.exit_code == 0
    assert f"Judged before: {kept} of 60 programs" in resumed.stderr
    assert (tmp_path / "killed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def rows_in(store: Path) -> int:
    """The whole rows of a verdict store."""
    lines = [line for path in store.glob("*/*.jsonl") for line in path.read_bytes().splitlines(keepends=True)]
    return sum(line.startswith(b"[") and line.endswith(b"\n") for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
@pytest.mark.parametrize("fresh", [[], ["--fresh"]])
def test_an_interrupt_says_how_to_go_on(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], fresh: list[str]
) -> None:
    endless = [(0, f"def double(x):\n    while x + {number}:\n        pass\n") for number in range(30)]
    samples = write_samples([(0, RIGHT), *endless])
    arguments = ["--dataset", str(tasks), "--samples", str(samples), "--jobs", "1", "--isolate"]
    store = samples.parent / ".lsp-evalplus" / "verdicts"
    command = [sys.executable, "-m", "lsp_evalplus", "bench", *arguments, "--min-time-limit", "60", *fresh]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not rows_in(store):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=280)[1]

    assert process.returncode == 130, said
    without = " without --fresh" if fresh else ""
    assert said.splitlines()[-1] == f"Stopped; what was judged is kept, and the same command{without} continues."
    assert rows_in(store)


@pytest.mark.dataset
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("name", "tasks", "step"), [("humaneval", 164, 1), ("mbpp", 378, 3)])
def test_references_pass(data_folder: Path, run: Callable[..., Result], name: str, tasks: int, step: int) -> None:
    """By both comparators, which judge the same calls; of MBPP+ a third, as all take 100 seconds."""
    ids = list(load_dataset(name).problems)[::step]
    count = len(ids)
    assert count == tasks // step
    result = run("--dataset", name, "--ids", ",".join(ids), "--format", "csv")
    assert result.exit_code == 0, result.output
    assert result.stdout.count(f"{count}/{count}") == 2
    assert result.stdout.count("strict, evalplus") == 2, result.stdout


def test_help_is_complete(run: Callable[..., Result]) -> None:
    text: Any = run("--help").output
    for option in ("--dataset", "--samples", "--base-only", "--mini", "--noextreme", "--ids", "--limit", "--compat"):
        assert option in text


def test_tables_in_markdown_stay_apart(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    samples = write_samples([(0, RIGHT), (1, HALVES)])
    shown = run("--dataset", tasks, "--samples", samples, "--format", "markdown", "--per-task").stdout.splitlines()
    titles = [number for number, line in enumerate(shown) if line.startswith("**")]
    assert len(titles) == 2
    assert shown[titles[1] - 1] == ""


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"canonical_solution": "    raise ValueError(x)\n"}, "gives no output on any base input (raised"),
        ({"canonical_solution": "    return (\n"}, "syntax error"),
        ({"canonical_solution": "    yield x\n"}, "returned <generator object double>, which cannot be compared"),
        pytest.param(
            {"canonical_solution": "    return [object()]\n"},
            "returned <object object>, which cannot be compared",
            marks=pytest.mark.slow,
        ),
        ({"base_input": [], "plus_input": []}, "it has no base inputs"),
        pytest.param({"base_input": [], "plus_input": [[1]]}, "it has no base inputs", marks=pytest.mark.slow),
        (
            {"canonical_solution": "    return 2 // x\n", "base_input": [[0]], "plus_input": [[1]]},
            "its reference gives no output on any base input (raised ZeroDivisionError",
        ),
    ],
)
def test_a_task_that_everything_would_pass_is_an_error(
    fields: dict[str, Any], reason: str, tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result]
) -> None:
    first, second = map(json.loads, tasks.read_text().splitlines())
    tasks.write_text(json.dumps({**first, **fields}) + "\n" + json.dumps(second) + "\n")
    result = run("--dataset", tasks, "--samples", write_samples([(0, WRONG_BASE), (1, HALVES)]))
    assert result.exit_code == 2
    assert "nobody can be judged on Small/0" in result.stderr
    assert reason in " ".join(result.stderr.split())
    assert run("--dataset", tasks, "--samples", write_samples([(1, HALVES)])).exit_code == 0
