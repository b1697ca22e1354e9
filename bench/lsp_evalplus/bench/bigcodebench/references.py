"""What the references of BigCodeBench show in an environment, cached under everything that it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.bigcodebench import Task
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.running.environment import digest_distributions
from lsp_evalplus.fuzz.files import locked_folder
from lsp_evalplus.fuzz.host.interpreter import Interpreter

from .outcome import Reference

FORMAT = 4
"""Increased with every change of what a reference's run says."""
_PARTS = ("complete_prompt", "canonical_solution", "test")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything but the task that a reference's run depends on."""

    distributions: str
    """Digest of the names and versions of what is installed."""
    python: str
    memory_bytes: int
    wall_seconds: float

    @classmethod
    def of(cls, interpreter: Interpreter, memory_bytes: int, wall_seconds: float) -> Surroundings:
        """Those of an interpreter with these limits."""
        distributions = digest_distributions(interpreter.search_path)
        return cls(distributions, ".".join(map(str, interpreter.version)), memory_bytes, wall_seconds)


class ReferenceCache:
    """References by task, in one file for each environment; a damaged file counts as empty."""

    def __init__(self, folder: Path, surroundings: Surroundings) -> None:
        key = json.dumps([FORMAT, *(getattr(surroundings, name) for name in surroundings.__slots__)])
        digest = hashlib.sha256(key.encode()).hexdigest()[:32]
        self._path = folder / "bigcodebench" / f"references-{digest}.json"
        self._known: dict[str, Reference] = {}
        self._encoded: dict[str, str] = {}
        """Entries as they are in the file, by key."""
        self._state: tuple[int, ...] | None = None
        """Identifies the file that was read or written last."""

    def load(self, tasks: Iterable[Task]) -> dict[str, Reference]:
        """The references that are known, by the id of the task."""
        self._refresh()
        return {task.task_id: self._known[_key(task)] for task in tasks if _key(task) in self._known}

    def save(self, tasks: Mapping[str, Task], references: Mapping[str, Reference]) -> None:
        """Add references to the file, with what other runs have added. Raises `UserError` when it cannot be written.

        The lock is held for some milliseconds, in which guests go on.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with locked_folder(self._path.parent):
            self._refresh()
            self._add({_key(tasks[task_id]): reference for task_id, reference in references.items()})
            entries = (f"{json.dumps(key)}: {text}" for key, text in sorted(self._encoded.items()))
            write_file(self._path, f"{{{', '.join(entries)}}}".encode("ascii"))
            self._state = self._look()

    def _add(self, references: Mapping[str, Reference]) -> None:
        self._known.update(references)
        self._encoded.update((key, json.dumps(reference.to_json())) for key, reference in references.items())

    def _refresh(self) -> None:
        """Read the file if it is another than before."""
        state = self._look()
        if state != self._state:
            self._known, self._encoded = {}, {}
            self._add(self._read())
            self._state = state

    def _look(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _read(self) -> dict[str, Reference]:
        try:
            content: Any = json.loads(self._path.read_bytes())
            rows = cast("dict[str, Any]", content)
            return {key: Reference.from_json(row) for key, row in rows.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}


def _key(task: Task) -> str:
    texts = json.dumps([getattr(task, name) for name in _PARTS])
    return hashlib.sha256(texts.encode()).hexdigest()
