"""Emacs with Eglot and our package: a reported acceptance, its diagnostic, a code action applied, the code mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from test_neovim import MEDIAN, WRONG

from conftest import ROOT, SERVER, require

HERE = Path(__file__).parent


def test_from_acceptance_to_nothing_left(tmp_path: Path) -> None:
    file = tmp_path / "median.py"
    file.write_text(MEDIAN)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"} | {
        "PLUGIN": str(ROOT / "editor-client" / "emacs"),
        "SERVER": str(SERVER),
        "INTERPRETER": sys.executable,
        "FILE": str(file),
        "BODY": WRONG,
    }
    command = [require("emacs"), "-Q", "--batch", "-l", str(HERE / "emacs" / "check.el")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    steps = {
        one["step"]: one["value"] for one in map(json.loads, (x for x in done.stdout.splitlines() if x.startswith("{")))
    }
    assert "median([" in steps["diagnostic"]
    assert "2.5" in steps["diagnostic"]
    assert "Accepted code (from test)" in steps["hover"]
    assert any(title.endswith("as a pytest test") for title in steps["actions"])
    assert steps["applied"].count(">>>") == 3
    assert steps["cleared"] is True


def test_the_package_compiles_without_a_warning(tmp_path: Path) -> None:
    source = ROOT / "editor-client" / "emacs" / "lsp-evalplus.el"
    copy = tmp_path / source.name
    copy.write_text(source.read_text())
    strict = "(setq byte-compile-error-on-warn t)"
    command = [require("emacs"), "-Q", "--batch", "--eval", strict, "-f", "batch-byte-compile", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)

    assert done.returncode == 0, done.stderr
