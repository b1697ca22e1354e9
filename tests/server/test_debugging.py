"""The quick fix "Debug …": its launch configuration is given to debugpy, which stops in the function with the input."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Self

import pytest

pytest.importorskip("debugpy")

SECONDS = 60.0
WRONG = '''\
def middle(numbers: list[int]) -> int:
    """The middle one.

    >>> middle([3, 1, 2])
    2
    """
    place = len(numbers) // 2
    return numbers[place]
'''


class Debugger:
    """A client of the debug adapter protocol, as an editor is one."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "debugpy.adapter"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
        )
        self._numbers = itertools.count(1)
        self._messages: Queue[dict[str, Any]] = Queue()
        self.seen: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def ask(self, command: str, arguments: dict[str, Any] | None = None) -> int:
        """Send a request; gives its number."""
        number = next(self._numbers)
        body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments or {}}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()
        return number

    def answer(self, number: int) -> dict[str, Any]:
        """What a request was answered."""
        found = self._wait(lambda one: one["type"] == "response" and one["request_seq"] == number)
        assert found["success"], found
        return found.get("body") or {}

    def event(self, name: str) -> dict[str, Any]:
        """The next event of a kind."""
        return self._wait(lambda one: one["type"] == "event" and one["event"] == name).get("body") or {}

    def _wait(self, fits: Any) -> dict[str, Any]:
        for number, one in enumerate(self.seen):
            if fits(one):
                return self.seen.pop(number)
        while True:
            try:
                one = self._messages.get(timeout=SECONDS)
            except Empty:
                raise AssertionError(f"nothing of the kind came: {self.seen}") from None
            if fits(one):
                return one
            self.seen.append(one)

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while head := self._process.stdout.readline():
                length = int(head.split(b":")[1])
                self._process.stdout.readline()
                self._messages.put(json.loads(self._process.stdout.read(length)))
        except ValueError:
            return  # It was closed at the end of the test.


def _environment() -> dict[str, str]:
    # Under a coverage run or another debugger the debugged process must not be traced twice.
    return {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE_", "PYDEVD_"))}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["command", "launch.json"])
async def test_a_debugger_stops_in_the_function_with_the_failing_input(new_editor, way: str) -> None:
    editor = await new_editor()
    uri = editor.open("middle.py", WRONG)
    await editor.diagnostics(uri)
    if way == "command":
        configuration = await editor.run(
            "lspEvalplus.debugInput", {"uri": uri, "name": "middle", "configurationOnly": True}
        )
    else:
        await editor.run("lspEvalplus.debugInput", {"uri": uri, "name": "middle"})
        await editor.take("workspace/applyEdit")
        (configuration,) = json.loads((editor.root / ".vscode/launch.json").read_text())["configurations"]

    with Debugger() as debugger:
        debugger.answer(debugger.ask("initialize", {"adapterID": "debugpy", "pathFormat": "path"}))
        launched = debugger.ask("launch", dict(configuration))
        debugger.event("initialized")
        source = {"path": str(editor.root / "middle.py")}
        line = WRONG.split("\n").index("    return numbers[place]") + 1
        debugger.answer(debugger.ask("setBreakpoints", {"source": source, "breakpoints": [{"line": line}]}))
        debugger.answer(debugger.ask("configurationDone"))
        debugger.answer(launched)
        thread = debugger.event("stopped")["threadId"]
        frame = debugger.answer(debugger.ask("stackTrace", {"threadId": thread}))["stackFrames"][0]
        shown = debugger.answer(debugger.ask("evaluate", {"expression": "(numbers, place)", "frameId": frame["id"]}))
        debugger.answer(debugger.ask("continue", {"threadId": thread}))
        debugger.event("terminated")
        printed = [one["body"]["output"] for one in debugger.seen if one.get("event") == "output"]

    assert (frame["name"], frame["line"]) == ("middle", line)
    assert Path(frame["source"]["path"]) == editor.root / "middle.py"
    assert shown["result"] == "([3, 1, 2], 1)"
    assert "returned: 1" in "".join(printed)
    assert "expected: returned 2" in "".join(printed)
