"""Directive comments: ``# lsp-evalplus: reference=ref.py::median`` above a function or on its ``def`` line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import ArgumentsText, FunctionTarget, OracleKind

KEYS = ("reference", "refactoring", "budget", "ignore", "off", "tolerance", "order", "exceptions")
"""Directive keys. ``off`` and ``refactoring`` take no value, ``ignore`` takes an optional fingerprint."""
_DIRECTIVE = re.compile(r"#\s*lsp-evalplus:\s*(?P<body>[^#]*)")
_ITEM = re.compile(r"(?P<key>[A-Za-z-]+)(?:\s*=\s*(?P<value>\"[^\"]*\"|[^,;\s]+))?")


def read_directives(target: FunctionTarget, lines: Sequence[str]) -> dict[str, str]:
    """Return the directives for `target` as key -> value (may be empty); the one nearest to ``def`` wins.

    Raises:
        UserError: a directive has an unknown key.
    """
    found = dict[str, str]()
    for number, body in _bodies(target, lines):
        for item in _ITEM.finditer(body):
            key = item["key"].lower()
            if key not in KEYS:
                where = f"{target.program.path or 'the text'}, line {number + 1}"
                raise UserError(f"{where}: unknown directive {key!r}; known are {', '.join(KEYS)}.")
            found[key] = (item["value"] or "").strip('"')
    return found


def finding_mark(name: str, oracle: OracleKind, arguments: ArgumentsText) -> str:
    """Return the mark of a finding for ``ignore`` directives; it depends on function, oracle and input only."""
    text = "\0".join((name, oracle.value, arguments))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def is_ignored(value: str | None, mark: str) -> bool:
    """Whether the value of an ``ignore`` directive suppresses a finding: empty suppresses all, ``a+b`` two."""
    return value is not None and (value == "" or mark in value.split("+"))


def _bodies(target: FunctionTarget, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield directive bodies: in comments right above the function, among its decorators, on its first line."""
    start = target.span.start_line
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    for number in range(start, min(target.name_span.end_line + 1, len(lines))):
        match = _DIRECTIVE.search(lines[number])
        if match:
            yield number, match["body"]
