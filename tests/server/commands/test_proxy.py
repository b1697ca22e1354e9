"""The proxy as an editor starts it: every byte passes, acceptances are told, nothing is left running."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.proxy.rendezvous import listen

MIRROR = "import os\nwhile data := os.read(0, 65536): os.write(1, data)"
FAKE = Path(__file__).with_name("completion_server.py")
PROXY = [sys.executable, "-m", "lsp_evalplus", "proxy"]


@contextmanager
def started(*command: str, home: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | ({"XDG_CACHE_HOME": str(home)} if home else {})
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


def frame(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read_message(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    length = 0
    while (line := process.stdout.readline()) not in (b"\r\n", b""):
        if line.startswith(b"Content-Length"):
            length = int(line.split(b":")[1])
    return json.loads(process.stdout.read(length))


def write(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


@pytest.mark.parametrize(
    "data",
    [
        frame({"id": 1, "method": "textDocument/inlineCompletion", "params": [None]}) * 3,
        b"Content-Length: 5\r\n\r\nab",
        b"no LSP at all\r\n\r\n\0\xff" * 1000,
        random.Random(7).randbytes(3_000_000),
        b"Content-Length: 60000\r\n\r\n" + b"[" * 60000,
        b"",
    ],
    ids=["messages", "half a message", "text", "noise of 3 MB", "brackets without end", "nothing"],
)
def test_every_byte_passes(data: bytes) -> None:
    done = subprocess.run(
        [*PROXY, "--", sys.executable, "-c", MIRROR], input=data, capture_output=True, timeout=280, check=True
    )

    assert data == done.stdout


async def test_acceptances_are_told(tmp_path: Path) -> None:
    heard = asyncio.Queue[Mapping[str, Any]]()
    listener = await listen(tmp_path / "lsp-evalplus" / "listening", heard.put_nowait)
    with started(*PROXY, "--", sys.executable, str(FAKE), home=tmp_path) as process:
        write(process, frame({"id": 1, "method": "initialize", "params": {}}))
        assert "result" in read_message(process)
        place = {"line": 2, "character": 4}
        params = {"textDocument": {"uri": "file:///a.py", "version": 1}, "position": place}
        write(process, frame({"id": 2, "method": "textDocument/inlineCompletion", "params": params}))
        item = read_message(process)["result"]["items"][0]
        write(process, frame({"id": 3, "method": "workspace/executeCommand", "params": item["command"]}))
        assert read_message(process) == {"jsonrpc": "2.0", "id": 3, "result": None}

        told = await asyncio.wait_for(heard.get(), 200)

    assert told["textDocument"] == {"uri": "file:///a.py", "version": None}
    assert told["text"] == item["insertText"]
    assert told["source"] == "proxy"
    listener.close()


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (7, 7)])
def test_the_exit_code_is_the_servers(code: int, expected: int) -> None:
    done = subprocess.run([*PROXY, "--", sys.executable, "-c", f"raise SystemExit({code})"], timeout=280, check=False)

    assert expected == done.returncode


def test_a_server_that_cannot_be_started() -> None:
    done = subprocess.run(
        [*PROXY, "--", "/nonexistent/server"], capture_output=True, text=True, timeout=280, check=False
    )

    assert done.returncode == 2
    assert "/nonexistent/server" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("how", ["the editor closes the stream", "the proxy is terminated"])
def test_nothing_is_left_running(how: str) -> None:
    child = "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()"
    with started(*PROXY, "--", sys.executable, "-c", child) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        if how == "the proxy is terminated":
            process.send_signal(signal.SIGTERM)
        else:
            assert process.stdin is not None
            process.stdin.close()
        process.wait(200)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="a signal at the parent's death")
def test_a_killed_proxy_takes_a_server_with_it_that_ignores_the_end_of_its_input() -> None:
    child = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with started(*PROXY, "--", sys.executable, "-c", child) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
        process.wait(200)

    end = time.monotonic() + 60
    while runs(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not runs(pid)


def runs(pid: int) -> bool:
    """Whether a process exists that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_added_latency(tmp_path: Path) -> None:
    """A round trip through the proxy costs 1 ms more than without, at most, among the quick ones: other programs slow
    the others down."""
    direct, proxied = ([sys.executable, "-c", MIRROR], [*PROXY, "--", sys.executable, "-c", MIRROR])

    alone, through = (statistics.quantiles(round_trips(command), n=20)[0] for command in (direct, proxied))

    assert through - alone <= max(0.001, 10 * alone)


def round_trips(command: list[str], times: int = 600) -> list[float]:
    """Seconds that messages of a usual size take there and back, after a warm-up."""
    message = frame({"id": 1, "method": "textDocument/inlineCompletion", "params": {"text": "x" * 2000}})
    seconds: list[float] = []
    with started(*command) as process:
        for _ in range(times):
            start = time.perf_counter()
            write(process, message)
            read_message(process)
            seconds.append(time.perf_counter() - start)
    return seconds[100:]
