"""Predicates on one value in prose: its sign and bounds, its length, its order, its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from numbers import Number
from typing import Any, Callable, NamedTuple

from ..values.dynamic import is_instance
from ..values.shapes import (
    AnyShape,
    DictShape,
    FieldsShape,
    FloatShape,
    FrozensetShape,
    IntShape,
    IteratorShape,
    ListShape,
    NoneShape,
    RecordShape,
    SetShape,
    Shape,
    StrShape,
    TupleShape,
)

Check = Callable[[Any], bool]


class Fact(NamedTuple):
    """A predicate of a value: a comparison with ``{}`` for its name, or a check function."""

    topic: str
    holds: str | Check


_WORDS = "zero one two three four five six seven eight nine ten".split()
SIGN = r"(?:strictly )?(?:non-negative|positive|natural|non-zero)"
_SIGNS = {"positive": "> 0", "natural": ">= 0", "non-zero": "!= 0", "non-negative": ">= 0"}
LISTS = r"list|sequence|array|tuple|iterable|collection|series|vector|grid|matrix"
TEXTS = r"string|text|word|sentence"
DICTS = r"dict|dictionary|mapping"
NUMBERS = r"integer|int|number|float"
ADJECTIVE = rf"(?:{SIGN}|non-empty|sorted|ascending|descending|lowercase|distinct|unique|rectangular|square)"
_ORDER = r"(?:descending|decreasing|non-increasing|reverse|reversed)|ascending|increasing|non-decreasing|rising"
IN_ORDER = (
    rf"(?:sorted(?: in (?:{_ORDER}|sorted) order| (?:ascending|increasing)(?:ly)?)?|in (?:{_ORDER}|sorted) order)"
)
_DOWN = re.compile(r"\b(?:descending|decreasing|reverse|reversed|non-increasing)\b")
_VALUE = r"-?\d+(?:\.\d+)?|len\(\w+\)|" + "|".join(_WORDS)
_RANGE = rf"(?P<low>{_VALUE}|\w+)(?: ?(?:to|-|–|\.\.\.?) ?| and )(?P<high>{_VALUE}|\w+)"
BETWEEN_WORDS = rf"(?:{_VALUE}|\w+) and (?:{_VALUE}|\w+)"
BETWEEN = re.compile(rf"\b(?:between|in the range|from) {_RANGE}(?: \(?inclusive\)?)?$")
_SPAN = re.compile(r"^\(?(?P<low>-?\d+(?:\.\d+)?) ?(?:-|–|to|\.\.\.?) ?(?P<high>-?\d+(?:\.\d+)?)\)?$")
_COMPARED = re.compile(r"^(?P<sign>>=|<=|>|<|≥|≤) ?(?P<value>-?\d+(?:\.\d+)?|\w+|len\(\w+\))$")
_AT = re.compile(
    rf"^(?P<how>at least|at most|no less than|not less than|greater than|more than|less than|smaller than"
    rf"|greater than or equal to|starting (?:at|from|with)) (?P<value>{_VALUE}|\w+)(?P<rest>(?: \w+){{0,2}})$"
)
_HOWS = {"at most": "<=", "greater than": ">", "more than": ">", "less than": "<", "smaller than": "<"}
_LEAD = re.compile(
    r"^(?:(?:it |they )?(?:must|should|shall|has to|have to|needs? to|will) (?:always )?be |(?:is|are) (?:always )?|"
    r"(?:assumed|expected|guaranteed|required) to be |to be |must contain |must have |has |have |contains? )"
)
_QUANTITY = (
    r"(?:(?:integer|int|number|float|value|amount|count|size|length|width|height|limit|upper bound|lower bound)s?)"
)
_SIGNED = re.compile(rf"^(?:an? |the |any )?(?P<sign>{SIGN})(?: {_QUANTITY}){{0,2}}$")
_NUMBERS_OF = re.compile(
    rf"^(?P<adjectives>(?:{ADJECTIVE},? (?:and )?)*)(?:integers|ints|numbers|floats|values|words|strings)?$"
)
_NOT_EMPTY = re.compile(rf"^(?:an? )?(?:not be empty|not empty|non-empty)(?: (?:{LISTS}|{TEXTS}|{DICTS})\b.*)?$")
_ELEMENTS = r"(?:elements?|items?|entries|entry|values?|numbers?|words?|characters?|strings?|integers?)"
_SORTED_LIST = re.compile(
    rf"^(?:an? )?(?:non-empty )?(?P<down>descending |reverse )?(?:sorted|ascending|descending) "
    rf"(?:{LISTS})(?: of (?:{ADJECTIVE} )*\w+)?$"
)
_ORDERED = re.compile(rf"^(?:[\w-]+ ){{0,5}}?{IN_ORDER}$")
_LIST_OF = re.compile(
    rf"^(?:an? )?(?:{ADJECTIVE} )*(?:{LISTS}) of (?P<adjectives>(?:{ADJECTIVE},? (?:and )?)+)"
    rf"(?:integers|ints|numbers|floats|values|words|strings|elements|letters)\b"
)
_LETTERS = re.compile(
    r"^(?:(?:only )?(?:consists?|consisting|made|made up|a string|string) (?:only )?of )?(?:only )?"
    r"(?P<case>lowercase )?(?P<ascii>ascii )?(?P<what>letters|digits|digits only|decimal digits|letters and digits"
    r"|characters)(?: only)?$"
)


def normal(text: str) -> str:
    """Normalise prose: lower case, one spelling of each word."""
    text = re.sub(r"[`*]|\s+", lambda m: " " if m.group().isspace() else "", text)
    for pattern, word in (
        (r"\bnon[- ]?(empty|negative|zero|decreasing|increasing)\b", r"non-\1"),
        (r"\bnot (?:be )?negative\b", "non-negative"),
        (r"\bnot (?:be )?(zero|empty)\b", r"non-\1"),
        (r"\blower[- ]case\b", "lowercase"),
        (r"\bASCII\b", "ascii"),
        (r"\bthe length of (\w+)", r"len(\1)"),
        (r"\bmust non-", "must be non-"),
    ):
        text = re.sub(pattern, word, text, flags=re.IGNORECASE)
    return text.strip()


def described(text: str, families: frozenset[str]) -> Iterator[Fact]:
    """Yield the facts in a description of one value; `families` are its possible kinds, empty where not known."""
    plain = re.sub(r"\blen\((\w+)\)", r"len[\1]", normal(text))
    for item in re.split(r"[,;]\s+|\.(?:\s+|$)|\s+\(|\)", plain):
        item = re.sub(r"\blen\[(\w+)\]", r"len(\1)", item)
        item = item.strip().rstrip(".,:")
        item = item[:1].lower() + item[1:]
        item = _LEAD.sub("", item, count=1).strip()
        if item:
            yield from _item(item, families)


def _item(item: str, families: frozenset[str]) -> Iterator[Fact]:
    is_number = not families or "number" in families
    is_many = not families or bool(families & {"list", "text", "dict"})
    if is_number:
        yield from _of_number(item)
    if is_many:
        yield from _of_many(item, families)
    if not families or "text" in families:
        yield from _of_text(item)


def _of_number(item: str) -> Iterator[Fact]:
    match = _SIGNED.match(item)
    if match is not None:
        yield Fact("sign", "{} " + sign_of(match.group("sign")))
    match = BETWEEN.search(item)
    if match is not None and not re.search(r"\b(?:of|difference|distance|gap)\b", item[: match.start()]):
        yield between(match)
    match = _SPAN.match(item)
    if match is not None:
        yield between(match)
    match = _COMPARED.match(item)
    if match is not None:
        sign = match.group("sign").replace("≥", ">=").replace("≤", "<=")
        yield Fact("sign", f"{{}} {sign} {match.group('value')}")
    match = _AT.match(item)
    if match is not None and not match.group("rest"):
        yield Fact("sign", f"{{}} {_HOWS.get(match.group('how'), '>=')} {number(match.group('value'))}")


def _of_many(item: str, families: frozenset[str]) -> Iterator[Fact]:
    if _NOT_EMPTY.match(item):
        yield Fact("empty", is_filled)
    match = _AT.match(item)
    if match is not None and match.group("how") == "at least" and number(match.group("value")).isdigit():
        least, rest = int(number(match.group("value"))), match.group("rest").strip()
        if re.fullmatch(rf"(?:distinct |different )?{_ELEMENTS}|", rest) and (families or rest):
            yield Fact("empty", _at_least(least, is_different=rest.startswith("di")))
    if families and "list" not in families:
        return
    match = _SORTED_LIST.match(item)
    if match is not None or _ORDERED.match(item):
        yield Fact("order", in_order(item))
    match = _LIST_OF.match(item) or (_NUMBERS_OF.match(item) if "list" in families else None)
    if match is not None:
        yield from of_elements(match.group("adjectives") or "")


def _of_text(item: str) -> Iterator[Fact]:
    match = _LETTERS.match(item)
    if match is not None and ("ascii" in item or "only" in item or "digits" in item or match.group("case")):
        yield Fact(
            "elements",
            _made_of(match.group("what"), is_lower=bool(match.group("case")), is_ascii=bool(match.group("ascii"))),
        )


def sign_of(word: str) -> str:
    """Return the comparison with zero for a word that names a sign."""
    return _SIGNS[word.replace("strictly ", "")]


def number(word: str) -> str:
    """Return a number's digits, where a word stands for them."""
    return str(_WORDS.index(word)) if word in _WORDS else word


def between(match: re.Match[str]) -> Fact:
    """Return the condition that a range states."""
    return Fact("sign", f"{number(match.group('low'))} <= {{}} <= {number(match.group('high'))}")


def of_elements(adjectives: str) -> Iterator[Fact]:
    """Yield the facts that adjectives state about each element."""
    for sign in re.findall(SIGN, adjectives):
        yield Fact("elements", _all_signed(sign_of(sign)))
    if re.search(r"\b(?:distinct|unique)\b", adjectives):
        yield Fact("elements", _are_distinct)
    if re.search(r"\blowercase\b", adjectives):
        yield Fact("elements", _are_lower)


def all_between(low: str, high: str) -> Check:
    """Return the check for numbers within a range."""
    least, most = float(low), float(high)
    return lambda value: all([least <= one <= most for one in _leaves(value) if isinstance(one, (int, float))])


def _all_signed(how: str) -> Check:
    return lambda value: all([_has_sign(one, how) for one in _leaves(value)])


def _are_distinct(value: Any) -> bool:
    return len({repr(one) for one in value}) == len(value)


def _are_lower(value: Any) -> bool:
    return all([not isinstance(one, str) or one.islower() for one in value])


def is_filled(value: Any) -> bool:
    """Return whether a value is not empty."""
    return len(value) > 0


def in_order(words: str) -> Check:
    """Return the check for a sorted value, descending where the words say so."""
    is_down = bool(_DOWN.search(words.replace("non-decreasing", "")))

    def is_in_order(value: Any) -> bool:
        if not is_instance(value, (list, tuple)):
            return True
        return all([(a >= b) if is_down else (a <= b) for a, b in zip(value, value[1:])])

    return is_in_order


def is_rectangular(value: Any) -> bool:
    """Return whether all rows have the same length."""
    return len({len(row) for row in value if is_instance(row, (list, tuple))}) < 2


def _made_of(what: str, *, is_lower: bool, is_ascii: bool) -> Check:
    def holds(value: Any) -> bool:
        if not isinstance(value, str):
            return True
        if (is_ascii and not value.isascii()) or (is_lower and value != value.lower()):
            return False
        if what == "characters":
            return True
        has_letters, has_digits = "letters" in what, "digits" in what
        return all([(has_letters and one.isalpha()) or (has_digits and one in "0123456789") for one in value])

    return holds


def _at_least(least: int, *, is_different: bool) -> Check:
    return lambda value: (len({repr(one) for one in value}) if is_different else len(value)) >= least


def _has_sign(value: Any, how: str) -> bool:
    if not isinstance(value, Number):
        return True
    compared: Any = value
    return bool(compared > 0 if how == "> 0" else compared >= 0 if how == ">= 0" else compared != 0)


def _leaves(value: Any) -> list[Any]:
    parts = value.values() if is_instance(value, dict) else value
    return [leaf for one in parts for leaf in (_leaves(one) if is_instance(one, (list, tuple, dict)) else [one])]


_FAMILIES: dict[type[Shape], str] = {
    **dict.fromkeys((IntShape, FloatShape), "number"),
    **dict.fromkeys((ListShape, TupleShape, RecordShape, SetShape, FrozensetShape, IteratorShape), "list"),
    **dict.fromkeys((DictShape, FieldsShape), "dict"),
    StrShape: "text",
}


def families_of(shape: Shape) -> frozenset[str]:
    """Return the possible kinds of a value of a shape, as words of prose; empty where nothing is known."""
    parts = shape.alternatives
    found = {_FAMILIES.get(part.kind, "other") for part in parts if not isinstance(part, (NoneShape, AnyShape))}
    return frozenset() if any([isinstance(part, AnyShape) for part in parts]) else frozenset(found or {"other"})
