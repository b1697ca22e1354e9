"""The reader of guests' events: whatever arrives, it gives typed data or says that the event is malformed."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_evalplus.fuzz import guest
from lsp_evalplus.fuzz.engine.events import MalformedEventError, read_event
from lsp_evalplus.fuzz.model import Plain

STREAMS = int(os.environ.get("LSP_EVALPLUS_EVENTS", "300"))
"""Events to try; `make redteam` asks for more."""
NAMES = ("progress", "done", "counterexample", "hang", "replaying", "replayed")
FIELDS = (
    *("inputs", "rejected", "branches", "unfinished", "undecided", "status", "reason", "corpus", "domain", "arguments"),
    *("call", "candidate", "expected", "tier", "difference", "stage", "line", "session", "varies", "earlier", "code"),
    *("is_proven", "is_out_of_time", "other"),
)
PLAIN = st.sampled_from([None, True, False, 0, -1, 7, 1 << 62, 0.5, float("nan"), "", "x", "checked", "inside"])
ITEMS = PLAIN | st.integers() | st.text(max_size=5)
JSON = (
    ITEMS
    | st.lists(ITEMS, max_size=3)
    | st.dictionaries(st.text(max_size=3), ITEMS, max_size=3)
    | st.sampled_from([[[]], [{}], {"": []}, [["x", "y", "agree"]], {"x": {"agree": 1}}])
)
OUTCOMES = st.fixed_dictionaries({"kind": st.sampled_from(["returned", "raised"]), "text": st.text(max_size=3)})
EVENTS = st.dictionaries(st.sampled_from(FIELDS), JSON | OUTCOMES, max_size=8).flatmap(
    lambda fields: st.sampled_from(NAMES).map(lambda name: {**fields, "event": name})
)
COUNTS = {"inputs", "rejected", "branches", "unfinished", "undecided"}
STRINGS = {"arguments", "call", "difference", "stage", "reason", "status", "tier", "code"}


@given(st.one_of(EVENTS, st.dictionaries(st.text(max_size=8), JSON, max_size=4)))
@settings(max_examples=STREAMS, deadline=None)
def test_any_event_is_typed_or_malformed(reply: Plain) -> None:
    try:
        event = read_event(reply)
    except MalformedEventError:
        return
    assert event["event"] in NAMES
    for name, value in event.items():
        if name in COUNTS:
            assert type(value) is int
            assert value >= 0
        elif name in STRINGS:
            assert isinstance(value, str)
        elif name in ("corpus", "earlier", "domain"):
            assert all(isinstance(item, str) for item in value)


def _texts(call: ast.Call, constants: dict[str, ast.expr]) -> str | None:
    """Return the text of a reason in the source code, with X for what is filled in."""
    argument = call.args[0] if call.args else None
    argument = constants.get(argument.id) if isinstance(argument, ast.Name) else argument
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    if isinstance(argument, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else _filled(part)
            for part in argument.values  # type: ignore[misc]
        )
    return None


def _filled(part: ast.AST) -> str:
    source = ast.unparse(part)
    if "!r" in source:
        return "'x'"
    for name, value in (("role", ""), ("place", " at line 3"), ("lineno", "3"), ("_bound", "function")):
        if name in source:
            return value
    return "it raises ValueError: x" if "reason" in source else "x"


def reasons() -> list[str]:
    """Return every message with which the guest's own code refuses to load a program."""
    found: list[str] = []
    folder = Path(next(iter(guest.__path__)))
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "LoadError(" not in source:
            continue
        tree = ast.parse(source)
        assigned = [one for one in tree.body if isinstance(one, ast.Assign)]
        constants = {name.id: one.value for one in assigned for name in one.targets if isinstance(name, ast.Name)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "LoadError":
                text = _texts(node, constants)
                if text:
                    found.append(text)
    return found


@pytest.mark.parametrize("reason", [one for one in reasons() if one != "x"])
def test_the_reasons_of_the_guest_are_known(reason: str) -> None:
    event: dict[str, Any] = {"event": "done", "status": "not_checked", "reason": reason}

    assert read_event(event)["reason"] == reason


@pytest.mark.parametrize(
    "reason", ["the reference raises on every input", "all is well", "no difference in 12 inputs", "x" * 10_000]
)
def test_other_reasons_are_malformed(reason: str) -> None:
    with pytest.raises(MalformedEventError):
        read_event({"event": "done", "status": "not_checked", "reason": reason})


@pytest.mark.parametrize(
    "field",
    [{"tier": []}, {"tier": {}}, {"candidate": {"kind": [], "text": ""}}, {"expected": {"kind": {}, "text": ""}}],
    ids=str,
)
def test_what_cannot_be_hashed_is_malformed(field: dict[str, Any]) -> None:
    with pytest.raises(MalformedEventError):
        read_event({"event": "replayed", "code": "agree", **field})
