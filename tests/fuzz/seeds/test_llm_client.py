"""The client against a server that speaks the real protocol, well and badly."""

from __future__ import annotations

import asyncio
import email.utils
import time
from typing import Any

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient, LlmError, Question
from lsp_evalplus.fuzz.llm.replies import Choice

HELLO = Question(messages=(("user", "hello"),), temperature=0.5, max_tokens=50)


class Waits:
    """Stands in for sleeping: notes how long and goes on at once, with a clock that agrees."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)

    def clock(self) -> float:
        return sum(self.seconds)


def client_of(server: Any, waits: Waits | None = None, notes: list[str] | None = None, **options: Any) -> LlmClient:
    waits = waits or Waits()
    endpoint = Endpoint(options.pop("model", "m"), server.base_url, options.pop("key", "k"), **options)
    return LlmClient(
        endpoint, sleep=waits.sleep, clock=waits.clock, on_note=(notes if notes is not None else []).append
    )


async def test_a_chat_question(serve: Any) -> None:
    server = serve()
    async with client_of(server, key="secret") as client:
        reply = await client.ask(HELLO)

    assert reply.choices == (Choice("hi", "stop"),)
    assert (reply.usage.requests, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 10, 5)
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer secret"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.5,
        "max_tokens": 50,
    }


async def test_a_completion_question(serve: Any) -> None:
    server = serve(lambda body: ["    return 1\n"])
    async with client_of(server) as client:
        reply = await client.ask(Question(prompt="def f():\n", stop=("\ndef ", "\nclass ")))

    assert reply.choices[0].text == "    return 1\n"
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["stop"] == ["\ndef ", "\nclass "]


async def test_several_answers(serve: Any) -> None:
    server = serve(lambda body: ["a", "b", "c"])
    async with client_of(server) as client:
        reply = await client.ask(Question(messages=HELLO.messages, n=3))

    assert [choice.text for choice in reply.choices] == ["a", "b", "c"]


async def test_a_schema_goes_with_the_request(serve: Any) -> None:
    server = serve()
    async with client_of(server) as client:
        await client.ask(Question(messages=HELLO.messages, schema={"type": "object"}))

    assert server.requests[0].body["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 503},
        {"kind": "status", "status": 408},
        {"kind": "truncated_json"},
        {"kind": "short_body"},
        {"kind": "garbage"},
        {"kind": "html"},
        {"kind": "empty"},
        {"kind": "wrong_types"},
        {"kind": "error_in_200"},
        {"kind": "hang_up"},
    ],
    ids=lambda fault: fault["kind"] + str(fault.get("status", "")),
)
async def test_a_fault_is_survived(serve: Any, loopback: Any, fault: dict[str, Any]) -> None:
    server, waits, notes = serve(), Waits(), []
    server.faults = [loopback.Fault(**fault), loopback.Fault(**fault)]
    async with client_of(server, waits, notes) as client:
        reply = await client.ask(HELLO)

    assert reply.choices[0].text == "hi"
    assert len(server.requests) == 3
    assert len(notes) == 2
    assert 0.25 <= waits.seconds[0] <= 0.5 <= waits.seconds[1] <= 1.0


async def test_it_gives_up_in_the_end(serve: Any, loopback: Any) -> None:
    server = serve()
    server.faults = [loopback.Fault("status")] * 10
    async with client_of(server, attempts=4) as client:
        with pytest.raises(LlmError, match="status 500: the server had an error"):
            await client.ask(HELLO)

    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": email.utils.formatdate(time.time() + 3600, usegmt=True)}, 3600.0),
    ],
)
async def test_it_waits_as_long_as_it_is_told(serve: Any, loopback: Any, headers: Any, expected: float) -> None:
    server, waits = serve(), Waits()
    server.faults = [loopback.Fault("status", 429, headers, "Rate limit reached")]
    async with client_of(server, waits) as client:
        if expected > 300:
            with pytest.raises(LlmError, match="asks to wait"):
                await client.ask(HELLO)
        else:
            await client.ask(HELLO)
            assert waits.seconds[0] == pytest.approx(expected)


async def test_a_pause_holds_for_all_questions(serve: Any, loopback: Any) -> None:
    server, waits = serve(), Waits()
    server.faults = [loopback.Fault("status", 429, {"Retry-After": "30"})]
    async with client_of(server, waits) as client:
        await client.ask(HELLO)
        free_at = client._free_at

    assert free_at == 30


async def test_slow_bytes_end_in_time(serve: Any, loopback: Any) -> None:
    """Each byte comes within every read time-out, so only a limit on the whole attempt helps."""
    server = serve()
    server.faults = [loopback.Fault("slow")]
    async with client_of(server, request_seconds=0.3) as client:
        reply = await asyncio.wait_for(client.ask(HELLO), 200)

    assert reply.choices[0].text == "hi"


@pytest.mark.parametrize(
    ("options", "fault", "message"),
    [
        ({"models": ["other"]}, None, "does not know model 'm'"),
        ({"key": "right"}, None, "refuses the key"),
        ({}, {"kind": "status", "status": 429, "message": "You exceeded your quota: insufficient_quota"}, "no credit"),
        ({}, {"kind": "status", "status": 400, "message": "messages are too long"}, "messages are too long"),
    ],
)
async def test_what_the_user_must_mend_is_told_at_once(
    serve: Any, loopback: Any, options: Any, fault: Any, message: str
) -> None:
    server = serve(**options)
    server.faults = [loopback.Fault(**fault)] if fault else []
    async with client_of(server) as client:
        with pytest.raises(UserError, match=message):
            await client.ask(HELLO)

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        ("Unexpected fields in the request: {'continue_final_message'}", "(--style prefill); use --style chat."),
        ([{"loc": ["body", "messages"], "msg": "Field required"}, 7], "Field required (['body', 'messages'])"),
        ("the model is pinned", "refuses the request: the model is pinned"),
        ({"odd": 1}, "refuses the request"),
    ],
)
async def test_what_servers_made_with_fastapi_say_is_told(serve: Any, loopback: Any, detail: Any, message: str) -> None:
    server = serve()
    server.faults = [loopback.Fault("detail", status=422, message=detail)]
    question = Question(messages=(("user", "hello"), ("assistant", "def")), continues=True)
    async with client_of(server) as client:
        with pytest.raises(UserError) as raised:
            await client.ask(question)

    assert message in str(raised.value)
    assert len(server.requests) == 1


async def test_nobody_listens() -> None:
    class Nowhere:
        base_url = "http://127.0.0.1:9/v1"

    async with client_of(Nowhere(), attempts=2) as client:
        with pytest.raises(LlmError, match="cannot be reached"):
            await client.ask(HELLO)


@pytest.mark.parametrize("refused", ["max_tokens", "temperature", "seed", "n", "response_format", "stop", "many stops"])
async def test_an_option_the_endpoint_does_not_know_is_left_out(serve: Any, refused: str) -> None:
    server, notes = serve(refuses=[refused]), []
    question = Question(
        messages=HELLO.messages,
        n=2,
        temperature=0.1,
        max_tokens=9,
        stop=tuple("abcdef" if refused == "many stops" else "abcd"),
        seed=3,
        schema={"type": "object"},
    )
    async with client_of(server, None, notes) as client:
        await client.ask(question)
        await client.ask(question)

    assert len(server.requests) == 3, "it learns once"
    assert len(notes) == 1
    body = server.requests[-1].body
    assert refused not in body
    if refused == "max_tokens":
        assert body["max_completion_tokens"] == 9
    if refused == "many stops":
        assert body["stop"] == list("abcd")


async def test_a_streamed_answer(serve: Any) -> None:
    server = serve(lambda body: ["a streamed answer of some length"])
    async with client_of(server) as client:
        pieces = [piece async for piece in client.stream(HELLO)]
        usage = client.usage

    assert "".join(pieces) == "a streamed answer of some length"
    assert len(pieces) > 3
    assert (usage.requests, usage.prompt_tokens) == (1, 10)


@pytest.mark.parametrize("kind", ["broken_stream", "garbage_stream"])
async def test_a_stream_that_breaks_off_keeps_what_came(serve: Any, loopback: Any, kind: str) -> None:
    server, notes = serve(), []
    server.faults = [loopback.Fault(kind)]
    async with client_of(server, None, notes) as client:
        pieces = [piece async for piece in client.stream(HELLO)]

    assert "".join(pieces) == "[1, 2, 3, 4, 5"[: len("".join(pieces))]
    assert pieces
    assert kind == "broken_stream" or notes


async def test_a_stream_is_tried_again_before_it_starts(serve: Any, loopback: Any) -> None:
    server = serve(lambda body: ["done"])
    server.faults = [loopback.Fault("status", 502), loopback.Fault("status", 429, {"Retry-After": "1"})]
    async with client_of(server) as client:
        assert "".join([piece async for piece in client.stream(HELLO)]) == "done"


async def test_cancelling_ends_the_request(serve: Any, loopback: Any) -> None:
    server = serve()
    server.faults = [loopback.Fault("slow")]
    async with client_of(server) as client:
        task = asyncio.create_task(client.ask(HELLO))
        while not server.requests:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 200)


def test_the_key_is_never_shown() -> None:
    assert "sk-secret" not in repr(Endpoint("m", api_key="sk-secret"))
