"""The server over TCP: whom it serves, and where it listens."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from .. import forked

SCRIPT = forked.SCRIPT

TOKEN = "correct-horse-battery"


def framed(message: object, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    body = json.dumps(message).encode()
    return header % len(body) + body


def initialize(options: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"initializationOptions": options}}


RIGHT_MESSAGE = initialize({"token": TOKEN})
REFUSED = [
    framed(RIGHT_MESSAGE, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"),
    framed(RIGHT_MESSAGE, b"Content-Length: %d\r\nHost: 127.0.0.1\r\n\r\n"),
    framed(initialize({"token": TOKEN + "x"})),
    framed(initialize({"token": ""})),
    framed(initialize({"token": [TOKEN]})),
    framed(initialize({})),
    framed(initialize(None)),
    framed({**RIGHT_MESSAGE, "method": "textDocument/didOpen"}),
    framed([RIGHT_MESSAGE]),
    framed({}).replace(b"{}", b"[]"),
    b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    b"Content-Length: 3\r\n\r\n{]}",
    b"Content-Length: -1\r\n\r\n",
    b"Content-Length: 99999999999\r\n\r\n",
    b"Content-" + b"x" * 5000 + b"\r\n",
]
"""First messages of those who are not the editor."""


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.invalid:0"])
def test_an_address_that_others_reach_needs_an_option(address: str) -> None:
    done = subprocess.run([str(SCRIPT), "serve", "--tcp", address], capture_output=True, text=True, timeout=280)

    assert done.returncode == 2
    assert "--tcp-anywhere" in done.stderr


async def test_tcp(new_editor, tmp_path: Path, environment: None) -> None:
    process = await asyncio.create_subprocess_exec(
        str(SCRIPT),
        "serve",
        "--tcp",
        "127.0.0.1:0",
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"LSP_EVALPLUS_TOKEN": TOKEN},
    )
    line = (await asyncio.wait_for(process.stderr.readline(), 200)).decode()
    port = int(line.rpartition(":")[2])
    for refused in REFUSED:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(refused)
        assert await asyncio.wait_for(reader.read(), 200) == b"", refused
        writer.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number, method in ((1, "initialize"), (2, "shutdown"), (None, "exit")):
        message = {
            "jsonrpc": "2.0",
            "method": method,
            "params": {
                "processId": None,
                "capabilities": {},
                "rootUri": None,
                "initializationOptions": {"token": TOKEN},
            },
        }
        if method != "initialize":
            message.pop("params")
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        if number is not None:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 200)
            length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            answer = json.loads(await reader.readexactly(length))
            assert answer["id"] == number
            assert "error" not in answer
    assert await asyncio.wait_for(process.wait(), 200) == 0
    writer.close()


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:port", "127.0.0.1:99999", ":2087", "256.0.0.1:1"])
def test_a_wrong_address_is_one_sentence(address: str) -> None:
    done = subprocess.run([str(SCRIPT), "serve", "--tcp", address], capture_output=True, text=True, timeout=280)

    assert done.returncode == 2
    assert "--tcp" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
