"""Zygotes in forks of a process that has imported what they need: that is most of their start.

They are as real as others: each has its own memory, socket and guests. Tests of how zygotes start and end, and of what
they leave behind, start them as they are installed.
"""

from __future__ import annotations

import atexit
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsp_evalplus.fuzz.host import zygote
from lsp_evalplus.fuzz.host.backend import clean_environment, guest_folder

HASH_SEEDS = (0, 1, 2)
"""Those under which findings are replayed."""
TEMPLATE = Path(__file__).with_name("template.py")


class Templates:
    """The processes that fork zygotes, one for each hash seed; they end with the process that started them."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="forked-"))
        self._is_own = folder is None
        if self._is_own:
            atexit.register(shutil.rmtree, self.folder)

    def start(self, hash_seed: int) -> Path | None:
        """Start the template of a hash seed once; return its address, None if another process has not started it."""
        address = self.folder / str(hash_seed)
        if address.exists() or not self._is_own:
            return address if address.exists() else None
        started = subprocess.Popen(
            [sys.executable, str(TEMPLATE), guest_folder(), str(address)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=clean_environment(hash_seed),
        )
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        atexit.register(started.communicate)
        return address

    def popen(self, command: list[str], **options: Any) -> Any:
        """Start a zygote, in place of `subprocess.Popen`: a fork where it is one of this interpreter as usual."""
        for hash_seed in HASH_SEEDS:
            if options["env"] == clean_environment(hash_seed) and _is_usual(command):
                address = self.start(hash_seed)
                if address is not None:
                    return Forked(address, options["pass_fds"][0], options["stdout"].fileno())
        return subprocess.Popen(command, **options)

    def module(self) -> SimpleNamespace:
        """Return what stands for the module `subprocess` where zygotes are started."""
        return SimpleNamespace(Popen=self.popen, DEVNULL=subprocess.DEVNULL)


def _is_usual(command: list[str]) -> bool:
    """Whether a command starts the guest's own code in the interpreter of this process."""
    is_same = os.path.dirname(command[0]) == os.path.dirname(sys.executable) and os.path.samefile(
        command[0], sys.executable
    )
    return is_same and command[1] == os.path.join(guest_folder(), "boot.py")


class Forked:
    """A process that another one has forked, with what its host asks of a process."""

    def __init__(self, address: Path, control: int, errors: int) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(address))
            socket.send_fds(connection, [b" "], [control, errors])
            with connection.makefile() as answer:
                self.pid = int(answer.readline())
        try:
            self._handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            self._handle = -1

    def poll(self) -> int | None:
        """Return 0 when it has ended, and None before."""
        return self._look(0.0)

    def wait(self) -> int:
        """Wait for its end."""
        self._look(None)
        return 0

    def kill(self) -> None:
        """Kill it."""
        if self._handle >= 0:
            os.kill(self.pid, signal.SIGKILL)

    def _look(self, seconds: float | None) -> int | None:
        if self._handle >= 0:
            if not select.select([self._handle], [], [], seconds)[0]:
                return None
            os.close(self._handle)
            self._handle = -1
        return 0


def patch(templates: Templates) -> None:
    """Let all zygotes of this process be forked."""
    zygote.subprocess = templates.module()  # type: ignore[assignment]
