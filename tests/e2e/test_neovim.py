"""Neovim with our module: an acceptance, its diagnostic, a code action, the code mended; and the proxy, live.

Runs with the Neovim on PATH; others can be named in LSP_EVALPLUS_NVIM, separated by colons.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_for

from conftest import ROOT, SERVER, require

HERE = Path(__file__).parent
COMPLETION_SERVER = ROOT / "tests" / "server" / "commands" / "completion_server.py"
MEDIAN = '''def median(readings: list[float]) -> float:
    """Return the median.

    >>> median([3, 1, 2])
    2
    >>> median([4, 1, 3, 2])
    2.5
    """
    ...'''
WRONG = "    ordered = sorted(readings)\n    return ordered[len(ordered) // 2]"
RIGHT = WRONG.replace("return ordered", "return (ordered[(len(ordered) - 1) // 2] + ordered") + ") / 2"
ADD = '''def add(xs: list[int]) -> int:
    """Return the sum of the even ones.

    >>> add([1, 2])
    2
    """
    '''


def neovims() -> list[str]:
    named = [one for one in os.environ.get("LSP_EVALPLUS_NVIM", "").split(":") if one]
    return ["nvim", *named]


@pytest.fixture(params=neovims())
def nvim(request: pytest.FixtureRequest) -> str:
    return require(request.param)


def drive(nvim: str, script: str, file: Path, **more: str) -> dict[str, Any]:
    """Run a script in Neovim and give the value of each step it reports."""
    home = file.parent / "home"
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")} | {
        "PLUGIN": str(ROOT / "editor-client" / "neovim"),
        "SERVER": str(SERVER),
        "INTERPRETER": sys.executable,
        "FILE": str(file),
        **more,
    }
    command = [nvim, "--headless", "--clean", "-n", "-u", "NONE", "-c", f"luafile {HERE / 'neovim' / script}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    steps = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {one["step"]: one["value"] for one in steps}


def test_from_acceptance_to_nothing_left(nvim: str, tmp_path: Path) -> None:
    file = tmp_path / "median.py"
    file.write_text(MEDIAN)

    steps = drive(nvim, "check.lua", file, BODY=WRONG, RIGHT=RIGHT)

    assert steps["reported"] is True
    assert steps["diagnostic"]["source"] == "lsp-evalplus"
    assert "median([" in steps["diagnostic"]["message"]
    assert "2.5" in steps["diagnostic"]["message"]
    assert "Accepted code (from test)" in steps["hover"]
    assert any(title.endswith("as a pytest test") for title in steps["actions"])
    assert sum(">>>" in line for line in steps["applied"]) == 3
    assert steps["cleared"] is True


def test_acceptances_through_the_proxy(nvim: str, tmp_path: Path) -> None:
    file = tmp_path / "add.py"
    file.write_text(ADD)
    (tmp_path / "home").mkdir()
    log = tmp_path / "proxy.log"
    completion = [str(SERVER), "proxy", "--log", str(log), "--", sys.executable, str(COMPLETION_SERVER)]

    steps = drive(
        nvim,
        "proxied.lua",
        file,
        COMPLETION=json.dumps(completion),
        LISTENING=str(tmp_path / "home" / "cache" / "lsp-evalplus" / "listening"),
    )

    assert "add([1, 2])" in steps["diagnostic"]["message"]
    assert "1 servers told" in log.read_text()


def test_accepted_with_neovims_own_inline_completion(nvim: str, tmp_path: Path) -> None:
    """Ghost text and Tab, typed from outside into a running Neovim of 0.12 or newer; Tab without ghost text indents."""
    done = subprocess.run([nvim, "--version"], capture_output=True, text=True, timeout=280, check=True)
    version = tuple(int(part) for part in re.findall(r"\d+", done.stdout)[:2])
    if version < (0, 12):
        pytest.skip(f"Neovim {version} has no inline completion")
    file, socket = tmp_path / "add.py", str(tmp_path / "nvim.sock")
    file.write_text(ADD.rstrip(" "))
    variables = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PLUGIN": str(ROOT / "editor-client" / "neovim"), "SERVER": str(SERVER), "INTERPRETER": sys.executable,
        "COMPLETION": json.dumps([sys.executable, str(COMPLETION_SERVER)]), "FILE": str(file),
    }  # fmt: skip
    script = HERE / "neovim" / "inline.lua"
    command = [nvim, "--headless", "--clean", "-n", "-u", "NONE", "--listen", socket, "-c", f"luafile {script}"]
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def evaluate(code: str) -> str:
        asked = subprocess.run(
            [nvim, "--server", socket, "--remote-expr", f"luaeval({code!r})"],
            capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip
        return asked.stdout.strip() if asked.returncode == 0 else ""

    def send(keys: str) -> None:
        subprocess.run([nvim, "--server", socket, "--remote-send", keys], timeout=280, check=True)

    try:
        wait_for(lambda: evaluate("ready()") == "yes", "both servers")
        send("<Esc>Go    ")
        wait_for(lambda: evaluate("ghost()") == "yes", "the ghost text")
        send("<Tab>")
        wait_for(lambda: "return total" in evaluate("text()"), "the completion to be inserted")
        wait_for(lambda: "from stand-in" in evaluate("hover()"), "the acceptance to be known")
        send("<Esc>Go<Tab># end<Esc>")
        wait_for(lambda: "\t# end" in evaluate("text()"), "a plain Tab to be a Tab")
    finally:
        process.kill()
        process.wait()
