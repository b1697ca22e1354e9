"""How much working code lines hold: what a snippet brings, prose, comments and imports are none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from keyword import kwlist
from typing import Final

_LONG_STRING: Final = re.compile(r"(\"\"\"|''').*?\1", re.DOTALL)
_STRING_OR_COMMENT: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#.*")
_HEADER: Final = re.compile(r"(?:async )?(?:def|class|for|while|if|elif|else|with|try|except|finally|match|case)\b.*:$")
_EMPTY_HEADER: Final = re.compile(r"(?:async )?(?:class\b|def __\w+__)")
"""Of what editors write by name: a special method with one line is as much as a snippet has."""
_DEFINED: Final = re.compile(r"(?:async )?def (\w+)")
_CONDITION: Final = re.compile(r"(?:if|elif|while)\b.*(?:[=<>(]|\b(?:and|or|in|is)\b)")
"""One that compares or calls: those of snippets are a word to fill in."""
_ATOM: Final = r"(?:\w+|''|\[\]|\{\}|\(\)|[\w.]+\((?:__name__)?\))"
_GETTER: Final = re.compile(rf"(?:return|yield) (?:[\w.]+|{_ATOM})$")
_TRIVIAL: Final = re.compile(
    rf"""(?:
        @.* | import\b.* | from\b.* | pass | \.\.\. | break | continue | raise\b.* | assert\b.*
        | return | yield(?:\ [^\W\d]\w*)?
        | [\w.]+ (?:\s*:\s*[\w.\[\], |]+)? \s*=\s* {_ATOM}      # A name for what is there already.
        | [\w.]+ \s*=\s* [(\[{{]                               # What stands in brackets follows.
        | (?:async\ )?for\ [\w, ]+\ in\ [\w.]+ | if\ [\w.]+      # Of names only.
        | (?:async\ )?(?:def|class)\b.*:\ (?:pass|\.\.\.)
        | [\w.]+ \s*:\s* [\w.\[\], |]+ (?:=.*)?                 # A field.
        | [A-Z_]+ \s*=.*                                       # A constant.
        | del\ [\w.]+
        | (?:return\ )? (?: super\(.*\)\..* | \w+\(\*args,\ \*\*kwargs\) )
        | (?:print|breakpoint|self\.assert\w*|log(?:ger|ging)?\.\w+|\w+\.set_trace)\(.*
        | .*__name__.*:
    )$""",
    re.VERBOSE,
)
_IMPORT: Final = re.compile(r"(?:import|from)\b")
_WORKING: Final = re.compile(
    r"[=(\[+*/%<>.-]|\b(?:return|yield|raise|del|assert|await|not|and|or|in|is|if|else|lambda)\b"
)
_KEYWORDS: Final = "|".join([*kwlist, "match", "case", "type"])
_PROSE: Final = re.compile(rf"\b(?!(?:{_KEYWORDS})\b)[^\W\d]\w* +(?!(?:{_KEYWORDS})\b)[^\W\d]\w*")
"""Two words side by side, neither of them a keyword."""


def bare_lines(text: str) -> list[str]:
    """The lines of `text` without indentation and comments, their strings empty."""
    shortened = _LONG_STRING.sub("''", text) if '"""' in text or "'''" in text else text
    return [_STRING_OR_COMMENT.sub(_emptied, line).strip() for line in shortened.splitlines()]


def count_statements(lines: Sequence[str]) -> int:
    """How many of these lines are code, whatever they do; imports, comments and prose are none."""
    return sum(1 for line in lines if _is_statement(line))


def _is_statement(line: str) -> bool:
    return re.search(r"\w", line) is not None and _IMPORT.match(line) is None and _PROSE.search(line) is None


def _emptied(found: re.Match[str]) -> str:
    return "" if found[0].startswith("#") else "''"


def count_code(lines: Sequence[str], *, goes_on: bool) -> int:
    """How many of these lines, as `bare_lines` returns them, do something.

    The header of a block counts with what follows it; `goes_on` says whether something follows the last line.
    """
    count, follows = 0, goes_on
    inner = {found[1] for line in lines if (found := _DEFINED.match(line)) is not None}
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if not re.search(r"\w", line):
            continue
        if _HEADER.match(line) and not _TRIVIAL.match(line):
            count += (follows and not _EMPTY_HEADER.match(line)) or _CONDITION.match(line) is not None
        else:
            # A docstring is empty by now.
            above = next((one for one in reversed(lines[:index]) if one.strip("'")), "")
            # What a decorator returns is the function in it.
            follows = _works(line, above) and line.removeprefix("return ") not in inner
            count += follows
    return count


def _works(line: str, above: str) -> bool:
    if _GETTER.match(line) and above.startswith(("def ", "async def ", "@")):
        return False
    return not _TRIVIAL.match(line) and _WORKING.search(line) is not None and _PROSE.search(line) is None
