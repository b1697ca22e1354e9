"""Parse an endpoint's response into choices and usage, tolerating deviations from the API.

Endpoints differ in where they put the model's output. A finished answer is valid even if empty: a refusal, a tool call,
or reasoning that used up all tokens. Retrying would cost the same and change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer."""

    text: str
    finish: str
    """``stop``, ``length``, ``content_filter``, or another value of the endpoint."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and requests used, as counted by the endpoint."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.requests - other.requests,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
        )

    def cost(self, per_million_in: float, per_million_out: float) -> float:
        """Return the cost of these tokens at prices per million."""
        return (self.prompt_tokens * per_million_in + self.completion_tokens * per_million_out) / 1e6


@dataclass(frozen=True, slots=True)
class Reply:
    """All answers to one request; there may be fewer than requested."""

    choices: tuple[Choice, ...]
    usage: Usage
    model: str


class UnusableReplyError(Exception):
    """A response without an answer; `usage` is its cost nevertheless."""

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.reason, self.usage = reason, usage


def read_reply(content: bytes, *, chat: bool) -> Reply:
    """Parse a response body. Raises `UnusableReplyError` if it has no answer."""
    record = _read_body(content)
    usage = read_usage(record.get("usage")) + Usage(requests=1)
    choices = tuple(_read_choices(record.get("choices"), chat=chat))
    if not choices:
        raise UnusableReplyError(f"no choices in the answer ({json.dumps(_error_in(record))[:200]})", usage)
    return Reply(choices, usage, str(record.get("model") or ""))


def _read_body(content: bytes) -> Mapping[str, Any]:
    try:
        if content.lstrip().startswith((b"data:", b": ")):
            return _join_events(content)
        try:
            body: Any = json.loads(content)
        except UnicodeDecodeError:
            body = json.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UnusableReplyError(f"the answer is not JSON ({content[:60]!r})", Usage()) from error
    if not isinstance(body, dict):
        raise UnusableReplyError("the answer is not a JSON object", Usage())
    return cast("dict[str, Any]", body)


def _join_events(content: bytes) -> Mapping[str, Any]:
    """Join an unsolicited event stream into the equivalent single response."""
    whole: dict[str, Any] = {}
    texts: dict[int, list[str]] = {}
    finishes: dict[int, Any] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        chunk: Any = json.loads(data)
        fields = cast("dict[str, Any]", chunk) if isinstance(chunk, dict) else {}
        whole.update({key: value for key, value in fields.items() if key != "choices" and value is not None})
        for choice in _objects(fields.get("choices")):
            index = choice.get("index") or 0
            delta = choice.get("delta") or choice.get("message")
            text = _to_text(cast("dict[str, Any]", delta).get("content") if isinstance(delta, dict) else None)
            texts.setdefault(index, []).append(text or _to_text(choice.get("text")) or "")
            finishes[index] = choice.get("finish_reason") or finishes.get(index)
    joined = [("".join(pieces), finishes[index]) for index, pieces in sorted(texts.items())]
    choices = [{"message": {"content": text}, "text": text, "finish_reason": finish} for text, finish in joined]
    return {**whole, "choices": choices}


def _error_in(record: Mapping[str, Any]) -> Any:
    errors = [choice.get("error") for choice in _objects(record.get("choices"))]
    return next((error for error in [record.get("error"), *errors] if error), None)


def _objects(value: Any) -> list[dict[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _read_choices(value: Any, *, chat: bool) -> Sequence[Choice]:
    found: list[Choice] = []
    for choice in _objects(value):
        finish = str(choice.get("finish_reason") or "")
        if choice.get("error") or finish == "error":
            continue
        message = choice.get("message")
        fields = cast("dict[str, Any]", message) if chat and isinstance(message, dict) else None
        text = _to_text(choice.get("text")) if fields is None else _text_of(fields, has_ended=bool(finish))
        if text is not None:
            found.append(Choice(text, finish))
    return found


def _text_of(message: Mapping[str, Any], *, has_ended: bool) -> str | None:
    """Return a message's content from any known field; None if it is empty and unfinished."""
    text = _to_text(message.get("content"))
    if text:
        return text
    calls = [call.get("function") for call in _objects(message.get("tool_calls"))]
    said = [_to_text(cast("dict[str, Any]", call).get("arguments")) for call in calls if isinstance(call, dict)]
    told = [*said, _to_text(message.get("refusal"))]
    thought = _to_text(message.get("reasoning_content")) or _to_text(message.get("reasoning"))
    if thought:
        told.append(f"<think>\n{thought}")
    found = next((item for item in told if item), None)
    return text if found is None and text is not None else found or ("" if has_ended else None)


def _to_text(content: Any) -> str | None:
    """Convert content to a string; a list of parts is reduced to its text parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in _objects(cast("list[Any]", content)))
    return content if isinstance(content, str) else None


def read_usage(value: Any) -> Usage:
    """Read the token counts in the ``usage`` of a response or stream chunk; 0 for invalid values."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else getattr(value, "__dict__", {})
    counts = [fields.get(name) for name in ("prompt_tokens", "completion_tokens")]
    return Usage(0, *(count if type(count) is int and count > 0 else 0 for count in counts))
