"""`check --fix`: a correction by a model is written only with consent, and only when the check finds nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.llm.consent import Consents

from ..conftest import Ran, Run

pytestmark = pytest.mark.slow

HEAD = "def median(values: list[int]) -> float:\n"
STILL_WRONG = HEAD + "    return sorted(values)[(len(values) - 1) // 2]\n"
RIGHT = HEAD + (
    "    s, n = sorted(values), len(values)\n    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2\n"
)
SQUARE = """\
class Shape:
    def square(self, x: int) -> int:
        '''
        >>> Shape().square(2)
        4
        >>> Shape().square(3)
        9
        '''
        return x * 2
"""
"""Satisfies the first example and fails the second."""


class Model:
    """A loopback server that answers with the functions of a list in turn."""

    def __init__(self, serve: Callable[..., Any]) -> None:
        self.functions: list[str] = []
        self.server = serve(lambda _: [f"Like this:\n```python\n{self.functions.pop(0)}```"])

    @property
    def sent(self) -> list[str]:
        return [json.dumps(request.body) for request in self.server.requests]


@pytest.fixture
def model(serve: Callable[..., Any], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """An endpoint that the user allowed for the project."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    made = Model(serve)
    consents(tmp_path).allow(project, made.server.base_url)
    return made


def consents(tmp_path: Path) -> Consents:
    return Consents(tmp_path / "config" / "lsp-evalplus" / "llm-consent.json")


@pytest.fixture
def fix(run: Run, model: Model) -> Callable[..., Ran]:
    def run_check(*arguments: str) -> Ran:
        return run("check", *arguments, "--fix", "--model", "tiny", "--base-url", model.server.base_url)

    return run_check


def test_what_survives_is_written_and_shown(fix: Callable[..., Ran], run: Run, model: Model, project: Path) -> None:
    before = (project / "stats.py").read_text(encoding="utf-8")
    model.functions = [STILL_WRONG, RIGHT]
    ran = fix("stats.py::median", "--format", "json")
    assert ran.code == 1, "the finding was there"
    assert ran.json["targets"][0]["verdict"] == "differs"
    assert len(model.sent) == 2
    assert "median([0, 1])" in model.sent[0]
    said = "lsp-evalplus: wrote a correction of median by tiny to stats.py; the check finds nothing against it\n"
    assert ran.err.startswith(said)
    assert "\n-    return sorted(values)[len(values) // 2]\n+    s, n = sorted(values), len(values)\n" in ran.err
    assert (project / "stats.py").read_text(encoding="utf-8") == before.replace(
        "    return sorted(values)[len(values) // 2]\n", RIGHT.removeprefix(HEAD)
    )
    assert run("check", "stats.py::median").code == 0


def test_none_that_survives_leaves_the_file_alone(fix: Callable[..., Ran], model: Model, project: Path) -> None:
    before = (project / "stats.py").read_bytes()
    model.functions = [STILL_WRONG] * 3
    ran = fix("stats.py::median")
    assert ran.code == 1
    assert ran.err == (
        "lsp-evalplus: median: no correction was written, because tiny proposed none that survives the check.\n"
    )
    assert (project / "stats.py").read_bytes() == before


def test_examples_of_the_file_judge_a_correction(fix: Callable[..., Ran], model: Model, project: Path) -> None:
    path = project / "shape.py"
    path.write_text(SQUARE, encoding="utf-8")
    model.functions = ["def square(self, x: int) -> int:\n    return x**2 if x == 3 else 0\n"] * 3
    ran = fix("shape.py")
    assert "no correction was written" in ran.err
    assert path.read_text(encoding="utf-8") == SQUARE
    model.functions = ["def square(self, x: int) -> int:\n    return x**2\n"]
    assert "wrote a correction of Shape.square" in fix("shape.py").err
    assert path.read_text(encoding="utf-8") == SQUARE.replace("x * 2", "x**2")


def test_example_and_correction_of_several_functions(fix: Callable[..., Ran], model: Model, project: Path) -> None:
    path = project / "stats.py"
    text = path.read_text(encoding="utf-8").replace("x + 0", "x - 1")
    path.write_text(text, encoding="utf-8")
    model.functions = [RIGHT, "def same(x: int) -> int:\n    return x\n"]
    ran = fix("stats.py::median", "stats.py::same", "--example")
    assert ran.err.count("wrote the example") == 2
    assert ran.err.count("wrote a correction") == 2
    text = path.read_text(encoding="utf-8")
    examples = ('    """\n    >>> median([0, 1])\n    0.5\n    """\n', '    """\n    >>> same(0)\n    0\n    """\n')
    assert text.startswith(f"# lsp-evalplus: reference=trusted.py\n{HEAD}{examples[0]}{RIGHT.removeprefix(HEAD)}")
    assert f"def same(x: int) -> int:\n{examples[1]}    return x\n" in text


def test_a_failing_model_writes_nothing(fix: Callable[..., Ran], model: Model, loopback: Any, project: Path) -> None:
    before = (project / "stats.py").read_bytes()
    model.server.faults = [loopback.Fault("status", status=400, message="no")] * 9
    ran = fix("stats.py::median")
    assert ran.code == 1
    assert "no correction was written, because tiny proposed none" in ran.err
    assert (project / "stats.py").read_bytes() == before


def test_a_function_with_a_secret_is_not_sent(fix: Callable[..., Ran], model: Model, project: Path) -> None:
    path = project / "stats.py"
    secret = '    token = "sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"\n'
    text = path.read_text(encoding="utf-8").replace(HEAD, HEAD + secret)
    path.write_text(text, encoding="utf-8")
    assert "no correction was written, because its text may hold a secret" in fix("stats.py::median").err
    assert model.sent == []


def test_nothing_is_sent_of_an_excluded_file(fix: Callable[..., Ran], model: Model, project: Path) -> None:
    (project / "stats.py").rename(project / "my_secrets.py")
    ran = fix("my_secrets.py::median")
    assert "no correction was written, because the file matches '*secret*'." in ran.err
    assert model.sent == []


def test_nothing_is_sent_without_consent(fix: Callable[..., Ran], model: Model, project: Path, tmp_path: Path) -> None:
    consents(tmp_path).forget(project)
    ran = fix("stats.py::median")
    assert ran.code == 2
    assert "`lsp-evalplus seeds --allow` gives it" in ran.err
    assert ran.err.count("\n") == 1
    assert model.sent == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("stats.py", "--fix"), "--fix needs --model, the name of the model that is asked."),
        (("--pairs", "-", "--fix", "--model", "tiny"), "--pairs brings its own functions"),
        (("--staged", "--fix", "--model", "tiny"), "--fix: --staged checks text that may be in no file"),
        (("stats.py", "--model", "tiny"), "go with --llm-seeds or --llm-oracle, --fix or --interactive"),
    ],
)
def test_bad_requests(run: Run, model: Model, arguments: tuple[str, ...], sentence: str) -> None:
    ran = run("check", *arguments)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert model.sent == []
