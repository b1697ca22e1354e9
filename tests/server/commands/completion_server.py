"""A completion server that speaks copilot-language-server's protocol: offers one completion, notes what it is told.

``python completion_server.py [LOG]``: each message it gets becomes a line of LOG. Standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TEXT = "total = 0\n    for x in xs:\n        total += x\n    return total"
CAPABILITIES = {
    "textDocumentSync": {"openClose": True, "change": 2},
    "inlineCompletionProvider": {},
    "executeCommandProvider": {"commands": ["github.copilot.didAcceptCompletionItem"]},
}


def read() -> dict[str, Any] | None:
    """The next message; None at the end of the stream."""
    length = 0
    while (line := sys.stdin.buffer.readline()) != b"\r\n":
        if not line:
            return None
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))


def answer(request: dict[str, Any]) -> Any:
    """The result of a request."""
    if request["method"] == "initialize":
        return {"capabilities": CAPABILITIES, "serverInfo": {"name": "stand-in", "version": "1"}}
    if request["method"] == "textDocument/inlineCompletion":
        position = request["params"]["position"]
        command = {"title": "Accepted", "command": "github.copilot.didAcceptCompletionItem", "arguments": ["item-1"]}
        return {"items": [{"insertText": TEXT, "range": {"start": position, "end": position}, "command": command}]}
    return None


def main() -> None:
    """Answer until the client ends."""
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    while (message := read()) is not None and message.get("method") != "exit":
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(message) + "\n")
        if "id" in message and "method" in message:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
