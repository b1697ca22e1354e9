"""Sample files in the formats of evalplus and human-eval.

A source is a ``.jsonl`` or ``.jsonl.gz`` file with ``{"task_id", "solution"}`` (a whole program) or ``{"task_id",
"completion"}`` (a continuation of the prompt) per line, or a folder or ``.zip`` of ``TASK_ID/N.py``, ``_`` for the
slash.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from lsp_evalplus.bench.datasets.jsonl import read_bytes, read_jsonl
from lsp_evalplus.bench.problem import Dataset, Problem
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One program for one task."""

    task_id: str
    number: int
    """Index among the samples of its task, from 0, in the order of the source."""
    solution: str
    """The whole program, including the prompt if the source had a completion."""
    where: str
    """``line 3`` or ``HumanEval_0/2.py``."""
    digest: str = field(init=False)
    """Identifies the program: samples of a task with the same digest are judged once."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.solution.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "digest", digest)


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The samples to judge, with notes from reading them."""

    path: str
    sha256: str
    """SHA-256 over the samples, independent of the kind of source."""
    samples: Sequence[Sample]
    notes: Sequence[str]
    """Sentences for the user: unknown tasks, repeated programs, tasks without samples."""

    @property
    def by_task(self) -> dict[str, list[Sample]]:
        """The samples of each task, tasks in the order they first occur."""
        tasks: dict[str, list[Sample]] = {}
        for sample in self.samples:
            tasks.setdefault(sample.task_id, []).append(sample)
        return tasks


@dataclass(frozen=True, slots=True)
class _Record:
    task_id: str
    text: str
    is_whole: bool
    where: str


def load_samples(
    path: Path, dataset: Dataset, *, ids: Sequence[str] = (), limit: int | None = None, per_task: int | None = None
) -> SampleSet:
    """Read all samples for `dataset`; keep only the tasks in `ids` and the first `limit` tasks of the data set.

    `per_task` is the maximal number of samples kept per task. Raises `UserError`, naming the line, for unreadable
    content, and when no sample belongs to the data set.
    """
    names = {task.replace("/", "_"): task for task in dataset.problems} | {task: task for task in dataset.problems}
    chosen = select_tasks(dataset, ids, limit)
    left_out: list[str] = []
    samples: list[Sample] = []
    numbers: Counter[str] = Counter()
    unknown: list[tuple[str, str]] = []
    total = 0
    for record in _read(path, left_out):
        total += 1
        task = names.get(record.task_id)
        if task is None:
            unknown.append((record.task_id, record.where))
        elif task in chosen and (per_task is None or numbers[task] < per_task):
            samples.append(_to_sample(record, dataset.problems[task], numbers[task]))
            numbers[task] += 1
    if not total:
        raise UserError(f"{path} has no samples; {_form_of(path)}.")
    if len(unknown) == total:
        raise UserError(
            f"{path}: it has {count(total, 'sample')}, and none for a task of {dataset.name} (the first is for "
            f"{unknown[0][0]!r}); is --dataset right?"
        )
    if not samples:
        raise UserError(f"{path} has no samples for the tasks chosen by --ids or --limit.")
    notes = [*note_hidden(left_out), *_notes(samples, unknown, chosen, dataset)]
    return SampleSet(str(path), _digest(samples), samples, notes)


def first_task(path: Path) -> str:
    """The task id of the first sample in a source, verbatim. Raises `UserError` when there is none."""
    first = next(iter(_read(path, [])), None)
    if first is None:
        raise UserError(f"{path} has no samples; {_form_of(path)}.")
    return first.task_id


def reference_samples(dataset: Dataset, *, ids: Sequence[str] = (), limit: int | None = None) -> SampleSet:
    """The data set's own references as samples: what ``bench`` checks without samples and model."""
    chosen = select_tasks(dataset, ids, limit)
    samples = [Sample(task, 0, dataset.problems[task].reference, "reference") for task in chosen]
    return SampleSet(f"{dataset.name} references", _digest(samples), samples, _partial_note(chosen, dataset))


def select_tasks(dataset: Dataset, ids: Sequence[str], limit: int | None) -> dict[str, Problem]:
    """The tasks selected by `ids` (``HumanEval/3``, ``3`` or ``3-7``) and `limit`, in the order of the data set.

    Raises `UserError` for an id that matches no task.
    """
    chosen = dict(dataset.problems)
    if ids:
        wanted: set[str] = set()
        for text in ids:
            named = _named(text, dataset)
            if not named:
                raise UserError(f"--ids {text}: {dataset.name} has no such task.")
            wanted.update(named)
        chosen = {task: problem for task, problem in chosen.items() if task in wanted}
    return dict(list(chosen.items())[: limit if limit is not None else None])


def _named(text: str, dataset: Dataset) -> list[str]:
    if text in dataset.problems:
        return [text]
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not match:
        return []
    low, high = int(match[1]), int(match[2] or match[1])
    numbers = {task: task.rpartition("/")[2] for task in dataset.problems}
    return [task for task, number in numbers.items() if number.isdecimal() and low <= int(number) <= high]


def _to_sample(record: _Record, problem: Problem, number: int) -> Sample:
    text = record.text if record.is_whole else problem.prompt + record.text
    return Sample(problem.task_id, number, text, record.where)


def _digest(samples: Iterable[Sample]) -> str:
    digest = hashlib.sha256()
    for sample in samples:
        for text in (sample.task_id, sample.solution):
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def name_first(names: Sequence[str], most: int = _MAX_NAMED) -> str:
    """The first of some names for a sentence, with dots if there are more."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _notes(
    samples: Sequence[Sample], unknown: Sequence[tuple[str, str]], chosen: dict[str, Problem], dataset: Dataset
) -> list[str]:
    notes: list[str] = []
    if unknown:
        named = name_first([f"{task} ({where})" for task, where in unknown])
        notes.append(f"Left out {count(len(unknown), 'sample')} of tasks that {dataset.name} does not have: {named}.")
    repeated = len(samples) - len({(sample.task_id, sample.digest) for sample in samples})
    if repeated:
        notes.append(
            f"An earlier program of the task is repeated by {repeated} of {count(len(samples), 'sample')}; each is "
            "judged once."
        )
    present = {sample.task_id for sample in samples}
    missing = [task for task in chosen if task not in present]
    if missing:
        notes.append(
            f"Without a sample: {len(missing)} of {count(len(chosen), 'task')} ({name_first(missing)}); scores are "
            f"over the {len(present)} with samples."
        )
    return [*notes, *_partial_note(chosen, dataset)]


def _partial_note(chosen: dict[str, Problem], dataset: Dataset) -> list[str]:
    if len(chosen) == len(dataset.problems):
        return []
    return [f"Scores are over the chosen {len(chosen)} of {count(len(dataset.problems), 'task')} of {dataset.name}."]


def _form_of(path: Path) -> str:
    """The format that a source of its kind must have."""
    if path.is_dir() or path.suffix == ".zip":
        return "it must hold folders like HumanEval_0 with files like 0.py"
    return "each line must be an object with 'task_id' and 'solution' or 'completion'"


def _read(path: Path, left_out: list[str]) -> Iterable[_Record]:
    """The samples of a source; names of hidden files are added to `left_out`."""
    if path.is_dir():
        return _read_folder(path, left_out)
    if not path.exists():
        raise UserError(f"{path}: there is no such file or folder of samples.")
    if path.suffix == ".zip":
        return _read_zip(path, left_out)
    return _read_jsonl(path)


def _read_jsonl(path: Path) -> Iterable[_Record]:
    for number, record in read_jsonl(path):
        where = f"line {number}"
        task_id = record.get("task_id")
        if not isinstance(task_id, str):
            raise UserError(f"{path}, {where}: 'task_id' is missing or not a string.")
        key = "solution" if "solution" in record else "completion"
        yield _Record(task_id, _text_of(record, key, f"{path}, {where}"), key == "solution", where)


def _text_of(record: dict[str, Any], key: str, where: str) -> str:
    if key not in record:
        raise UserError(f"{where}: has neither 'solution' nor 'completion'.")
    if not isinstance(record[key], str):
        raise UserError(f"{where}: {key!r} must be a string; write several solutions as several lines.")
    return record[key]


def find_sample_files(folder: Path) -> tuple[list[Path], list[str]]:
    """The files ``TASK_ID/N.py`` in a folder, task by task, and the names of hidden ones."""
    found = [file for entry in sorted(folder.iterdir()) if entry.is_dir() for file in entry.glob("*.py")]
    files = [file for file in found if file.is_file()]
    hidden = sorted(str(file.relative_to(folder)) for file in files if _is_hidden(file.relative_to(folder)))
    samples = [file for file in files if not _is_hidden(file.relative_to(folder))]
    return sorted(samples, key=lambda file: (file.parent, *_sample_order(file))), hidden


def _is_hidden(place: PurePath) -> bool:
    """Whether a ``.py`` file is hidden and no sample: archives of macOS hold ``._0.py`` beside ``0.py``."""
    return any(part == "__MACOSX" or (part.startswith(".") and part != "..") for part in place.parts)


def note_hidden(names: Sequence[str]) -> list[str]:
    """A note that names the hidden files, if there are any."""
    return [f"{len(names)} hidden files are no samples, and were left out: {name_first(names)}."] if names else []


def _read_folder(path: Path, left_out: list[str]) -> Iterable[_Record]:
    files, hidden = find_sample_files(path)
    left_out += hidden
    for file in files:
        name = file.parent.name
        yield _Record(name, _decode(read_bytes(file)), is_whole=True, where=f"{name}/{file.name}")


def _read_zip(path: Path, left_out: list[str]) -> Iterable[_Record]:
    try:
        with zipfile.ZipFile(path) as archive:
            found = [PurePosixPath(name) for name in archive.namelist() if name.endswith(".py")]
            left_out += [str(member) for member in found if _is_hidden(member)]
            members = [member for member in found if not _is_hidden(member)]
            for member in sorted(members, key=lambda member: (member.parent.name, *_sample_order(member))):
                text = _decode(archive.read(str(member)))
                yield _Record(member.parent.name, text, is_whole=True, where=f"{member.parent.name}/{member.name}")
    except (zipfile.BadZipFile, OSError, RuntimeError, zlib.error, NotImplementedError) as error:
        raise UserError(f"{path} cannot be read as a zip archive: {error}.") from error


def _sample_order(file: Path | PurePosixPath) -> tuple[int, str]:
    """Sort key: by number (``2.py`` before ``10.py``), other names last."""
    return (int(file.stem), "") if file.stem.isdecimal() else (1 << 62, file.stem)


def _decode(content: bytes) -> str:
    """Decode a Python file as Python itself would, honouring byte order mark and encoding declaration.

    A file that Python cannot decode is a program that does not compile, one among others: its invalid bytes are kept
    as lone surrogates.
    """
    import io
    import tokenize

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return content.decode("utf-8-sig", "surrogateescape")
