"""What counts as accepted in each dialect, and that nothing a peer may send raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_evalplus.proxy.dialect import AcceptanceReader, Accepted, end_of_text, first_units, utf16_length

URI = "file:///a.py"
DID_ACCEPT = "github.copilot.didAcceptCompletionItem"
Step = tuple[str, dict[str, Any]]


def place(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def asked(method: str = "textDocument/inlineCompletion", **params: Any) -> Step:
    standard = {"textDocument": {"uri": URI, "version": 3}, "position": place(4, 8)}
    return "editor", {"id": 1, "method": method, "params": standard | params}


def answered(result: Any) -> Step:
    return "server", {"id": 1, "result": result}


def item(text: Any = "x = 1\ny = 2", **more: Any) -> dict[str, Any]:
    return {"insertText": text, "command": {"title": "", "command": DID_ACCEPT, "arguments": ["id-1"]}} | more


def executed(*arguments: Any, command: str = DID_ACCEPT) -> Step:
    return "editor", {
        "id": 2,
        "method": "workspace/executeCommand",
        "params": {"command": command, "arguments": list(arguments)},
    }


def in_part(length: int, **more: Any) -> Step:
    return "editor", {
        "method": "textDocument/didPartiallyAcceptCompletion",
        "params": {"item": item(**more), "acceptedLength": length},
    }


ONLY_COMMAND = (
    "editor",
    {
        "method": "textDocument/didPartiallyAcceptCompletion",
        "params": {"item": {"command": {"command": DID_ACCEPT, "arguments": ["id-1"]}}, "acceptedLength": 5},
    },
)
LEGACY = [
    ("editor", {"id": 1, "method": "getCompletions", "params": {"doc": {"uri": URI, "position": place(1, 4)}}}),
    answered(
        {"completions": [{"uuid": "u", "text": "    return 1", "range": {"start": place(1, 0), "end": place(1, 4)}}]}
    ),
]


def notified(uuid: str, **more: Any) -> Step:
    return "editor", {"id": 5, "method": "notifyAccepted", "params": {"uuid": uuid, **more}}


def run(steps: list[Step]) -> list[tuple[str, tuple[int, int], str]]:
    reader = AcceptanceReader()
    found: list[Accepted] = []
    for direction, message in steps:
        if direction == "editor":
            found += reader.from_editor(message)
        else:
            reader.from_server(message)
    return [(one.kind, one.start, one.text) for one in found]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param(
            [asked(), answered({"items": [item()]}), executed("id-1")],
            [("full", (4, 8), "x = 1\ny = 2")],
            id="standard",
        ),
        pytest.param(
            [asked(), answered([item(range={"start": place(4, 0), "end": place(4, 8)})]), executed("id-1")],
            [("full", (4, 0), "x = 1\ny = 2")],
            id="a list, with a range",
        ),
        pytest.param(
            [
                asked(),
                answered({"items": [item({"kind": "snippet", "value": "f(${1:x}, $2)$0 \\$5"})]}),
                executed("id-1"),
            ],
            [("full", (4, 8), "f(x, ) $5")],
            id="a snippet",
        ),
        pytest.param(
            [asked(), answered({"items": [item()]}), executed("id-1"), executed("id-1")],
            [("full", (4, 8), "x = 1\ny = 2")],
            id="executed twice",
        ),
        pytest.param(
            [asked(), answered({"items": [item()]}), in_part(1), in_part(5), executed("id-1")],
            [("word", (4, 8), "x"), ("word", (4, 8), "x = 1"), ("full", (4, 8), "x = 1\ny = 2")],
            id="word by word",
        ),
        pytest.param(
            [asked(), answered({"items": [item()]}), ONLY_COMMAND],
            [("word", (4, 8), "x = 1")],
            id="copilot.el's partial item",
        ),
        pytest.param(
            [asked(), answered({"items": [item("😀x")]}), in_part(2)],
            [("word", (4, 8), "😀")],
            id="lengths are UTF-16 units",
        ),
        pytest.param(
            [
                asked(),
                answered({"items": [item(command={"command": "other.done", "arguments": [{"a": 1}]})]}),
                executed({"a": 1}, command="other.done"),
            ],
            [("full", (4, 8), "x = 1\ny = 2")],
            id="any server's command",
        ),
        pytest.param(
            [
                asked("textDocument/copilotInlineEdit"),
                answered(
                    {
                        "edits": [
                            {
                                "text": "new",
                                "range": {"start": place(9, 1), "end": place(9, 3)},
                                "textDocument": {"uri": "file:///b.py", "version": 1},
                                "command": item()["command"],
                            }
                        ]
                    }
                ),
                executed("id-1"),
            ],
            [("nextEdit", (9, 1), "new")],
            id="a next edit",
        ),
        pytest.param([*LEGACY, notified("u")], [("full", (1, 0), "    return 1")], id="legacy"),
        pytest.param(
            [*LEGACY, notified("u", acceptedLength=10)], [("word", (1, 0), "    return")], id="legacy, in part"
        ),
        pytest.param(
            [*LEGACY, notified("u", acceptedLength=12)], [("full", (1, 0), "    return 1")], id="legacy, all of it"
        ),
        pytest.param([asked(), answered({"items": [item()]}), executed("id-2")], [], id="another item"),
        pytest.param([asked(), answered({"items": [item()]})], [], id="only offered"),
        pytest.param([asked(), ("server", {"id": 1, "error": {"code": 1000}}), executed("id-1")], [], id="an error"),
        pytest.param([answered({"items": [item()]}), executed("id-1")], [], id="an answer nobody asked for"),
        pytest.param([*LEGACY, notified("v")], [], id="another uuid"),
    ],
)
def test_acceptances(steps: list[Step], expected: list[Any]) -> None:
    assert expected == run(steps)


def test_parameters_of_the_notification() -> None:
    accepted = Accepted(URI, (4, 8), "x = '😀'\r\n  y", "full")

    assert accepted.to_params() == {
        "textDocument": {"uri": URI, "version": None},
        "ranges": [{"start": place(4, 8), "end": place(5, 3)}],
        "kind": "full",
        "source": "proxy",
        "text": "x = '😀'\r\n  y",
    }


def test_only_the_newest_offers_are_kept() -> None:
    reader = AcceptanceReader()
    for number in range(2000):
        reader.from_editor(asked()[1])
        reader.from_server({"id": 1, "result": [item(command={"command": "c", "arguments": [number]})]})

    assert reader.from_editor(executed(3, command="c")[1]) == []
    assert len(reader.from_editor(executed(1999, command="c")[1])) == 1
    assert len(reader._offers) <= 512


METHODS = [
    "textDocument/inlineCompletion",
    "textDocument/copilotInlineEdit",
    "getCompletions",
    "workspace/executeCommand",
    "textDocument/didPartiallyAcceptCompletion",
    "notifyAccepted",
]
KEYS = st.sampled_from(
    [
        "id",
        "uri",
        "textDocument",
        "position",
        "line",
        "character",
        "items",
        "edits",
        "completions",
        "command",
        "arguments",
        "insertText",
        "range",
        "start",
        "text",
        "uuid",
        "doc",
        "item",
        "acceptedLength",
        "value",
        "kind",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just(URI),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(METHODS), JSON, JSON), max_size=6))
def test_no_message_raises(exchanges: list[tuple[str, Any, Any]]) -> None:
    reader = AcceptanceReader()
    for method, params, result in exchanges:
        for accepted in reader.from_editor({"id": 1, "method": method, "params": params}):
            accepted.to_params()
        reader.from_server({"id": 1, "result": result})


@given(st.text(), st.integers(0, 50))
def test_units(text: str, length: int) -> None:
    part = first_units(text, length)

    assert text.startswith(part)
    assert utf16_length(part) in (min(length, utf16_length(text)), min(length, utf16_length(text)) - 1)


@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), min_size=1),
    st.sampled_from(["\n", "\r\n"]),
)
def test_end_of_text(lines: list[str], line_end: str) -> None:
    end = end_of_text((7, 3), line_end.join(lines))

    assert end == (7 + len(lines) - 1, utf16_length(lines[-1]) + (3 if len(lines) == 1 else 0))
