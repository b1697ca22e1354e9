"""Segments: the files of a verdict store. Each is written by one process; any number may read it meanwhile.

A segment is a log (`bench.lines`). After the header a line is an object, the origin of the rows after it, or a row
``[task, program, verdict, seconds, time]``. Segments may come from other machines and other users: a line that is no
row is skipped and counted, and none is more than data.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.lines import NOT_A_RECORD, LineLog, lines_in, open_log
from lsp_evalplus.bench.locks import is_locked
from lsp_evalplus.bench.parts import logs_in, new_name, own_host

from .keys import PROGRAM_DIGITS, TASK_DIGITS, ProgramKey

FORMAT = 1
"""Increased with every change of the form of segments."""
QUIET_SECONDS = 3600.0
"""A segment of another machine that was not written for so long is taken for finished."""
_NAME = re.compile(r"(?P<host>[A-Za-z0-9_.]{1,64})-(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.jsonl")
_TASK = slice(2, 2 + TASK_DIGITS)
_PROGRAM = slice(_TASK.stop + 4, _TASK.stop + 4 + PROGRAM_DIGITS)
_KEY_END = _PROGRAM.stop + 2
"""A row begins with ``["task", "program",``, so that a row that nobody asks for need not be parsed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where verdicts come from."""

    host: str
    version: str
    """Of this tool."""
    layers_off: Mapping[str, str] = field(default_factory=dict[str, str])
    """The layers of the sandbox that were off, and why."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Origin:
        """The inverse of `asdict`; raises one of `NOT_A_RECORD` for anything else."""
        layers = {str(name): str(why) for name, why in data["layers_off"].items()}
        return cls(str(data["host"]), str(data["version"]), layers)


@dataclass(frozen=True, slots=True)
class Row:
    """One verdict as it is stored."""

    key: ProgramKey
    verdict: Any
    """As JSON."""
    seconds: float
    """How long a worker was busy with the program; 0 if it was judged with another one."""
    when: int
    """Seconds since the epoch."""
    origin: Origin


class SegmentWriter:
    """A new segment in a folder, which is created; its lock is held until `close`."""

    def __init__(self, folder: Path, header: object) -> None:
        self.path = folder / new_name()
        self._log = LineLog(self.path, header)
        self._log.create()
        self._origin: Origin | None = None

    def append(self, row: Row) -> None:
        """Append a row, after its origin if that is another one. Raises `UserError` when it cannot be written."""
        records: list[object] = [] if row.origin == self._origin else [asdict(row.origin)]
        self._origin = row.origin
        self._log.append(*records, [*row.key, row.verdict, round(row.seconds, 4), row.when])

    def close(self) -> None:
        """Close the segment; it is complete then."""
        self._log.close()


@dataclass(slots=True)
class Reader:
    """Reads segments and counts what is damaged."""

    damaged: int = 0
    """Lines that are neither rows nor origins; the last line of a writer that was killed does not count."""

    def rows(self, path: Path, is_wanted: Callable[[ProgramKey], bool]) -> Iterator[Row]:
        """The wanted rows of one segment. Raises `OSError` when it cannot be read."""
        origin = Origin("unknown", "unknown")
        with open_log(path) as file:
            next(lines_in(file), None)
            for line in lines_in(file):
                try:
                    if line.startswith(b"{"):
                        origin = Origin.from_json(json.loads(line))
                    elif line[: _TASK.start] != b'["' or is_wanted(_key_in(line)):
                        yield _to_row(json.loads(line), origin)
                except NOT_A_RECORD:
                    self.damaged += 1


def _key_in(line: bytes) -> ProgramKey:
    """The key of a row. Raises `ValueError` for what is none."""
    if line[_TASK.stop : _PROGRAM.start] != b'", "' or line[_PROGRAM.stop : _KEY_END] != b'",':
        raise ValueError("no row")
    return line[_TASK].decode("ascii"), line[_PROGRAM].decode("ascii")


def _to_row(record: Any, origin: Origin) -> Row:
    task, program, verdict, seconds, when = record
    if not (isinstance(task, str) and isinstance(program, str)):
        raise ValueError("no key")
    if type(seconds) not in (int, float) or not (math.isfinite(seconds) and seconds >= 0) or type(when) is not int:
        raise ValueError("no time")
    return Row((task, program), verdict, float(seconds), when, origin)


def read_all(folder: Path, read: Callable[[Path], None]) -> None:
    """Have each segment of a folder read, also if others are joined meanwhile. Skips what cannot be opened."""
    done: set[Path] = set()
    while True:
        has_vanished = False
        for path in logs_in(folder):
            if path in done:
                continue
            done.add(path)
            try:
                read(path)
            except FileNotFoundError:  # Its rows are in a segment that was not there before.
                has_vanished = True
            except OSError:
                continue
        if not has_vanished:
            return


def is_finished(path: Path) -> bool:
    """Whether the writer of a segment is gone; in doubt it is not."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return False
    try:
        is_quiet = time.time() - path.stat().st_mtime > QUIET_SECONDS
    except OSError:
        return False
    if match["host"] == own_host():
        return not is_locked(path) and (is_quiet or not _is_alive(int(match["pid"])))
    return is_quiet and not is_locked(path)


def _is_alive(pid: int) -> bool:
    if os.name != "posix":  # There, a signal of 0 would end the process.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def header_of(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The first line of a segment."""
    return {"lsp_evalplus_verdicts": FORMAT, "conditions": dict(conditions)}


def conditions_in(path: Path) -> Mapping[str, Any] | None:
    """The conditions in the header of a segment; None if it is none of this format."""
    try:
        with open_log(path) as file:
            header = json.loads(next(lines_in(file), b""))
        if header["lsp_evalplus_verdicts"] != FORMAT or not isinstance(header["conditions"], dict):
            return None
        return cast("dict[str, Any]", header["conditions"])
    except (*NOT_A_RECORD, OSError):
        return None
