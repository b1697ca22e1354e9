"""BigCodeBench: its published versions, subsets and prompts, from the release and the patches published after it.

The versions v0.1.1 to v0.1.5 differ from the released v0.1.0 in some fields of some tasks. ``bigcodebench.json`` has
these replacements, the SHA-256 of the text of each version, the ids of the Hard subset and the domains of libraries.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_bytes
from lsp_evalplus.bench.datasets.locate import locate_bigcodebench
from lsp_evalplus.bench.problem import Dataset, Family, Problem, TaskTests
from lsp_evalplus.fuzz.errors import UserError

VERSIONS = ("v0.1.0", "v0.1.1", "v0.1.2", "v0.1.3", "v0.1.4", "v0.1.5")
DEFAULT_VERSION = "v0.1.4"
"""The version that upstream's evaluator reads."""
SPLITS = ("complete", "instruct")
SUBSETS = ("full", "hard")
_FIELDS = ("task_id", "complete_prompt", "instruct_prompt", "code_prompt", "canonical_solution", "test", "entry_point")
_STUB = "\n    pass\n"


@dataclass(frozen=True, slots=True)
class Task:
    """One task: two prompts for the same function, its reference, and the unittest cases that judge it."""

    task_id: str
    complete_prompt: str
    instruct_prompt: str
    code_prompt: str
    """Imports, constants and the head of the function, without its docstring."""
    canonical_solution: str
    test: str
    entry_point: str
    libraries: tuple[str, ...]
    """What the annotators say it needs, by the name of the package."""

    @property
    def reference(self) -> str:
        """The reference as upstream assembles it."""
        return f"{self.complete_prompt}\n{self.canonical_solution}"

    def prompt(self, split: str) -> str:
        """What a model is asked in a split."""
        return self.instruct_prompt if split == "instruct" else self.complete_prompt

    def calibrated(self, solution: str) -> str:
        """A solution with imports and constants of the task in front, once (upstream's calibration)."""
        prefix = self.code_prompt + _STUB
        return solution if solution.startswith(prefix) else prefix + solution


@dataclass(frozen=True, slots=True)
class Tasks:
    """A version or subset of BigCodeBench."""

    version: str
    """``v0.1.4``, or ``custom`` for a text that was never published."""
    subset: str
    md5: str
    sha256: str
    """Digests of the text of the whole version, also for a subset."""
    path: str
    tasks: dict[str, Task]


def load_tasks(
    version: str = DEFAULT_VERSION, subset: str = "full", *, environment: Mapping[str, str] = os.environ
) -> Tasks:
    """Read BigCodeBench in a published version, patched from an older one if need be.

    A file that ``BIGCODEBENCH_OVERRIDE_PATH`` names is taken as it is, whole, as by upstream. Raises `UserError` for a
    file that is missing, malformed, newer than `version`, or of no published version.
    """
    path, is_override = locate_bigcodebench(environment)
    records = [
        _checked(record, f"{path}, line {number}") for number, record in parse_jsonl(read_bytes(path), str(path))
    ]
    found = version_of(records)
    if not is_override:
        records = _patched(records, found, version, path)
        found = version
    text = _text(records)
    tasks: dict[str, Task] = {}
    hard = set(facts()["hard"])
    for record in records:
        task = _to_task(record)
        if task.task_id in tasks:
            raise UserError(f"{path}: task {task.task_id} occurs twice; keep one of the two.")
        if subset == "full" or is_override or _number(task.task_id) in hard:
            tasks[task.task_id] = task
    if not tasks:
        raise UserError(f"{path} has no tasks; it must be a .jsonl file with one task per line.")
    md5 = hashlib.md5(text, usedforsecurity=False).hexdigest()
    return Tasks(found or "custom", subset, md5, hashlib.sha256(text).hexdigest(), str(path), tasks)


def to_dataset(tasks: Tasks, split: str) -> Dataset:
    """The tasks as problems, with the prompts of a split."""
    problems = {
        task.task_id: Problem(
            task_id=task.task_id,
            prompt=task.prompt(split),
            entry_point=task.entry_point,
            canonical_solution="\n" + task.canonical_solution,
            contract="",
            base_inputs=[],
            plus_inputs=[],
            atol=0.0,
            family=Family.BIGCODEBENCH,
            tests=TaskTests([task.test]),
        )
        for task in tasks.tasks.values()
    }
    return Dataset(Family.BIGCODEBENCH, tasks.version, tasks.md5, tasks.sha256, tasks.path, problems)


def version_of(records: Sequence[Mapping[str, Any]]) -> str | None:
    """The published version that has exactly these rows, or None."""
    digest = hashlib.sha256(_text(records)).hexdigest()
    return next((version for version, known in facts()["sha256"].items() if known == digest), None)


def domains_of(task: Task) -> list[str]:
    """The domains of a task, one for each of its libraries; a domain may occur more than once."""
    known = {library: domain for domain, libraries in facts()["domains"].items() for library in libraries}
    return [known[library] for library in task.libraries if library in known]


@cache
def facts() -> dict[str, Any]:
    """The content of ``bigcodebench.json``."""
    return json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def _patched(records: list[dict[str, Any]], found: str | None, wanted: str, path: Path) -> list[dict[str, Any]]:
    if found is None:
        raise UserError(
            f"{path} is no published version of BigCodeBench (v0.1.0 to v0.1.5); name a file of your own in "
            "BIGCODEBENCH_OVERRIDE_PATH."
        )
    first, last = VERSIONS.index(found), VERSIONS.index(wanted)
    if first > last:
        raise UserError(f"{path} is {found}, which is newer than {wanted}; ask for {found}, or put v0.1.0 there.")
    changed = {record["task_id"]: dict(record) for record in records}
    for version, number, field, old, new in facts()["patches"]:
        if version in VERSIONS[first + 1 : last + 1]:
            record = changed[f"BigCodeBench/{number}"]
            record[field] = record[field].replace(old, new, 1)
    patched = list(changed.values())
    if version_of(patched) != wanted:
        raise UserError(f"{path}: the patches from {found} to {wanted} gave another text than the published one.")
    return patched


def _text(records: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows in the form whose digest names the version, however the file escapes characters."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode("utf-8", "surrogatepass")


def _checked(record: dict[str, Any], where: str) -> dict[str, Any]:
    for field in _FIELDS:
        if not isinstance(record.get(field), str):
            raise UserError(f"{where}: {field!r} is missing or not a str; the schema is that of BigCodeBench.jsonl.")
    try:
        _libraries(record)
    except (ValueError, SyntaxError, RecursionError) as error:
        raise UserError(f"{where}: 'libs' cannot be read ({error}).") from error
    return record


def _libraries(record: Mapping[str, Any]) -> tuple[str, ...]:
    """``libs``: a list, or a Python literal of one in a string, as published."""
    value: Any = record.get("libs") or []
    value = ast.literal_eval(value) if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(library, str) for library in cast("list[Any]", value)):
        raise ValueError("it is no list of names")
    return tuple(cast("list[str]", value))


def _to_task(record: Mapping[str, Any]) -> Task:
    return Task(**{field: record[field] for field in _FIELDS}, libraries=_libraries(record))


def _number(task_id: str) -> int:
    number = task_id.rpartition("/")[2]
    return int(number) if number.isdecimal() else -1
