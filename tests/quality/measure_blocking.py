"""How long the server keeps a hover waiting while it works, through a real stdio client.

::

    LSP_EVALPLUS_DATA=... python tests/quality/measure_blocking.py [--count 30]

Three kinds of work, a hover in another file being asked every 5 ms all the while:

* fuzzing: correct solutions of the development data are accepted one after the other, so every check takes its budget;
* large: a file of 50,000 lines is opened and edited twenty times;
* cold: the first second after ``initialized``, when guests and analysis start.

The client is a thread that writes and reads frames, and nothing else, so that its own work is not measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCRIPT = [str(Path(sysconfig.get_path("scripts")) / "lsp-evalplus"), "serve"]
PING_SECONDS = 0.005
LARGE = "".join(f"def f{number}(n):\n    return n + {number}\n\n\n" for number in range(12_500))
SMALL = "def f(n: int) -> int:\n    return n\n"


class Wire:
    """One server, and the times its answers took."""

    def __init__(self, command: list[str], root: Path) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, threading.Event] = {}
        self._lock = threading.Lock()
        self._root = root
        self.published: dict[str, threading.Event] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any, seconds: float = 30.0) -> float:
        """Send a request; gives the seconds until its answer."""
        number, answered = next(self._numbers), threading.Event()
        self._waiting[number] = answered
        started = time.perf_counter()
        self._send({"id": number, "method": method, "params": params})
        if not answered.wait(seconds):
            raise TimeoutError(f"no answer to {method} in {seconds} s")
        return time.perf_counter() - started

    def open(self, name: str, text: str) -> str:
        """Write and open a file; gives its URI."""
        path = self._root / name
        path.write_text(text, encoding="utf-8")
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def close(self) -> None:
        """End the server."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        self.process.wait(10)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while head := self.process.stdout.readline():
            length = int(head.split(b":")[1])
            while self.process.stdout.readline().strip():
                pass
            self._take(json.loads(self.process.stdout.read(length)))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._waiting.pop(message["id"]).set()
        elif "id" in message:
            self._send({"id": message["id"], "result": None})


class Pinger:
    """Asks for a hover again and again in a thread of its own."""

    def __init__(self, wire: Wire, uri: str) -> None:
        self.seconds: list[float] = []
        self._wire, self._uri = wire, uri
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        params = {"textDocument": {"uri": self._uri}, "position": {"line": 0, "character": 5}}
        while not self._end.wait(PING_SECONDS):
            self.seconds.append(self._wire.ask("textDocument/hover", params))

    def stop(self) -> list[float]:
        """End it; gives what the hovers took."""
        self._end.set()
        self._thread.join(30)
        return self.seconds


def start(command: list[str], root: Path) -> Wire:
    """A server that has been initialized."""
    wire = Wire(command, root)
    params = {
        "processId": os.getpid(),
        "rootUri": root.as_uri(),
        "capabilities": {"window": {"workDoneProgress": True}},
    }
    wire.ask("initialize", params)
    wire.notify("initialized", {})
    return wire


def while_fuzzing(wire: Wire, candidates: list[dict[str, str]], root: Path) -> None:
    """Accept one correct function after the other, each for as long as its check takes."""
    for number, pair in enumerate(candidates):
        (root / f"reference_{number}.py").write_text(pair["reference"], encoding="utf-8")
        name = pair["entry_point"]
        head, separator, tail = pair["candidate"].rpartition(f"\ndef {name}")
        text = f"{head}\n# lsp-evalplus: reference=reference_{number}.py::{name}{separator or chr(10)}{tail}"
        uri = wire.open(f"candidate_{number}.py", text)
        wire.ask(
            "workspace/executeCommand",
            {"command": "lspEvalplus.checkFunction", "arguments": [{"uri": uri, "name": name}]},
        )
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def while_editing(wire: Wire) -> None:
    """Open a file of 50,000 lines, and type in it."""
    uri = wire.open("large.py", LARGE)
    for version in range(2, 22):
        place = {"line": version * 1000, "character": 0}
        change = {"range": {"start": place, "end": place}, "text": "# x\n"}
        document = {"uri": uri, "version": version}
        wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        time.sleep(0.3)
    wire.ask(
        "workspace/executeCommand", {"command": "lspEvalplus.checkFunction", "arguments": [{"uri": uri, "name": "f7"}]}
    )
    wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def report(name: str, seconds: list[float]) -> None:
    """One line of figures, in milliseconds."""
    ordered = sorted(seconds)
    parts = [
        f"p{part} {1000 * ordered[min(len(ordered) - 1, int(part / 100 * len(ordered)))]:.1f}" for part in (50, 95, 99)
    ]
    late = sum(1 for one in ordered if one > 0.02)
    print(f"{name}: n={len(ordered)}, {', '.join(parts)}, max {1000 * ordered[-1]:.1f} ms; above 20 ms: {late}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--serve", nargs="+", default=SCRIPT, help="the command that starts the server")
    options = parser.parse_args()
    data = os.environ.get("LSP_EVALPLUS_DATA")
    if not data:
        sys.exit("set LSP_EVALPLUS_DATA to the folder with the development data")
    lines = (Path(data) / "correct_dev.jsonl").read_text(encoding="utf-8").splitlines()
    candidates = [json.loads(line) for line in lines[:: max(1, len(lines) // options.count)]][: options.count]
    with tempfile.TemporaryDirectory(prefix="blocking-") as folder:
        root = Path(folder)
        wire = start(options.serve, root)
        works: list[tuple[str, Callable[[], None]]] = [
            ("cold", lambda: time.sleep(1)),
            ("fuzzing", lambda: while_fuzzing(wire, candidates, root)),
            ("large", lambda: while_editing(wire)),
        ]
        small = wire.open("small.py", SMALL)
        for name, work in works:
            pinger = Pinger(wire, small)
            work()
            report(name, pinger.stop())
        wire.close()


if __name__ == "__main__":
    main()
