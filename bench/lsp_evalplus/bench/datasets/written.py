"""Data sets written in the schema of HumanEvalPlus.jsonl, with the provenance of each of their inputs beside them.

The same rows give the same bytes on every machine with the same zlib: no clock, no order of a hash table.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.fuzz.errors import UserError

_SUFFIXES = (".jsonl.gz", ".jsonl")
_BESIDE = (".provenance.jsonl", ".against.jsonl")


@dataclass(frozen=True, slots=True)
class InputOrigin:
    """Where one input of a written data set comes from."""

    task_id: str
    part: Part
    index: int
    """Its place among the inputs of its part in the written file."""
    reason: str
    """Why it is there, in a few words: ``kills 3 of 5 samples``, ``mutation of base input 2``."""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What else is known, as JSON: its index in another data set, the stage and seed that made it."""

    def to_plain(self) -> dict[str, Any]:
        """The JSON object that is written."""
        return {
            "task_id": self.task_id,
            "part": str(self.part),
            "index": self.index,
            "reason": self.reason,
            **self.details,
        }


def dataset_bytes(rows: Iterable[Mapping[str, Any]], *, packed: bool) -> bytes:
    """Rows in the schema of HumanEvalPlus.jsonl as the content of a file, packed by gzip or not.

    Raises `ValueError` or `TypeError` for a value that JSON does not have.
    """
    content = _to_lines(rows)
    return gzip.compress(content, 9, mtime=0) if packed else content


def provenance_bytes(origins: Iterable[InputOrigin]) -> bytes:
    """The content of the file beside a data set that tells where its inputs come from, one JSON object an input."""
    return _to_lines(origin.to_plain() for origin in origins)


def provenance_path(path: Path) -> Path:
    """The file of provenance that belongs to a data set: ``mini.provenance.jsonl`` to ``mini.jsonl.gz``.

    Raises `UserError` for a name that is not that of a data set.
    """
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return path.with_name(path.name.removesuffix(suffix) + ".provenance.jsonl")
    raise UserError(f"--output {path}: the name of a data set ends in .jsonl or .jsonl.gz.")


def is_beside(path: Path) -> bool:
    """Whether a file is one of those that are written beside a data set, by its name: it holds no samples."""
    return path.name.endswith(_BESIDE)


def write_dataset(path: Path, rows: Sequence[Mapping[str, Any]], origins: Sequence[InputOrigin]) -> None:
    """Write a data set and its provenance, each atomically, the data set last. Raises `UserError` if it cannot be."""
    beside = provenance_path(path)
    content = dataset_bytes(rows, packed=path.name.endswith(".gz"))
    write_file(beside, provenance_bytes(origins))
    write_file(path, content)


def _to_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode("ascii") + b"\n" for row in rows)
