"""Tasks judged by tests, in the schemas of HumanEval.jsonl, BigCodeBench and mbpp.jsonl; nothing is executed here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from lsp_evalplus.bench.problem import Family, Problem, TaskTests
from lsp_evalplus.fuzz.errors import UserError

_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def family_of(task_id: str) -> Family:
    """The data set that a task belongs to, from its id."""
    prefix, _, number = task_id.partition("/")
    if number.isdecimal():
        return {"HumanEval": Family.HUMANEVAL, "Mbpp": Family.MBPP}.get(prefix, Family.CUSTOM)
    return Family.CUSTOM


def is_tested(record: dict[str, Any]) -> bool:
    """Whether a row has tests; inputs, where it has both, judge more."""
    return "base_input" not in record and ("test" in record or "test_list" in record)


def to_tested_problem(record: dict[str, Any], where: str) -> Problem:
    """The task in a row for which `is_tested`. Raises `UserError` for a field that is missing or of another type."""
    if "test" not in record:
        return _of_mbpp(record, where)
    task_id = _string(record, "task_id", where)
    prompt = _string(record, "complete_prompt" if "prompt" not in record else "prompt", where)
    tests = [record["test"]] if isinstance(record["test"], str) else _strings(record, "test", where)
    return _problem(
        task_id,
        prompt,
        _string(record, "entry_point", where),
        _string(record, "canonical_solution", where),
        TaskTests(_not_blank(tests, "test", where)),
    )


def _of_mbpp(record: dict[str, Any], where: str) -> Problem:
    """A row of mbpp.jsonl: numbers for ids, no entry point, and a text in place of a prompt."""
    number = record.get("task_id")
    task_id = f"Mbpp/{number}" if type(number) is int else _string(record, "task_id", where)
    tests = _not_blank(_strings(record, "test_list", where), "test_list", where)
    plus = _strings(record, "challenge_test_list", where) if record.get("challenge_test_list") else ()
    code = _string(record, "code", where).replace("\r\n", "\n").rstrip() + "\n"
    text = _string(record, "text" if "text" in record else "prompt", where).strip()
    setup = _string(record, "test_setup_code", where) if record.get("test_setup_code") else ""
    setup = setup.replace("\r\n", "\n")
    defined = set(_DEFINED.findall(code))
    called = [name for test in tests for name in _CALLED.findall(test) if name in defined]
    entry_point = record.get("entry_point") or (called[0] if called else None)
    if not isinstance(entry_point, str):
        raise UserError(f"{where}: 'test_list' calls nothing that 'code' defines; name the function in 'entry_point'.")
    quoted = "\n".join([text, *tests]).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return _problem(task_id, f'"""\n{quoted}\n"""\n', entry_point, code, TaskTests(tests, plus, setup))


def _problem(task_id: str, prompt: str, entry_point: str, canonical_solution: str, tests: TaskTests) -> Problem:
    return Problem(
        task_id=task_id,
        prompt=prompt,
        entry_point=entry_point,
        canonical_solution=canonical_solution,
        contract="",
        base_inputs=[],
        plus_inputs=[],
        atol=0.0,
        family=family_of(task_id),
        tests=tests,
    )


def _string(record: dict[str, Any], key: str, where: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise UserError(f"{where}: {key!r} is missing or not a str; a task with tests needs it.")
    return value


def _strings(record: dict[str, Any], key: str, where: str) -> Sequence[str]:
    value = record.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise UserError(f"{where}: {key!r} must be a string of test code or a list of them.")
    return [item.replace("\r\n", "\n") for item in cast("list[str]", value)]


def _not_blank(tests: Sequence[str], key: str, where: str) -> Sequence[str]:
    if not any(test.strip() for test in tests):
        raise UserError(f"{where}: {key!r} is empty, so that there is nothing to judge a sample by.")
    return tests
