"""The command line in forks of a process that has imported it: half of a server's start is importing the protocol.

The processes are as real as those of a shell: they have their own memory, streams, folder and environment, and end with
an exit code. Tests of starting, of signals and of hostile code start the installed command instead.
"""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.host import zygote

from . import zygotes

SCRIPT = Path(sysconfig.get_path("scripts")) / ("lsp-evalplus.exe" if os.name == "nt" else "lsp-evalplus")
HERE = Path(__file__).parent


def command() -> tuple[str, ...]:
    """The words that start ``lsp-evalplus``, its arguments come after them: in a fork where the system has what that
    needs, or else as it is installed."""
    if not hasattr(os, "pidfd_open"):
        return (str(SCRIPT),)
    return (sys.executable, "-I", "-S", str(HERE / "launcher.py"), _address())


@contextmanager
def forked_zygotes() -> Iterator[None]:
    """Let the zygotes that this process starts be forked meanwhile, where the system has what that needs."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "pidfd_open"):
            patch.setattr(zygote, "subprocess", _templates().module())
        yield


@functools.cache
def _templates() -> zygotes.Templates:
    return zygotes.Templates()


@functools.cache
def _address() -> str:
    """Start the process that forks, which ends with this one."""
    address = str(Path(tempfile.mkdtemp(prefix="forked-")) / "socket")
    for hash_seed in zygotes.HASH_SEEDS:
        _templates().start(hash_seed)
    command = [sys.executable, str(HERE / "forks.py"), address, str(_templates().folder)]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    atexit.register(started.communicate)
    return address
