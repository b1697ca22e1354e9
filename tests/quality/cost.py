"""What a program costs: the processor time of it and of all that it starts, which other programs hardly change."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_HUNG: Final = 600
"""Wall time after which a program is ended, in seconds; none needs it on a machine that gives any time."""


@dataclass(frozen=True)
class Ended:
    """How a program ended, and what it cost."""

    code: int
    output: str
    errors: str
    seconds: float
    """Processor time, of its own and of all children that were waited for."""


def run(command: Sequence[str | Path], **options: Any) -> Ended:
    """Run a program to its end."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, **options)
        guard = threading.Timer(_HUNG, process.kill)
        guard.start()
        _, status, usage = os.wait4(process.pid, 0)
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = [(file.seek(0), file.read())[1] for file in (output, errors)]
    return Ended(process.returncode, texts[0], texts[1], usage.ru_utime + usage.ru_stime)
