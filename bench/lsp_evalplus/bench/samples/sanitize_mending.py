"""Repairs of text with damaged code, tried only if nothing sound is found without them.

Each returns the whole text as possibly intended; a repair is right if the function in it is sound.
"""

from __future__ import annotations

import html
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-f]{2,4});", re.IGNORECASE)
_ENTITY_NAMES = frozenset(("lt", "gt", "amp", "quot", "apos", "nbsp"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2000\u2002\u2003\u2009\u202f\u3000"), " ")
_QUOTES = {
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
}
_SIGNS = {ord("\u2212"): "-", ord("\u2013"): "-", ord("\u2014"): "-", ord("\uff08"): "(", ord("\uff09"): ")"} | {
    ord("\uff1a"): ":",
    ord("\uff0c"): ",",
}
_MOST_TEXTS = 20


def mended(text: str) -> Iterator[str]:
    """Repaired versions of `text`, the smallest repair first, without those that change nothing."""
    repairs: tuple[Callable[[str], str], ...] = (
        _with_plain_spaces,
        html.unescape,
        _with_plain_quotes,
        _without_diff_marks,
        _with_line_breaks,
    )
    tried = {text}
    for repair in repairs:
        found = repair(text)
        if found not in tried:
            tried.add(found)
            yield found


def is_damaged(code: str) -> bool:
    """Whether code is damaged although Python parses it: ``a &lt; b`` is an expression and a name."""
    if not _ENTITY.search(code):
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(
        first.string == "&" and second.string in _ENTITY_NAMES and third.string == ";"
        for first, second, third in zip(tokens, tokens[1:], tokens[2:])
    )


def _with_plain_spaces(text: str) -> str:
    return text.translate(_SPACES)


def _with_plain_quotes(text: str) -> str:
    return text.translate(_SPACES | _QUOTES | _SIGNS)


def _without_diff_marks(text: str) -> str:
    """The result of a patch: added and context lines."""
    lines = text.split("\n")
    if sum(line.startswith("+") for line in lines) < 2:
        return text
    kept = [line for line in lines if not re.match(r"-(?!-*\s*$)|\+\+\+ |@@ ", line)]
    return "\n".join(line[1:] if line[:1] in ("+", " ") else line for line in kept)


def _with_line_breaks(text: str) -> str:
    """Text that was written as the content of a string literal."""
    if text.count("\\n") <= text.count("\n"):
        return text
    plain = text.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t")
    return plain.replace('\\"', '"').replace("\\'", "'")


def texts_in_json(parts: Iterable[str]) -> Iterator[str]:
    """The strings with code in the parts of an answer that are JSON."""
    for part in parts:
        if part.lstrip()[:1] in ("{", "["):
            try:
                value: Any = json.loads(part, strict=False)
            except (ValueError, RecursionError):
                continue
            yield from (found for found in _strings(value) if "def " in found or "lambda" in found)


def _strings(value: Any) -> list[str]:
    found: list[str] = []
    pending: list[Any] = [value]
    while pending and len(found) < _MOST_TEXTS:
        item = pending.pop(0)
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            pending.extend(cast("dict[str, Any]", item).values())
        elif isinstance(item, list):
            pending.extend(cast("list[Any]", item))
    return found
