"""Keys of the verdict store: digests of all that a verdict depends on, and of nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from lsp_evalplus.bench.problem import Problem

ProgramKey: TypeAlias = tuple[str, str]
"""The digest of a task (`task_digest`), and the SHA-256 of a program's text, both in hexadecimal."""
TASK_DIGITS, PROGRAM_DIGITS = 32, 64


def conditions_digest(conditions: Mapping[str, Any]) -> str:
    """The name of the folder with the verdicts under `conditions`, which must be JSON."""
    return hashlib.sha256(json.dumps(conditions, sort_keys=True).encode()).hexdigest()[:16]


def task_digest(problem: Problem) -> str:
    """A digest of a task as it is judged: texts, inputs or tests, tolerance, and its name, which special oracles go by.

    The data set that it stands in does not count, so that a part or a variant of it shares verdicts.
    """
    try:
        inputs = problem.marshalled()
    except ValueError:  # It cannot be sent to a guest either, which is reported there.
        inputs = repr([*problem.base_inputs, *problem.plus_inputs])
    tests = problem.tests
    fields = [
        problem.task_id,
        problem.family,
        problem.prompt,
        problem.entry_point,
        problem.canonical_solution,
        problem.contract,
        repr(problem.atol),
        len(problem.base_inputs),
        None if tests is None else [[*tests.base], [*tests.plus], tests.setup],
    ]
    digest = hashlib.sha256(json.dumps(fields).encode())
    digest.update(inputs.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:TASK_DIGITS]
