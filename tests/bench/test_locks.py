"""A lock is had by one, is free after its owner, and leaves no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.bench.locks import Lock

HOLD = """
import sys
from pathlib import Path
from lsp_evalplus.bench.locks import Lock

print(Lock(Path(sys.argv[1])).acquire(), flush=True)
sys.stdin.read()
"""


def test_one_has_it_and_then_the_next(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")

    assert first.acquire()
    assert not second.acquire()
    assert second.owner() == str(os.getpid())
    first.release()
    assert list(tmp_path.iterdir()) == []
    assert second.acquire()
    first.release()
    assert (tmp_path / "lock").exists(), "who does not have it cannot give it back"
    second.release()


def test_a_lock_does_not_outlive_a_killed_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        lock = Lock(tmp_path / "lock")
        assert not lock.acquire()
        assert lock.owner() == str(holder.pid)
        holder.kill()
        holder.wait(200)

    assert lock.acquire()
    lock.release()


@pytest.mark.parametrize("content", ["", "no number", "-"])
def test_an_unreadable_owner_is_unknown(tmp_path: Path, content: str) -> None:
    (tmp_path / "lock").write_text(content)

    assert Lock(tmp_path / "lock").owner() == "unknown"
