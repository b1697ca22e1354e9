"""Splitting of model output into regions that may contain code: Markdown fences and the text between them.

Reasoning is set aside. All functions read each line a constant number of times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_CHARACTERS = 1_000_000
"""Longer answers are truncated: no solution is that long, and a looping model may not stop."""

_REASONING_TAGS = "think|thinking|thought|reasoning|reflection|analysis|scratchpad"
_REASONING_MARK = re.compile(
    rf"<(?P<close>/?)(?:{_REASONING_TAGS})>|<\|(?:begin|(?P<end>end))_of_thought\|>|◁(?P<slash>/?)think▷", re.IGNORECASE
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final[^<\n]{0,100}<\|message\|>")
_SPECIAL_TOKENS = re.compile(
    r"<\|(?:endoftext|endofmask|im_end|im_start|eot_id|end|return|end_of_text|assistant|begin_of_solution|end_of_solution)\|>"
    r"|</s>|<s>|<｜end▁of▁sentence｜>|<end_of_turn>|\[/?INST\]"
)
_LEAD = 300
_INVISIBLE = dict.fromkeys([0, 0x200B, 0x2060, 0xFEFF])
_INFO = re.compile(r"[\w.+#{}=\" -]*")
_INLINE_FENCE = re.compile(r"^[^`]*```(?:python3?|py)?[ \t]([^`\n]+)```")
_QUOTED_CODE = re.compile(r" {0,3}> ?(?:`{3}|~{3}|(?:async )?def \w|class \w)")
_QUOTATION = re.compile(r"^ {0,3}>(?!>>) ?")
_IPYTHON = re.compile(r"\s*(?:In \[\d*\]: ?| {2,}\.{3,}: ?)")
_NUMBERED = re.compile(r"\s*(\d+)(?:[ \t]*[|:.)]|\t| |$)[ \t]?")
_PYTHON_NAMES = frozenset(
    {"", "python", "python3", "py", "py3", "ipython", "ipython3", "pycon", "python2", "sage", "code"}
)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a text that may be code."""

    text: str
    fenced: bool
    """Between fence marks; otherwise surrounding text."""
    python: bool
    """The fence names Python, or no language."""
    lead: str = ""
    """The end of the text between the previous region and this one, which may introduce it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Model output with its reasoning set aside."""

    text: str
    reasoning: str


def split_reasoning(raw: str) -> Answer:
    """Return the model's answer, without ``<think>`` blocks, special tokens, invisible and NUL characters.

    A lone closing tag ends the reasoning (the opening one was part of the prompt); a lone opening tag means that the
    answer is missing, so the text before it is used.
    """
    text = raw[:MAX_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n").translate(_INVISIBLE)
    final = list(_FINAL_CHANNEL.finditer(text))
    if final:
        return Answer(_clean(text[final[-1].end() :]), _clean(text[: final[-1].start()]))
    kept, open_at, done = "", None, 0
    for mark in _REASONING_MARK.finditer(text):
        closes = bool(mark["close"] or mark["end"] or mark["slash"])
        if closes and open_at is None and _stands_alone(text, mark):
            kept, done = "", mark.end()
        elif closes and open_at is not None:
            open_at, done = None, mark.end()
        elif not closes and open_at is None and _stands_alone(text, mark):
            kept, open_at = kept + text[done : mark.start()] + "\n", mark.start()
    answer = kept if open_at is not None else kept + text[done:]
    return Answer(_clean(answer), _clean(text) if answer != text else "")


def _stands_alone(text: str, mark: re.Match[str]) -> bool:
    """Whether a tag is a mark: one side of it must be empty, unlike in a string constant in a line of code."""
    before = text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()]
    after = text[mark.end() : text.find("\n", mark.end()) % (len(text) + 1)]
    return len(before) < 400 and (not before.strip() or not after.strip() or before.rstrip()[-1:] in ".!?")


def _clean(text: str) -> str:
    return _SPECIAL_TOKENS.sub("\n", text)


def find_regions(text: str) -> list[Region]:
    """Return the regions of a text in order, fenced and not.

    An unclosed fence ends with the text; one that was opened by the prompt is found too, because the text before the
    first mark is a region like any other.
    """
    regions: list[Region] = []
    lines: list[str] = []
    mark: str | None = None
    python = True
    for line in _unquote(text.split("\n")):
        fence = _read_fence(line)
        if mark is None and fence is not None and _opens(fence):
            _add(regions, [*lines, fence.before], fenced=False, python=True)
            mark, python, lines = fence.mark, _is_python(fence.info), []
        elif mark is not None and _closes(line, mark):
            _add(regions, lines, fenced=True, python=python)
            mark, lines = None, []
        elif mark is not None and _closes_behind(line, mark):
            _add(regions, [*lines, line.rstrip().removesuffix(mark)], fenced=True, python=python)
            mark, lines = None, []
        elif mark is None and (inline := _INLINE_FENCE.match(line)) is not None:
            _add(regions, lines, fenced=False, python=True)
            _add(regions, [inline[1]], fenced=True, python=True)
            lines = []
        else:
            lines.append(line)
    _add(regions, lines, fenced=mark is not None, python=python if mark is not None else True)
    return regions


def find_wide_fence(text: str) -> Region | None:
    """Return everything between the first opening and the last closing mark: for docstrings that contain fences."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    if len(marks) < 3:
        return None
    return Region(_dedent("\n".join(lines[marks[0] + 1 : marks[-1]])), fenced=True, python=True)


@dataclass(frozen=True, slots=True)
class _Fence:
    before: str
    mark: str
    info: str


def _read_fence(line: str) -> _Fence | None:
    for character in "`~":
        start = line.find(character * 3)
        if start >= 0:
            rest = line[start:].lstrip(character)
            if character not in rest and _INFO.fullmatch(rest.strip()):
                return _Fence(line[:start], character * (len(line) - start - len(rest)), rest.strip())
    return None


def _opens(fence: _Fence) -> bool:
    """Whether a mark opens a fence: after other text on its line, only if it names a language."""
    return not fence.before.strip() or bool(fence.info)


def _closes(line: str, mark: str) -> bool:
    stripped = line.strip()
    run = len(stripped) - len(stripped.lstrip(mark[0]))
    return run >= len(mark) and (run == len(stripped) or not stripped[run].isalnum())


def _closes_behind(line: str, mark: str) -> bool:
    """Whether a line of code ends with a closing mark."""
    line = line.rstrip()
    return line.endswith(mark) and line.find(mark[0] * 3) == len(line) - len(mark) and not line.lstrip().startswith("#")


def _unquote(lines: list[str]) -> list[str]:
    """Remove the ``>`` of Markdown quotations from quoted code."""
    if not any(_QUOTED_CODE.match(line) for line in lines):
        return lines
    return [_QUOTATION.sub("", line) for line in lines]


def _is_python(info: str) -> bool:
    return info.strip("{}. ").split(" ")[0].split("=")[0].lower() in _PYTHON_NAMES or "python" in info.lower()


def _add(regions: list[Region], lines: list[str], *, fenced: bool, python: bool) -> None:
    text = "\n".join(lines)
    if text.strip():
        lead = regions[-1].text[-_LEAD:] if regions and not regions[-1].fenced else ""
        code = _unprompt(_unnumber(_dedent(text))) if fenced else _unprompt(text)
        regions.append(Region(code, fenced, python, lead))


def _dedent(text: str) -> str:
    """Remove common indentation, and keep the rest of whitespace-only lines: a string may need it."""
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines) if margin else text


def _unprompt(text: str) -> str:
    """Remove the ``>>>`` and ``...`` of a console session, and its output."""
    if _IPYTHON.match(text.lstrip("\n")):
        typed = [(line, _IPYTHON.match(line)) for line in text.split("\n")]
        return "\n".join(line[mark.end() :] for line, mark in typed if mark is not None)
    if not text.lstrip().startswith(">>> "):
        return text
    kept = [line.lstrip()[4:] for line in text.split("\n") if re.match(r"\s*(>>>|\.\.\.)( |$)", line)]
    return "\n".join(kept)


def _unnumber(text: str) -> str:
    """Remove line numbers, if every line has one and they are consecutive."""
    lines = text.rstrip("\n").split("\n")
    marks = [_NUMBERED.match(line) for line in lines]
    numbers = [int(mark[1]) for mark in marks if mark is not None]
    if len(lines) < 2 or len(numbers) < len(lines) or numbers != list(range(numbers[0], numbers[0] + len(lines))):
        return text
    return "\n".join(line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark is not None) + "\n"
