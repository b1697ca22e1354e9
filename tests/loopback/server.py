"""An OpenAI-compatible server on the loopback interface, real down to the bytes, that misbehaves on demand.

It speaks HTTP/1.1 with keep-alive: chat completions (streamed or not, n > 1, JSON schema), completions, and the error
bodies of the real thing. Run as a program it replays recorded texts::

    python tests/loopback/server.py texts.jsonl --port 0

where each line is ``{"contains": "part of the prompt", "texts": ["answer", ...]}``; the request's ``seed`` picks the
answer, so that a run that was killed and resumed gets the same texts.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], Sequence[str]]


@dataclass
class Fault:
    """What happens instead of an answer, once."""

    kind: str
    """``status``, ``detail``, ``truncated_json``, ``short_body``, ``garbage``, ``html``, ``slow``, ``hang_up``,
    ``empty``, ``error_in_200``, ``broken_stream``, ``garbage_stream``."""
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    message: Any = "the server had an error"
    param: str | None = None


@dataclass
class Request:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Loopback:
    """The server; `answer` maps a request body to the texts of its choices."""

    def __init__(
        self, answer: Answer, *, models: Sequence[str] = (), refuses: Sequence[str] = (), key: str = ""
    ) -> None:
        self.answer, self.models, self.refuses, self.key = answer, models, refuses, key
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.delay = 0.0
        self.active = self.most_active = 0
        self.port = 0
        self._stop: Callable[[], object] = lambda: None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @contextlib.contextmanager
    def running(self, port: int = 0) -> Iterator[Loopback]:
        """Serves from a thread of its own until the block ends."""
        loop = asyncio.new_event_loop()
        ready = threading.Event()

        async def serve() -> None:
            server = await asyncio.start_server(self._connection, "127.0.0.1", port, limit=1 << 24)
            self.port = server.sockets[0].getsockname()[1]
            stop = asyncio.Event()
            self._stop = lambda: loop.call_soon_threadsafe(stop.set)
            ready.set()
            await stop.wait()
            server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
        thread.start()
        assert ready.wait(200)
        try:
            yield self
        finally:
            self._stop()
            thread.join(10)
            loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            async for request in _requests(reader):
                self.requests.append(request)
                self.active += 1
                self.most_active = max(self.most_active, self.active)
                try:
                    await asyncio.sleep(self.delay)
                    goes_on = await self._respond(request, writer)
                finally:
                    self.active -= 1
                if not goes_on:
                    break
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    async def _respond(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        refusal = self._refusal(request)
        if refusal is not None:
            return await _send(writer, *refusal)
        if self.faults:
            return await _misbehave(self.faults.pop(0), writer)
        body = request.body
        texts = list(self.answer(body))[: body.get("n", 1)]
        chat = request.path.endswith("/chat/completions")
        if body.get("stream"):
            return await _stream(writer, texts[0], body)
        choices = [
            {
                "index": index,
                "finish_reason": "stop",
                **({"message": {"role": "assistant", "content": text}} if chat else {"text": text}),
            }
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 10, "completion_tokens": 5 * len(texts), "total_tokens": 10 + 5 * len(texts)}
        return await _send(
            writer,
            200,
            {
                "id": "x",
                "object": "chat.completion" if chat else "text_completion",
                "created": 0,
                "model": body["model"],
                "choices": choices,
                "usage": usage,
            },
        )

    def _refusal(self, request: Request) -> tuple[int, Any] | None:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return 401, _error("Incorrect API key provided.", code="invalid_api_key")
        if not request.path.endswith("/completions"):
            return 404, _error(f"Unknown path {request.path}")
        model = request.body.get("model")
        if self.models and model not in self.models:
            return 404, _error(f"The model `{model}` does not exist.", code="model_not_found")
        for name in self.refuses:
            if name in request.body:
                return 400, _error(f"Unsupported parameter: '{name}' is not supported with this model.", param=name)
            if name == "many stops" and len(request.body.get("stop") or ()) > 4:
                return 400, _error("Invalid 'stop': array too long. Expected at most 4.", param="stop")
        return None


def _error(message: str, *, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[Request]:
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        yield Request(first.split(" ")[1], headers, json.loads(content or b"{}"))


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: Any,
    headers: dict[str, str] | None = None,
    kind: str = "application/json",
) -> bool:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{extra}\r\n"
    writer.write(head.encode() + content)
    await writer.drain()
    return True


async def _stream(writer: asyncio.StreamWriter, text: str, body: dict[str, Any], *, broken: str = "") -> bool:
    writer.write(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    for number, piece in enumerate(pieces):
        if broken and number == 2:
            writer.write(broken.encode())
            await writer.drain()
            return False
        chunk = {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": body.get("model", ""),
            "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}],
        }
        writer.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await writer.drain()
    if (body.get("stream_options") or {}).get("include_usage"):
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        last = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "", "choices": [], "usage": usage}
        writer.write(f"data: {json.dumps(last)}\n\n".encode())
    writer.write(b"data: [DONE]\n\n")
    await writer.drain()
    return False


async def _misbehave(fault: Fault, writer: asyncio.StreamWriter) -> bool:
    match fault.kind:
        case "status":
            return await _send(writer, fault.status, _error(fault.message, param=fault.param), fault.headers)
        case "detail":  # as servers made with FastAPI say it
            return await _send(writer, fault.status, {"detail": fault.message})
        case "truncated_json":
            return await _send(writer, 200, b'{"id": "x", "choices": [{"index": 0, "mess')
        case "short_body":
            writer.write(b'HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"id"')
            await writer.drain()
            return False
        case "garbage":
            return await _send(writer, 200, b"\x00\xff\x1f\x8b garbage \x80")
        case "html":
            return await _send(writer, 200, b"<html><body>Please log in</body></html>", kind="text/html")
        case "empty":
            return await _send(writer, 200, {"id": "x", "choices": [], "model": "m"})
        case "error_in_200":
            return await _send(writer, 200, _error("upstream is busy"))
        case "wrong_types":
            return await _send(writer, 200, {"choices": [{"message": {"content": {"a": 1}}}, 7, None], "usage": "much"})
        case "slow":
            writer.write(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        case "broken_stream":
            return await _stream(writer, "[1, 2, 3, 4, 5, 6, 7, 8, 9]", {}, broken='data: {"choices": [{"del')
        case "garbage_stream":
            return await _stream(writer, "[1, 2, 3, 4, 5, 6, 7, 8, 9]", {}, broken="data: <<<not json>>>\n\n")
        case _:
            return False


def replay(path: Path) -> Answer:
    """Answers from a file of recorded texts: the longest ``contains`` that is in the prompt wins."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    records.sort(key=lambda record: -len(record["contains"]))

    def answer(body: dict[str, Any]) -> Sequence[str]:
        asked = body.get("prompt") or "\n".join(message["content"] for message in body.get("messages", []))
        for record in records:
            if record["contains"] in asked:
                first = int(body.get("seed") or 0)
                return [record["texts"][(first + place) % len(record["texts"])] for place in range(body.get("n", 1))]
        return ["I do not know."] * body.get("n", 1)

    return answer


def main() -> None:
    """Serves until standard input ends, and says the address first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="Seconds before each answer.")
    options = parser.parse_args()
    server = Loopback(replay(options.texts))
    server.delay = options.delay
    with server.running(options.port):
        print(server.base_url, flush=True)
        with contextlib.suppress(KeyboardInterrupt, EOFError):
            while True:
                input()


if __name__ == "__main__":
    main()
