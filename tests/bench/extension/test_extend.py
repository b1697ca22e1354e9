"""Extended data sets: inputs that are valid and new, the same for any number of guests, told where they are few."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.extension.base import as_written, base_tasks, to_file, to_json
from lsp_evalplus.bench.extension.extend import Journal, Plan, TaskResult, identity
from lsp_evalplus.bench.extension.pool import Found
from lsp_evalplus.bench.extension.selection import select
from lsp_evalplus.bench.extension.variation import vary
from lsp_evalplus.bench.lint.lint import find_static_flaws
from lsp_evalplus.commands.bench.command import bench

TESTED = {
    "task_id": "Own/0",
    "prompt": "def longest(words: list) -> str:\n",
    "entry_point": "longest",
    "canonical_solution": "    return max(words, key=len)\n",
    "test": "def check(candidate):\n"
    "    assert candidate(['a', 'bc']) == 'bc'\n"
    "    assert candidate(['x'] * 2) == 'x'\n"
    "    assert candidate(('d', 'ef')) == 'ef'\n"
    "    assert candidate([]) is None or candidate(['bc', 'a']) == 'bc'\n",
}
GUARDED = {
    "task_id": "Own/1",
    "prompt": "def root(n: int) -> int:\n",
    "entry_point": "root",
    "canonical_solution": "    import math\n    return math.isqrt(n)\n",
    "contract": "    assert type(n) is int and 0 <= n < 1000\n",
    "atol": 0,
    "base_input": [[4], [10]],
}
UNSTABLE = {
    "task_id": "Own/2",
    "prompt": "def order(text: str) -> list:\n",
    "entry_point": "order",
    "canonical_solution": "    return list(set(text + 'abcdefghij'))\n",
    "contract": "",
    "atol": 0,
    "base_input": [["ab"]],
}


def _write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _extend(dataset: Path, output: Path, *options: str) -> Result:
    arguments = ["extend", "-d", str(dataset), "-o", str(output), "--inputs", "12", "--pool", "3", *options]
    return CliRunner().invoke(bench, arguments)


def test_asserts_become_base_inputs(tmp_path: Path) -> None:
    (task,) = base_tasks(load_dataset(str(_write(tmp_path / "base.jsonl", TESTED))))
    assert task.row["base_input"] == [[["a", "bc"]], [["d", "ef"]], [[]], [["bc", "a"]]]
    assert task.unread == 1


def test_only_json_itself_is_written() -> None:
    assert to_json([1, None, {"a": [True, 2.5]}]) == [1, None, {"a": [True, 2.5]}]
    for value in ((1,), {1}, float("nan"), float("inf"), {1: 2}, [(1,)], {"a": {3}}, b"x"):
        assert to_json([value]) is None


def test_an_mbpp_input_is_written_where_its_rule_restores_it(tmp_path: Path) -> None:
    row = {**GUARDED, "task_id": "Mbpp/2", "base_input": [[[1, 2], [2]]]}
    (task,) = base_tasks(load_dataset(str(_write(tmp_path / "base.jsonl", row))))
    assert as_written(task.problem, [[1], [2]]) == [(1,), (2,)]
    assert as_written(task.problem, [(1,), (2,)]) == [(1,), (2,)]
    assert to_file(task.problem, [(1,), (2,)]) == [[1], [2]]


def test_the_selection_takes_turns_among_stages_and_lengths() -> None:
    many = [Found((number,), "enumeration", is_inside=True) for number in range(100)]
    few = [Found(("x" * 300,), "mutation", is_inside=True), Found(((1.5),), "random", is_inside=True)]
    wide = [Found((10**30,), "random", is_inside=False)]
    chosen = select([*wide, *many, *few], 10, has_contract=False)
    assert len(chosen) == 10
    assert set(few) <= set(chosen)
    assert not set(wide) & set(chosen)
    assert set(wide) <= set(select([*wide, *many, *few], 103, has_contract=False))


@pytest.mark.parametrize("has_contract", [False, True])
def test_one_input_in_ten_is_wider_than_the_base_inputs_where_a_contract_accepts_it(*, has_contract: bool) -> None:
    usual = [Found((number,), "enumeration", is_inside=True) for number in range(100)]
    wide = [Found((number / 8,), "wide", is_inside=False) for number in range(100)]
    chosen = select([*usual, *wide], 50, has_contract=has_contract)
    assert len(chosen) == 50
    assert len(set(wide) & set(chosen)) == (5 if has_contract else 0)
    few = select([*usual, *wide[:2]], 50, has_contract=has_contract)
    assert len(few) == 50
    assert len(set(wide) & set(few)) == (2 if has_contract else 0)


def test_variations_are_longer_or_have_other_letters() -> None:
    pool = [Found((["ab", "c"], number), "random", is_inside=True) for number in range(20)]
    varied = vary(pool, [[["x"], 1]], 160, 0)
    assert varied == vary(pool, [[["x"], 1]], 160, 0)
    texts = [repr(one.values) for one in varied]
    assert len(set(texts)) == len(texts)
    longer = [one.values[0] for one in varied if one.stage == "lengthening"]
    assert max(map(len, longer)) > 60
    letters = [one for one in varied if one.stage == "letters"]
    assert letters
    assert not any(one.is_inside or repr(one.values).isascii() for one in letters)
    assert vary([Found((1,), "random", is_inside=True)], [[2]], 160, 0) == []


@pytest.mark.parametrize("seed", range(4))
def test_first_and_last_letters_of_base_inputs_become_foreign(seed: int) -> None:
    """A program that takes any letter where a name begins or ends is wrong on such inputs only."""
    pool = [Found((f"{number}..?{number}",), "random", is_inside=True) for number in range(400)]
    texts = [one.values[0] for one in vary(pool, [["name.txt"], ["A1.exe"]], 3200, seed) if one.stage == "letters"]
    assert any(text.endswith("ame.txt") and not text[0].isascii() for text in texts)
    assert any(text.startswith("name.tx") and not text[-1].isascii() for text in texts)
    assert any(text[0].isdigit() for text in texts)


def test_a_journal_gives_its_whole_tasks_to_the_same_plan_only(tmp_path: Path) -> None:
    dataset = load_dataset(str(_write(tmp_path / "base.jsonl", GUARDED)))
    key = identity(dataset, Plan())
    folder = tmp_path / "out.parts"
    journal = Journal(folder, key)
    result = TaskResult({"task_id": "Own/1", "plus_input": [[3]], "atol": 0}, [{"reason": "r", "tier": "inside"}], 5)
    journal.add(result)
    for path in folder.iterdir():
        with path.open("ab") as file:
            file.write(b'[5, [], 1]\n[{"task_id": "Own/2"')
    for same, done in ((key, {"Own/1": result}), (identity(dataset, Plan(seed=1)), {})):
        again = Journal(folder, same)
        again.read()
        assert again.done == done
        assert [list(one.row) for one in again.done.values()] == [list(one.row) for one in done.values()]
    journal.close()


def test_extended_inputs_are_valid_and_the_same_for_any_number_of_guests(tmp_path: Path) -> None:
    base = _write(tmp_path / "base.jsonl", GUARDED, UNSTABLE)
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    result = _extend(base, one, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert _extend(base, two, "--jobs", "2").exit_code == 0
    assert one.read_bytes() == two.read_bytes()
    dataset = load_dataset(str(one))
    guarded, unstable = dataset.problems.values()
    assert len(guarded.plus_inputs) == 12
    assert all(type(n) is int and 0 <= n < 1000 and n not in (4, 10) for (n,) in guarded.plus_inputs)
    # What a set iterates over differs under the three hash seeds.
    assert not unstable.plus_inputs
    assert "Own/2: 0 inputs of " in result.output
    assert "the result is not deterministic" in result.output
    assert not list(find_static_flaws(dataset))
    origins = [json.loads(line) for line in (tmp_path / "one.provenance.jsonl").read_text().splitlines()]
    assert [origin["index"] for origin in origins if origin["task_id"] == "Own/1"] == list(range(12))
    assert not (tmp_path / "one.jsonl.parts").exists()


@pytest.mark.slow
def test_shards_in_any_order_two_at_once_and_one_killed_make_the_same_file(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], wait_for_records: Callable[..., None]
) -> None:
    rows = [{**GUARDED, "task_id": f"Own/{number}", "base_input": [[4], [10 + number]]} for number in range(5)]
    base, local, output = _write(tmp_path / "base.jsonl", *rows), tmp_path / "local.jsonl", tmp_path / "out.jsonl"
    assert _extend(base, local, "--jobs", "1").exit_code == 0
    shard = ("extend", "-d", base, "-o", output, "--inputs", 12, "--pool", 3, "--jobs", 1, "--shard")
    killed = start(*shard, "0/2")
    wait_for_records(tmp_path / "out.jsonl.parts", 1)
    killed.kill()
    killed.wait()
    both = [start(*shard, one) for one in ("1/2", "0/2", "0/2")]
    said = [process.communicate(timeout=280)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0, 0], said
    assert "Shard 1/2: 2 of 5 tasks; the same command without --shard writes" in said[0]
    assert not output.exists()
    done = _extend(base, output, "--jobs", "1")
    assert done.exit_code == 0, done.output
    for ending in (".jsonl", ".provenance.jsonl"):
        assert output.with_suffix(ending).read_bytes() == local.with_suffix(ending).read_bytes()
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_the_last_command_does_what_no_shard_has_done(tmp_path: Path) -> None:
    rows = [{**GUARDED, "task_id": f"Own/{number}"} for number in range(3)]
    base, local, output = _write(tmp_path / "base.jsonl", *rows), tmp_path / "local.jsonl", tmp_path / "out.jsonl"
    assert _extend(base, local, "--jobs", "1").exit_code == 0
    assert _extend(base, output, "--jobs", "1", "--shard", "1/3").exit_code == 0
    journal = Journal(tmp_path / "out.jsonl.parts", identity(load_dataset(str(base)), Plan(12, 3)))
    journal.read()
    assert list(journal.done) == ["Own/1"]
    assert _extend(base, output, "--jobs", "1").exit_code == 0
    assert output.read_bytes() == local.read_bytes()
    refused = _extend(base, output, "--shard", "0/3", "--against", str(base))
    assert (refused.exit_code, "give it to the last command" in refused.output) == (2, True)


def test_inputs_with_long_results_are_left_out(tmp_path: Path) -> None:
    row = {**GUARDED, "canonical_solution": "    return 'x' * (n * 100)\n", "prompt": "def root(n: int) -> str:\n"}
    result = _extend(_write(tmp_path / "base.jsonl", row), tmp_path / "out.jsonl", "--jobs", "1")
    assert result.exit_code == 0, result.output
    (problem,) = load_dataset(str(tmp_path / "out.jsonl")).problems.values()
    assert problem.plus_inputs
    assert all(n < 100 for (n,) in problem.plus_inputs)


def test_results_without_content_are_left_out(tmp_path: Path) -> None:
    row = {**GUARDED, "canonical_solution": "    return object()\n", "prompt": "def root(n: int):\n"}
    result = _extend(_write(tmp_path / "base.jsonl", row), tmp_path / "out.jsonl", "--jobs", "1")
    assert "the result cannot be compared" in result.output


@pytest.mark.parametrize("name", ["base.jsonl", "out.txt"])
def test_an_output_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    base = _write(tmp_path / "base.jsonl", GUARDED)
    before = base.read_bytes()
    result = _extend(base, tmp_path / name)
    assert result.exit_code != 0
    assert "--output" in result.output
    assert base.read_bytes() == before


def test_inputs_on_which_the_reference_runs_too_many_lines_are_left_out(tmp_path: Path) -> None:
    body = "    for _ in range(2000 * len(text)):\n        pass\n    return len(text)\n"
    row = {**UNSTABLE, "prompt": "def size(text: str) -> int:\n", "entry_point": "size", "canonical_solution": body}
    output = tmp_path / "out.jsonl"
    options = ("--jobs", "1", "--inputs", "60")
    assert _extend(_write(tmp_path / "base.jsonl", row), output, *options).exit_code == 0
    (problem,) = load_dataset(str(output)).problems.values()
    lengths = [len(text) for (text,) in problem.plus_inputs]
    assert 10 < max(lengths) <= 25  # Two lines an iteration: with one letter more they are more than 100,000.
    stages = [json.loads(line)["reason"] for line in (tmp_path / "out.provenance.jsonl").read_text().splitlines()]
    assert any("lengthening" in one for one in stages)


def test_base_inputs_show_what_a_parameter_holds_where_nothing_else_does(tmp_path: Path) -> None:
    """Values of a dict are mostly strings and None there, not the numbers that the reference would take as well."""
    row = {
        **UNSTABLE,
        "prompt": "def given(answers):\n",
        "entry_point": "given",
        "canonical_solution": "    return {name: text for name, text in answers.items() if text is not None}\n",
        "base_input": [[{"size": "small", "colour": None}], [{"size": None}]],
    }
    output = tmp_path / "out.jsonl"
    assert _extend(_write(tmp_path / "base.jsonl", row), output, "--jobs", "1", "--inputs", "60").exit_code == 0
    (problem,) = load_dataset(str(output)).problems.values()
    values = [value for (answers,) in problem.plus_inputs for value in answers.values()]
    usual = [value for value in values if value is None or type(value) is str]
    assert None in usual
    assert len(usual) > 0.9 * len(values)
