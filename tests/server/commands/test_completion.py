"""Completion of commands, options, files and functions, through bash itself and the protocol of the other shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from ... import forked

SOURCE = "def median(v): ...\n\n\nasync def mean(v): ...\n\n\nclass Box:\n    def lift(self): ...\n"
# The words as bash splits them, the index of the word at the cursor, what is offered.
IN_BASH = [
    pytest.param(["che"], 1, ["check"], id="command"),
    pytest.param(["check", "--refe"], 2, ["--reference"], id="option"),
    pytest.param(["check", "a.py", "::", "me"], 4, ["median", "mean"], id="function"),
    pytest.param(["check", "a.py", "::"], 3, ["median", "mean", "Box.lift"], id="all functions"),
    pytest.param(["check", "a.py", "::", "Box.l"], 4, ["Box.lift"], id="method"),
    pytest.param(["check", "with space.py", "::", "me"], 4, ["median", "mean"], id="space"),
    pytest.param(["check", "b.py", "::", "median", "--reference", "a.py", "::", "med"], 8, ["median"], id="reference"),
    pytest.param(["check", "none.py", "::", "me"], 4, [], id="no such file"),
    pytest.param(["check", "broken.py", "::", "me"], 4, [], id="a file that does not parse"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with files to complete from."""
    for name in ("a.py", "with space.py"):
        (tmp_path / name).write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def me(:\n")
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which the shell finds the command."""
    return {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}", **more}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
@pytest.mark.parametrize(("words", "index", "offered"), IN_BASH)
def test_bash_offers(words: list[str], index: int, offered: list[str], project: Path) -> None:
    script = (
        'eval "$(lsp-evalplus completion bash)"\n'
        "function compopt { :; }\n"  # Only there while the shell itself completes.
        'COMP_CWORD=$1; shift; COMP_WORDS=(lsp-evalplus "$@")\n'
        "_lsp_evalplus_completion lsp-evalplus\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-c", script, "bash", str(index), *words]

    done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    ("shell", "position", "expected"),
    [("zsh", "2", "plain\na.py::median\n_"), ("fish", "a.py::med", "plain\ta.py::median")],
)
def test_other_shells_are_answered(shell: str, position: str, expected: str, project: Path) -> None:
    asked = {
        "_LSP_EVALPLUS_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "lsp-evalplus check a.py::med",
        "COMP_CWORD": position,
    }
    done = subprocess.run(
        forked.command(), cwd=project, env=environment(**asked), capture_output=True, text=True, check=False
    )

    assert expected.split() == done.stdout.replace(",", "\t").split()[: len(expected.split())]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_names_the_command(shell: str) -> None:
    command = [*forked.command(), "completion", shell]

    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert f"_LSP_EVALPLUS_COMPLETE={shell}_complete" in done.stdout
    assert "_lsp_evalplus_completion" in done.stdout
