"""Examples in prose: ``f(x) -> y``, ``f(x) == y``, ``f(x) returns y``, ``Input: … Output: …``, ``for n = 3 … gives 4``.

Parsing is conservative: an argument that is not a value drops the example, a result that is not a value is ignored.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

from lsp_evalplus.fuzz.guest.comparison.approximate_text import is_rounded
from lsp_evalplus.fuzz.model import Example
from lsp_evalplus.fuzz.source.parsing import parse_expression

from .calls import CallReader
from .values import Result, end_of_brackets, read_result, read_value

_SYMBOL = re.compile(r"\s*(?:#\s*)?(?:={1,3}>|-{1,2}>|==+|[→➞⇒⟶]|=|\bis\b(?!\s+not))\s*")
_WORDS = re.compile(
    r"[ \t]*(?:#|//|,)?[ \t]*(?:(?:will|would|should|must)[ \t]+)?"
    r"(?:returns?|be|gives?|outputs?|evaluates?[ \t]+to|results?[ \t]+in|equals?|yields?|produces?)"
    r"(?:[ \t]+(?:be|is|to|the))?[ \t]*:?[ \t]*"
)
_RAISES = re.compile(
    r"`?\s*(?:#\s*)?(?:[-=]>|→|➞)?\s*(?:(?:will|should|must)\s+)?(?:raises?|throws?)\s+(?:an?\s+|the\s+)?`?(?P<name>[A-Z]\w*)`?"
)
_COMMENT = re.compile(r"[ \t]*#[ \t]*(?=[-+\d'\"\[({TFN])")
_INPUT = re.compile(r"\binputs?\b[^\S\n]*(?:\d+[^\S\n]*)?[:=]", re.IGNORECASE)
_OUTPUT = re.compile(r"\b(?:outputs?|returns?|results?|answers?)\b[^\S\n]*(?:\d+[^\S\n]*)?[:=]\s*", re.IGNORECASE)
_SHOULD = re.compile(
    r"\b(?:outputs?|results?|answers?|it|function)\b[^.\n\"']{0,30}?\b(?:should|will|would|must)\b\s*(?:be|return|output)?\s*"
    r"|\b(?:we|you)\s+(?:get|return)\s+|\b(?:the\s+)?(?:output|result|answer|return value)\s+is\s+|\breturns?\s+",
    re.IGNORECASE,
)
_REACH = 600
"""Maximum distance in characters from ``Input:`` to ``Output:``."""


def read_prose(text: str, reader: CallReader, first_line: int) -> list[Example]:
    """Read examples of one function from a docstring's prose, in order."""
    found = [*_read_calls(text, reader), *_read_labels(text, reader), *_read_sentences(text, reader)]
    found.sort(key=lambda pair: pair[0])
    return [
        dataclasses.replace(example, line=first_line + text.count("\n", 0, position)) for position, example in found
    ]


def _read_calls(text: str, reader: CallReader) -> Iterator[tuple[int, Example]]:
    for match in re.finditer(rf"(?<![\w.]){_callee(reader)}[ \t]?\(", text):
        end = end_of_brackets(text, match.end() - 1)
        if end is None or _is_definition(text, match.start()):
            continue
        call = parse_expression(text[match.start() : end])
        if call is not None and reader.reads(call):
            raised = _RAISES.match(text, end)
            result = None if raised else _result_after(text, end)
            for example in reader.examples(call, None, None, raises=raised["name"] if raised else None):
                yield match.start(), _stating(result, example)


def _callee(reader: CallReader) -> str:
    owner = rf"{re.escape(reader.owner)}(?:\(\))?\." if reader.owner else ""
    return owner + re.escape(reader.name)


def _is_definition(text: str, start: int) -> bool:
    return text[:start].rstrip().endswith(("def", "class"))


def _stating(result: Result | None, example: Example) -> Example:
    if result is None:
        return example
    return dataclasses.replace(example, expected=result.value, written=result.written)


def _exact(result: Result | None) -> Result | None:
    return None if result is None or is_rounded(result.value) else result


def _result_after(text: str, end: int) -> Result | None:
    """Return the result a sentence states for the call that ends at `end`."""
    start = end + 1 if text[end : end + 1] in {"`", '"', "'"} else end
    for pattern in (_SYMBOL, _WORDS, _COMMENT):
        match = pattern.match(text, start)
        if match is None:
            continue
        begin = match.end() + (text[match.end() : match.end() + 1] == "`")
        result = read_result(text, begin)
        # `==` states a number, which is only compared up to its stated digits.
        is_meant = pattern is _SYMBOL and "==" in match[0]
        return result if is_meant else _exact(result)
    return None


def _read_labels(text: str, reader: CallReader) -> Iterator[tuple[int, Example]]:
    """Read ``Input: … Output: …``, with named or positional parameters."""
    for match in _INPUT.finditer(text):
        output = _OUTPUT.search(text, match.end(), match.end() + _REACH)
        following = _INPUT.search(text, match.end())
        if output is None or (following is not None and following.start() < output.start()):
            continue
        arguments = _named_or_bare(text[match.end() : output.start()], reader)
        if arguments is not None:
            yield match.start(), _stating(_exact(read_result(text, output.end())), Example(arguments, None))


def _read_sentences(text: str, reader: CallReader) -> Iterator[tuple[int, Example]]:
    """Read ``For n = 3 the output should be 4``: every required parameter named, on one line."""
    position = 0
    for line in text.split("\n"):
        if not _INPUT.search(line) and re.match(
            r"\s*[-*\d.)]*\s*(?:for|if|when|given|with|e\.g\.)\b", line, re.IGNORECASE
        ):
            named, end = _assignments(line, reader)
            arguments = reader.bind([], named) if named else None
            if arguments is not None:
                yield position, _stating(_last_result(line, end), Example(arguments, None))
        position += len(line) + 1


def _last_result(line: str, start: int) -> Result | None:
    results = [read_result(line, match.end()) for match in _SHOULD.finditer(line, start)]
    # A sentence may state several results ("the sum will be 1 the output should be '1'"); the last one counts.
    return _exact(results[-1]) if results else None


def _named_or_bare(text: str, reader: CallReader) -> str | None:
    named, _ = _assignments(text, reader)
    if named:
        return reader.bind([], named)
    text = text.strip().rstrip(".")
    values = list[ast.expr]()
    position = 0
    while position < len(text):
        value = read_value(text, position)
        if value is None and values:
            return None
        if value is None:
            # `1, 2` is two values here; `read_value` alone considers it ambiguous.
            return _bare_tuple(text, reader)
        values.append(ast.parse(value[0], mode="eval").body)
        position = value[1]
        position += len(text[position:]) - len(text[position:].lstrip(" \t\n,;"))
    return reader.bind(values, {}) if len(values) == len(reader.positional) else None


def _bare_tuple(text: str, reader: CallReader) -> str | None:
    parsed = parse_expression(text.replace("\n", " "))
    values = list(parsed.elts) if isinstance(parsed, ast.Tuple) else []
    return reader.bind(values, {}) if values and len(values) == len(reader.positional) else None


def _assignments(text: str, reader: CallReader) -> tuple[dict[str, ast.expr], int]:
    """Read ``name = value`` pairs for parameters of the function; also return the end of the last one."""
    found = dict[str, ast.expr]()
    end = 0
    for name in (*reader.positional, *reader.keyword_only):
        match = re.search(rf"(?<![\w.]){re.escape(name)}\s*(?:=|:|\bis\b)\s*", text)
        value = read_value_before_comma(text, match.end()) if match else None
        if value is not None:
            found[name] = ast.parse(value[0], mode="eval").body
            end = max(end, value[1])
    return found, end


def read_value_before_comma(text: str, start: int) -> tuple[str, int] | None:
    """Like `read_value`, but a comma starts the next assignment rather than a tuple."""
    for stop in (*(match.start() for match in re.finditer(r",", text[start:])), None):
        piece = text[: start + stop] if stop is not None else text
        value = read_value(piece, start)
        if value is not None:
            return value
    return None
