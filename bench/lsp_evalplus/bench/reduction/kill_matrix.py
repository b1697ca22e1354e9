"""The kill matrix: which plus inputs kill which program, as bit sets in a file that later runs reuse.

A line holds one program. Lines are appended as they are found and an incomplete last line is ignored, so that an
interrupted run continues; at the end the file is written in the order of tasks and digests. Shards write their rows
into logs beside the file (`bench.parts`), which the run without shards takes and removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.lines import ForeignLogError, LineLog, to_line
from lsp_evalplus.bench.parts import SharedLog
from lsp_evalplus.fuzz.errors import UserError

from .corpus import ProgramKey

FORMAT = 1
"""Increased with every change of what the rows mean."""


@dataclass(frozen=True, slots=True)
class KillRow:
    """What kills one program. A bit set is an int whose bit `i` stands for plus input `i`."""

    fails_base: frozenset[Rule]
    """The comparators by which the base tests kill it; its plus kills count for the others."""
    kills: Mapping[Rule, int]
    """The inputs on which it gives a wrong value or an exception, by comparator."""
    timeouts: int = 0
    """The inputs on which it was stopped; a slow machine may stop it elsewhere, so these are not kills."""
    is_complete: bool = True
    """Whether it was called on all inputs: one that hangs or dies is given up."""

    @property
    def hangs(self) -> bool:
        """Whether it passes base by some comparator, and not all that kills it is known."""
        if len(self.fails_base) == len(Rule):
            return False
        return not self.is_complete or (bool(self.timeouts) and not any(self.kills.values()))

    def killers(self, rule: Rule, *, with_timeouts: bool) -> int:
        """The inputs that kill it by a comparator; none if the base tests do already."""
        if rule in self.fails_base:
            return 0
        return self.kills[rule] | (self.timeouts if with_timeouts else 0)

    def to_json(self) -> dict[str, Any]:
        """The form in the file."""
        return {
            "fails_base": sorted(self.fails_base),
            "kills": {str(rule): f"{self.kills[rule]:x}" for rule in Rule},
            "timeouts": f"{self.timeouts:x}",
            "complete": self.is_complete,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> KillRow:
        """The inverse of `to_json`; raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` for others."""
        return cls(
            frozenset(Rule(name) for name in fields["fails_base"]),
            {rule: int(fields["kills"][rule], 16) for rule in Rule},
            int(fields["timeouts"], 16),
            bool(fields["complete"]),
        )


RIGHT = KillRow(frozenset(), dict.fromkeys(Rule, 0))
"""The row of a program that nothing kills."""


class KillFile:
    """A kill matrix on disk.

    Args:
        path: the file.
        identity: all that its rows depend on besides the programs.
        is_part: whether this is one of several processes that add rows: the file stays as it is, and the rows go into a
            log beside it.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], *, is_part: bool = False) -> None:
        self.path = path
        self._header = {"format": FORMAT, **identity}
        self._log = LineLog(path, self._header)
        self._parts = SharedLog(path.with_name(path.name + ".parts"), self._header)
        self._is_part = is_part
        self.rows: dict[ProgramKey, KillRow] = {}

    def open(self, *, fresh: bool) -> None:
        """Read the rows that are there, also those of shards, and be ready to append.

        Raises `UserError` if the file cannot be written, if another process writes it, and if it is of another data set
        or another Python.
        """
        try:
            if not self._is_part:
                self._log.open(self._take, fresh=fresh)
            elif not fresh:
                self._log.read(self._take)
        except ForeignLogError as error:
            raise UserError(
                f"{self.path} is the kill matrix of another data set, another Python or other limits, or no kill "
                "matrix; name another file with --matrix, or replace it with --fresh."
            ) from error
        if not fresh:
            self._parts.read(self._take)

    def append(self, key: ProgramKey, row: KillRow) -> None:
        """Add one row. Raises `UserError` when it cannot be written, for example on a full disk."""
        self.rows[key] = row
        (self._parts if self._is_part else self._log).append(_to_record(key, row))

    def close(self) -> None:
        """Close the file; what was appended stays."""
        self._log.close()
        self._parts.close()

    def finish(self, tasks: Iterable[str]) -> None:
        """Close the file and write its rows in order, tasks in the given one. Raises `UserError` if that fails."""
        self.close()
        place = {task: number for number, task in enumerate(tasks)}
        keys = sorted(self.rows, key=lambda key: (place.get(key[0], len(place)), key))
        records: list[object] = [self._header, *(_to_record(key, self.rows[key]) for key in keys)]
        write_file(self.path, b"".join(map(to_line, records)))
        self._parts.remove()

    def _take(self, record: Any) -> None:
        task_id, digest, fields = record
        self.rows[str(task_id), str(digest)] = KillRow.from_json(fields)


def _to_record(key: ProgramKey, row: KillRow) -> list[Any]:
    return [*key, row.to_json()]
