"""Verdicts on samples, as serializable values.

Every sample is judged by both comparators in one run, so that they can be compared: `Rule.STRICT` is the rule of this
project, `Rule.EVALPLUS` that of evalplus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lsp_evalplus.bench.problem import Part

ACTUAL_LENGTH = 400
"""Maximal characters kept of a sample's output."""


def to_text(value: object) -> str:
    """A readable form of a value, truncated to `ACTUAL_LENGTH` characters."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integers of more than some thousand digits
        if type(value) is int:
            return integer_text(value.bit_length())
        text = f"a value of type {type(value).__name__} with a number too long to write down"
    return shorten(text)


def integer_text(bits: int) -> str:
    """A readable form of an integer too long to print."""
    return f"an integer of {bits} bits"


def shorten(text: str) -> str:
    """Truncate a string to `ACTUAL_LENGTH` characters."""
    return text if len(text) <= ACTUAL_LENGTH else text[:ACTUAL_LENGTH] + "..."


class Status(StrEnum):
    """The statuses of evalplus' result files. A fault of our own is an exception, never a status."""

    PASS = "pass"  # noqa: S105 - a status, no secret
    FAIL = "fail"
    TIMEOUT = "timeout"


class Rule(StrEnum):
    """The comparator: `judging.strict` or `judging.evalplus_compat`."""

    STRICT = "strict"
    EVALPLUS = "evalplus"


@dataclass(frozen=True, slots=True)
class Failure:
    """An input on which the sample failed."""

    index: int
    """Index of the input in its part, from 0; -1 when the program could not be loaded."""
    actual: str
    """The observed outcome in readable form: ``3``, ``raised TypeError: ...``, ``no result after 1 s``."""


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """One part of the tests under one comparator; `failures` has the first failing input, or all with test details."""

    status: Status
    failures: tuple[Failure, ...] = ()


def of_loading(verdicts: Mapping[Rule, PartVerdict]) -> dict[Rule, PartVerdict]:
    """The verdict on any other part implied by loading: failed if the program could not be loaded, else passed."""
    return {
        rule: verdict if any(failure.index < 0 for failure in verdict.failures) else PartVerdict(Status.PASS)
        for rule, verdict in verdicts.items()
    }


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """All results of one program."""

    parts: Mapping[Part, Mapping[Rule, PartVerdict]]

    def status(self, part: Part, rule: Rule) -> Status | None:
        """The status of a part, or None where it was not run."""
        verdicts = self.parts.get(part)
        return verdicts[rule].status if verdicts else None

    def passes(self, part: Part, rule: Rule) -> bool:
        """Whether the sample counts as right: with `Part.PLUS`, base and plus tests must both pass."""
        needed = (Part.BASE, Part.PLUS) if part is Part.PLUS else (Part.BASE,)
        return all(self.status(item, rule) is Status.PASS for item in needed)

    def with_rule(self, rule: Rule, other: SampleVerdict) -> SampleVerdict:
        """The same verdict, with the results of `other` for one comparator."""
        return SampleVerdict({part: {**rules, rule: other.parts[part][rule]} for part, rules in self.parts.items()})

    @property
    def differing(self) -> list[Part]:
        """The parts that one comparator passes and the other does not."""
        return [
            part
            for part, rules in self.parts.items()
            if len({verdict.status is Status.PASS for verdict in rules.values()}) > 1
        ]

    def to_json(self) -> dict[str, Any]:
        """The form kept in the journal of a run."""
        return {
            part: {
                rule: [verdict.status, *([failure.index, failure.actual] for failure in verdict.failures)]
                for rule, verdict in rules.items()
            }
            for part, rules in self.parts.items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SampleVerdict:
        """The inverse of `to_json`.

        Raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` for anything else.
        """
        return cls(
            {
                Part(part): {Rule(rule): _to_part(fields) for rule, fields in rules.items()}
                for part, rules in data.items()
            }
        )


def _to_part(fields: Iterable[Any]) -> PartVerdict:
    status, *failures = fields
    return PartVerdict(Status(status), tuple(Failure(int(index), str(actual)) for index, actual in failures))
