"""Explicit preconditions on parameters in a docstring: ``(n >= 0)``, "a positive integer", "sorted list".

Only unambiguous phrases are read. A case for which the docstring states a result or an error is no precondition, and
neither is one that its own examples violate.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable, NamedTuple

from ..values.program_errors import PROGRAM_ERRORS
from . import predicates as facts
from .predicates import Fact
from .sections import CASES, Prose, called_with

_BRACKETS = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_OPERAND = r"(?:len\(\w+\)|-?\d+(?:\.\d+)?|[A-Za-z_]\w*)"
_CHAIN = re.compile(
    rf"(?:^|[.,;:]\s|\b(?:for|where|with|and|that|assum\w+|requires?|given|constraints?:?|preconditions?:?)\s)\s*"
    rf"({_OPERAND}(?:\s*(?:<=|>=|<|>)\s*{_OPERAND})+)(?=\s*(?:$|[,;.)]|\band\b|inclusive))",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"\b(non-?\s?negative|positive|natural|nonzero|non-zero)\s+(?:integers?|ints?|numbers?|floats?)\s+`*(\w+)`*"
    r"(?:\s*(?:,|and|or)\s+`*(\w+)`*)?",
    re.IGNORECASE,
)
_SIGNED_NAME = re.compile(
    rf"\b(?:for|of|given|with|assuming|requires|takes) (?:an? )?({facts.SIGN}) (\w+)(?=$|[ .,;)])"
)
_NAMED_SPAN = re.compile(r"\b(\w+) \((?:(?:from|between) )?(-?\d+) ?(?:-|–|to|and|\.\.\.?) ?(-?\d+)(?:,? inclusive)?\)")
_NAMED_BETWEEN = re.compile(rf"\b(?:for|where|with|and|,) (\w+) (?:is )?(between {facts.BETWEEN_WORDS})(?=$|[.,;)])")
_NAMED_RANGE = re.compile(r"(?:^| )(\w+)(?: (?:in|from|is))? (-?\d+(?:\.\d+)?) ?\.{2,3} ?(-?\d+(?:\.\d+)?)(?=$|[ ,;)])")
_TWO_ENDS = re.compile(
    r"\b(\w+) ?\.{2,3} ?(\w+)\b|\[(\w+), (\w+)\)|\((\w+), (\w+)\]"
    r"|\b(?:in|within|range|interval)s? (?:the )?\[(\w+), (\w+)\]|\brange (?:of |from )?(\w+) to (\w+)\b"
)
"""Notations of an interval by its two ends."""
_ASCENDS = re.compile(r"^(?:the )?(\w+) (?:ascend|increase|rise)s?$", re.IGNORECASE)
_ROWS = r"\b(?:rows|records|dicts|dictionaries|items|entries|elements|lines)(?: all)? (?:have|share|with|are of|of)"
_LENGTH = r"(?:the )?(?:same|equal) (?:length|size|number(?: of \w+)?)s?\b"
_SAME_LENGTH = re.compile(rf"\b(?:of|have|has|having|with) {_LENGTH}")
_SAME_WIDTH = re.compile(rf"{_ROWS} {_LENGTH}")
_NAMED_NOUN = re.compile(r"\b(\w+) \(([^()]*)\)")
_SUBJECT = re.compile(
    r"^(?:where |(?:it |this )?(?:assumes|assume|assuming|expects|expect|requires|require|precondition:?|note"
    r"|given)(?: that)? |"
    r"you (?:may|can) assume (?:that )?)?(?P<who>[\w,]+(?: [\w,]+){0,4}?) "
    r"(?P<what>(?:(?:must|should|has to|have to|needs? to)(?: always)? (?:not )?(?:be|have|contain)|is|are|has|have"
    r"|to be|contains?|consists? of)\b.*)$"
)
_NOUNS = {
    **dict.fromkeys(facts.LISTS.split("|"), "list"),
    **dict.fromkeys(facts.TEXTS.split("|"), "text"),
    **dict.fromkeys(facts.DICTS.split("|"), "dict"),
    **dict.fromkeys(facts.NUMBERS.split("|"), "number"),
}
_NOUN = "|".join(sorted(_NOUNS, key=len, reverse=True))
_PHRASE = re.compile(
    rf"\b(?P<before>of|for|to(?= the given)|in|from|given|takes?|accepts?|expects?|receives?|on|over"
    rf") (?:(?P<count>an?|the given|the|given|two|three|both|one) )?(?:given )?"
    rf"(?P<adjectives>(?:{facts.ADJECTIVE},? (?:and )?)*)(?P<noun>{_NOUN}|matrices|dictionaries)(?P<many>s?)\b"
    rf"(?: of (?P<parts>(?:{facts.ADJECTIVE},? (?:and )?)*)(?P<part>\w+))?"
    rf"(?P<post> {facts.IN_ORDER}| between {facts.BETWEEN_WORDS})?"
    rf"(?: ?(?P<bracket>\([^()]*\)))?"
    rf"(?= (?:and|to|into|as|by|without|using|with|is|are|has|that add|up)\b|[.,;:]|$| in\b)"
)
_SCALAR = re.compile(
    r"\b(?:index|indices|position|place|count|number of|whether|search|occurrences?|occurs?|largest|smallest|maximum"
    r"|minimum|median)\b"
)
_MADE = re.compile(r"\b(?:tuple|pair|list|dict|dictionary|set|instead|form|array|iterator|kind|type|sequence|consisting"
                   r"|search|look|ask|wait|test|combination|string|length|lists)$")  # fmt: skip
_RESULT = re.compile(r"^(?:return|returns|yield|yields|get|gets|make|makes|create|build|generate|produce|give|gives)\b")
_OWN_CASES = re.compile(r",? or -?\d+$|^You (?:may|can) assume", re.IGNORECASE)
_COUNTS = {"two": 2, "both": 2, "three": 3}
_VALUES_BETWEEN = re.compile(r"\((?:all )?(?:values|elements|numbers) between (-?[\d.]*\d) and (-?[\d.]*\d)\b")
_SORTS = re.compile(r"\b(?:sorts?|sorting)\b", re.IGNORECASE)
_CALLS = ("len", "abs")
_NODES = (
    *(ast.Expression, ast.Compare, ast.Name, ast.Load, ast.Constant, ast.Call, ast.UnaryOp, ast.USub, ast.BoolOp),
    *(ast.And, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.NotEq),
)

Condition = Callable[[dict[str, Any]], bool]
Kinds = Mapping[str, frozenset[str]]


class _Stated(NamedTuple):
    """A fact, and the names of the parameters that it constrains."""

    topic: str
    names: frozenset[str]
    condition: Condition


def bounds_in(
    docstring: str, names: list[str], kinds: Kinds | None = None, *, function: str = "", beside: str = ""
) -> list[Condition]:
    """Return the conditions that a docstring states; each takes the values by name and raises what comparisons raise.

    `kinds` maps each parameter to number, text, list or dict, as far as that is known. Calls of
    `function` in the docstring and in the one `beside` it have to satisfy the conditions.
    """
    kinds = kinds or {}
    prose = Prose(docstring)
    stated = list(_Reader(names, kinds, has_sort=bool(_SORTS.search(docstring))).conditions(prose))
    told = prose.told_topics(names)
    if beside:
        told |= Prose(beside).told_topics(names)
    both = f"{docstring}\n{beside}"
    calls = list(called_with(both, function, names)) if function else []
    return [
        one.condition
        for one in stated
        if not any([topic == one.topic and (not name or name in one.names) for topic, name in told])
        and all([_is_kept(one.condition, values) for values in calls])
    ]


def _is_kept(condition: Condition, values: dict[str, Any]) -> bool:
    try:
        return condition(values)
    except PROGRAM_ERRORS:  # as where the values of an input are of other types.
        return True


class _Reader:
    """Extracts conditions on parameters of known names from prose."""

    def __init__(self, names: list[str], kinds: Kinds, *, has_sort: bool) -> None:
        self._names = names
        self._kinds = kinds
        self._has_sort = has_sort
        """Whether the docstring mentions sorting: then an order may be that of the result."""
        self._seen: set[str] = set()

    def conditions(self, prose: Prose) -> Iterator[_Stated]:
        for name, text in prose.entries:
            if name not in self._names or CASES.search(text):
                continue
            for fact in facts.described(text, self._kinds.get(name, frozenset())):
                yield from self._of(
                    name, fact, is_order_kept=not self._has_sort and " sorted" not in text.partition(" to ")[2]
                )
            yield from self._compared(text)
        for sentence in prose.sentences:
            for part in re.split(r";\s+", sentence):
                yield from self._of_sentence(part)

    def _of(self, name: str, fact: Fact, *, is_order_kept: bool = True) -> Iterator[_Stated]:
        if fact.topic == "order" and not is_order_kept:
            return
        holds = fact.holds
        if isinstance(holds, str):
            yield from self._stated(holds.format(name))
        else:
            yield _Stated(fact.topic, frozenset((name,)), _test_of(name, holds))

    def _stated(self, text: str) -> Iterator[_Stated]:
        if text in self._seen:
            return
        self._seen.add(text)
        found = _compiled(text, self._names)
        if found is not None:
            condition, used = found
            yield _Stated("empty" if "len(" in text else "sign", used, condition)

    def _compared(self, sentence: str) -> Iterator[_Stated]:
        """Yield comparisons in brackets, after words that introduce them, and standing alone."""
        for match in _BRACKETS.finditer(sentence):
            yield from self._stated(match.group(1).strip().strip("`"))
            for part in re.split(r",\s*", match.group(1)):
                yield from self._stated(part.strip().strip("`"))
        plain = sentence.replace("`", "").replace("≤", "<=").replace("≥", ">=")
        for match in _CHAIN.finditer(plain):
            yield from self._stated(match.group(1))

    def _of_sentence(self, sentence: str) -> Iterator[_Stated]:
        if CASES.search(_OWN_CASES.sub("", sentence.rstrip("."))):
            return
        yield from self._compared(sentence)
        for match in _SIGN.finditer(sentence):
            sign = facts.normal(match.group(1)).lower()
            for name in match.groups()[1:]:
                if name in self._names:
                    yield from self._stated(f"{name} {facts.sign_of(sign)}")
        text = facts.normal(sentence).rstrip(". ")
        lowered = text[:1].lower() + text[1:]
        yield from self._of_names(text)
        yield from self._of_ranges(text)
        yield from self._of_parts(text)
        for match in _VALUES_BETWEEN.finditer(text):
            for name in self._sole("list", 1):
                yield from self._of(name, Fact("elements", facts.all_between(match.group(1), match.group(2))))
        yield from self._of_subjects(text)
        without_brackets = _BRACKETS.sub("", text).replace("  ", " ")
        if without_brackets != text:
            yield from self._of_subjects(without_brackets)
        yield from self._of_phrases(lowered)

    def _of_names(self, text: str) -> Iterator[_Stated]:
        for match in _SIGNED_NAME.finditer(text):
            if self._suits(match.group(2), "number"):
                yield from self._stated(f"{match.group(2)} {facts.sign_of(match.group(1))}")
        for match in _NAMED_SPAN.finditer(text):
            if self._suits(match.group(1), "number"):
                yield from self._stated(f"{match.group(2)} <= {match.group(1)} <= {match.group(3)}")
        for match in _NAMED_BETWEEN.finditer(text):
            if self._suits(match.group(1), "number"):
                for fact in facts.described(match.group(2), frozenset(("number",))):
                    yield from self._of(match.group(1), fact)
        for match in _NAMED_NOUN.finditer(text):
            name = match.group(1)
            if name in self._names:
                for fact in facts.described(match.group(2), self._kinds.get(name, frozenset())):
                    yield from self._of(name, fact)

    def _of_ranges(self, text: str) -> Iterator[_Stated]:
        """Yield ranges after names, ``base 2..36``, and intervals whose ends are parameters, ``low..high``."""
        for match in _NAMED_RANGE.finditer(text):
            if self._suits(match.group(1), "number"):
                yield from self._stated(f"{match.group(2)} <= {match.group(1)} <= {match.group(3)}")
        for match in _TWO_ENDS.finditer(text):
            low, high = [one for one in match.groups() if one]
            if self._suits(low, "number") and self._suits(high, "number"):
                yield from self._stated(f"{low} <= {high}")

    def _of_parts(self, text: str) -> Iterator[_Stated]:
        """Yield facts about the rows of the only list, the lengths of two, and the order of one."""
        for name in self._sole("list", 1):
            if _SAME_WIDTH.search(text):
                yield from self._of(name, Fact("elements", facts.is_rectangular))
        if _SAME_LENGTH.search(text) and not _SAME_WIDTH.search(text):
            both = [name for name in self._names if self._kinds.get(name, frozenset()) == frozenset(("list",))]
            if len(both) == 2:
                yield _Stated("length", frozenset(both), _have_one_length(*both))
        for clause in re.split(r"[;,:]\s+", text):
            match = _ASCENDS.match(clause)
            if match is not None and self._suits(match.group(1), "list") and not self._has_sort:
                yield from self._of(match.group(1), Fact("order", facts.in_order("ascending")))

    def _of_subjects(self, text: str) -> Iterator[_Stated]:
        """Yield facts from clauses whose subject is a parameter: "n must be positive", "the list is not empty"."""
        for clause in re.split(r"[;,:]\s+(?!and\b)", text):
            match = _SUBJECT.match(clause[:1].lower() + clause[1:]) if clause[:1].isupper() else _SUBJECT.match(clause)
            if match is None or re.search(r"\bin place\b|\bafterwards?\b|\bthen\b|\bresult", clause):
                continue
            for name in self._subjects(match.group("who")):
                what = re.sub(r"^consists? of ", "consisting of ", match.group("what"))
                for fact in facts.described(what, self._kinds.get(name, frozenset())):
                    yield from self._of(name, fact, is_order_kept=not self._has_sort)

    def _subjects(self, who: str) -> list[str]:
        """Return the parameters that a subject names; none where it names anything else."""
        who = re.sub(r"^(?:the|both) (?!and\b)", "", who)
        parts = [part for part in re.split(r",? and |, ", who) if part]
        if parts and all([part in self._names for part in parts]):
            return parts
        lowered = [part.lower() for part in parts]
        if parts and all([part in self._names for part in lowered]):
            return lowered
        return self._sole(_NOUNS[who], 1) if who in _NOUNS else []

    def _of_phrases(self, text: str) -> Iterator[_Stated]:
        """Yield facts from noun phrases that fit only one parameter: "of a non-empty list"."""
        for match in _PHRASE.finditer(text):
            left = text[: match.start()].strip()
            before, noun = match.group("before"), match.group("noun")
            family = _NOUNS.get(noun, "list" if noun == "matrices" else "dict")
            if _MADE.search(left):
                continue
            if before in ("in", "on", "over") and (not _SCALAR.search(left) or re.search(r"\b(?:all|list)\b", left)):
                continue
            number = _COUNTS.get(match.group("count") or "", 1)
            has_determiner = bool(match.group("count"))
            is_plural = bool(match.group("many")) or noun in ("matrices", "dictionaries")
            if is_plural != (number > 1) or (not has_determiner and not (family == "list" and match.group("part"))):
                continue
            if family == "number" and (match.group("count") == "the" or self._is_in_another(text[match.end() :])):
                continue
            if number == 1 and match.group("count") == "the" and family != "list":
                continue
            for name in self._sole(family, number) or self._unnamed(family, number, text):
                for fact in self._with_noun(match, family, left):
                    yield from self._of(name, fact)

    def _with_noun(self, match: re.Match[str], family: str, left: str) -> Iterator[Fact]:
        adjectives, post = match.group("adjectives") or "", match.group("post") or ""
        if family == "number":
            sign = re.search(facts.SIGN, adjectives)
            if sign is not None:
                yield Fact("sign", "{} " + facts.sign_of(sign.group()))
            for text in (match.group("bracket"), match.group("post")):
                yield from facts.described(text or "", frozenset(("number",)))
            return
        if "non-empty" in adjectives:
            yield Fact("empty", facts.is_filled)
        if family == "list" and not self._has_sort:
            if re.search(r"\b(?:sorted|ascending|descending)\b", adjectives):
                yield Fact("order", facts.in_order(adjectives))
            elif re.search(facts.IN_ORDER, post) and _is_argument_order(left):
                yield Fact("order", facts.in_order(post))
        if family == "list":
            if re.search(r"\b(?:rectangular|square)\b", adjectives):
                yield Fact("elements", facts.is_rectangular)
            yield from facts.of_elements(match.group("parts") or "")

    def _suits(self, name: str, family: str) -> bool:
        kinds = self._kinds.get(name, frozenset())
        return name in self._names and (not kinds or family in kinds)

    def _sole(self, family: str, number: int) -> list[str]:
        """Return the parameters of a kind if there are exactly `number` of them, else none."""
        fitting = [name for name in self._names if self._suits(name, family)]
        return fitting if len(fitting) == number else []

    def _is_in_another(self, rest: str) -> bool:
        """Return whether a number is said to be in something else: in what is no number itself, as "in base 2" is."""
        match = re.match(r" in (\w+(?: \w+)?)", rest)
        return match is not None and not any([self._suits(word, "number") for word in match.group(1).split()])

    def _unnamed(self, family: str, number: int, text: str) -> list[str]:
        """Return the number that a sentence refers to without its name, where it names all others."""
        if family != "number" or number != 1:
            return []
        words = set(re.findall(r"\w+", text))
        fitting = [name for name in self._names if self._suits(name, family)]
        unnamed = [name for name in fitting if name not in words and self._kinds.get(name)]
        return unnamed if len(unnamed) == 1 < len(fitting) else []


def _is_argument_order(left: str) -> bool:
    """Return whether words after a noun can only mean the argument's order, not that of the result."""
    return bool(_SCALAR.search(left)) or not _RESULT.match(left)


def _have_one_length(one: str, two: str) -> Condition:
    return lambda values: len(values[one]) == len(values[two])


def _test_of(name: str, test: facts.Check) -> Condition:
    return lambda values: bool(test(values[name]))


def _compiled(text: str, names: list[str]) -> tuple[Condition, frozenset[str]] | None:
    """Compile a comparison; return it with its parameters, or None where it is no comparison of the parameters."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    nodes = list(ast.walk(tree))
    used = [node.id for node in nodes if isinstance(node, ast.Name)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = [node.func.id for node in calls if isinstance(node.func, ast.Name) and not node.keywords]
    if (
        not isinstance(tree.body, (ast.Compare, ast.BoolOp))
        or not all([isinstance(node, _NODES) for node in nodes])
        or len(functions) < len(calls)
        or not set(functions) <= set(_CALLS)
        or not set(used) - set(functions) <= set(names)
        or not set(used) & set(names)
        or not all([type(node.value) in (int, float) for node in nodes if isinstance(node, ast.Constant)])
    ):
        return None
    code = compile(tree, "<docstring>", "eval")
    scope: dict[str, Any] = {"__builtins__": {}, "len": len, "abs": abs}
    condition: Condition = lambda values: bool(eval(code, scope, values))  # noqa: S307, E731 - a comparison, as above.
    return condition, frozenset(used) & frozenset(names)
