"""The files of a generation: every raw answer as it comes, and the sanitised samples beside it.

The raw file is the truth: a run that was killed goes on from it, and the sanitised file is made from it again. When a
run is whole, both are put in the order of the data set, so that it does not show how often it was interrupted.
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
from lsp_evalplus.fuzz.errors import UserError


@dataclass(frozen=True, slots=True)
class Generated:
    """One answer of a model."""

    task_id: str
    number: int
    """Its place among the samples of its task, from 0."""
    raw: str
    """What the model wrote."""
    solution: str
    """The code in it."""
    found: bool
    """Whether that defines the requested function."""
    finish: str
    """Why the model stopped: ``stop``, ``length``, ..."""
    resumed: bool = False
    """An earlier run had asked for it already."""


class SampleStore:
    """Appends answers to ``NAME.raw.jsonl`` and ``NAME.jsonl``, alone. Use as a context manager."""

    def __init__(
        self, path: Path, problems: Mapping[str, Problem], settings: Mapping[str, Any], *, completion: bool
    ) -> None:
        """`problems` are all of the data set; `settings` is what answers depend on: a resumed run needs the same."""
        self.path = path
        self.raw_path = path.with_name(path.name.removesuffix(".jsonl") + ".raw.jsonl")
        self.settings_path = path.with_name(path.name.removesuffix(".jsonl") + ".settings.json")
        self._problems, self._settings, self._completion = problems, dict(settings), completion
        self._lock = Lock(path.with_name(f".{path.name}.lock"))
        self._raw: IO[str] | None = None
        self._clean: IO[str] | None = None
        self._known: dict[tuple[str, int], Generated] = {}

    def __enter__(self) -> SampleStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_files()
        self._lock.release()

    @property
    def known(self) -> dict[tuple[str, int], Generated]:
        """The answers that are there, by task and number."""
        return dict(self._known)

    def open(self, *, resume: bool) -> None:
        """Reads the answers that are there already, unless not to `resume`, and gets ready to add more.

        Raises `UserError` when the files are of a run with other settings, another run writes them, or they cannot be
        written.
        """
        check_writable(self.raw_path)
        if not self._lock.acquire():
            raise UserError(
                f"{self.raw_path} is being written by another run (process {self._lock.owner()}); wait for it, or name "
                "another place with --output."
            )
        if resume:
            self._check_settings()
            self._known = {(answer.task_id, answer.number): answer for answer in self._read()}
        write_file(self.settings_path, (json.dumps(self._settings, indent=1) + "\n").encode())
        self._rewrite()
        try:
            self._raw = self.raw_path.open("a", encoding="utf-8")
            self._clean = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def add(self, task_id: str, number: int, raw: str, finish: str) -> Generated:
        """Writes one answer to both files and returns it with its code. Raises `UserError` when that cannot be."""
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
        """Puts both files in the order of the data set; nothing can be added then."""
        self._close_files()
        self._rewrite()

    def _close_files(self) -> None:
        for file in (self._raw, self._clean):
            if file is not None:
                with contextlib.suppress(OSError):  # What a full disk did not take was told before.
                    file.close()
        self._raw = self._clean = None

    def _check_settings(self) -> None:
        if not self.settings_path.exists():
            return
        try:
            before: Any = json.loads(self.settings_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{self.settings_path} cannot be read ({error}); remove it or use --no-resume.") from error
        fields = cast("dict[str, Any]", before) if isinstance(before, dict) else {}
        other = [name for name, value in self._settings.items() if fields.get(name) != value]
        if other:
            was = ", ".join(f"{name}={fields.get(name)!r}" for name in other)
            raise UserError(
                f"{self.raw_path} was generated with {was}; use these, another --output, or --no-resume to start anew."
            )

    def _read(self) -> list[Generated]:
        """Reads the raw file; a last line that a kill cut short is left out, and any other bad line is an error."""
        if not self.raw_path.exists():
            return []
        lines = self.raw_path.read_text(encoding="utf-8", errors="replace").split("\n")
        found: list[Generated] = []
        for number, line in enumerate(lines, start=1):
            record = _to_record(line)
            if record is not None and record["task_id"] in self._problems:
                text = record["completion"] if "completion" in record else record["solution"]
                found.append(
                    self._sanitized(record["task_id"], record["sample"], text, record.get("finish", ""), resumed=True)
                )
            elif record is None and line.strip() and number < len(lines):
                raise UserError(f"{self.raw_path}, line {number}: is no answer of a model; use --no-resume.")
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
