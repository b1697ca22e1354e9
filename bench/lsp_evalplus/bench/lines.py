"""Append-only logs of JSON lines: a header, then one record a line, written by one process at a time.

A line is written with one call. What a killed writer left incomplete is skipped on reading, so that a log can be read
while it is being written.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from lsp_evalplus.fuzz.errors import UserError

from .locks import try_lock

LONGEST_LINE = 16 << 20
"""Bytes; a longer line is not a record of ours."""
NOT_A_RECORD = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a record raises if it is damaged or of another form."""


class ForeignLogError(UserError):
    """The file is there and has another header."""


class LineLog:
    """A log that is open for appending. The file stays locked until `close`, however its process ends.

    Args:
        path: the file.
        header: the first line, as JSON: all that the records depend on.
    """

    def __init__(self, path: Path, header: object) -> None:
        self.path = path
        self._header = to_line(header)
        self._descriptor = -1

    def open(self, read: Callable[[Any], object], *, fresh: bool = False) -> None:
        """Hand the records that are there to `read`, and get ready to append after the last whole one.

        `read` raises one of `NOT_A_RECORD` for what is none; it and what follows is cut off. With `fresh` the log
        begins anew.

        Raises `UserError` when the file cannot be read or written, or when another process writes it;
        `ForeignLogError` when it has another header.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            self._lock()
            intact = 0 if fresh else self._read(read)
            os.ftruncate(self._descriptor, intact)
            os.lseek(self._descriptor, 0, os.SEEK_END)
        except OSError as error:
            self.close()
            raise self._not_written(error) from error
        except UserError:
            self.close()
            raise
        if not intact:
            self._write(self._header)

    def read(self, read: Callable[[Any], object]) -> None:
        """Hand the records that are there to `read`, as `open` does, and change nothing; there may be no file.

        Raises `UserError` when the file cannot be read; `ForeignLogError` when it has another header.
        """
        try:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            self._read(read)
        except FileNotFoundError:
            return
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror or error}.") from error
        finally:
            self.close()

    def create(self) -> None:
        """Create the file. Raises `UserError` when it exists already or cannot be created."""
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise self._not_written(error) from error
        self._lock()
        self._write(self._header)

    def append(self, *records: object) -> None:
        """Append records with one call. Raises `UserError` when they cannot be written, for example on a full disk."""
        self._write(b"".join(map(to_line, records)))

    def close(self, *, remove: bool = False) -> None:
        """Close the file; what was appended stays, unless it is to be removed."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if remove:
            self.path.unlink(missing_ok=True)

    def _lock(self) -> None:
        if not try_lock(self._descriptor):
            raise UserError(f"{self.path} is being written by another process; wait for it, or name another file.")

    def _write(self, lines: bytes) -> None:
        data = memoryview(lines)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise self._not_written(error) from error

    def _not_written(self, error: OSError) -> UserError:
        return UserError(f"{self.path} cannot be written: {error.strerror or error}.")

    def _read(self, read: Callable[[Any], object]) -> int:
        """Hand over the records; return the number of bytes that are whole lines of this log."""
        with open(self._descriptor, "rb", closefd=False) as file:
            first = file.readline(LONGEST_LINE)
            if not first.endswith(b"\n") and self._header.startswith(first):
                return 0
            if first != self._header:
                raise ForeignLogError(f"{self.path} is of something else.")
            intact = len(first)
            for line in lines_in(file):
                try:
                    read(json.loads(line))
                except NOT_A_RECORD:
                    break
                intact += len(line)
        return intact


def to_line(record: object) -> bytes:
    """A record as a line of ASCII."""
    return json.dumps(record, sort_keys=isinstance(record, dict)).encode("ascii") + b"\n"


def lines_in(file: IO[bytes]) -> Iterator[bytes]:
    """The whole lines of a log from where it is, without one that is not finished or is too long for a record."""
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        yield line


def open_log(path: Path) -> IO[bytes]:
    """Open a log that other processes may be writing. Raises `OSError` if it is not an ordinary file."""
    unhurried = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | unhurried))  # noqa: SIM115 - the caller's
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(22, "it is no ordinary file")
    return file
