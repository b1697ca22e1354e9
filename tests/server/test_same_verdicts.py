"""The command line and the editor tell the same of the same functions: both through real processes, by one ladder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COUNTED = [sys.executable, str(Path(__file__).with_name("counted_calls.py")), "300"]
CASES = Path(__file__).parents[1] / "cases" / "agreement"
ORACLES = ["reference", "previous", "examples", "contract", "annotation", "robustness"]
SETTINGS = f'[tool.lsp-evalplus]\ndatabase = "off"\ntrigger = "manual"\noracles = {json.dumps(ORACLES)}\n'
_EXPECTED = re.compile(r"#\s*verdict: (?P<verdict>\w+) (?P<oracle>[\w-]+)")
_HEADER = re.compile(r"(?P<indent> *)(?:async def|def|class) (?P<name>\w+)")


def expected() -> dict[str, tuple[str, str | None]]:
    """Verdict and kind of oracle by qualified name, as the comments in the file say."""
    found: dict[str, tuple[str, str | None]] = {}
    owner, awaited = "", None
    for line in (CASES / "functions.py").read_text(encoding="utf-8").splitlines():
        awaited = _EXPECTED.search(line) or awaited
        header = _HEADER.match(line)
        if header is None:
            continue
        if line.startswith("class "):
            owner = f"{header['name']}."
        elif awaited is not None:
            name = f"{owner if header['indent'] else ''}{header['name']}"
            found[name] = (awaited["verdict"], awaited["oracle"] if awaited["oracle"] != "-" else None)
            awaited = None
    return found


def told(target: dict[str, Any]) -> tuple[Any, ...]:
    """What a user is told of a function, but for how long it took."""
    example = target["counterexample"] or {}
    outcomes = [(example[side]["kind"], example[side]["text"]) for side in ("candidate", "reference") if example]
    oracle = target["oracle"] or {}
    reason = target["reason"] if target["verdict"] == "not_checked" else ""
    return target["verdict"], oracle.get("kind"), reason, example.get("call"), outcomes


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The project, committed as it was before."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    shutil.copy(CASES / "right.py", folder)
    shutil.copy(CASES / "before.py", folder / "functions.py")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, timeout=280)
    shutil.copy(CASES / "functions.py", folder)
    return {"pyproject.toml": SETTINGS}


def told_by_the_command_line(folder: Path) -> dict[str, tuple[Any, ...]]:
    options = [part for kind in ORACLES for part in ("--oracle", "git" if kind == "previous" else kind)]
    ran = subprocess.run(
        [*COUNTED, "check", "functions.py", *options, "--format", "json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        env=os.environ.copy(),
    )
    assert ran.returncode == 1, ran.stderr
    return {target["name"]: told(target) for target in json.loads(ran.stdout)["targets"]}


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_forty_functions(new_editor: Any, files: dict[str, str], tmp_path: Path) -> None:
    names = expected()
    assert len(names) == 40
    editor = await new_editor(files=files, command=(*COUNTED, "serve"))
    uri = editor.open("functions.py")

    by_editor: dict[str, tuple[Any, ...]] = {}
    for name in names:
        (result,) = await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": name})
        by_editor[name] = told(result)
    by_command = told_by_the_command_line(tmp_path / "project")

    assert {name: by_command[name][:2] for name in names} == names
    assert by_editor == {name: by_command[name] for name in names}
    findings = sum(verdict == "differs" for verdict, _ in names.values())
    await editor.diagnostics(uri, lambda shown: len(shown) == findings)
