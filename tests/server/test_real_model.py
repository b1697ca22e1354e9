"""Against a real OpenAI-compatible server (``transformers serve``) with random weights: its garbage does no harm.

Not part of any default run: `make test-llm` makes an environment with torch and transformers, whose Python
``LSP_EVALPLUS_LLM_PYTHON`` names.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.samples.sanitize import extract
from lsp_evalplus.fuzz.llm.consent import Consents

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.llm_server,
    pytest.mark.skipif(
        "LSP_EVALPLUS_LLM_PYTHON" not in os.environ, reason="needs a Python with transformers: make test-llm"
    ),
]
MAKER = Path(__file__).parents[1] / "real_model" / "make_model.py"
STARTING_SECONDS = 240.0
WRONG = '''\
def double(x: int) -> int:
    """Twice the number.

    >>> double(2)
    4
    """
    return x + 3


def half(x: int) -> float:
    """Half of the number."""
    return x / 3
'''
TASKS = [
    {
        "task_id": f"Tiny/{number}",
        "prompt": f'def add_{number}(x: int) -> int:\n    """Adds {number}."""\n',
        "entry_point": f"add_{number}",
        "canonical_solution": f"    return x + {number}\n",
        "base_input": [[1], [2]],
        "plus_input": [[3]],
        "contract": "",
        "atol": 0,
    }
    for number in range(3)
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address and name of a running model."""
    python = os.environ["LSP_EVALPLUS_LLM_PYTHON"]
    folder = tmp_path_factory.mktemp("model") / "tiny"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "HF_HOME": str(folder.parent / "home")}
    subprocess.run([python, str(MAKER), str(folder)], check=True, env=environment, timeout=280)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = Path(python).with_name("transformers")
    command = [str(program), "serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with (folder.parent / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", server, folder.parent / "log")
            yield f"http://127.0.0.1:{port}/v1", str(folder)
        finally:
            server.terminate()
            server.wait(30)


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"the model's server did not start: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture
def project(tmp_path: Path, model: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose user allowed the model to be asked."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'p'\nversion = '1'\n")
    (folder / "code.py").write_text(WRONG)
    (folder / "tiny.jsonl").write_text("".join(json.dumps(task) + "\n" for task in TASKS))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    Consents(tmp_path / "config" / "lsp-evalplus" / "llm-consent.json").allow(folder, model[0])
    return folder


@pytest.fixture
def run(project: Path, model: tuple[str, str]) -> Any:
    """Runs a command; with ``model=True`` it is told which model to ask."""

    def run_command(*arguments: str, ask: bool = False) -> subprocess.CompletedProcess[str]:
        extra = ["--model", model[1], "--base-url", model[0]] if ask else []
        command = [sys.executable, "-m", "lsp_evalplus", *arguments, *extra]
        done = subprocess.run(command, check=False, cwd=project, capture_output=True, text=True, timeout=280)
        assert "Traceback" not in done.stderr + done.stdout
        return done

    return run_command


def test_inputs_and_implementations_change_no_verdict(run: Any, project: Path) -> None:
    alone = json.loads(run("check", "code.py", "--budget", "0.3", "--format", "json").stdout)
    done = run("check", "code.py", "--budget", "0.3", "--format", "json", "--llm-seeds", "--llm-oracle", ask=True)
    told = json.loads(done.stdout)

    assert done.returncode == 1
    for before, after in zip(alone["targets"], told["targets"], strict=True):
        assert (before["name"], before["verdict"]) == (after["name"], after["verdict"])
    assert "inputs for 1 function and implemented 0 of 1 function" in done.stderr
    used = json.loads((project.parent / "cache" / "lsp-evalplus" / "llm" / "used.json").read_text())
    assert used["requests"] >= 3
    assert used["completion_tokens"] > 0


def test_seeds_end_with_inputs_or_one_sentence(run: Any) -> None:
    done = run("seeds", "code.py::double", ask=True)

    assert done.returncode in (0, 2)
    assert done.stdout if done.returncode == 0 else "the model gave no inputs" in done.stderr


def test_what_the_server_cannot_do_is_one_sentence(run: Any, model: tuple[str, str]) -> None:
    done = run("generate", "--dataset", "tiny.jsonl", "--style", "prefill", "--output", "out.jsonl", ask=True)
    assert done.returncode == 2
    assert "cannot go on from the beginning of an answer (--style prefill); use --style chat." in done.stderr

    done = run("generate", "--dataset", "tiny.jsonl", "--model", "other", "--base-url", model[0])
    assert done.returncode == 2
    assert "requested 'other'" in done.stderr


@pytest.mark.parametrize("style", ["chat", "completion"])
def test_samples_are_generated_sanitized_checked_and_judged(run: Any, project: Path, style: str) -> None:
    options = ["--dataset", "tiny.jsonl", "--n-samples", "4", "--batch-size", "2", "--max-tokens", "96"]
    done = run("generate", *options, "--seed", "1", "--style", style, "--output", "out.jsonl", ask=True)
    assert done.returncode == 0, done.stderr
    raw = [json.loads(line) for line in (project / "out.raw.jsonl").read_text().splitlines()]
    assert len(raw) == 12
    assert any(answer.get("completion") or answer.get("solution") for answer in raw)

    assert run("sanitize", "out.raw.jsonl", "--dataset", "tiny.jsonl").returncode == 0
    assert run("syncheck", "out.jsonl", "--dataset", "tiny.jsonl").returncode in (0, 1)
    judged = run("bench", "--dataset", "tiny.jsonl", "--samples", "out.jsonl")
    assert judged.returncode == 0, judged.stderr
    assert "0.0" in judged.stdout

    again = run("generate", *options, "--seed", "1", "--style", style, "--output", "out.jsonl", ask=True)
    assert "from an earlier run" in again.stderr


def test_samples_are_judged_while_they_come(run: Any, project: Path) -> None:
    options = ["--dataset", "tiny.jsonl", "--n-samples", "2", "--max-tokens", "64", "--samples", "live.jsonl"]
    done = run("bench", *options, ask=True)

    assert done.returncode == 0, done.stderr
    assert len((project / "live.jsonl").read_text().splitlines()) == 6


def test_long_garbage_is_sanitized_in_no_time(model: tuple[str, str]) -> None:
    question = {
        "model": model[1],
        "messages": [{"role": "user", "content": "def add_1"}],
        "max_tokens": 1500,
        "temperature": 1.5,
    }
    request = urllib.request.Request(
        f"{model[0]}/chat/completions", json.dumps(question).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=200) as answer:
        text = json.load(answer)["choices"][0]["message"]["content"]
    started = time.perf_counter()
    code = extract(text * 20, "add_1", TASKS[1]["prompt"])

    assert not code.found
    assert time.perf_counter() - started < 10


async def test_the_server_offers_no_garbage(
    new_editor: Any, project: Path, model: tuple[str, str], tmp_path: Path
) -> None:
    shutil.rmtree(project)
    llm = {"enabled": True, "baseUrl": model[0], "model": model[1], "timeout": 60}
    oracles = ["examples", "model"]
    editor = await new_editor(options={"llm": llm, "budget": 0.3, "oracles": oracles}, files={"code.py": WRONG})
    uri = editor.open("code.py")
    (found,) = (await editor.diagnostics(uri, seconds=60)).diagnostics

    (action,) = [one for one in await editor.actions(uri, found) if one.title.startswith("Ask ")]
    answer = await editor.run(action.command.command, *action.command.arguments)

    assert answer["applied"] is False
    said = await editor.take("window/showMessage", seconds=60)
    assert said.message.endswith("proposed none that survives the check.")
    assert editor.texts[uri] == WRONG
