"""Generation against the loopback server: what is asked, what is kept, what a kill leaves behind."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.generation.generate import Plan, generate_samples, summarize
from lsp_evalplus.bench.generation.generate_store import Generated, SampleStore
from lsp_evalplus.bench.generation.prompts import INSTRUCTION, RESPONSE, Style, build_prompt, cut_at_stop
from lsp_evalplus.bench.generation.usage import add_parts, add_usage, read_usage
from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.bench.samples.shards import Shard
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient, LlmError
from lsp_evalplus.fuzz.llm.replies import Usage


def problem(number: int, family: Family = Family.CUSTOM) -> Problem:
    prompt = f'def f{number}(x):\n    """Adds {number}."""\n'
    return Problem(f"T/{number}", prompt, f"f{number}", f"    return x + {number}\n", "", [[1]], [], 0, family)


PROBLEMS = {item.task_id: item for item in (problem(number) for number in range(6))}
SETTINGS = {"model": "m", "temperature": 0.8}


def answer(body: dict[str, Any]) -> list[str]:
    """Answers by task and seed, so that equal requests get equal texts."""
    asked = body.get("prompt") or body["messages"][0]["content"]
    number = asked.partition("Adds ")[2].partition(".")[0]
    first = body.get("seed", 0)
    code = [f"def f{number}(x):\n    return x + {number}  # {first + place}\n" for place in range(body.get("n", 1))]
    return [f"Sure!\n```python\n{text}```\nDone." for text in code]


async def run(
    server: Any, path: Path, *, resume: bool = True, stop_after: int | None = None, attempts: int = 3, **plan: Any
) -> list[Generated]:
    options = {"n_samples": 3, "temperature": 0.8, "seed": 100, "concurrency": 4, **plan}
    plan_value = Plan(options.pop("problems", PROBLEMS), **options)
    store = SampleStore(path, PROBLEMS, SETTINGS, completion=plan_value.style is Style.COMPLETION)
    waits = asyncio.sleep
    endpoint = Endpoint("m", server.base_url, "k", request_seconds=5, attempts=attempts)
    found: list[Generated] = []
    with store:
        store.open(resume=resume)
        async with LlmClient(endpoint, sleep=lambda seconds: waits(0)) as client:
            generated = generate_samples(client, plan_value, store)
            async for sample in generated:
                found.append(sample)
                if stop_after is not None and len(found) >= stop_after:
                    await generated.aclose()
                    return found
        store.finish()
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
async def test_every_sample_comes_once_and_both_files_are_in_order(serve: Any, tmp_path: Path) -> None:
    found = await run(serve(answer), tmp_path / "s.jsonl")

    assert len(found) == 18
    expected = [(task, number) for task in PROBLEMS for number in range(3)]
    assert [(line["task_id"], line["sample"]) for line in lines(tmp_path / "s.jsonl")] == expected
    raw = lines(tmp_path / "s.raw.jsonl")
    assert raw[4]["solution"].startswith("Sure!")
    assert raw[4]["finish"] == "stop"
    assert lines(tmp_path / "s.jsonl")[4]["solution"] == "def f1(x):\n    return x + 1  # 101\n"


async def test_batches_and_endpoints_that_give_fewer(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda body: answer(body)[:2])
    found = await run(server, tmp_path / "s.jsonl", batch=3)

    assert len(found) == 18
    assert {request.body.get("n", 1) for request in server.requests} == {1, 3}


async def test_an_interrupted_run_goes_on_and_ends_the_same(serve: Any, tmp_path: Path) -> None:
    await run(serve(answer), tmp_path / "whole.jsonl")
    server = serve(answer)
    path = tmp_path / "s.jsonl"
    await run(server, path, stop_after=5)
    await run(server, path, stop_after=9)
    kept = len(lines(tmp_path / "s.raw.jsonl"))
    fresh = serve(answer)
    found = await run(fresh, path)

    assert 9 <= kept < 18
    assert sum(sample.resumed for sample in found) == kept
    assert len(fresh.requests) == 18 - kept
    for kind in (".jsonl", ".raw.jsonl"):
        assert (tmp_path / f"s{kind}").read_bytes() == (tmp_path / f"whole{kind}").read_bytes()


async def test_a_line_that_was_cut_short_is_asked_for_again(serve: Any, tmp_path: Path) -> None:
    await run(serve(answer), tmp_path / "s.jsonl")
    whole = (tmp_path / "s.raw.jsonl").read_bytes()
    (tmp_path / "s.raw.jsonl").write_bytes(whole[:-20])
    server = serve(answer)
    await run(server, tmp_path / "s.jsonl")

    assert len(server.requests) == 1
    assert (tmp_path / "s.raw.jsonl").read_bytes() == whole


async def test_more_samples_and_other_tasks_add_to_what_is_there(serve: Any, tmp_path: Path) -> None:
    server = serve(answer)
    some = {task: PROBLEMS[task] for task in ("T/1", "T/4")}
    await run(server, tmp_path / "s.jsonl", n_samples=1)
    await run(server, tmp_path / "s.jsonl", n_samples=2, problems=some)

    assert len(lines(tmp_path / "s.jsonl")) == 8
    assert len(server.requests) == 8


async def test_other_settings_are_refused(serve: Any, tmp_path: Path) -> None:
    await run(serve(answer), tmp_path / "s.jsonl")
    store = SampleStore(tmp_path / "s.jsonl", PROBLEMS, {**SETTINGS, "temperature": 0.2}, completion=False)
    with pytest.raises(UserError, match=r"was generated with temperature=0\.8"):
        store.open(resume=True)


async def test_damage_in_the_middle_is_told(serve: Any, tmp_path: Path) -> None:
    await run(serve(answer), tmp_path / "s.jsonl")
    path = tmp_path / "s.raw.jsonl"
    text = path.read_text().split("\n")
    path.write_text("\n".join(["{broken", *text]))
    with pytest.raises(UserError, match="line 1: is no answer"):
        await run(serve(answer), tmp_path / "s.jsonl")


async def test_faults_are_ridden_out(serve: Any, loopback: Any, tmp_path: Path) -> None:
    server = serve(answer)
    kinds = ["truncated_json", "garbage", "hang_up", "html", "short_body"]
    server.faults = [loopback.Fault(kind) for kind in kinds] + [loopback.Fault("status", 429, {"Retry-After": "0"})]
    found = await run(server, tmp_path / "s.jsonl", attempts=len(server.faults) + 1)  # all may hit one question

    assert len(found) == 18
    assert all(sample.found for sample in found)


async def test_an_endpoint_out_of_service_keeps_what_came(serve: Any, loopback: Any, tmp_path: Path) -> None:
    server = serve(answer)
    await run(server, tmp_path / "s.jsonl", stop_after=4)
    kept = len(lines(tmp_path / "s.raw.jsonl"))
    server.faults = [loopback.Fault("status", 503)] * 1000
    with pytest.raises(LlmError, match="the same command continues"):
        await run(server, tmp_path / "s.jsonl")

    assert len(lines(tmp_path / "s.raw.jsonl")) >= kept
    assert len(server.faults) > 900, "it stops after a few failures in a row"


async def test_a_wrong_model_is_told_at_once(serve: Any, tmp_path: Path) -> None:
    server = serve(answer, models=["other"])
    with pytest.raises(UserError, match="does not know model 'm'"):
        await run(server, tmp_path / "s.jsonl")

    assert len(server.requests) <= 4


async def test_no_more_requests_at_once_than_allowed(serve: Any, tmp_path: Path) -> None:
    server = serve(answer)
    server.delay = 0.02
    await run(server, tmp_path / "s.jsonl", concurrency=3)

    assert server.most_active == 3


async def test_base_models_get_the_bare_prompt(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda body: ["    return x + 1\n\ndef test():\n    pass\n"])
    found = await run(
        server, tmp_path / "s.jsonl", style=Style.COMPLETION, problems={"T/1": PROBLEMS["T/1"]}, n_samples=1
    )

    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == PROBLEMS["T/1"].prompt
    assert "\ndef " in server.requests[0].body["stop"]
    assert lines(tmp_path / "s.raw.jsonl")[0]["completion"] == "    return x + 1\n"
    assert found[0].solution == PROBLEMS["T/1"].prompt + "    return x + 1\n"


def test_the_prompts_are_those_of_evalplus() -> None:
    item = problem(1, Family.HUMANEVAL)
    chat, prefill, completion = (build_prompt(item, style) for style in Style)

    assert chat.messages == (("user", f"{INSTRUCTION}\n```python\n{item.prompt.strip()}\n```"),)
    assert prefill.messages[1] == ("assistant", f"{RESPONSE}\n```python\n")
    assert "\n```\n" in prefill.stop
    assert completion.text == item.prompt.strip() + "\n"
    assert set(completion.stop) >= {"\ndef ", "\nclass ", "\nimport ", "\nfrom ", "\nassert ", "\nif __name__", "</s>"}


def test_text_ends_at_the_first_stop() -> None:
    assert cut_at_stop("a\ndef b\nclass c", ("\nclass ", "\ndef ")) == "a"
    assert cut_at_stop("a", ("b",)) == "a"


async def test_the_summary_counts(serve: Any, tmp_path: Path) -> None:
    found = await run(serve(lambda body: ["I cannot."] * body.get("n", 1)), tmp_path / "s.jsonl")
    async with LlmClient(Endpoint("m", "http://127.0.0.1:9/v1")) as client:
        summary = summarize(found, client.usage)

    assert (summary.samples, summary.without_function) == (18, 18)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    records = [
        {
            "task_id": item.task_id,
            "prompt": item.prompt,
            "entry_point": item.entry_point,
            "canonical_solution": item.canonical_solution,
            "base_input": [[1]],
        }
        for item in PROBLEMS.values()
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def command(server: Any, dataset: Path, output: Path, *extra: str) -> list[str]:
    return [
        *(sys.executable, "-m", "lsp_evalplus", "generate", "--model", "m", "--dataset", str(dataset)),
        *("--base-url", server.base_url, "--n-samples", "3", "--seed", "5", "--concurrency", "2"),
        *("--output", str(output), *extra),
    ]


@pytest.mark.slow
def test_a_killed_command_goes_on_and_ends_the_same(serve: Any, dataset: Path, tmp_path: Path) -> None:
    """SIGKILL, twice, in the middle of requests."""
    server = serve(answer)
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    subprocess.run(command(server, dataset, whole), check=True, capture_output=True, timeout=280)
    server.delay = 0.05
    for more in (4, 4):
        before = len(server.requests)
        process = subprocess.Popen(
            command(server, dataset, killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 50
        while len(server.requests) < before + more and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(200)
    assert 0 < len(lines(killed.with_name("killed.raw.jsonl"))) < 18
    server.delay = 0
    done = subprocess.run(command(server, dataset, killed), check=True, capture_output=True, text=True, timeout=280)

    assert "from an earlier run" in done.stderr
    assert done.stdout.strip() == str(killed)
    for first, second in ((whole, killed), (whole.with_name("whole.raw.jsonl"), killed.with_name("killed.raw.jsonl"))):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
def test_shards_in_any_order_two_at_once_and_one_killed_make_the_same_files(
    serve: Any, dataset: Path, tmp_path: Path
) -> None:
    server, prices = serve(answer), ("--price-in", "1", "--price-out", "2")
    whole, output = tmp_path / "whole.jsonl", tmp_path / "m.jsonl"
    subprocess.run(command(server, dataset, whole, *prices), check=True, capture_output=True, timeout=280)
    server.delay = 0.05
    shard = command(server, dataset, output, *prices, "--shard", "2/3")
    killed = subprocess.Popen(shard, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = tmp_path / "m.shard-2-of-3.raw.jsonl"
    deadline = time.monotonic() + 200
    while not (part.exists() and b"\n" in part.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    killed.kill()
    killed.wait(200)
    server.delay = 0
    both = [
        subprocess.Popen(
            command(server, dataset, output, *prices, "--shard", one), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for one in ("2/3", "0/3")
    ]
    said = [process.communicate(timeout=280) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert said[1][0].decode().strip() == str(tmp_path / "m.shard-0-of-3.jsonl")
    assert {line["task_id"] for line in lines(tmp_path / "m.shard-0-of-3.jsonl")} == {"T/0", "T/3"}
    assert not output.exists()
    before = len(server.requests)
    done = subprocess.run(command(server, dataset, output, *prices), check=True, capture_output=True, timeout=280)
    assert b"12 from an earlier run" in done.stderr
    assert len(server.requests) == before + 6, "only the shard that never ran is asked for"
    for kind in (".jsonl", ".raw.jsonl", ".settings.json"):
        assert (tmp_path / f"m{kind}").read_bytes() == (tmp_path / f"whole{kind}").read_bytes()
    assert not list(tmp_path.glob("*shard*"))
    assert not list(tmp_path.glob(".*"))
    # What the killed one had used is known to nobody.
    assert 0 <= read_usage(whole)["requests"] - read_usage(output)["requests"] < 6


def shard_store(path: Path, index: int, settings: dict[str, Any] = SETTINGS) -> SampleStore:
    shard, tasks = Shard(index, 2), frozenset(list(PROBLEMS)[index::2])
    return SampleStore(path, PROBLEMS, settings, completion=False, shard=(shard, tasks))


def test_a_shard_that_is_still_running_or_has_other_settings_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with shard_store(path, 1) as running:
        running.open(resume=True)
        whole = SampleStore(path, PROBLEMS, SETTINGS, completion=False)
        with whole, pytest.raises(UserError, match=r"s\.shard-1-of-2\.raw\.jsonl is being written by another run"):
            whole.open(resume=True)
    with shard_store(path, 0, {**SETTINGS, "temperature": 0.2}) as other:
        other.open(resume=True)
    with whole, pytest.raises(UserError, match=r"s\.shard-0-of-2\.raw\.jsonl was generated with temperature=0\.2"):
        whole.open(resume=True)


def test_a_shard_takes_what_the_run_without_shards_has(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with SampleStore(path, PROBLEMS, SETTINGS, completion=False) as whole:
        whole.open(resume=True)
        for task in ("T/0", "T/1"):
            whole.add(task, 0, "text", "stop")
    with shard_store(path, 1) as shard:
        shard.open(resume=True)
        assert list(shard.known) == [("T/1", 0)]


def test_the_costs_of_shards_are_added_and_unknown_where_one_is(tmp_path: Path) -> None:
    path, parts = tmp_path / "s.jsonl", [tmp_path / f"s.shard-{index}-of-2.jsonl" for index in (0, 1)]
    add_usage(path, Usage(1, 10, 20), 0.5, resumed=True)
    add_usage(parts[0], Usage(2, 30, 40), 0.25, resumed=True)
    add_parts(path, parts)
    total = {"requests": 3, "prompt_tokens": 40, "completion_tokens": 60}
    assert read_usage(path) == {**total, "cost": 0.75}
    add_usage(parts[0], Usage(0, 0, 0), 0.0, resumed=False)
    add_usage(parts[1], Usage(0, 0, 0), None, resumed=False)
    add_parts(path, parts)
    assert read_usage(path) == total


@pytest.mark.slow
def test_the_command_keeps_what_it_has_used(serve: Any, dataset: Path, tmp_path: Path) -> None:
    prices = ("--price-in", "1", "--price-out", "2")
    server, output = serve(answer), tmp_path / "m.jsonl"
    for extra in (("--limit", "2"), ()):
        subprocess.run(command(server, dataset, output, *prices, *extra), check=True, capture_output=True, timeout=280)

    used = read_usage(output)
    assert used["requests"] == len(server.requests)
    assert used["cost"] == pytest.approx((used["prompt_tokens"] + 2 * used["completion_tokens"]) / 1e6)


@pytest.mark.slow
def test_two_runs_never_write_the_same_files(serve: Any, dataset: Path, tmp_path: Path) -> None:
    gate = threading.Event()

    def wait(body: dict[str, Any]) -> list[str]:
        gate.wait(60)
        return answer(body)

    alone, shared = tmp_path / "alone.jsonl", tmp_path / "shared.jsonl"
    subprocess.run(command(serve(answer), dataset, alone), check=True, capture_output=True, timeout=280)
    server = serve(wait)
    first = subprocess.Popen(command(server, dataset, shared), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 50
    while not server.requests and time.monotonic() < deadline:
        time.sleep(0.005)
    second = subprocess.run(
        command(server, dataset, shared, "--no-resume"), check=False, capture_output=True, timeout=280
    )
    gate.set()
    first.communicate(timeout=280)

    assert second.returncode == 2
    said = second.stderr.decode().strip()
    assert said.startswith(f"lsp-evalplus: {shared.with_name('shared.raw.jsonl')} is being written by another run ")
    assert f"(process {first.pid})" in said
    assert said.count("\n") == 0
    assert first.returncode == 0
    assert shared.read_bytes() == alone.read_bytes()
    assert not list(tmp_path.glob(".*lock")), "nothing is left behind"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--model", "other"], "does not know model 'other'"),
        (["--greedy"], "leave out --temperature and --n-samples"),
        (["--temperature", "0"], "gives the same sample each time"),
        (["--ids", "T/99"], "has no such task"),
    ],
)
def test_bad_requests_are_one_sentence(
    serve: Any, dataset: Path, tmp_path: Path, extra: list[str], message: str
) -> None:
    server = serve(answer, models=["m"])
    done = subprocess.run(
        command(server, dataset, tmp_path / "o.jsonl", *extra), check=False, capture_output=True, text=True, timeout=280
    )

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_openai_itself_needs_a_key(dataset: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "lsp_evalplus",
                "generate",
                "-m",
                "m",
                "-d",
                str(dataset),
                "-o",
                str(tmp_path / "o.jsonl"),
            )
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )

    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr


def test_sanitize_and_syncheck_commands(dataset: Path, tmp_path: Path) -> None:
    samples = tmp_path / "s.jsonl"
    records = [
        {"task_id": "T/0", "solution": answer({"prompt": "Adds 0."})[0], "extra": 1},
        {"task_id": "T/1", "completion": "    return x + 1\n\nprint(f1(2))\n"},
        {"task_id": "T/2", "solution": "I cannot do that"},
    ]
    samples.write_text("".join(json.dumps(record) + "\n" for record in records))

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "lsp_evalplus", *arguments, "--dataset", str(dataset)]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=280)

    done = call("sanitize", str(samples))
    result = lines(tmp_path / "s-sanitized.jsonl")
    checked = call("syncheck", str(tmp_path / "s-sanitized.jsonl"))

    assert done.returncode == 0, done.stderr
    assert result[0] == {"task_id": "T/0", "extra": 1, "solution": "def f0(x):\n    return x + 0  # 0\n"}
    assert result[1]["solution"] == PROBLEMS["T/1"].prompt + "    return x + 1\n"
    assert "line 3 (T/2)" in done.stderr
    assert checked.returncode == 1
    assert "3 samples of 3 of 6 tasks." in checked.stdout
    assert "1 sample that cannot be compiled" in checked.stdout
    assert call("sanitize", str(tmp_path / "none.jsonl")).returncode == 2


@pytest.mark.slow
def test_bench_judges_while_the_model_writes(serve: Any, dataset: Path, tmp_path: Path) -> None:
    """The scores are those of generating first and judging afterwards, and a second run has nothing left to do."""
    wrong = "def f2(x):\n    return 0\n"
    server = serve(lambda body: [wrong if "Adds 2." in body["messages"][0]["content"] else answer(body)[0]])
    samples = tmp_path / "m.jsonl"
    call = [
        *(sys.executable, "-m", "lsp_evalplus", "bench", "--model", "m", "--dataset", str(dataset), "--samples"),
        *(str(samples), "--base-url", server.base_url, "-n", "2", "--seed", "1", "--format", "csv", "-j", "2"),
    ]
    first = subprocess.run(call, check=False, capture_output=True, text=True, timeout=280)
    asked = len(server.requests)
    second = subprocess.run(call, check=False, capture_output=True, text=True, timeout=280)

    assert first.returncode == 0, first.stderr
    assert "83.3" in first.stdout
    assert "10/12" in first.stdout
    assert second.stdout == first.stdout
    assert len(server.requests) == asked == 12
    results = json.loads((tmp_path / "m_eval_results.json").read_text())
    assert {task: len(items) for task, items in results["eval"].items()} == dict.fromkeys(PROBLEMS, 2)
