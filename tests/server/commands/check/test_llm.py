"""`check` with a language model: only with flags and consent, and what it says fails nothing by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.llm.consent import Consents

from ..conftest import Ran, Run

pytestmark = pytest.mark.slow

MAGIC = "qzvxkw-7719"
SUM = sum(ord(character) * 31**place for place, character in enumerate(MAGIC))
FLAGS = f"""\
# lsp-evalplus: reference=never.py
def flag(text: str) -> int:
    secret = "body"
    return int(sum(ord(character) * 31**place for place, character in enumerate(text)) == {SUM})
"""
NEVER = "def flag(text: str) -> int:\n    assert isinstance(text, str)\n    return 0\n"
HEAD = 'def middle(xs: list[int]) -> float:\n    """The median of a list of numbers that is not empty."""\n'
WRONG = HEAD + "    return sorted(xs)[len(xs) // 2]\n"
IMPLEMENTATIONS = [
    HEAD + "    ys = sorted(xs)\n    return (ys[(len(ys) - 1) // 2] + ys[len(ys) // 2]) / 2\n",
    HEAD + "    ys, n = sorted(xs), len(xs)\n    return ys[n // 2] if n % 2 else (ys[n // 2 - 1] + ys[n // 2]) / 2\n",
    "import statistics\n\n" + HEAD + "    return statistics.median(xs)\n",
]


def answer(body: dict[str, Any]) -> list[str]:
    asked = body["messages"][-1]["content"]
    if "allow?" in asked:
        return ["```python\nassert len(xs) > 0\nassert all(isinstance(x, int) for x in xs)\n```"]
    if "Write this Python function" in asked:
        return [f"```python\n{source}```" for source in IMPLEMENTATIONS[: body.get("n", 1)]]
    return [f"```python\nflag('a')\nflag({MAGIC!r})\n```"]


@pytest.fixture
def model(serve: Callable[..., Any], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An endpoint that the user allowed for the project."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (project / "never.py").write_text(NEVER)
    (project / "flags.py").write_text(FLAGS)
    (project / "middle.py").write_text(WRONG)
    server = serve(answer)
    consents(tmp_path).allow(project, server.base_url)
    return server


def consents(tmp_path: Path) -> Consents:
    return Consents(tmp_path / "config" / "lsp-evalplus" / "llm-consent.json")


@pytest.fixture
def ask(run: Run, model: Any) -> Callable[..., Ran]:
    def run_check(*arguments: str) -> Ran:
        return run("check", *arguments, "--model", "tiny", "--base-url", model.base_url)

    return run_check


def test_inputs_of_a_model_find_what_search_does_not(run: Run, ask: Callable[..., Ran], model: Any) -> None:
    assert run("check", "flags.py").code == 0
    assert model.requests == []

    ran = ask("flags.py", "--llm-seeds")

    assert ran.code == 1, ran.err
    assert f"flag({MAGIC!r}) returns 1, but never.py::flag (line 1) returns 0." in ran.out
    assert ran.err == "lsp-evalplus: tiny gave 2 inputs for 1 function.\n"


def test_implementations_of_a_model_are_information(ask: Callable[..., Ran], model: Any) -> None:
    ran = ask("middle.py", "--llm-oracle", "--format", "json")

    assert ran.code == 0, "what a model believes fails nothing"
    (target,) = ran.json["targets"]
    assert (target["verdict"], target["oracle"]) == (
        "differs",
        {"kind": "model", "source": "3 implementations by tiny"},
    )
    assert target["counterexample"]["note"] == "3 of 3 independent implementations disagree with this"
    assert ran.err == "lsp-evalplus: tiny implemented 1 of 1 function.\n"
    sent = json.dumps([request.body for request in model.requests])
    assert "The median of" in sent
    assert "sorted(xs)" not in sent


def test_it_is_said_in_every_format(ask: Callable[..., Ran]) -> None:
    text = ask("middle.py", "--llm-oracle").out
    assert "but each of 3 implementations by tiny returns" in text
    assert "(3 of 3 independent implementations disagree with this)" in text
    assert ask("middle.py", "--llm-oracle", "--format", "github").out.startswith("::notice file=middle.py")
    sarif = json.loads(ask("middle.py", "--llm-oracle", "--format", "sarif").out)
    (result,) = sarif["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("implementations-disagree", "note")


def test_only_what_was_asked_for_is_sent(ask: Callable[..., Ran], model: Any) -> None:
    ask("flags.py", "middle.py", "--llm-oracle")

    sent = json.dumps([request.body for request in model.requests])
    assert "def middle" in sent
    assert "flag" not in sent, "that one has a reference, and no inputs were asked for"


@pytest.mark.parametrize("oracles", [[], ["--oracle", "contract"]])
def test_nothing_is_sent_without_the_flags(run: Run, project: Path, model: Any, oracles: list[str]) -> None:
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus]\noracles = ["reference", "model"]\n')

    assert run("check", "flags.py", "middle.py", *oracles).code == 0
    assert model.requests == []


def test_nothing_is_sent_without_consent(ask: Callable[..., Ran], model: Any, project: Path, tmp_path: Path) -> None:
    consents(tmp_path).forget(project)
    ran = ask("flags.py", "middle.py", "--llm-seeds", "--llm-oracle")

    assert ran.code == 2
    assert ran.err.startswith("lsp-evalplus: nothing was sent: ")
    assert "`lsp-evalplus seeds --allow` gives it" in ran.err
    assert model.requests == []


def test_nothing_is_sent_of_an_excluded_file(ask: Callable[..., Ran], model: Any, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus.llm]\nexclude = ["mid*.py"]\n')
    (project / "flags.py").rename(project / "my_secrets.py")
    ran = ask("my_secrets.py", "middle.py", "--llm-seeds", "--llm-oracle", "-v")

    assert ran.code == 0
    assert "no model was asked: the file matches 'mid*.py'" in ran.out
    assert ran.err == "lsp-evalplus: tiny was not asked for anything.\n"
    assert model.requests == []


def test_a_failing_model_costs_only_what_it_would_have_said(ask: Callable[..., Ran], model: Any, loopback: Any) -> None:
    model.faults = [loopback.Fault("status", status=400, message="no")] * 99
    ran = ask("flags.py", "middle.py", "--llm-seeds", "--llm-oracle", "-v")

    assert ran.code == 0
    assert "no difference from never.py::flag" in ran.out
    assert "tiny gave no implementations of it" in ran.out
    assert ran.err == "lsp-evalplus: tiny gave 0 inputs for 1 function and implemented 0 of 1 function.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["flags.py", "--llm-seeds"], "need --model"),
        (["flags.py", "--model", "tiny"], "go with --llm-seeds or --llm-oracle"),
        (["--pairs", "-", "--llm-seeds", "--model", "tiny"], "for files of a project"),
    ],
)
def test_flags_that_do_not_fit_are_one_sentence(run: Run, model: Any, arguments: list[str], sentence: str) -> None:
    ran = run("check", *arguments)

    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert model.requests == []
