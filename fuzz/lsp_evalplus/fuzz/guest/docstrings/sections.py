"""Parts of a docstring that may state preconditions: entries, sentences, and descriptions of cases.

Statements on results, on errors and in examples are no preconditions; they may rule one out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Any

_HEAD = re.compile(r"^(\s*)(\w+(?: \w+)?)\s*:?\s*$")
_ARGUMENTS = frozenset(("args", "arguments", "parameters", "params", "other parameters", "keyword args"))
_OTHERS = frozenset(
    ("returns", "return", "yields", "yield", "raises", "raise", "examples", "example", "notes", "note", "see also")
    + ("warns", "references", "todo", "doctest", "attributes", "side effects")
)
_SPHINX = re.compile(r"^\s*:(\w+)(?:\s+([^:]*?))?\s*:\s*(.*)$")
_SPHINX_ARGUMENTS = frozenset(("param", "parameter", "arg", "argument"))
_ENTRY = re.compile(r"^(\s*)\*{0,2}`{0,2}(\w+)`{0,2}\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?\s*(?::|--?|–)\s*(.*)$")
_RULE = re.compile(r"^\s*-{3,}\s*$")
_SENTENCE = re.compile(r"[^.\n]*(?:\.(?=\w)[^.\n]*|\.{2,}[^.\n]*|\n(?=[ \t]*[a-z(])[^.\n]*)*")

CASES = re.compile(
    r"\b(?:if|when|whenever|unless|otherwise|else|elif|while|until|raises?|raised|whether|iff|true|false|checks?|tells?"
    r"|such that|so that|filters?|keeps?|except|exclud\w+|ignor\w+|skips?|may|might|can|could|possibly|usually"
    r"|or(?! \d+ at\b| \w+ly\b))\b",
    re.IGNORECASE,
)
"""Words of sentences that state what is done to which inputs, rather than which inputs are valid."""
_SHORT_CASES = re.compile(r"\b(?:if|when|whenever|unless|otherwise|else|raises?|raised|errors?)\b", re.IGNORECASE)
_RAISES = re.compile(r"\b(?:raises?|raised|errors?|\w+Error|exception)\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:non-?\s?|not (?:be )?|never )(?:negative|empty|zero|null)\b", re.IGNORECASE)
_BELOW = re.compile(
    r"<|>|\b(?:below|above|less|smaller|greater|larger|invalid|illegal|bad|outside|range|exceeds?|too|one|positive)\b",
    re.IGNORECASE,
)
_BAD = re.compile(r"\b(?:invalid|illegal|bad|range|malformed|wrong|improper|unsuitable)\b", re.IGNORECASE)

_ANY_ORDER = re.compile(
    r"\bin (?:any|no (?:particular|specific|special|given)|arbitrary|unspecified|undefined) order\b"
    r"|\border (?:does not|doesn't) matter\b"
    r"|\border is (?:not (?:specified|defined|guaranteed|significant|important)|unspecified|undefined)\b",
    re.IGNORECASE,
)
_OF_ARGUMENTS = re.compile(
    r"\b(?:given|inputs?|arguments?|parameters?|pass(?:ed)?|accepts?|takes?|may be|can be|could be)\b", re.IGNORECASE
)


class Prose:
    """A parsed docstring."""

    def __init__(self, docstring: str) -> None:
        self.entries: list[tuple[str, str]] = []
        """Names of parameters, each with its description."""
        self.sentences: list[str] = []
        self.others: list[str] = []
        """Sentences on results and errors."""
        free: list[str] = []
        other: list[str] = []
        target, column, section = free, -1, ""
        lines = docstring.partition(">>>")[0].expandtabs().split("\n")
        for number, line in enumerate(lines):
            if _RULE.match(line):
                continue
            head = _HEAD.match(line)
            is_ruled = number + 1 < len(lines) and bool(_RULE.match(lines[number + 1]))
            title = head.group(2).lower() if head and (is_ruled or line.rstrip().endswith(":")) else ""
            if title in _ARGUMENTS or title in _OTHERS:
                section, column = ("arguments" if title in _ARGUMENTS else "others"), -1
                target = other
                continue
            sphinx = _SPHINX.match(line)
            if sphinx is not None:
                field, words = sphinx.group(1).lower(), (sphinx.group(2) or "").split()
                section, column = "sphinx", -1
                if field in _SPHINX_ARGUMENTS and words:
                    self.entries.append((words[-1].lstrip("*"), sphinx.group(3)))
                    target = []
                else:
                    other.append(f"{field} {sphinx.group(3)}.\n")
                    target = other
                continue
            if not line.strip() and section == "sphinx":
                target, section = free, ""
            if section == "arguments" and line.strip():
                entry = _ENTRY.match(line)
                depth = len(line) - len(line.lstrip())
                if entry is not None and (column < 0 or depth <= column):
                    column = depth
                    types = entry.group(3) or ""
                    self.entries.append((entry.group(2), f"{types}. {entry.group(4)}" if types else entry.group(4)))
                    continue
                if self.entries and depth > column >= 0:
                    self._go_on(line)
                    continue
                section, target = "", free
            elif section == "sphinx" and target is not other and self.entries:
                self._go_on(line)
                continue
            target.append(line + "\n")
        self.sentences = [one.strip() for one in _SENTENCE.findall("".join(free)) if one.strip()]
        texts = ["".join(other), *[text for _, text in self.entries]]
        self.others = [one.strip() for text in texts for one in _SENTENCE.findall(text) if one.strip()]
        if "raises" in docstring.lower():
            self.others += [f"raises {one}" for one in self.others if _RAISES.search(one)]

    def _go_on(self, line: str) -> None:
        name, text = self.entries[-1]
        self.entries[-1] = (name, f"{text} . {line.strip()}" if text.endswith(("int", "float", "str")) else
                            f"{text} {line.strip()}" if text else line.strip())  # fmt: skip

    def told_topics(self, names: Collection[str]) -> set[tuple[str, str]]:
        """Return topics for which the docstring states behaviour, each with a parameter's name, or "" for all."""
        found: set[tuple[str, str]] = set()
        for sentence in self.sentences + self.others:
            plain = _NEGATED.sub("", sentence)
            is_case = bool(_SHORT_CASES.search(sentence))
            if re.search(r"\bempty\b|\bno (?:elements?|items?|values?|words?)\b", plain, re.IGNORECASE):
                found.add(("empty", ""))
            if is_case and re.search(r"\b(?:sorted|unsorted|order(?:ed)?)\b", plain, re.IGNORECASE):
                found.add(("order", ""))
            if is_case and re.search(r"\b(?:lengths?|sizes?|differ|same|equal|longer|shorter)\b", plain, re.IGNORECASE):
                found.add(("length", ""))
            has_bad = bool(re.search(r"\b(?:negative|zero|nonpositive|non-positive)\b", plain, re.IGNORECASE))
            if has_bad and (is_case or re.search(r"\b(?:for|on|of|with|returns?|gives?)\b", plain, re.IGNORECASE)):
                found.add(("sign", ""))
            if is_case and (_BAD.search(plain) or (_RAISES.search(plain) and _BELOW.search(plain))):
                found |= {("sign", ""), ("elements", "")}
            if is_case:
                used = set(re.findall(r"\w+", sentence)) & set(names)
                found |= {("sign", name) for name in used if _BELOW.search(plain)}
                if _RAISES.search(sentence):
                    found |= {(topic, name) for name in used for topic in ("sign", "empty", "order", "elements")}
        return found


def mentions_open_order(text: str) -> bool:
    """Return whether prose states that the order of something is irrelevant."""
    return _ANY_ORDER.search(text) is not None


def leaves_order_open(docstring: str) -> bool:
    """Return whether a docstring states that the order of the result's items is irrelevant."""
    prose = Prose(docstring)
    described = "".join([text for _, text in prose.entries])
    sentences = prose.sentences + [one for one in prose.others if one not in described]
    is_said = any([mentions_open_order(one) and not _OF_ARGUMENTS.search(one) for one in sentences])
    return is_said and not re.search(r"\bsort", docstring, re.IGNORECASE)


def called_with(docstring: str, function: str, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of calls of the function in a docstring, where they are plain values."""
    if f"{function}(" not in docstring:
        return
    for match in re.finditer(rf"(?<![\w.]){re.escape(function)}\(", docstring):
        call = _call_at(docstring[match.start() : match.start() + 400])
        if call is None:
            continue
        try:
            values = dict(zip(names, [ast.literal_eval(one) for one in call.args]))
            values.update({one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg})
        except (ValueError, TypeError, SyntaxError):
            continue
        yield values


def _call_at(text: str) -> ast.Call | None:
    for end, character in enumerate(text):
        if character == ")":
            try:
                tree = ast.parse(text[: end + 1], mode="eval").body
            except (SyntaxError, ValueError):
                continue
            return tree if isinstance(tree, ast.Call) else None
    return None
