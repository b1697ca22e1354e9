"""The server's view of documents, rebuilt from what the client sent: what a reported range really holds."""

from __future__ import annotations

from typing import Any


def text_in(document: str, position: dict[str, int]) -> int:
    """The index of a position; columns are UTF-16 units."""
    lines = document.split("\n")
    index = sum(len(line) + 1 for line in lines[: position["line"]])
    rest = lines[position["line"]].encode("utf-16-le")[: 2 * position["character"]]
    return index + len(rest.decode("utf-16-le"))


def slice_of(document: str, range_: dict[str, Any]) -> str:
    """The text of a range."""
    return document[text_in(document, range_["start"]) : text_in(document, range_["end"])]


class Documents:
    """All documents, after some messages."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def take(self, message: dict[str, Any]) -> None:
        """Follow one message."""
        method, params = message.get("method"), message.get("params") or {}
        if method == "textDocument/didOpen":
            item = params["textDocument"]
            self.texts[item["uri"]], self.versions[item["uri"]] = item["text"], item["version"]
        elif method == "textDocument/didChange":
            uri = params["textDocument"]["uri"]
            for change in params["contentChanges"]:
                self._change(uri, change)
            self.versions[uri] = params["textDocument"]["version"]

    def _change(self, uri: str, change: dict[str, Any]) -> None:
        text = self.texts[uri]
        if "range" not in change:
            self.texts[uri] = change["text"]
            return
        start, end = text_in(text, change["range"]["start"]), text_in(text, change["range"]["end"])
        self.texts[uri] = text[:start] + change["text"] + text[end:]
