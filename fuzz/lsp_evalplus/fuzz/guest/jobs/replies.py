"""Replies of the ``explore`` job: rows, outcomes and judgements as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult
from ..calling.rows import Layout
from ..comparison.stored_parts import first_difference, part_text
from ..evidence.side_effects import exposed, length_of
from ..judging.judge import Judgement
from ..judging.outcomes import WARNINGS, outcome_text
from ..surroundings.placeholders import USES
from ..surroundings.waiting import WaitsForever
from ..values.carved import whole_test_text
from ..values.dynamic import attributes_of, type_of
from ..values.rendering import value_text


def done(status: str = "checked", reason: str = "", **facts: Any) -> dict[str, Any]:
    """Return the last reply: ``checked``, or ``not_checked`` and why; and whether a call waited for input."""
    waits = {"waits": True} if USES.has_waited else {}
    return {"event": "done", "status": status, "reason": reason, "corpus": [], **waits, **facts}


def hang(layout: Layout, row: Any, *, is_proven: bool) -> dict[str, Any]:
    """Return the reply for a call of the candidate that does not end."""
    place = {"arguments": layout.arguments_text(row), "call": layout.call_text(row)}
    return {"event": "hang", **place, "is_proven": is_proven}


def counterexample(judgement: Judgement, layout: Layout, row: Any, tier: str, stage: str) -> dict[str, Any]:
    """Return the reply for a call on which the programs differ."""
    expected = judgement.expected if judgement.expected is not None else CallResult(RETURNED, None)
    actual = judgement.actual if judgement.actual is not None else CallResult(TIMED_OUT)
    told = outcome(expected, judgement.difference, layout)
    did = outcome(actual, judgement.difference, layout)
    if judgement.difference == "arguments":
        _tell_apart((told, expected), (did, actual), layout)
    return {
        "event": "counterexample",
        "arguments": layout.arguments_text(row),
        "call": layout.call_text(row),
        "candidate": did,
        "expected": told,
        "tier": tier,
        "difference": judgement.difference,
        "stage": stage,
    }


def failing_test(test: str, judgement: Judgement) -> dict[str, Any]:
    """Return the reply for a test of the project that only the older version passes."""
    expected = judgement.expected if judgement.expected is not None else CallResult(RETURNED, None)
    actual = judgement.actual if judgement.actual is not None else CallResult(RETURNED, None)
    return {
        "event": "counterexample",
        "arguments": whole_test_text(test),
        "call": test,
        "candidate": outcome(actual, judgement.difference),
        "expected": outcome(expected, judgement.difference),
        "tier": "inside",
        "difference": judgement.difference,
        "stage": "tests",
    }


Told = tuple[dict[str, Any], CallResult]
"""An outcome as plain data, and the outcome itself."""


def _tell_apart(told: Told, did: Told, layout: Layout) -> None:
    """Add to the texts of effects, where these are the same, the part in which they differ."""
    key = "text" if layout.is_constructor else "mutated_arguments"
    if told[0][key] != did[0][key] or told[1].arguments is None or did[1].arguments is None:
        return
    names = repeat("") if layout.is_constructor else [one.name for one in layout.parameters]
    for name, one, two in zip(names, told[1].arguments, did[1].arguments):
        found = first_difference(one, two, layout.function)
        lengths = length_of(one), length_of(two)
        if found is None and None not in lengths and lengths[0] != lengths[1]:
            _add((told, did), key, f"len({name or 'self'})", lengths)
            return
        if found is not None:
            _add((told, did), key, name + found.path, found[1:])
            return
        missing = [held for held in attributes_of(one) or () if held not in (attributes_of(two) or ())]
        if missing:
            where = f"{name}." if name else ""
            did[0][key] += f" without the attribute {where}{missing[0]}"
            return


def _add(outcomes: Sequence[Told], key: str, path: str, parts: Sequence[Any]) -> None:
    """Add to the text of each outcome the part that it has."""
    for (reply, _), part in zip(outcomes, parts):
        reply[key] += part_text(path, part)


def _instance_text(value: Any) -> str:
    """What a constructor made, an exception with all that it holds."""
    shown = exposed(value)
    text = value_text(shown)
    return text if shown is value else type_of(value).__name__ + text.removeprefix("namespace")


def _warned(result: CallResult) -> str:
    return " and warns: " + "; ".join(result.warned) if result.warned else " without a warning"


def outcome(result: CallResult, difference: str, layout: Layout | None = None) -> dict[str, Any]:
    """Return an outcome as plain data for the host; that of a constructor is the instance."""
    is_instance = layout is not None and layout.is_constructor
    if is_instance and result.kind == RETURNED and difference == "arguments":
        text = _instance_text(result.arguments[0])
        return {"kind": RETURNED, "text": text, "mutated_arguments": None, "output": None}
    waits = result.kind == RAISED and isinstance(result.error, WaitsForever)
    return {
        "kind": TIMED_OUT if waits else result.kind,
        "text": outcome_text(result) + (_warned(result) if difference == WARNINGS else ""),
        "mutated_arguments": value_text(result.arguments) if difference == "arguments" else None,
        "output": result.output if difference == "output" else None,
    }
