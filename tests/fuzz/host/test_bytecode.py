"""The guest's own modules are compiled once for an interpreter; nothing is written beside the user's."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.host import spawn, zygote
from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect

SOURCE = "import prices\n\ndef f(x):\n    return x * prices.PRICE\n"


SPAWNED = pytest.param(spawn, spawn.SpawnKeeper, marks=pytest.mark.slow)


@pytest.mark.parametrize(("back_end", "keeper"), [(zygote, zygote.ZygoteKeeper), SPAWNED])
async def test_only_own_modules_are_kept_compiled(
    back_end: object, keeper: type[zygote.ZygoteKeeper], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, project = tmp_path / "guest", tmp_path / "project"
    shutil.copytree(guest_folder(), own, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(back_end, "guest_folder", lambda: str(own))
    project.mkdir()
    (project / "prices.py").write_text("PRICE = 3\n")
    found = find_interpreter(sys.executable, Path())
    interpreter = dataclasses.replace(found, search_path=(*found.search_path, str(project)))
    request = {"program": {"source": SOURCE, "qualname": "f"}, "arguments": ["(2,)"], "per_call_seconds": 60}

    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper, preload=("prices",)) as pool:
        replies = await collect(pool.start(Job("evaluate", request, 60, read=(str(project),))))

    assert any("6" in str(reply) for reply in replies), replies
    compiled = {path.name.partition(".")[0] for path in own.rglob("*.pyc")}
    assert compiled >= {"__init__", "child", "explore", "evaluate", "doctests", "search", "judge"}
    assert not list(project.rglob("*.pyc"))
