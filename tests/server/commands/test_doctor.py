"""The picture of the machine: complete, true, readable by people and programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ... import forked

TABLES = {
    "versions",
    "interpreter",
    "sandbox",
    "data_sets",
    "language_model",
    "settings",
    "faults",
    "notices",
}


def run_doctor(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **variables}
    for name in ("LSP_EVALPLUS_DATA", "HUMANEVAL_OVERRIDE_PATH", "MBPP_OVERRIDE_PATH"):
        if name not in variables:
            environment.pop(name, None)
    return subprocess.run(
        [*forked.command(), "doctor", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        timeout=280,
        check=False,
    )


def test_json(tmp_path: Path) -> None:
    done = run_doctor(tmp_path, "--python", sys.executable, "--format", "json")
    picture = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert set(picture) == TABLES
    assert picture["interpreter"]["path"] == sys.executable
    assert picture["versions"]["lsp-evalplus"]
    assert set(picture["data_sets"].values()) == {None}
    assert picture["language_model"]["enabled"] is False
    assert picture["faults"] == []
    sandbox = picture["sandbox"]
    assert 0 < sandbox["confining_seconds"] < sandbox["run_seconds"] < sandbox["start_seconds"] < 60
    if all(state == "on" for state in sandbox["layers"].values()):
        assert picture["notices"] == []
        assert all(sandbox["refused"].values())
    else:
        assert picture["notices"] != []


def test_settings_and_data_are_found(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.lsp-evalplus]\nmemory-limit = 2048\n")
    (tmp_path / "HumanEvalPlus.jsonl").write_text("")
    picture = json.loads(
        run_doctor(tmp_path, "--format", "json", LSP_EVALPLUS_DATA=str(tmp_path), OPENAI_API_KEY="hush").stdout
    )

    assert picture["settings"] == str(tmp_path / "pyproject.toml")
    assert picture["data_sets"]["HumanEvalPlus"] == str(tmp_path / "HumanEvalPlus.jsonl")
    assert picture["data_sets"]["MbppPlus"] is None
    assert picture["language_model"]["key"] == "OPENAI_API_KEY is set"
    assert "hush" not in json.dumps(picture)


@pytest.mark.slow
def test_text(tmp_path: Path) -> None:
    done = run_doctor(tmp_path, "--python", sys.executable, COLUMNS="200")

    assert done.returncode == 0, done.stderr
    for title in ("Versions", "Interpreter", "Sandbox: layers", "Data sets", "Language model"):
        assert title in done.stdout
    assert sys.executable in done.stdout


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        ("", ["--python", "/no/such/python"], "there is no interpreter '/no/such/python'"),
        ("[tool.lsp-evalplus]\nbudgett = 1\n", [], "unknown setting budgett"),
    ],
)
def test_faults_are_told(settings: str, arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(settings)
    done = run_doctor(tmp_path, *arguments, "--format", "json")

    assert done.returncode == 2
    assert any(message in fault for fault in json.loads(done.stdout)["faults"])
    assert "Traceback" not in done.stderr
