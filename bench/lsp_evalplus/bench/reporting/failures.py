"""The wrong programs of a run, as a page lists them: what tells most first, each program once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.bench.judging.verdicts import Status

_MOST_BYTES = 6_000_000
"""Of programs on one page, which must open at once; the rest is counted."""
_LONGEST = 20_000
"""Characters of one program or value; of a longer one the beginning is kept."""


@dataclass(frozen=True, slots=True)
class WrongProgram:
    """A program that failed, with its smallest failing input that is known."""

    task: str
    number: int
    """Index among the samples of its task, from 0."""
    part: str
    """``base``, or ``plus`` for one that passes the base tests."""
    kind: str
    call: str
    expected: str
    actual: str
    program: str
    twins: int
    """Samples of the task with this program."""


def wrong_programs(results: Mapping[str, Any]) -> tuple[list[WrongProgram], int]:
    """Return the wrong programs of a result file that a page has room for, and how many there are.

    Those that pass the base tests come first: nobody else would have found them. Then by task.
    """
    found = [item for task, entries in results["eval"].items() for item in _of_task(task, entries)]
    found.sort(key=lambda item: item.part != "plus")
    held: list[WrongProgram] = []
    room = _MOST_BYTES
    for item in found:
        room -= sum(map(_held_bytes, (item.program, item.call, item.expected, item.actual)))
        if room < 0:
            break
        held.append(item)
    return held, len(found)


def _held_bytes(text: str) -> int:
    """The bytes of a text in the page's data, where other characters than ASCII, and `<`, are escapes of six."""
    return len(json.dumps(text)) + 5 * text.count("<")


def _of_task(task: str, entries: Sequence[Mapping[str, Any]]) -> Iterator[WrongProgram]:
    programs: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        if _failed_part(entry) is not None:
            programs.setdefault(str(entry.get("solution") or f"(the file has no program; sample {number})"), []).append(
                number
            )
    for program, numbers in programs.items():
        entry = entries[numbers[0]]
        part = _failed_part(entry)
        assert part is not None
        call, expected, actual = _smallest(entry, part)
        status = str(entry.get(f"{part}_status"))
        kind = ("passes base, " if part == "plus" else "") + (
            "fails plus" if part == "plus" and status == Status.FAIL else status
        )
        yield WrongProgram(
            task, numbers[0], part, kind, _cut(call), _cut(expected), _cut(actual), _cut(program), len(numbers)
        )


def _failed_part(entry: Mapping[str, Any]) -> str | None:
    for part in ("base", "plus"):
        status = entry.get(f"{part}_status")
        if status is not None and status != Status.PASS:
            return part
    return None


def _smallest(entry: Mapping[str, Any], part: str) -> tuple[str, str, str]:
    """Call, expected and actual of the shortest failing input that the file has; empty where it has none."""
    details = _records(entry.get(f"{part}_details"))
    if details:
        best = min(
            details, key=lambda item: (item.get("index") is None, len(str(item.get("call") or item.get("test") or "")))
        )
        call = best.get("call") or best.get("test") or ""
        return str(call), str(best.get("expected") or ""), str(best.get("actual") or "")
    inputs: Any = entry.get(f"{part}_fail_tests")
    known = cast("list[Any]", inputs) if isinstance(inputs, list) else []
    texts = [item if isinstance(item, str) else json.dumps(item) for item in known]
    tests = entry.get("details")  # BigCodeBench: test -> message.
    if not texts and isinstance(tests, dict) and tests:
        name, message = next(iter(cast("dict[Any, Any]", tests).items()))
        return str(name), "", str(message)
    return (min(texts, key=len) if texts else ""), "", ""


def _records(value: Any) -> list[dict[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + f"\n… ({len(text)} characters)"
