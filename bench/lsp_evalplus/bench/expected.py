"""What the references return: the expected values, kept in their encoded form, and their cache on disk.

Only outputs and a rough idea of the time are cached, under the hash of the data set and the version of Python. The time
orders the work; no time limit is taken from it (see `run`).
"""

from __future__ import annotations

import json
import marshal
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lsp_evalplus.bench.evalplus_compat import tolerances
from lsp_evalplus.bench.judge import contains_nan, mixed_numbers
from lsp_evalplus.bench.oracles import NOT_NONE_ENTRY_POINTS
from lsp_evalplus.bench.problem import Dataset, Family, Part, Problem
from lsp_evalplus.bench.verdicts import ACTUAL_LENGTH
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.plain import PlainError, decode

FORMAT = 1
SLOW_SECONDS = 0.05
"""A call of a reference that takes longer is remembered as slow."""


@dataclass(frozen=True, slots=True)
class PartOutputs:
    """What a reference did on one part, as a guest sent it."""

    encoded: Sequence[Any]
    """One encoded value per input; None (which also encodes None) where the reference failed."""
    failed: Mapping[int, str] = field(default_factory=dict[int, str])
    """Inputs on which the reference itself gives no value, and what it did; samples are not judged on them."""
    slow: Mapping[int, float] = field(default_factory=dict[int, float])
    """Inputs that took the reference longer than `SLOW_SECONDS`, with the seconds seen: a hint, not a measure."""
    seconds: float = 0.0
    """Processor seconds of all inputs together, roughly."""


class ExpectedPart:
    """The expected values of one part of one task; decoded only when an answer is not the same bytes."""

    def __init__(self, problem: Problem, part: Part, outputs: PartOutputs) -> None:
        self.problem = problem
        self.part = part
        self.outputs = outputs

    def __len__(self) -> int:
        return len(self.outputs.encoded)

    @cached_property
    def fingerprints(self) -> list[bytes]:
        """The encoded values as bytes that are equal only for the same values of the same types."""
        return [fingerprint(item) for item in self._encoded]

    @cached_property
    def values(self) -> list[Any]:
        """The expected values. Raises `UserError` when the cache holds something that is not a plain value."""
        try:
            return [decode(item) for item in self._encoded]
        except PlainError as error:
            raise UserError(f"the cached reference outputs of {self.problem.task_id} are damaged: {error}.") from error

    def text(self, index: int) -> str:
        """One expected value for people."""
        text = repr(decode(self._encoded[index]))
        return text if len(text) <= ACTUAL_LENGTH else text[:ACTUAL_LENGTH] + "..."

    @cached_property
    def tolerances(self) -> list[float]:
        """The tolerance evalplus has in force at each input."""
        return tolerances(self.problem, self.values)

    @cached_property
    def has_nan(self) -> list[bool]:
        """Where the expected value holds a NaN, which evalplus never finds equal."""
        return [b"nan" in item and contains_nan(value) for item, value in zip(self.fingerprints, self.values)]

    @cached_property
    def mixed(self) -> frozenset[type]:
        """Kinds of number that occur side by side among the expected values."""
        return mixed_numbers(self.values)

    @cached_property
    def _encoded(self) -> list[Any]:
        family, name = self.problem.family, self.problem.entry_point
        if family is Family.MBPP and name in NOT_NONE_ENTRY_POINTS:
            return [item is not None for item in self.outputs.encoded]
        return list(self.outputs.encoded)


def fingerprint(encoded: Any) -> bytes:
    """Bytes of an encoded value, equal only for equal values of equal types (-0.0 is not 0.0)."""
    return marshal.dumps(encoded, 0)


TaskOutputs = Mapping[Part, PartOutputs]


class OutputCache:
    """Reference outputs of one data set on disk: a zip archive with a member per task, read when that is needed.

    Outputs of some tasks are tens of megabytes, so only those of the task under way are held in memory.
    """

    def __init__(self, folder: Path, dataset: Dataset, python: str) -> None:
        self._dataset = dataset
        self.path = folder / "references" / f"{dataset.sha256[:32]}-py{python}-{FORMAT}.zip"

    def load(self, problem: Problem) -> TaskOutputs | None:
        """The outputs of one task; None when they are not there or damaged, which costs only time."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                parts = json.loads(archive.read(_member(problem.task_id)))
            outputs = {Part(name): _to_outputs(fields) for name, fields in parts.items()}
            whole = all(len(outputs[part].encoded) == len(problem.inputs(part)) for part in Part)
        except _DAMAGE:
            return None
        return outputs if whole else None

    def load_times(self) -> dict[str, float]:
        """Rough seconds of each task's reference, for those that are in the cache."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                comments = {info.filename: info.comment for info in archive.infolist()}
            members = {_member(task): task for task in self._dataset.problems}
            return {members[name]: float(comment) for name, comment in comments.items() if name in members}
        except _DAMAGE:
            return {}

    def writer(self) -> OutputWriter:
        """Begins to write the cache anew; tasks that are in it already are kept. Raises `UserError` if it cannot be."""
        return OutputWriter(self.path)


class OutputWriter:
    """Writes a cache beside its place and moves it there when it is closed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, self._name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        except OSError as error:
            raise UserError(
                f"{path.parent} cannot be written ({error.strerror or error}); the environment variable XDG_CACHE_HOME "
                "can name another place for the cache."
            ) from error
        self._archive = zipfile.ZipFile(os.fdopen(descriptor, "wb"), "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._keep_old()

    def add(self, task_id: str, outputs: TaskOutputs) -> None:
        """Writes the outputs of one task."""
        record = {
            part: [item.encoded, dict(item.failed), dict(item.slow), item.seconds] for part, item in outputs.items()
        }
        info = zipfile.ZipInfo(_member(task_id))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.comment = f"{sum(item.seconds for item in outputs.values()):.4f}".encode("ascii")
        self._archive.writestr(info, json.dumps(record))

    def close(self, *, keep: bool) -> None:
        """Puts the file into its place, or throws it away."""
        file = self._archive.fp
        self._archive.close()
        if file is not None:
            file.close()
        if keep:
            os.replace(self._name, self._path)
        else:
            Path(self._name).unlink(missing_ok=True)

    def _keep_old(self) -> None:
        try:
            with zipfile.ZipFile(self._path) as old:
                for info in old.infolist():
                    self._archive.writestr(info, old.read(info))
        except _DAMAGE:
            return


_DAMAGE = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
)


def _member(task_id: str) -> str:
    return quote(task_id, safe="") + ".json"


def _to_outputs(fields: Any) -> PartOutputs:
    encoded, failed, slow, seconds = fields
    return PartOutputs(
        encoded,
        {int(index): str(text) for index, text in failed.items()},
        {int(index): float(value) for index, value in slow.items()},
        float(seconds),
    )
