"""Helix with our languages.toml: the diagnostic is shown, a code action is applied, the file is saved.

Debian 12 has no Helix, so this is skipped there; name one in LSP_EVALPLUS_HX. It is typed into through tmux.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_neovim import MEDIAN, WRONG
from waiting import wait_for

from conftest import ROOT, SERVER


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Path]:
    """The file that a Helix in a tmux session of its own has open."""
    program = os.environ.get("LSP_EVALPLUS_HX") or shutil.which("hx")
    if program is None or shutil.which("tmux") is None:
        pytest.skip("Helix or tmux is not installed")
    config = tmp_path / ".config" / "helix"
    config.mkdir(parents=True)
    shutil.copy(ROOT / "editor-client" / "helix" / "languages.toml", config)
    (config / "config.toml").write_text('[editor]\nend-of-line-diagnostics = "hint"\n')
    file = tmp_path / "median.py"
    file.write_text(MEDIAN.replace("    ...", WRONG) + "\n")
    environment = {"PATH": f"{SERVER.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "TERM": "xterm-256color"}
    tmux(tmp_path, "-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "40", program, str(file), env=environment)
    yield file
    tmux(tmp_path, "kill-server")


def tmux(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    command = ["tmux", "-S", str(folder / "tmux.sock"), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=280, check=True).stdout


def test_diagnostic_and_code_action(hx: Path) -> None:
    def screen() -> str:
        return tmux(hx.parent, "capture-pane", "-p")

    wait_for(lambda: "returned 3" in screen(), "the diagnostic")
    tmux(hx.parent, "send-keys", "g", "g", "w", "w")
    tmux(hx.parent, "send-keys", "Space", "a")
    menu = wait_for(lambda: text if "as a pytest test" in (text := screen()) else "", "the menu of code actions")
    titles = [
        line for line in menu.splitlines() if any(f" {verb} " in line for verb in ("Add", "Show", "This", "Debug"))
    ]
    steps = next(i for i, line in enumerate(titles) if "to the docstring" in line)
    tmux(hx.parent, "send-keys", *["Down"] * steps, "Enter")
    wait_for(lambda: screen().count(">>>") >= 3, "the example in the docstring")
    tmux(hx.parent, "send-keys", ":", "w", "Enter")

    wait_for(lambda: hx.read_text().count(">>>") == 3, "the file to be saved")
