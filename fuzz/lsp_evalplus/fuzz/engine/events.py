"""The typed, bounded reader of the events of an ``explore`` guest.

A guest runs code under test, which can write any event to the guest's pipe. An event is therefore data: `read_event`
admits the fields of a fixed schema only, checks the type and the size of each, and admits a reason only if it matches
one that the guest's own code can give (`REASONS`). Anything else means that the code under test tampers with its guest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from lsp_evalplus.fuzz.model import Outcome, OutcomeKind, Plain, Tier

LONGEST_TEXT = 16 << 20
"""Maximum characters of one string of an event; a frame is bounded by the confinement as well."""
MOST_ITEMS = 400
"""Maximum length of a list of an event."""
TAMPERED = "the code tampers with the process that checks it"

_NAME = r"'[^']{0,500}'"
_ANY = r"[^\x00]{0,4000}"
REASONS: Final = (
    "it returns functions, and what they do is not compared",
    "its results cannot be compared: they have no visible content",
    "not deterministic: the same input gives different results",
    "only an empty instance could be made",
    "its class makes no instances but by its constructor, or the versions use other attributes of them",
    "its annotation admits None, and nothing else says what it should return",
    r"the reference returned nothing on any input that was tried(; it raised \w{1,200})?",
    "the reference returned nothing on any input that was tried; it waits for what nothing can bring",
    r"no input was found that the (function|reference) accepts(; it does not end in time|; it raises " + _ANY + ")?",
    "no input was found that the (function|reference) accepts; its contract refuses them(: " + _ANY + ")?",
    rf"no input was found that the (function|reference) accepts; it uses {_NAME}, which is not installed",
    "no input was found that the (function|reference) accepts; it waits for input",
    "the (function|reference) does not end in time",
    "none of its examples can be run: " + _ANY,
    r"it is a [\w ]{1,40} where the reference is a [\w ]{1,40}",
    rf"(the reference: )?{_NAME} makes no instance without arguments in its __new__",
    "its class cannot be made without arguments, as that of the reference can",
    "(the reference: )?the parameters of " + _ANY + " cannot be read: " + _ANY,
    r"(the reference: )?the module cannot be loaded because "
    r"(of a syntax error( at line \d+)?: |it does not compile: |an import fails: |it raises |its package "
    + _ANY
    + ")"
    + _ANY,
    rf"(the reference: )?another definition of {_NAME} counts here: the one at line \d+",
    rf"(the reference: )?another definition of {_NAME} takes its place, which comes from {_NAME}",
    rf"(the reference: )?there is no {_NAME} in the module",
    rf"(the reference: )?{_NAME} is defined under conditions that are not met here",
    rf"(the reference: )?{_NAME} is not callable: it is of type {_NAME}",
    "the arguments " + _ANY + " cannot be evaluated because of " + _ANY,
    "arguments must be a tuple, or a dict with 'args' and 'kwargs'",
    "(the reference: )?its module cannot be imported as its tests import it",
    "its calls cannot be watched",
    rf"(the reference: )?{_NAME} cannot be loaded because it uses {_ANY} of the function around it",
)
"""Regular expressions of the reasons for which a guest does not check."""
_REASON = re.compile("|".join(f"(?:{reason})" for reason in REASONS), re.DOTALL)


class MalformedEventError(Exception):
    """An event that no guest sends by itself."""


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise MalformedEventError("a count")
    return value


def _index(value: object) -> int | None:
    return None if value is None else _count(value)


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise MalformedEventError("a flag")
    return value


def _string(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise MalformedEventError("a string")
    return value


def _strings(value: object) -> list[str]:
    if not isinstance(value, list) or len(cast("list[object]", value)) > MOST_ITEMS:
        raise MalformedEventError("a list of strings")
    return [_string(item) for item in cast("list[object]", value)]


def _tier(value: object) -> str:
    if value not in tuple(Tier):
        raise MalformedEventError("a tier")
    return str(value)


def _code(value: object) -> str:
    if value not in ("agree", "differ", "rejected", "undecided", "slow"):
        raise MalformedEventError("a judgement")
    return str(value)


def _status(value: object) -> str:
    if value not in ("checked", "not_checked"):
        raise MalformedEventError("a status")
    return str(value)


def _reason(value: object) -> str:
    text = _string(value)
    if text and _REASON.fullmatch(text) is None:
        raise MalformedEventError("a reason")
    return text


def _outcome(value: object) -> Plain:
    read_outcome(value)
    return cast("Plain", value)


def _trials(value: object) -> list[tuple[str, str, str]]:
    if not isinstance(value, list) or len(cast("list[object]", value)) > MOST_ITEMS:
        raise MalformedEventError("a list of trials")
    found: list[tuple[str, str, str]] = []
    for item in cast("list[object]", value):
        if not isinstance(item, list) or len(cast("list[object]", item)) != 3:
            raise MalformedEventError("a trial")
        call, stage, code = cast("list[object]", item)
        found.append((_string(call), _string(stage), _code(code)))
    return found


def _stages(value: object) -> dict[str, dict[str, int]]:
    if not isinstance(value, dict) or len(cast("dict[object, object]", value)) > MOST_ITEMS:
        raise MalformedEventError("the counts of stages")
    found: dict[str, dict[str, int]] = {}
    for stage, counts in cast("dict[object, object]", value).items():
        if not isinstance(counts, dict):
            raise MalformedEventError("the counts of a stage")
        judged = cast("dict[object, object]", counts)
        found[_string(stage)] = {_code(code): _count(number) for code, number in judged.items()}
    return found


_COUNTS: Final[Mapping[str, Callable[[object], Any]]] = dict.fromkeys(
    ("inputs", "rejected", "branches", "unfinished", "undecided"), _count
)
_DIFFERENCE: Final[Mapping[str, Callable[[object], Any]]] = {
    "arguments": _string,
    "call": _string,
    "candidate": _outcome,
    "expected": _outcome,
    "tier": _tier,
    "difference": _string,
    "stage": _string,
    "line": _index,
    "session": _index,
    "varies": _flag,
    "earlier": _strings,
}
_SCHEMA: Final[Mapping[str, Mapping[str, Callable[[object], Any]]]] = {
    "progress": _COUNTS,
    "done": {
        **_COUNTS,
        "status": _status,
        "reason": _reason,
        "corpus": _strings,
        "domain": _strings,
        "is_out_of_time": _flag,
        "is_complete": _flag,
        "misses_change": _flag,
        "waits": _flag,
        "unanswered": _strings,
        "tests": _count,
    },
    "counterexample": _DIFFERENCE,
    "trials": {"trials": _trials},
    "trace": {"stages": _stages, "shrinking": _strings, "steps": _count},
    "hang": {"arguments": _string, "call": _string, "is_proven": _flag},
    "replaying": {"call": _string, "expected": _outcome},
    "replayed": {**_DIFFERENCE, "code": _code},
}
"""Event -> field -> reader; a field may be absent unless it is in `_REQUIRED`."""
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "done": ("status", "reason"),
    "counterexample": ("arguments", "call", "candidate", "expected", "tier", "difference"),
    "hang": ("arguments", "call", "is_proven"),
    "replayed": ("code",),
    "trials": ("trials",),
    "trace": ("stages", "shrinking", "steps"),
}


def read_event(reply: Plain) -> Plain:
    """Return the event of a reply with the fields of its schema, each of its type.

    Raises:
        MalformedEventError: the guest's own code does not send such an event.
    """
    kind = reply.get("event")
    schema = _SCHEMA.get(kind) if isinstance(kind, str) else None
    if schema is None:
        raise MalformedEventError("an unknown event")
    missing = [name for name in _REQUIRED.get(str(kind), ()) if name not in reply]
    if missing or not set(reply) <= {*schema, "event"}:
        raise MalformedEventError(f"the fields of {kind!r}")
    return {"event": kind, **{name: schema[name](value) for name, value in reply.items() if name != "event"}}


def read_outcome(plain: object) -> Outcome:
    """Parse an outcome, validating every field.

    Raises:
        MalformedEventError: it is malformed.
    """
    if not isinstance(plain, dict):
        raise MalformedEventError("an outcome")
    fields = cast("dict[str, object]", plain)
    kind, text = fields.get("kind"), _string(fields.get("text"))
    if kind not in tuple(OutcomeKind):
        raise MalformedEventError("the kind of an outcome")
    mutated, output = fields.get("mutated_arguments"), fields.get("output")
    return Outcome(
        OutcomeKind(str(kind)),
        text,
        None if mutated is None else _string(mutated),
        None if output is None else _string(output),
    )


def text_in(reply: Plain, name: str) -> str:
    """Return a string of an event.

    Raises:
        MalformedEventError: it is none.
    """
    value = reply.get(name)
    if not isinstance(value, str):
        raise MalformedEventError(name)
    return value
