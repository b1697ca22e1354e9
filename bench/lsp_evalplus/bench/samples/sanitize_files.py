"""Sanitising of whole sample files and folders, with all other fields unchanged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_bytes
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.fuzz.errors import UserError

from .samples import find_sample_files, first_task, note_hidden
from .sanitize import Sanitized, extract


@dataclass(frozen=True, slots=True)
class SanitizedFile:
    """The result of sanitising one source of samples."""

    path: Path
    """Path of the output."""
    samples: int
    changed: int
    """Number of samples whose code changed."""
    without_function: list[str]
    """Locations of samples without the requested function: ``line 3 (HumanEval/2)``."""
    notes: Sequence[str] = ()
    """Sentences for the user: files that were left out."""


def sanitized_path(source: Path) -> Path:
    """Return the default output path: ``samples-sanitized.jsonl`` beside ``samples.jsonl``."""
    for suffix in (".jsonl.gz", ".jsonl"):
        if source.name.endswith(suffix):
            return source.with_name(source.name.removesuffix(suffix) + "-sanitized" + suffix)
    return source.with_name(source.name + "-sanitized")


def sanitize_source(source: Path, problems: Mapping[str, Problem], target: Path) -> SanitizedFile:
    """Sanitise a ``.jsonl``, ``.jsonl.gz`` or folder of ``TASK_ID/N.py`` into `target`, which may be `source` itself.

    A sample of a task missing from `problems` keeps all its definitions. Raises `UserError` for a source that is
    missing or malformed, naming the line.
    """
    if source.is_dir():
        return _sanitize_folder(source, problems, target)
    if not source.exists():
        raise UserError(f"{source}: there is no such file or folder of samples.")
    if source.suffix == ".zip":
        raise UserError(f"{source} is a zip archive; unpack it, and sanitize the folder.")
    return _sanitize_jsonl(source, problems, target)


def _sanitize_jsonl(source: Path, problems: Mapping[str, Problem], target: Path) -> SanitizedFile:
    lines: list[str] = []
    changed = 0
    without: list[str] = []
    for number, record in parse_jsonl(read_bytes(source), str(source)):
        task_id, text = _text_of(record, f"{source}, line {number}")
        result = _extract(text, problems.get(task_id))
        changed += result.code != text
        if task_id in problems and not result.found:
            without.append(f"line {number} ({task_id})")
        kept = {key: value for key, value in record.items() if key not in ("completion", "solution")}
        lines.append(json.dumps({**kept, "solution": result.code}) + "\n")
    if not lines:
        raise UserError(f"{source} has no samples.")
    content = "".join(lines).encode()
    write_file(target, gzip.compress(content, mtime=0) if target.name.endswith(".gz") else content)
    return SanitizedFile(target, len(lines), changed, without)


def _text_of(record: dict[str, Any], where: str) -> tuple[str, str]:
    text = record.get("solution", record.get("completion"))
    if not isinstance(record.get("task_id"), str) or not isinstance(text, str):
        raise UserError(f"{where}: needs 'task_id' and 'solution' or 'completion', all strings.")
    return record["task_id"], text


def _sanitize_folder(source: Path, problems: Mapping[str, Problem], target: Path) -> SanitizedFile:
    named = {task.replace("/", "_"): task for task in problems}
    count = changed = 0
    without: list[str] = []
    files, hidden = find_sample_files(source)
    for file in files:
        text = read_bytes(file).decode("utf-8", "replace")
        task_id = named.get(file.parent.name)
        result = _extract(text, problems[task_id] if task_id else None)
        count, changed = count + 1, changed + (result.code != text)
        if task_id and not result.found:
            without.append(f"{file.parent.name}/{file.name}")
        place = target / file.parent.name / file.name
        write_file(place, result.code.encode("utf-8", "replace"))
    if not count:
        raise UserError(f"{source} has no samples; it must hold folders like HumanEval_0 with files like 0.py.")
    return SanitizedFile(target, count, changed, without, note_hidden(hidden))


def _extract(text: str, problem: Problem | None) -> Sanitized:
    return extract(text, problem.entry_point, problem.prompt) if problem else extract(text)


def find_dataset(source: Path) -> str:
    """Return ``humaneval`` or ``mbpp``, from the first task id in `source`. Raises `UserError` for other ids."""
    first = first_task(source)
    for prefix, name in (("HumanEval", "humaneval"), ("Mbpp", "mbpp")):
        if first.startswith(prefix):
            return name
    raise UserError(f"{source}: its first task is {first!r}; say with --dataset which data set that is.")
