"""Proxies and servers of one user find each other; nobody else gets a word in."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsp_evalplus.proxy.rendezvous import announce, listen


async def test_every_server_is_told(tmp_path: Path) -> None:
    queues = [asyncio.Queue[Mapping[str, Any]]() for _ in range(2)]
    listeners = [await listen(tmp_path, queue.put_nowait) for queue in queues]

    told = await asyncio.to_thread(announce, tmp_path, {"text": "x\ny 😀"})

    assert told == 2
    assert [await asyncio.wait_for(queue.get(), 200) for queue in queues] == [{"text": "x\ny 😀"}] * 2
    for listener in listeners:
        listener.close()
    assert list(tmp_path.iterdir()) == []


async def test_only_the_user_can_read_the_secret(tmp_path: Path) -> None:
    listener = await listen(tmp_path / "listening", lambda _: None)

    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "listening", *(tmp_path / "listening").iterdir())
    ]

    assert modes == [0o700, 0o600]
    listener.close()


async def test_reports_without_the_secret_are_refused(tmp_path: Path) -> None:
    heard = asyncio.Queue[Mapping[str, Any]]()
    listener = await listen(tmp_path, heard.put_nowait)
    entry = json.loads(next(tmp_path.glob("*.json")).read_text())

    for line in [b'{"secret": "guess", "params": {}}', b"[]", b"{", b'{"params": {}}', b"x" * (5 << 20)]:
        await asyncio.to_thread(send, entry["port"], line + b"\n")
    await asyncio.to_thread(announce, tmp_path, {"good": True})

    assert await asyncio.wait_for(heard.get(), 200) == {"good": True}
    assert heard.empty()
    listener.close()


def send(port: int, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)
        except OSError:
            return


def test_files_of_servers_that_are_gone_are_removed(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        gone = tmp_path / "gone.json"
        gone.write_text(json.dumps({"port": unused.getsockname()[1], "secret": "s"}))
    (tmp_path / "broken.json").write_text("{")

    assert announce(tmp_path, {}) == 0
    assert not gone.exists()


def test_no_folder_no_servers(tmp_path: Path) -> None:
    assert announce(tmp_path / "missing", {}) == 0
