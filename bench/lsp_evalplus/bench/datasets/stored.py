"""On-disk cache of parsed data sets.

Reading HumanEval+ takes longer than judging a hundred programs, mostly because of its inputs, which the host hardly
needs: it passes them on to guests. So the first run caches them in an archive, with two members per task: the inputs
in the form sent to guests, and one line of JSON per input, from which later runs read those they show or compare.

An archive is used only for exactly the bytes it was made from. A damaged archive (CRC-32, by `zipfile`), one of
another version, or one that cannot be written costs only time.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, overload

from lsp_evalplus.bench.datasets.mbpp import restore_inputs
from lsp_evalplus.bench.files import ARCHIVE_DAMAGE, write_file
from lsp_evalplus.bench.problem import Dataset, Family, Input, Problem
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.values.json_writer import make_writer
from lsp_evalplus.fuzz.guest.values.marshal_codec import VERSION

FORMAT = 1
"""Increase whenever parsing changes, for example in `mbpp`."""
LEAST_BYTES = 1 << 20
"""Minimal size of a data set for which an archive is faster than parsing."""
_HEAD, _FOR_GUESTS, _LINES = "tasks.json", ".base64", ".jsonl"
"""Member names; the last two are preceded by the number of the task."""

_to_line = make_writer(json.JSONEncoder())

RawInputs: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
"""The inputs of both parts of a task as read from the file, without the types that JSON cannot represent."""


class LateInputs(Sequence[Input]):
    """The inputs of one part of a task, read lazily.

    Args:
        count: number of inputs.
        read: reads the input at an index from 0.
    """

    def __init__(self, count: int, read: Callable[[int], Input]) -> None:
        self._count = count
        self._read = read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Input: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Input]: ...
    def __getitem__(self, index: int | slice) -> Input | Sequence[Input]:
        places = range(self._count)[index]
        return self._read(places) if isinstance(places, int) else [self._read(place) for place in places]


class Store:
    """The archive of a file of tasks, one per path, for the most recently read content.

    Args:
        folder: location of the archives.
        path: path of the file.
        content: its bytes on disk.
    """

    def __init__(self, folder: Path, path: Path, content: bytes) -> None:
        name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
        self._place = folder / f"{name[:32]}.zip"
        self._path = path
        self._key = {"format": [FORMAT, VERSION], "content": hashlib.sha256(content).hexdigest()}

    def load(self, name: str, version: str) -> Dataset | None:
        """The data set under its current name and version, if cached."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(self._place.read_bytes()))
            head = json.loads(archive.read(_HEAD))
            if head["key"] != self._key:
                return None
            problems = [self._to_problem(archive, *fields) for fields in head["tasks"]]
            by_name = {problem.task_id: problem for problem in problems}
            return Dataset(name, version, head["md5"], head["sha256"], str(self._path), by_name)
        except ARCHIVE_DAMAGE:
            return None

    def save(self, dataset: Dataset, inputs: Sequence[RawInputs]) -> None:
        """Cache a data set; `inputs` are those of its tasks."""
        problems = list(dataset.problems.values())
        tasks = [_to_fields(number, problem) for number, problem in enumerate(problems)]
        head = {"key": self._key, "md5": dataset.md5, "sha256": dataset.sha256, "tasks": tasks}
        content = io.BytesIO()
        # Inputs that cannot be serialized cannot be sent to a guest either, which is reported there.
        with suppress(ValueError, RecursionError, UserError):
            with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_HEAD, json.dumps(head))
                for number, (problem, (base, plus)) in enumerate(zip(problems, inputs, strict=True)):
                    archive.writestr(f"{number}{_FOR_GUESTS}", problem.marshalled())
                    archive.writestr(f"{number}{_LINES}", "\n".join(map(_to_line, [*base, *plus])))
            write_file(self._place, content.getvalue())

    def _to_problem(self, archive: zipfile.ZipFile, number: int, base: int, plus: int, *fields: Any) -> Problem:
        task_id, prompt, entry_point, canonical_solution, contract, atol, family = fields
        restores = family == Family.MBPP

        @cache
        def lines() -> list[str]:
            return self._member(archive, f"{number}{_LINES}").split("\n")

        def read(index: int) -> Input:
            arguments: Any = json.loads(lines()[index])
            return restore_inputs(task_id, [arguments])[0] if restores else arguments

        return Problem(
            task_id=task_id,
            prompt=prompt,
            entry_point=entry_point,
            canonical_solution=canonical_solution,
            contract=contract,
            base_inputs=LateInputs(base, read),
            plus_inputs=LateInputs(plus, lambda index: read(base + index)),
            atol=atol,
            family=Family(family),
            stored=lambda: self._member(archive, f"{number}{_FOR_GUESTS}"),
        )

    def _member(self, archive: zipfile.ZipFile, name: str) -> str:
        try:
            return archive.read(name).decode("ascii")
        except ARCHIVE_DAMAGE as error:
            self._place.unlink(missing_ok=True)
            raise UserError(
                f"{self._place}, which holds what was read of {self._path} before, was damaged and has been removed; "
                "run the command again."
            ) from error


def _to_fields(number: int, problem: Problem) -> list[Any]:
    """The arguments of `Store._to_problem`."""
    return [
        number,
        len(problem.base_inputs),
        len(problem.plus_inputs),
        problem.task_id,
        problem.prompt,
        problem.entry_point,
        problem.canonical_solution,
        problem.contract,
        problem.atol,
        problem.family,
    ]
