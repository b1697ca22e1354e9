"""The base tasks of an extension: rows in evalplus' schema, their base inputs read off asserts where they have tests.

Nothing is executed: an assert gives an input where it calls the function with literals.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_bytes
from lsp_evalplus.bench.datasets.mbpp import restore_inputs
from lsp_evalplus.bench.lint.lint import with_contract
from lsp_evalplus.bench.problem import Dataset, Family, Input, Part, Problem, TaskTests
from lsp_evalplus.fuzz.guest.static.walking import walk_tree

CANDIDATE = "candidate"
"""The name of the function under test in ``check(candidate)``."""


@dataclass(frozen=True, slots=True)
class BaseTask:
    """A task to extend: its row in the schema of HumanEvalPlus.jsonl, and the same as a problem judged by inputs."""

    problem: Problem
    row: dict[str, Any]
    unread: int = 0
    """Calls in its tests that give no input, because an argument is no literal of JSON."""

    @property
    def has_contract(self) -> bool:
        """Whether asserts say which inputs are valid."""
        return bool(self.problem.contract.strip())

    @property
    def program(self) -> str | None:
        """The reference behind its contract, which is what runs; None if the contract cannot be put into it."""
        return with_contract(self.problem) if self.has_contract else self.problem.reference


def base_tasks(dataset: Dataset) -> Iterator[BaseTask]:
    """The tasks of a data set in their order."""
    records = parse_jsonl(read_bytes(Path(dataset.path)), dataset.path)
    for (_, record), problem in zip(records, dataset.problems.values(), strict=True):
        yield BaseTask(problem, record) if problem.tests is None else _of_tests(problem, problem.tests)


def as_written(problem: Problem, values: Input) -> Input | None:
    """The input as it is read from the file that it is written to; None where JSON gives another one."""
    raw = to_file(problem, values)
    if raw is None:
        return None
    return raw if problem.family is not Family.MBPP else _restored(problem.task_id, raw)


def to_file(problem: Problem, values: Input) -> list[Any] | None:
    """The input as it stands in the file; None where JSON has no such value.

    Of MBPP+ it is what the rules of that data set turn back into tuples, sets and complex numbers.
    """
    plain = list(values) if problem.family is not Family.MBPP else _without_types(list(values))
    return to_json(plain)


def _without_types(value: Any) -> Any:
    if type(value) in (list, tuple):
        return [_without_types(item) for item in cast("list[Any]", value)]
    if type(value) is set:
        return [_without_types(item) for item in sorted(cast("set[Any]", value), key=repr)]
    if type(value) is dict:
        return {key: _without_types(item) for key, item in cast("dict[Any, Any]", value).items()}
    return str(value) if type(value) is complex else value


def _restored(task_id: str, raw: list[Any]) -> Input | None:
    try:
        return restore_inputs(task_id, [raw])[0]
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError):
        return None


_COMMON: frozenset[type] = frozenset((int, bool, str, type(None)))


def to_json(value: Any) -> Any:
    """A copy of plain JSON data; None for any other value, such as a tuple or a number that is not finite."""
    if type(value) is float:
        return value if value - value == 0 else None
    if type(value) is list:
        old = cast("list[Any]", value)
        if _COMMON.issuperset(map(type, old)):
            return [*old]
        new = [to_json(item) for item in old]
        return None if any(one is None and was is not None for one, was in zip(new, old, strict=True)) else new
    if type(value) is dict:
        fields = cast("dict[Any, Any]", value)
        pairs = {key: to_json(item) for key, item in fields.items() if type(key) is str}
        is_whole = all(item is not None or fields[key] is None for key, item in pairs.items())
        return pairs if is_whole and len(pairs) == len(fields) else None
    return value if type(value) in (int, bool, str) else None


def _of_tests(problem: Problem, tests: TaskTests) -> BaseTask:
    inputs: list[Any] = []
    unread = 0
    for text in tests.of(Part.BASE):
        for call in _calls(text, problem.entry_point):
            values = _literals(call)
            written = None if values is None else as_written(problem, values)
            if written is None:
                unread += 1
            elif repr(values) not in [repr(one) for one in inputs]:
                inputs.append(values)
    row = {
        "task_id": problem.task_id,
        "prompt": problem.prompt,
        "entry_point": problem.entry_point,
        "canonical_solution": problem.canonical_solution,
        "contract": "",
        "atol": problem.atol,
        "base_input": inputs,
    }
    restored = [one for values in inputs if (one := as_written(problem, values)) is not None]
    return BaseTask(replace(problem, tests=None, base_inputs=restored), row, unread)


def _calls(text: str, entry_point: str) -> Iterator[ast.Call]:
    """The calls of the function in test code, in their order in the text."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    found = [
        node
        for node in walk_tree(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (CANDIDATE, entry_point)
    ]
    yield from sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _literals(call: ast.Call) -> list[Any] | None:
    """The arguments of a call; None where one is named or no literal."""
    if call.keywords:
        return None
    try:
        return [_as_lists(ast.literal_eval(argument)) for argument in call.args]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _as_lists(value: Any) -> Any:
    """The value with lists for tuples, which JSON does not have; the rules of MBPP+ restore those that it needs."""
    if type(value) in (list, tuple):
        return [_as_lists(item) for item in cast("list[Any]", value)]
    if type(value) is dict:
        return {key: _as_lists(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value
