"""Detection of accepted completions from both directions of a completion server's stream.

Three dialects are known. Standard: `textDocument/inlineCompletion` of LSP 3.18, whose items carry a command that the
client executes on acceptance (copilot-language-server: ``github.copilot.didAcceptCompletionItem``), with
`textDocument/didPartiallyAcceptCompletion` beside it. Next edits: `textDocument/copilotInlineEdit`, the same with
edits. Legacy: `getCompletions` and `notifyAccepted`, which older Copilot clients still use. Everything else is
ignored.

The protocol of copilot-language-server is described in the README of @github/copilot-language-server.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard, TypeVar, cast

from .frames import Message

_MAX_REMEMBERED: Final = 512
_Position = tuple[int, int]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Offer:
    """One completion that the server offered."""

    uri: str
    start: _Position
    """Start of its text in the document: line and UTF-16 column, from zero."""
    text: str
    kind: str
    """``full`` or ``nextEdit``: the kind of its complete acceptance."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An offer, or the part of it, that the user accepted."""

    uri: str
    start: _Position
    text: str
    kind: str
    """``full``, ``word`` or ``nextEdit``."""

    def to_params(self) -> Message:
        """Parameters of ``lspEvalplus/accepted``; the version is unknown, because editors count versions per server."""
        end = end_of_text(self.start, self.text)
        return {
            "textDocument": {"uri": self.uri, "version": None},
            "ranges": [{"start": _to_position(self.start), "end": _to_position(end)}],
            "kind": self.kind,
            "source": "proxy",
            "text": self.text,
        }


class AcceptanceReader:
    """Tracks one connection. Unknown messages are ignored and never raise."""

    def __init__(self) -> None:
        self._requests: OrderedDict[str, Callable[[Any], None]] = OrderedDict()
        self._offers: OrderedDict[str, Offer] = OrderedDict()

    def from_editor(self, message: Message) -> list[Accepted]:
        """Process a message to the completion server; return the acceptances in it."""
        method, params = message.get("method"), message.get("params")
        if not isinstance(method, str) or not _is_mapping(params):
            return []
        readers = {
            "textDocument/inlineCompletion": self._asked_standard,
            "textDocument/copilotInlineEdit": self._asked_edit,
            "getCompletions": self._asked_legacy,
            "getCompletionsCycling": self._asked_legacy,
        }
        if method in readers and "id" in message:
            _keep(self._requests, _key(message["id"]), readers[method](params))
            return []
        if method == "workspace/executeCommand":
            return self._taken(_key([params.get("command"), params.get("arguments") or []]), None)
        if method == "textDocument/didPartiallyAcceptCompletion":
            return self._taken_in_part(params)
        if method == "notifyAccepted":
            return self._taken(_key(params.get("uuid")), params.get("acceptedLength"))
        return []

    def from_server(self, message: Message) -> None:
        """Process a message to the editor: remember the offers of a response."""
        if "method" in message or "id" not in message:
            return
        remember = self._requests.pop(_key(message["id"]), None)
        if remember is not None and message.get("result") is not None:
            remember(message["result"])

    def _asked_standard(self, params: Mapping[str, Any]) -> Callable[[Any], None]:
        uri, place = _place(params.get("textDocument"), params.get("position"))

        def remember(result: Any) -> None:
            for item in _mappings(result.get("items") if _is_mapping(result) else result):
                start = _start(item.get("range")) or place
                self._offer(item.get("command"), uri, start, _plain(item.get("insertText")), "full")

        return remember

    def _asked_edit(self, params: Mapping[str, Any]) -> Callable[[Any], None]:
        asked_uri, _ = _place(params.get("textDocument"), None)

        def remember(result: Any) -> None:
            for edit in _mappings(result.get("edits") if _is_mapping(result) else None):
                uri, _ = _place(edit.get("textDocument"), None)
                self._offer(
                    edit.get("command"), uri or asked_uri, _start(edit.get("range")), edit.get("text"), "nextEdit"
                )

        return remember

    def _asked_legacy(self, params: Mapping[str, Any]) -> Callable[[Any], None]:
        document: Any = params.get("doc")
        uri, place = _place(document, document.get("position") if _is_mapping(document) else None)

        def remember(result: Any) -> None:
            for item in _mappings(result.get("completions") if _is_mapping(result) else None):
                start = _start(item.get("range")) or place
                if uri and start and isinstance(item.get("text"), str):
                    _keep(self._offers, _key(item.get("uuid")), Offer(uri, start, item["text"], "full"))

        return remember

    def _offer(self, command: Any, uri: str | None, start: _Position | None, text: Any, kind: str) -> None:
        if _is_mapping(command) and uri and start and isinstance(text, str):
            key = _key([command.get("command"), command.get("arguments") or []])
            _keep(self._offers, key, Offer(uri, start, text, kind))

    def _taken_in_part(self, params: Mapping[str, Any]) -> list[Accepted]:
        item: Any = params.get("item")
        command: Any = item.get("command") if _is_mapping(item) else None
        if not _is_mapping(command):
            return []
        return self._taken(_key([command.get("command"), command.get("arguments") or []]), params.get("acceptedLength"))

    def _taken(self, key: str, length: Any) -> list[Accepted]:
        """The accepted offer; `length` is in UTF-16 units from the start of the text, None for all of it."""
        offer = self._offers.get(key)
        if offer is None:
            return []
        if isinstance(length, int) and length < utf16_length(offer.text):
            part = first_units(offer.text, length)
            return [Accepted(offer.uri, offer.start, part, "word")] if part else []
        del self._offers[key]
        return [Accepted(offer.uri, offer.start, offer.text, offer.kind)] if offer.text else []


def end_of_text(start: _Position, text: str) -> _Position:
    """The end position of text that starts at `start`, in lines and UTF-16 columns."""
    lines = re.split(r"\r\n|\r|\n", text)
    last = utf16_length(lines[-1])
    return (start[0], start[1] + last) if len(lines) == 1 else (start[0] + len(lines) - 1, last)


def utf16_length(text: str) -> int:
    """The length of a string in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def first_units(text: str, length: int) -> str:
    """The first `length` UTF-16 units of a string, without an incomplete surrogate pair at the end."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * max(length, 0)].decode("utf-16-le", "ignore")


def _plain(text: Any) -> Any:
    """The text of an item; a snippet's placeholders are replaced by their defaults."""
    if not _is_mapping(text):
        return text
    value: Any = text.get("value")
    if not isinstance(value, str) or text.get("kind") != "snippet":
        return value
    value = re.sub(r"(?<!\\)\$\{\d+:([^{}]*)\}", r"\1", value)
    value = re.sub(r"(?<!\\)\$(?:\d+|\{\d+\})", "", value)
    return re.sub(r"\\([$}\\])", r"\1", value)


def _place(document: Any, position: Any) -> tuple[str | None, _Position | None]:
    uri: Any = document.get("uri") if _is_mapping(document) else None
    return (uri if isinstance(uri, str) else None), _position(position)


def _start(range_: Any) -> _Position | None:
    return _position(range_.get("start")) if _is_mapping(range_) else None


def _position(value: Any) -> _Position | None:
    if not _is_mapping(value):
        return None
    line, character = value.get("line"), value.get("character")
    return (line, character) if isinstance(line, int) and isinstance(character, int) else None


def _to_position(place: _Position) -> Message:
    return {"line": place[0], "character": place[1]}


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in cast("list[Any]", value) if _is_mapping(item))


def _is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _keep(table: OrderedDict[str, _Value], key: str, value: _Value) -> None:
    """Remember the newest entries only: there are thousands of completions, and most are never accepted."""
    table.pop(key, None)
    table[key] = value
    while len(table) > _MAX_REMEMBERED:
        table.popitem(last=False)
