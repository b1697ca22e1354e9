"""Benchmarks: HumanEval+, MBPP+ and custom files in the same schema."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import zlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.locate import locate
from lsp_evalplus.bench.datasets.mbpp import restore_inputs
from lsp_evalplus.bench.datasets.stored import LEAST_BYTES, RawInputs, Store
from lsp_evalplus.bench.problem import Dataset, Family, Input, Problem
from lsp_evalplus.fuzz.errors import UserError

_REQUIRED = {"task_id": str, "prompt": str, "entry_point": str, "canonical_solution": str, "base_input": list}
_PACKED = {
    b"PK\x03\x04": "a zip archive; unpack it, or give it a name that ends in .zip where archives are read",
    b"\x1f\x8b": "packed by gzip; give it a name that ends in .gz",
}
"""Signatures of file types that a file name may not reveal."""


def load_dataset(
    name: str,
    *,
    mini: bool = False,
    noextreme: bool = False,
    environment: Mapping[str, str] = os.environ,
    cache: Path | None = None,
) -> Dataset:
    """Load the data set `name`: ``humaneval``, ``mbpp``, or the path of a ``.jsonl`` or ``.jsonl.gz`` file.

    Its parsed content may be cached in the folder `cache`, which speeds up later runs (`stored`).

    Raises `UserError` for an unknown name, a missing or malformed file, and incompatible flags.
    """
    if mini and noextreme:
        raise UserError("--mini and --noextreme are two different versions of the data; give one of them.")
    variant = "mini" if mini else "noextreme" if noextreme else ""
    if name in (Family.HUMANEVAL, Family.MBPP):
        path, version = locate(Family(name), variant, environment)
        return _read(path, name, version, cache)
    path = Path(name)
    if not name.endswith((".jsonl", ".jsonl.gz")):
        raise UserError(f"--dataset {name}: not a known data set; use humaneval, mbpp, or the path of a .jsonl file.")
    if variant:
        raise UserError(f"--{variant} only applies to humaneval and mbpp, not to {name}.")
    if not path.is_file():
        raise UserError(f"--dataset {name}: there is no such file.")
    return _read(path, path.name, "custom", cache)


def _read(path: Path, name: str, version: str, cache: Path | None) -> Dataset:
    packed = _packed(path)
    store = None if cache is None else Store(cache / "datasets", path, packed)
    known = None if store is None else store.load(name, version)
    if known is not None:
        return known
    content = _unpacked(path, packed)
    problems: dict[str, Problem] = {}
    inputs: list[RawInputs] = []
    for number, record in parse_jsonl(content, str(path)):
        problem = _to_problem(record, f"{path}, line {number}")
        if problem.task_id in problems:
            raise UserError(f"{path}, line {number}: task {problem.task_id} occurs twice; keep one of the two.")
        problems[problem.task_id] = problem
        inputs.append((record["base_input"], record.get("plus_input") or []))
    if not problems:
        raise UserError(f"{path} has no tasks; it must be a .jsonl file with one task per line.")
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    dataset = Dataset(name, version, md5, hashlib.sha256(content).hexdigest(), str(path), problems)
    if store is not None and len(content) >= LEAST_BYTES:
        store.save(dataset, inputs)
    return dataset


def read_bytes(path: Path) -> bytes:
    """Read a file, decompressed if its name ends in ``.gz``. Raises `UserError` when it cannot be read."""
    return _unpacked(path, _packed(path))


def _packed(path: Path) -> bytes:
    with _tells_faults(path):
        return path.read_bytes()


def _unpacked(path: Path, packed: bytes) -> bytes:
    with _tells_faults(path):
        return gzip.decompress(packed) if path.name.endswith(".gz") else packed


@contextmanager
def _tells_faults(path: Path) -> Generator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def parse_jsonl(content: bytes, where: str) -> Iterable[tuple[int, dict[str, Any]]]:
    """Yield each JSON object with its line number (from 1); blank lines are skipped.

    Raises `UserError` naming the first line that is not UTF-8, not JSON or not an object, and for packed files.
    """
    for beginning, what in _PACKED.items():
        if content.startswith(beginning):
            raise UserError(f"{where} is {what}.")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except RecursionError as error:
            raise UserError(f"{where}, line {number}: nested too deeply to be read.") from error
        except ValueError as error:
            raise UserError(
                f"{where}, line {number}: not valid JSON ({error}); each line must be one object."
            ) from error
        if not isinstance(record, dict):
            raise UserError(f"{where}, line {number}: is not a JSON object; each line must be one object.")
        yield number, cast("dict[str, Any]", record)


def _to_problem(record: dict[str, Any], where: str) -> Problem:
    for key, kind in _REQUIRED.items():
        if not isinstance(record.get(key), kind):
            raise UserError(
                f"{where}: {key!r} is missing or not a {kind.__name__}; the schema is that of HumanEvalPlus.jsonl."
            )
    task_id = record["task_id"]
    family = _family_of(task_id)
    base = _to_inputs(record["base_input"], f"{where}: base_input")
    plus = _to_inputs(record.get("plus_input") or [], f"{where}: plus_input")
    try:
        if family is Family.MBPP:
            base, plus = restore_inputs(task_id, base), restore_inputs(task_id, plus)
        atol = float(record.get("atol", 0))
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError) as error:
        raise UserError(f"{where}: an input or 'atol' does not have the types {task_id} needs ({error}).") from error
    if not (math.isfinite(atol) and atol >= 0):
        raise UserError(f"{where}: 'atol' is {atol}; it must be a finite number that is not negative.")
    return Problem(
        task_id=task_id,
        prompt=record["prompt"],
        entry_point=record["entry_point"],
        canonical_solution=record["canonical_solution"],
        contract=str(record.get("contract") or ""),
        base_inputs=base,
        plus_inputs=plus,
        atol=atol,
        family=family,
    )


def _to_inputs(value: Any, where: str) -> Sequence[Input]:
    if not isinstance(value, list) or not all(isinstance(item, list) for item in cast("list[Any]", value)):
        raise UserError(f"{where} must be a list of lists of arguments.")
    return cast("list[Input]", value)


def _family_of(task_id: str) -> Family:
    prefix, _, number = task_id.partition("/")
    if number.isdecimal():
        return {"HumanEval": Family.HUMANEVAL, "Mbpp": Family.MBPP}.get(prefix, Family.CUSTOM)
    return Family.CUSTOM
