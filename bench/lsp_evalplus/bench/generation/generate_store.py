"""Files of a generation: the raw answers as they arrive, and the sanitised samples beside them.

The raw file is authoritative: an interrupted run resumes from it, and the sanitised file is rebuilt from it. When a
run is complete, both are sorted in the order of the data set, independent of interruptions.

A shard writes files of its own. It begins with what the files of all tasks have; a run of all tasks begins with what
the shards have, and removes their files when it is complete.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from lsp_evalplus.bench.files import check_writable, write_file
from lsp_evalplus.bench.locks import Lock
from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.bench.samples.sanitize import extract
from lsp_evalplus.bench.samples.shards import Shard, part_paths
from lsp_evalplus.fuzz.errors import UserError

from .usage import add_parts, usage_path

_ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class Generated:
    """One answer of a model."""

    task_id: str
    number: int
    """Index among the samples of its task, from 0."""
    raw: str
    """The raw output of the model."""
    solution: str
    """The extracted code."""
    found: bool
    """Whether the code defines the requested function."""
    finish: str
    """Finish reason: ``stop``, ``length``, ..."""
    resumed: bool = False
    """Whether it comes from an earlier run."""


class SampleStore:
    """Exclusive writer of ``NAME.raw.jsonl`` and ``NAME.jsonl``. Use as a context manager."""

    def __init__(
        self,
        path: Path,
        problems: Mapping[str, Problem],
        settings: Mapping[str, Any],
        *,
        completion: bool,
        shard: tuple[Shard, frozenset[str]] | None = None,
    ) -> None:
        """`problems` is the whole data set; `settings` is all that answers depend on: a resumed run must match them.

        `shard` is one with its tasks; `path` is that of the run without shards all the same.
        """
        self._whole = path
        self.path = path if shard is None else shard[0].path(path, _ENDING)
        self.raw_path, self.settings_path = _raw_path(self.path), _settings_path(self.path)
        self._tasks = None if shard is None else shard[1]
        self._problems, self._settings, self._completion = problems, dict(settings), completion
        self._lock = _lock_of(self.path)
        self._parts: dict[Path, Lock] = {}
        self._raw: IO[str] | None = None
        self._clean: IO[str] | None = None
        self._known: dict[tuple[str, int], Generated] = {}

    def __enter__(self) -> SampleStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_files()
        for lock in (self._lock, *self._parts.values()):
            lock.release()

    @property
    def known(self) -> dict[tuple[str, int], Generated]:
        """The stored answers, by task and number."""
        return dict(self._known)

    def open(self, *, resume: bool) -> None:
        """Read the existing answers, unless `resume` is false, and prepare to append.

        Raises `UserError` when the files belong to a run with other settings, another run is writing them or those of a
        shard, or they cannot be written.
        """
        check_writable(self.raw_path)
        self._acquire(self.path, self._lock)
        if resume:
            others = [self._whole]
            if self._tasks is None:
                others = part_paths(self.path, _ENDING)
                for part in others:
                    self._parts[part] = _lock_of(part)
                    self._acquire(part, self._parts[part])
            for path in (*others, self.path):
                self._check_settings(path)
                self._known |= {(answer.task_id, answer.number): answer for answer in self._read(_raw_path(path))}
        write_file(self.settings_path, (json.dumps(self._settings, indent=1) + "\n").encode())
        self._rewrite()
        try:
            self._raw = self.raw_path.open("a", encoding="utf-8")
            self._clean = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def add(self, task_id: str, number: int, raw: str, finish: str) -> Generated:
        """Append one answer to both files and return it with its code. Raises `UserError` when writing fails."""
        answer = self._sanitized(task_id, number, raw, finish, resumed=False)
        self._known[task_id, number] = answer
        assert self._raw is not None
        assert self._clean is not None
        try:
            for file, line in ((self._raw, self._raw_line(answer)), (self._clean, _clean_line(answer))):
                file.write(line)
                file.flush()
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        return answer

    def finish(self) -> None:
        """Sort both files in the order of the data set; nothing can be added afterwards."""
        self._close_files()
        self._rewrite()

    def remove_parts(self) -> None:
        """Remove the files of the shards, when their answers are in these; their costs are added to those of this run.

        Raises `UserError` when the costs cannot be written.
        """
        add_parts(self.path, list(self._parts))
        for part in self._parts:
            for path in (_raw_path(part), _settings_path(part), usage_path(part), part):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def _acquire(self, path: Path, lock: Lock) -> None:
        if not lock.acquire():
            raise UserError(
                f"{_raw_path(path)} is being written by another run (process {lock.owner()}); wait for it, or name "
                "another place with --output."
            )

    def _close_files(self) -> None:
        for file in (self._raw, self._clean):
            if file is not None:
                with contextlib.suppress(OSError):  # A full disk was reported before.
                    file.close()
        self._raw = self._clean = None

    def _check_settings(self, path: Path) -> None:
        settings_path = _settings_path(path)
        if not settings_path.exists():
            return
        try:
            before: Any = json.loads(settings_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{settings_path} cannot be read ({error}); remove it or use --no-resume.") from error
        fields = cast("dict[str, Any]", before) if isinstance(before, dict) else {}
        other = [name for name, value in self._settings.items() if fields.get(name) != value]
        if other:
            was = ", ".join(f"{name}={fields.get(name)!r}" for name in other)
            raise UserError(
                f"{_raw_path(path)} was generated with {was}; use these, another --output, or --no-resume to start "
                "anew."
            )

    def _read(self, path: Path) -> list[Generated]:
        """Read a raw file; an incomplete last line is ignored, any other malformed line is an error."""
        if not path.exists():
            return []
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        found: list[Generated] = []
        for number, line in enumerate(lines, start=1):
            record = _to_record(line)
            if record is not None and record["task_id"] in self._problems:
                if self._tasks is not None and record["task_id"] not in self._tasks:
                    continue
                text = record["completion"] if "completion" in record else record["solution"]
                found.append(
                    self._sanitized(record["task_id"], record["sample"], text, record.get("finish", ""), resumed=True)
                )
            elif record is None and line.strip() and number < len(lines):
                raise UserError(f"{path}, line {number}: is no answer of a model; use --no-resume.")
        return found

    def _sanitized(self, task_id: str, number: int, raw: str, finish: str, *, resumed: bool) -> Generated:
        problem = self._problems[task_id]
        code = extract(raw, problem.entry_point, problem.prompt)
        return Generated(task_id, number, raw, code.code, code.found, finish, resumed)

    def _raw_line(self, answer: Generated) -> str:
        key = "completion" if self._completion else "solution"
        record = {"task_id": answer.task_id, "sample": answer.number, key: answer.raw, "finish": answer.finish}
        return json.dumps(record) + "\n"

    def _rewrite(self) -> None:
        places = {task: place for place, task in enumerate(self._problems)}
        ordered = sorted(self._known.values(), key=lambda answer: (places[answer.task_id], answer.number))
        for path, line in ((self.raw_path, self._raw_line), (self.path, _clean_line)):
            write_file(path, "".join(map(line, ordered)).encode())


def _raw_path(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(_ENDING) + ".raw.jsonl")


def _settings_path(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(_ENDING) + ".settings.json")


def _lock_of(path: Path) -> Lock:
    return Lock(path.with_name(f".{path.name}.lock"))


def _clean_line(answer: Generated) -> str:
    return json.dumps({"task_id": answer.task_id, "sample": answer.number, "solution": answer.solution}) + "\n"


def _to_record(line: str) -> dict[str, Any] | None:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    record = cast("dict[str, Any]", value)
    text = record.get("completion", record.get("solution"))
    whole = isinstance(record.get("task_id"), str) and isinstance(record.get("sample"), int) and isinstance(text, str)
    return record if whole else None
