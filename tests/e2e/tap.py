"""Stands between an editor and a server, passes every byte on, and writes the client's messages down.

``python tap.py LOG -- SERVER ARG...``; each line of LOG is ``{"at": unix seconds, "message": {...}}``. Nothing else is
done with a message, so what the editor and the server see is what they would see without it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path


def record(log: Path) -> Generator[None, bytes, None]:
    """Cut the stream into messages (``Content-Length`` framing) and write those that a test may ask for."""
    buffer = b""
    with log.open("a", encoding="utf-8") as file:
        while chunk := (yield):
            buffer += chunk
            while (cut := cut_message(buffer)) is not None:
                body, buffer = cut
                file.write(json.dumps({"at": time.time(), "message": json.loads(body)}) + "\n")
                file.flush()


def cut_message(buffer: bytes) -> tuple[bytes, bytes] | None:
    """The first whole message and what follows it."""
    head, separator, rest = buffer.partition(b"\r\n\r\n")
    if not separator:
        return None
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    return (rest[:length], rest[length:]) if len(rest) >= length else None


def relay(source: int, target: int, recorder: Generator[None, bytes, None] | None = None) -> None:
    """Pass bytes on until the source ends."""
    while chunk := os.read(source, 1 << 16):
        view = memoryview(chunk)
        while view:
            view = view[os.write(target, view) :]
        if recorder is not None:
            recorder.send(chunk)
    os.close(target)


def main() -> int:
    """Run the server between two relays; ends with its exit code."""
    log, separator, *command = sys.argv[1:]
    if separator != "--":
        sys.exit("usage: tap.py LOG -- SERVER ARG...")
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    recorder = record(Path(log))
    next(recorder)
    threading.Thread(target=relay, args=(0, server.stdin.fileno(), recorder), daemon=True).start()
    relay(server.stdout.fileno(), 1)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
