"""What endpoints answer besides a plain text, and what is made of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient, LlmError, Question
from lsp_evalplus.fuzz.llm.replies import Choice, UnusableReplyError, Usage, read_reply

THOUGHT = Choice("<think>\nb", "length")
TOOL = {"content": None, "tool_calls": [{"function": {"arguments": "{}"}}]}
LAST = {"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}
BUSY = {"error": {"code": 502, "message": "busy"}, "message": {"content": ""}, "finish_reason": "stop"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 4}
HELLO = Question(messages=(("user", "hello"),))


def body(message: Any, finish: Any = "stop", **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], "usage": USAGE, **more}).encode()


def events(*chunks: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


ANSWERS: list[tuple[str, bytes, Choice]] = [
    ("text", body({"content": "a"}), Choice("a", "stop")),
    ("parts", body({"content": [{"type": "text", "text": "a"}, {"type": "thinking"}, 7]}), Choice("a", "stop")),
    ("reasoning beside it", body({"content": "a", "reasoning_content": "b"}), Choice("a", "stop")),
    ("nothing but reasoning", body({"content": None, "reasoning_content": "b"}, "length"), THOUGHT),
    ("reasoning of OpenRouter", body({"content": "", "reasoning": "b"}, "length"), THOUGHT),
    ("a refusal", body({"content": None, "refusal": "I cannot."}), Choice("I cannot.", "stop")),
    ("a tool", body(TOOL, "tool_calls"), Choice("{}", "tool_calls")),
    ("nothing, and the end", body({"content": None}, "content_filter"), Choice("", "content_filter")),
    ("nothing at all, and the end", body({}), Choice("", "stop")),
    ("a completion's field", b'{"choices": [{"text": "a", "finish_reason": "stop"}]}', Choice("a", "stop")),
    ("bytes that are no text", body({"content": "XX"}).replace(b"XX", b"\xff"), Choice("\ufffd", "stop")),
    ("a stream nobody asked for",
     events({"choices": [{"delta": {"content": "a"}}]}, {"choices": [LAST]}, {"choices": [], "usage": USAGE}),
     Choice("ab", "stop")),
    ("an odd reason", body({"content": "a"}, 3), Choice("a", "3")),
]  # fmt: skip


@pytest.mark.parametrize(("content", "choice"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS])
def test_answers(content: bytes, choice: Choice) -> None:
    reply = read_reply(content, chat=True)

    assert reply.choices == (choice,)
    assert reply.usage in (Usage(1, 3, 4), Usage(1, 0, 0))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'"a"',
        b"[" * 100_000,
        b"data: {not json}\n\n",
        b"data: 7\n\n",
        body({"content": None}, None),
        body("text"),
        body({"content": ""}, "error"),
        b'{"choices": 7}',
        json.dumps({"choices": [BUSY]}).encode(),
        b'{"error": "no model"}',
    ],
)
def test_what_is_no_answer(content: bytes) -> None:
    with pytest.raises(UnusableReplyError):
        read_reply(content, chat=True)


def test_what_an_unusable_answer_cost_is_counted() -> None:
    with pytest.raises(UnusableReplyError) as raised:
        read_reply(body(None, None), chat=True)

    assert raised.value.usage == Usage(1, 3, 4)


@pytest.mark.parametrize("usage", [None, 7, {"prompt_tokens": True, "completion_tokens": "4"}, {"prompt_tokens": -1}])
def test_counts_that_are_none(usage: Any) -> None:
    assert read_reply(body({"content": "a"}, usage=usage), chat=True).usage == Usage(1)


@pytest.mark.parametrize(
    ("status", "message", "failure", "told"),
    [
        (402, "Insufficient credits", UserError, "no credit left: Insufficient credits"),
        (400, "filtered due to Azure OpenAI's content management policy.", LlmError, "refuses the prompt"),
        (400, "This model's maximum context length is 4096 tokens", LlmError, "refuses the prompt"),
        (400, {"detail": [{"loc": ["body"], "msg": "too odd"}]}, UserError, r"too odd \(\['body'\]\)"),
    ],
)
async def test_refusals_end_what_they_concern_and_no_more(
    serve: Any, loopback: Any, status: int, message: Any, failure: type[Exception], told: str
) -> None:
    server = serve(lambda body: ["hi"])
    server.faults = [loopback.Fault("status", status=status, message=message)]
    async with LlmClient(Endpoint("m", server.base_url, "k", 5, 3)) as client:
        with pytest.raises(failure, match=told):
            await client.ask(HELLO)

    assert len(server.requests) == 1
