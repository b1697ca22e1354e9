"""Expected values: the outputs of the references in encoded form, and their cache on disk.

Only outputs and approximate times are cached, keyed by the hash of the data set and the version of Python. Times
serve to order the work; no time limit is derived from them (see `running.run`).
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import quote

from lsp_evalplus.bench.files import ARCHIVE_DAMAGE
from lsp_evalplus.bench.problem import Dataset, Family, Part, Problem
from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.guest.comparison.digest import DIGEST_ITEMS, DIGEST_LENGTH, digest_of_text, digest_of_value
from lsp_evalplus.fuzz.guest.values.plain import Limits, Opaque, PlainError, decode

from .digests import Digest, Outline
from .evalplus_compat import is_floats, tolerance
from .strict import NUMBERS, contains_nan, number_kinds
from .task_oracles import NOT_NONE_ENTRY_POINTS
from .verdicts import to_text

FORMAT = 8
VALUE_LIMITS = Limits(depth=100, nodes=4_000_000, size=40_000_000)
"""Limits of one returned value: HumanEval/100 and /130 have right answers of more than a million items."""
SLOW_SECONDS = 0.05
"""A reference call that takes longer is recorded as slow."""


@dataclass(frozen=True, slots=True)
class LargeOutput:
    """The kept summary of a large value; the reference is run again where the value itself is needed."""

    digest: Digest
    """The digest that a guest sends in place of the value."""
    is_floats: bool
    """See `evalplus_compat.is_floats`."""
    has_nan: bool
    numbers: tuple[str, ...]
    """Names of the number types in it."""


def to_output(text: str) -> str | LargeOutput:
    """The kept form of an encoded value given as JSON: unchanged, or a summary if it is large."""
    if len(text) <= min(DIGEST_LENGTH, 2 * DIGEST_ITEMS):
        return text
    value = decode(json.loads(text))
    digest = digest_of_value(value, VALUE_LIMITS, _to_text)
    if digest is None and len(text) <= DIGEST_LENGTH:
        return text
    kept = Digest.read(digest or digest_of_text(text))
    assert kept is not None
    numbers = tuple(sorted(kind.__name__ for kind in number_kinds(value)))
    return LargeOutput(kept, is_floats(value), '"nan"' in text and contains_nan(value), numbers)


def output_of_digest(digest: Digest) -> LargeOutput | None:
    """The kept form of a large value that a guest sent as a digest only; None where the digest lacks information."""
    if digest.bits is not None:
        return LargeOutput(digest, is_floats=False, has_nan=False, numbers=("int",))
    if digest.kinds is not None:
        return LargeOutput(digest, is_floats=digest.kinds == ("float",), has_nan=False, numbers=digest.kinds)
    outline = Outline.of_digest(digest)
    if outline is not None and type(outline.head) is str:
        return LargeOutput(digest, is_floats=False, has_nan=False, numbers=())
    return None


def _to_text(encoded: Any) -> str:
    """Serialize as guests do."""
    return json.dumps(encoded, separators=(",", ":"))


_ANONYMOUS = re.compile(r"<(?:[\w.<>]+ object(?: [\w.<>]+)?|function [\w.<>]+|bound method .*)>")


def find_incomparable(text: str) -> str | None:
    """The first repr in an encoded value that does not identify its content, such as ``<generator object f>``."""
    if '{"o":[' not in text:
        return None
    pending: list[Any] = [decode(json.loads(text))]
    while pending:
        item = pending.pop()
        if type(item) is Opaque and item.base is None and _ANONYMOUS.fullmatch(item.text):
            return item.text
        if type(item) is dict:
            pending.extend(cast("dict[Any, Any]", item).values())
        elif type(item) in (list, tuple, set, frozenset):
            pending.extend(cast("list[Any]", item))
    return None


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers among the expected values of one part of a task."""

    first_floats: int | None
    """The first input whose value satisfies `evalplus_compat.is_floats`."""
    kinds: frozenset[type]
    """All number types, at any depth."""

    def to_plain(self) -> list[Any]:
        """The JSON-compatible form that `read` parses."""
        return [self.first_floats, sorted(kind.__name__ for kind in self.kinds)]

    @staticmethod
    def read(fields: Any) -> Numbers:
        """The inverse of `to_plain`; raises `ValueError` or `TypeError` for anything else."""
        first_floats, names = fields
        return Numbers(first_floats, frozenset(kind for kind in NUMBERS if kind.__name__ in names))


@dataclass(frozen=True, slots=True)
class PartOutputs:
    """The results of a reference on one part, as sent by a guest."""

    outputs: Sequence[str | LargeOutput]
    """Encoded value of each input as JSON; empty where the reference failed."""
    failed: Mapping[int, str] = field(default_factory=dict[int, str])
    """Inputs on which the reference itself fails, with the reason; samples are not judged on them."""
    slow: Mapping[int, float] = field(default_factory=dict[int, float])
    """Inputs on which the reference took longer than `SLOW_SECONDS`, with the observed seconds; only approximate."""
    seconds: float = 0.0
    """Total seconds of all inputs."""
    numbers: Numbers | None = None
    """None: not computed yet; see `ExpectedPart.numbers`."""


Compared: TypeAlias = tuple[bool, bool, str]
"""Whether a value is right, strictly and for evalplus, and its readable form if not."""


class ExpectedPart:
    """The expected values of one part of one task, decoded only when an answer does not match them verbatim."""

    def __init__(self, problem: Problem, part: Part, outputs: PartOutputs) -> None:
        self.problem = problem
        self.part = part
        self.outputs = outputs
        self.compared: dict[tuple[int, str], Compared] = {}
        """Comparison results of values that do not match verbatim, by input and JSON."""
        self._values: dict[int, Any] = {}
        self._holders: Counter[int] = Counter()
        self._is_yes_or_no = problem.family is Family.MBPP and problem.entry_point in NOT_NONE_ENTRY_POINTS

    def __len__(self) -> int:
        return len(self.outputs.outputs)

    @cached_property
    def places(self) -> list[tuple[Part, int]]:
        """The inputs to judge, in order: all except those on which the reference itself fails."""
        failed = self.outputs.failed
        return [(self.part, index) for index in range(len(self)) if index not in failed]

    def is_same_text(self, index: int, text: str | None, digest: Digest | None) -> bool:
        """Whether an answer, whole or as a digest, matches the expected value verbatim, types included."""
        if self._is_yes_or_no:
            return False
        expected = self.outputs.outputs[index]
        if isinstance(expected, LargeOutput):
            return digest is not None and digest.is_same(expected.digest)
        return text == expected

    @cached_property
    def outcomes(self) -> list[Any]:
        """What a guest sends for a right value, per input, or an unmatchable object where that is not decisive."""
        never = object()
        if self._is_yes_or_no:
            return [never] * len(self)
        return [
            never if self.has_nan(index) else (output.digest.to_plain() if isinstance(output, LargeOutput) else output)
            for index, output in enumerate(self.outputs.outputs)
        ]

    def has_same_numbers(self, index: int, digest: Digest | None) -> bool | None:
        """`Digest.has_same_numbers` for an answer."""
        output = self.outputs.outputs[index]
        if digest is None or not isinstance(output, LargeOutput):
            return None
        return digest.has_same_numbers(output.digest, self.mixed)

    def has_value(self, index: int) -> bool:
        """Whether the value is available; a large one must be supplied by `learn` first."""
        return index in self._values or not isinstance(self.outputs.outputs[index], LargeOutput)

    def outline(self, index: int) -> Outline | None:
        """The outline of the expected value; None where it is unknown."""
        output = self.outputs.outputs[index]
        if isinstance(output, LargeOutput):
            return Outline.of_digest(output.digest)
        return Outline.of_value(self.value(index))

    def learn(self, index: int, text: str | None) -> None:
        """Supply the encoded large value from a new run of the reference; see `held`."""
        if text is not None:
            self._values[index] = self._decode(text)

    @contextmanager
    def held(self, indices: Sequence[int]) -> Generator[None]:
        """Keep these large values, once supplied, until the last holder exits."""
        held = tuple(indices)
        self._holders.update(held)
        try:
            yield
        finally:
            self._holders.subtract(held)
            for index in held:
                if not self._holders[index] and isinstance(self.outputs.outputs[index], LargeOutput):
                    self._values.pop(index, None)

    def value(self, index: int) -> Any:
        """One expected value.

        Raises `UserError` when the cache holds something that is not a plain value, `WorkerError` when a large one
        was not supplied.
        """
        if index not in self._values:
            output = self.outputs.outputs[index]
            if isinstance(output, LargeOutput):
                raise WorkerError(
                    f"the reference of {self.problem.task_id} gave no value for {self.part} input {index}"
                )
            self._values[index] = self._decode(output)
        return self._values[index]

    def text(self, index: int) -> str:
        """One expected value in readable form."""
        output = self.outputs.outputs[index]
        return "a large value" if isinstance(output, LargeOutput) else to_text(self.value(index))

    def has_nan(self, index: int) -> bool:
        """Whether the expected value contains a NaN, which evalplus never finds equal."""
        output = self.outputs.outputs[index]
        if isinstance(output, LargeOutput):
            return output.has_nan
        return '"nan"' in output and contains_nan(self.value(index))

    def tolerance(self, index: int) -> float:
        """The tolerance in force at an input in evalplus."""
        first = self.numbers.first_floats
        return tolerance(self.problem, follows_floats=first is not None and first <= index)

    @cached_property
    def mixed(self) -> frozenset[type]:
        """Number types that occur side by side among the expected values."""
        kinds = self.numbers.kinds
        return kinds if len(kinds) > 1 else frozenset()

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers among the expected values."""
        if self.outputs.numbers is not None:
            return self.outputs.numbers
        kinds: set[type] = set()
        places = {
            output: index for index, output in enumerate(self.outputs.outputs) if index not in self.outputs.failed
        }
        for output, index in places.items():
            if isinstance(output, LargeOutput):
                kinds.update(kind for kind in NUMBERS if kind.__name__ in output.numbers)
            else:
                read = _kinds_in(output)
                kinds |= number_kinds(self.value(index)) if read is None else read
        first_floats = next(filter(self._is_floats, range(len(self))), None) if float in kinds else None
        return Numbers(first_floats, frozenset(kinds))

    def _is_floats(self, index: int) -> bool:
        output = self.outputs.outputs[index]
        if isinstance(output, LargeOutput):
            return output.is_floats
        if index in self.outputs.failed or _has_no_float(output):
            return False
        kinds = _kinds_in(output)
        return (kinds is None or float in kinds) and is_floats(self.value(index))

    def _decode(self, text: str) -> Any:
        try:
            value = decode(json.loads(text))
        except (PlainError, ValueError, RecursionError) as error:
            raise UserError(f"the cached reference outputs of {self.problem.task_id} are damaged: {error}.") from error
        return value is not None if self._is_yes_or_no else value


def _has_no_float(text: str) -> bool:
    """Whether an encoded value provably contains no float, which holds for most."""
    return text in ("true", "false", "null") or not ("." in text or "e" in text or '"f"' in text)


_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?|true|false")


def _kinds_in(text: str) -> set[type] | None:
    """`number_kinds` of a value, computed from its encoded form; None for values that may hide further numbers."""
    if text[0] == '"':
        return set()
    if '"' in text:
        return None
    return {bool if match[0][0] in "tf" else float if match[1] or match[2] else int for match in _NUMBER.finditer(text)}


TaskOutputs = Mapping[Part, PartOutputs]


class OutputCache:
    """Reference outputs of one data set on disk: a zip archive with a member per task, unpacked on demand."""

    def __init__(self, folder: Path, dataset: Dataset, python: str) -> None:
        self._dataset = dataset
        self.path = folder / "references" / f"{dataset.sha256[:32]}-py{python}-{FORMAT}.zip"
        self._read: zipfile.ZipFile | None = None

    def load(self, problem: Problem) -> TaskOutputs | None:
        """The outputs of one task; None when they are missing or damaged, which costs only time."""
        try:
            parts = json.loads(self._archive().read(_member(problem.task_id)))
            outputs = {Part(name): _to_outputs(fields) for name, fields in parts.items()}
            whole = all(len(outputs[part].outputs) == len(problem.inputs(part)) for part in Part)
        except ARCHIVE_DAMAGE:
            return None
        return outputs if whole else None

    def load_times(self) -> dict[str, float]:
        """Approximate seconds of each cached task's reference."""
        self._read = None
        try:
            comments = {info.filename: info.comment for info in self._archive().infolist()}
            members = {_member(task): task for task in self._dataset.problems}
            return {members[name]: float(comment) for name, comment in comments.items() if name in members}
        except ARCHIVE_DAMAGE:
            return {}

    def _archive(self) -> zipfile.ZipFile:
        """The archive as it was at the first call of this or `load_times`; half a megabyte for HumanEval+."""
        if self._read is None:
            self._read = zipfile.ZipFile(io.BytesIO(self.path.read_bytes()))
        return self._read

    def writer(self) -> OutputWriter:
        """Start rewriting the cache; existing tasks are kept. Raises `UserError` if that is not possible."""
        return OutputWriter(self.path)


class OutputWriter:
    """Write a cache to a temporary file and move it into place when it is closed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._tells_faults():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, self._name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        self._file = os.fdopen(descriptor, "wb")
        self._archive = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        try:
            self._keep_old()
        except UserError:
            self.close(keep=False)
            raise

    @contextmanager
    def _tells_faults(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"{self._path.parent} cannot be written ({error.strerror or error}); the environment variable "
                "XDG_CACHE_HOME can name another place for the cache."
            ) from error

    def add(self, task_id: str, outputs: TaskOutputs) -> None:
        """Write the outputs of one task. Raises `UserError` when that fails, for example on a full disk."""
        record = {
            part: [
                [_to_json(output) for output in item.outputs],
                dict(item.failed),
                dict(item.slow),
                item.seconds,
                None if item.numbers is None else item.numbers.to_plain(),
            ]
            for part, item in outputs.items()
        }
        info = zipfile.ZipInfo(_member(task_id))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.comment = f"{sum(item.seconds for item in outputs.values()):.4f}".encode("ascii")
        with self._tells_faults():
            self._archive.writestr(info, json.dumps(record))
            self._file.flush()

    def close(self, *, keep: bool) -> None:
        """Move the file into place or discard it. Raises `UserError` when it should be kept and cannot be."""
        try:
            with self._tells_faults() if keep else suppress(OSError, ValueError):
                self._archive.close()
                self._file.close()
                if keep:
                    os.replace(self._name, self._path)
                    self._remove_earlier_formats()
        finally:
            with suppress(OSError):
                self._file.close()
            Path(self._name).unlink(missing_ok=True)

    def _remove_earlier_formats(self) -> None:
        """Remove files of earlier formats, which nothing reads any more."""
        name, _, _ = self._path.stem.rpartition("-")
        for path in self._path.parent.glob(f"{name}-*.zip"):
            _, _, number = path.stem.rpartition("-")
            if number.isdecimal() and int(number) < FORMAT:
                with suppress(OSError):
                    path.unlink()

    def _keep_old(self) -> None:
        for info, content in self._old_members():
            with self._tells_faults():
                self._archive.writestr(info, content)

    def _old_members(self) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
        try:
            with zipfile.ZipFile(self._path) as old:
                for info in old.infolist():
                    yield info, old.read(info)
        except ARCHIVE_DAMAGE:
            return


def _member(task_id: str) -> str:
    return quote(task_id, safe="") + ".json"


def _to_json(output: str | LargeOutput) -> Any:
    if isinstance(output, str):
        return output
    return [output.digest.to_plain(), output.is_floats, output.has_nan, output.numbers]


def _to_output(plain: Any) -> str | LargeOutput:
    if isinstance(plain, str):
        return plain
    fields, is_floats_only, has_nan, numbers = plain
    digest = Digest.read(fields)
    if digest is None:
        raise ValueError("no digest")
    return LargeOutput(digest, is_floats_only, has_nan, tuple(numbers))


def _to_outputs(fields: Any) -> PartOutputs:
    texts, failed, slow, seconds, numbers = fields
    return PartOutputs(
        [_to_output(text) for text in texts],
        {int(index): str(text) for index, text in failed.items()},
        {int(index): float(value) for index, value in slow.items()},
        float(seconds),
        None if numbers is None else Numbers.read(numbers),
    )
