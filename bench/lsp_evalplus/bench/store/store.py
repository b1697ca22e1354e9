"""The store itself: find verdicts, add verdicts, join segments.

``FOLDER/<digest of the conditions>/<host>-<pid>-<random>.jsonl``. There is no index and no lock that anybody waits for:
each process appends to a segment of its own, and what a store holds is the union of its segments. So jobs of a cluster
share one on any file system that they share.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.lines import NOT_A_RECORD, to_line
from lsp_evalplus.bench.locks import Lock
from lsp_evalplus.bench.parts import logs_in, new_name
from lsp_evalplus.fuzz.errors import UserError

from .keys import ProgramKey, conditions_digest
from .segments import (
    Origin,
    Reader,
    Row,
    SegmentWriter,
    conditions_in,
    header_of,
    is_finished,
    read_all,
)

MOST_SEGMENTS = 64
"""Finished segments under the same conditions, above which they are joined."""
MOST_JOINED_BYTES = 16 << 20
"""Size of segments that are joined to one, as all of their rows are in memory then; larger ones stay as they are."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Stored(Generic[V]):
    """A verdict of the store, with its provenance."""

    verdict: V
    seconds: float
    """How long a worker was busy with the program; 0 if it was judged with another one."""
    when: int
    """Seconds since the epoch."""
    origin: Origin


class VerdictStore(Generic[V]):
    """The verdicts under the same conditions, in one or several folders.

    Args:
        folders: all are read, and each gets what is added.
        conditions: all that verdicts depend on besides task and program, as JSON.
        read: makes a verdict of JSON; raises one of `NOT_A_RECORD` for what is none.
    """

    def __init__(self, folders: Sequence[Path], conditions: Mapping[str, Any], read: Callable[[Any], V]) -> None:
        self._header = header_of(conditions)
        self._folders = [folder / conditions_digest(conditions) for folder in folders]
        self._conditions = dict(conditions)
        self._read = read
        self._writers: list[SegmentWriter] | None = None
        self.damaged = 0
        """Lines that were skipped because they are no verdicts."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find."""
        return not any(logs_in(folder) for folder in self._folders)

    def find(self, is_wanted: Callable[[ProgramKey], bool]) -> dict[ProgramKey, Stored[V]]:
        """What is known of the wanted programs; of several verdicts on one, the newest."""
        found: dict[ProgramKey, Stored[V]] = {}
        reader = Reader()
        shared: dict[str, V] = {}  # Most programs pass, or fail in the same way: one object for equal verdicts.

        def read(path: Path) -> None:
            if conditions_in(path) != self._conditions:
                return
            for row in reader.rows(path, is_wanted):
                if row.key not in found or row.when >= found[row.key].when:
                    try:
                        text = json.dumps(row.verdict)
                        if text not in shared:
                            shared[text] = self._read(row.verdict)
                        found[row.key] = Stored(shared[text], row.seconds, row.when, row.origin)
                    except NOT_A_RECORD:
                        reader.damaged += 1

        for folder in self._folders:
            read_all(folder, read)
        self.damaged += reader.damaged
        return found

    def seconds(self, is_wanted: Callable[[ProgramKey], bool]) -> Iterator[tuple[ProgramKey, float]]:
        """The seconds of each row on a wanted program, which may have several; in no order, and none is kept."""
        reader = Reader()
        for folder in self._folders:
            for path in logs_in(folder):
                with contextlib.suppress(OSError):
                    if conditions_in(path) == self._conditions:
                        yield from ((row.key, row.seconds) for row in reader.rows(path, is_wanted))

    def add(self, key: ProgramKey, verdict: Any, seconds: float, origin: Origin) -> None:
        """Append a verdict, as JSON. Raises `UserError` when it cannot be written, for example on a full disk."""
        if self._writers is None:
            self._writers = []
            for folder in self._folders:
                _make(folder)
                self._writers.append(SegmentWriter(folder, self._header))
        row = Row(key, verdict, seconds, int(time.time()), origin)
        for writer in self._writers:
            writer.append(row)

    def close(self) -> None:
        """Close what was written, and join segments where there are many."""
        for writer in self._writers or ():
            writer.close()
        self._writers = None
        for folder in self._folders:
            if len(logs_in(folder)) > MOST_SEGMENTS:
                with contextlib.suppress(UserError):  # It serves speed only, and there may be no room for it.
                    join_segments(folder)


HIDDEN = ".lsp-evalplus"


def store_beside(output: Path) -> Path:
    """The store in the folder of a result file, which the other result files there share."""
    return output.parent / HIDDEN / "verdicts"


def make_private(folder: Path) -> Path:
    """Create a folder of verdicts that nobody else can read or write. Raises `UserError` when it cannot be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            if folder.stat().st_uid != os.getuid():
                raise UserError(f"{folder} belongs to another user; name a folder with --store, or take --no-store.")
            folder.chmod(0o700)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}; --no-store does without it.") from error
    return folder


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden = next((parent for parent in folder.parents if parent.name == HIDDEN), None)
        if hidden is not None and not (hidden / ".gitignore").exists():
            (hidden / ".gitignore").write_text("*\n", encoding="ascii")
    except OSError as error:
        raise UserError(
            f"{folder} cannot be made: {error.strerror or error}; name a folder with --store, or take --no-store."
        ) from error


@dataclass(frozen=True, slots=True)
class Summary:
    """What a folder holds."""

    verdicts: int
    segments: int
    bytes: int
    damaged: int


def summarize(store: Path) -> Summary:
    """Count what a store holds, under all conditions."""
    keys: set[int] = set()  # Numbers, because a campaign has millions.
    reader = Reader()
    sizes: list[int] = []

    def read(path: Path) -> None:
        sizes.append(path.stat().st_size)
        keys.update(hash((path.parent.name, *row.key)) for row in reader.rows(path, lambda key: True))

    for folder in conditions_folders(store):
        read_all(folder, read)
    return Summary(len(keys), len(sizes), sum(sizes), reader.damaged)


def conditions_folders(store: Path) -> list[Path]:
    """The folders of a store, one for each set of conditions."""
    try:
        return sorted(path for path in store.iterdir() if path.is_dir())
    except OSError:
        return []


def join_segments(folder: Path) -> int:
    """Join the finished segments of one set of conditions, so that of a program the newest verdict among them is left.

    Those of about `MOST_JOINED_BYTES` become one. Returns how many were joined. Segments of living writers stay; those
    who read meanwhile miss nothing. Raises `UserError` when a new one cannot be written: then those of its group stay.
    """
    lock = Lock(folder / "joining.lock")
    try:
        if not lock.acquire():
            return 0
    except OSError:
        return 0
    try:
        return sum(_join(folder, group) for group in _groups(folder))
    finally:
        lock.release()


def _groups(folder: Path) -> list[list[Path]]:
    """The finished segments of a folder to be joined with one another, the small ones first."""
    sizes = {path: size for path in logs_in(folder) if is_finished(path) and (size := _size(path)) is not None}
    groups: list[list[Path]] = [[]]
    total = 0
    for path in sorted(sizes, key=lambda path: (sizes[path], path.name)):
        if total + sizes[path] > MOST_JOINED_BYTES:
            groups.append([])
            total = 0
        if conditions_in(path) is not None:
            groups[-1].append(path)
            total += sizes[path]
    return [group for group in groups if len(group) > 1]


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _join(folder: Path, joined: Sequence[Path]) -> int:
    rows: dict[ProgramKey, tuple[Origin, int, bytes]] = {}  # Lines, as they take a tenth of what they say takes.
    reader = Reader()
    read: list[Path] = []
    for path in joined:
        with contextlib.suppress(OSError):
            for row in reader.rows(path, lambda key: True):
                before = rows.get(row.key)
                if before is None or row.when >= before[1]:
                    line = to_line([*row.key, row.verdict, row.seconds, row.when])
                    rows[row.key] = row.origin, row.when, line
            read.append(path)
    lines = [to_line(header_of(conditions_in(joined[0]) or {}))]
    last: Origin | None = None
    for origin, _, line in sorted(
        rows.values(), key=lambda row: (sorted(row[0].layers_off), row[0].host, row[1], row[2])
    ):
        if origin != last:
            lines.append(to_line(asdict(origin)))
            last = origin
        lines.append(line)
    write_file(folder / new_name(), b"".join(lines))
    for path in read:
        path.unlink(missing_ok=True)
    return len(read)
