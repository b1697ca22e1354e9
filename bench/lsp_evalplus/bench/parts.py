"""Work that several processes share: a folder of logs, in which each process writes a log of its own.

What is done is the union of the logs. So shards, and a job that runs twice, need no lock that anybody waits for, and
work on any file system that they share. Logs may come from other machines: a line that is no record is skipped.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.errors import UserError

from .lines import NOT_A_RECORD, LineLog, lines_in, open_log, to_line

SUFFIX = ".jsonl"


def own_host() -> str:
    """The name of this machine, in characters that file names have."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", socket.gethostname())[:64] or "unknown"


def new_name() -> str:
    """A name that no other log has: by machine, process and chance."""
    return f"{own_host()}-{os.getpid()}-{secrets.token_hex(8)}{SUFFIX}"


def logs_in(folder: Path) -> list[Path]:
    """The logs in a folder, in the order of their names; none where there is no such folder."""
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return []


class SharedLog:
    """Records of any number of processes under one header. Nothing is created before the first `append`.

    Args:
        folder: it holds the logs.
        header: the first line of each, as JSON: all that the records depend on.
    """

    def __init__(self, folder: Path, header: object) -> None:
        self.folder = folder
        self._header = header
        self._own: LineLog | None = None

    def read(self, take: Callable[[Any], object]) -> None:
        """Hand the records of all logs with this header to `take`, those of the log that was written last at the end.

        `take` raises one of `NOT_A_RECORD` for what is none, which is skipped.
        """
        for path in sorted(logs_in(self.folder), key=_written):
            with contextlib.suppress(OSError), open_log(path) as file:
                lines = lines_in(file)
                if next(lines, b"") != to_line(self._header):
                    continue
                for line in lines:
                    with contextlib.suppress(*NOT_A_RECORD):
                        take(json.loads(line))

    def append(self, record: object) -> None:
        """Append a record to the log of this process. Raises `UserError` when it cannot be written."""
        if self._own is None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{self.folder} cannot be made: {error.strerror or error}.") from error
            log = LineLog(self.folder / new_name(), self._header)
            log.create()
            self._own = log
        self._own.append(record)

    def close(self) -> None:
        """Close the log of this process; what was appended stays."""
        if self._own is not None:
            self._own.close()
        self._own = None

    def remove(self) -> None:
        """Close and remove all logs, as their records are elsewhere now; one that is being written loses nothing."""
        self.close()
        for path in logs_in(self.folder):
            with contextlib.suppress(OSError):
                path.unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def _written(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name
