"""Benchmarks: HumanEval+, MBPP+, and custom files in that schema or with tests (`tested`)."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.bigcodebench import load_tasks, to_dataset
from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_packed, unpack
from lsp_evalplus.bench.datasets.locate import locate
from lsp_evalplus.bench.datasets.mbpp import restore_inputs
from lsp_evalplus.bench.datasets.stored import LEAST_BYTES, RawInputs, Store
from lsp_evalplus.bench.datasets.tested import family_of, is_tested, to_tested_problem
from lsp_evalplus.bench.problem import Dataset, Family, Input, Problem
from lsp_evalplus.fuzz.errors import UserError

_REQUIRED = {"task_id": str, "prompt": str, "entry_point": str, "canonical_solution": str, "base_input": list}
_SCHEMAS = (
    "a task has 'base_input' (the schema of HumanEvalPlus.jsonl), 'test' (that of HumanEval.jsonl) or 'test_list' "
    "(that of mbpp.jsonl)"
)


def load_dataset(
    name: str,
    *,
    mini: bool = False,
    noextreme: bool = False,
    environment: Mapping[str, str] = os.environ,
    cache: Path | None = None,
) -> Dataset:
    """Load the data set `name`: ``humaneval``, ``mbpp``, ``bigcodebench`` (its Complete prompts), or the path
    of a ``.jsonl`` or ``.jsonl.gz`` file.

    Its parsed content may be cached in the folder `cache`, which speeds up later runs (`stored`).

    Raises `UserError` for an unknown name, a missing or malformed file, and incompatible flags.
    """
    if mini and noextreme:
        raise UserError("--mini and --noextreme are two different versions of the data; give one of them.")
    variant = "mini" if mini else "noextreme" if noextreme else ""
    if name == Family.BIGCODEBENCH and not variant:
        return to_dataset(load_tasks(environment=environment), "complete")
    if name in (Family.HUMANEVAL, Family.MBPP):
        path, version = locate(Family(name), variant, environment)
        return _read(path, name, version, cache)
    path = Path(name)
    if not name.endswith((".jsonl", ".jsonl.gz")):
        raise UserError(
            f"--dataset {name}: not a known data set; use humaneval, mbpp, bigcodebench, or the path of a .jsonl file."
        )
    if variant:
        raise UserError(f"--{variant} only applies to humaneval and mbpp, not to {name}.")
    if not path.is_file():
        raise UserError(f"--dataset {name}: there is no such file.")
    return _read(path, path.name, "custom", cache)


def _read(path: Path, name: str, version: str, cache: Path | None) -> Dataset:
    packed = read_packed(path)
    store = None if cache is None else Store(cache / "datasets", path, packed)
    known = None if store is None else store.load(name, version)
    if known is not None:
        return known
    content = unpack(path, packed)
    problems: dict[str, Problem] = {}
    inputs: list[RawInputs] = []
    for number, record in parse_jsonl(content, str(path)):
        where = f"{path}, line {number}"
        problem = to_tested_problem(record, where) if is_tested(record) else _to_problem(record, where)
        if problem.task_id in problems:
            raise UserError(f"{path}, line {number}: task {problem.task_id} occurs twice; keep one of the two.")
        problems[problem.task_id] = problem
        inputs.append((record.get("base_input") or [], record.get("plus_input") or []))
    if not problems:
        raise UserError(f"{path} has no tasks; it must be a .jsonl file with one task per line.")
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    dataset = Dataset(name, version, md5, hashlib.sha256(content).hexdigest(), str(path), problems)
    if store is not None and len(content) >= LEAST_BYTES and not any(one.tests for one in problems.values()):
        store.save(dataset, inputs)
    return dataset


def _to_problem(record: dict[str, Any], where: str) -> Problem:
    if "base_input" not in record:
        raise UserError(f"{where}: there is nothing to judge a sample by; {_SCHEMAS}.")
    for key, kind in _REQUIRED.items():
        if not isinstance(record.get(key), kind):
            raise UserError(
                f"{where}: {key!r} is missing or not a {kind.__name__}; the schema is that of HumanEvalPlus.jsonl."
            )
    task_id = record["task_id"]
    family = family_of(task_id)
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
