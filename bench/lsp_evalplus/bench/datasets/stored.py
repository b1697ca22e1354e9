"""What a data set says of its tasks, kept on disk from one run to the next.

To read HumanEval+ takes longer than to judge a hundred programs, and nearly all of that is its inputs, which the host
hardly needs: it hands them on to guests. So the first run keeps them in an archive, with two members for each task: its
inputs as guests get them, and a line of JSON for each, of which later runs read those that they show or compare.

An archive is used only for the very bytes that it was made of. One that is damaged (CRC-32, by `zipfile`) or of another
version costs time and nothing else, and so does one that cannot be written.
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
from lsp_evalplus.fuzz.guest.values.marshal_codec import VERSION

FORMAT = 1
"""To be raised whenever other things are read of a file than before, by `mbpp` for example."""
LEAST_BYTES = 1 << 20
"""Smaller data sets are read as fast as an archive of them would be."""
_HEAD, _FOR_GUESTS, _LINES = "tasks.json", ".base64", ".jsonl"
"""Names of members; a number comes before the last two."""

RawInputs: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
"""The inputs of a task, of both its parts, as its file has them: without the types that JSON cannot hold."""


class LateInputs(Sequence[Input]):
    """The inputs of one part of a task, each read when it is asked for.

    Args:
        count: how many there are.
        read: reads the one at an index from 0.
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
    """The archive of a file of tasks; there is one for each path, of the content that was read last.

    Args:
        folder: where archives are.
        path: of the file.
        content: its bytes as they are on disk.
    """

    def __init__(self, folder: Path, path: Path, content: bytes) -> None:
        name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
        self._place = folder / f"{name[:32]}.zip"
        self._path = path
        self._key = {"format": [FORMAT, VERSION], "content": hashlib.sha256(content).hexdigest()}

    def load(self, name: str, version: str) -> Dataset | None:
        """The data set under the name and the version that it has now, if it is here."""
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
        """Keeps a data set, of whose tasks these are the inputs."""
        problems = list(dataset.problems.values())
        tasks = [_to_fields(number, problem) for number, problem in enumerate(problems)]
        head = {"key": self._key, "md5": dataset.md5, "sha256": dataset.sha256, "tasks": tasks}
        content = io.BytesIO()
        # What cannot be written, no guest can be given either, which is told where that is tried.
        with suppress(ValueError, RecursionError, UserError):
            with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_HEAD, json.dumps(head))
                for number, (problem, (base, plus)) in enumerate(zip(problems, inputs, strict=True)):
                    archive.writestr(f"{number}{_FOR_GUESTS}", problem.marshalled())
                    archive.writestr(f"{number}{_LINES}", "\n".join(map(json.dumps, [*base, *plus])))
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
    """What `Store._to_problem` takes."""
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
