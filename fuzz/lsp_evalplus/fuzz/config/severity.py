"""How loudly a finding is told: by the oracle that made it, by its input, and by what the user set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsp_evalplus.fuzz.model import OracleKind, Tier

from .settings import SEVERITIES, Settings

DEFAULT_SEVERITIES: Final[Mapping[OracleKind, str]] = {
    OracleKind.REFERENCE: "error",
    OracleKind.PREVIOUS: "information",
    OracleKind.EXAMPLES: "error",
    OracleKind.CONTRACT: "warning",
    OracleKind.ANNOTATION: "warning",
    OracleKind.ROBUSTNESS: "hint",
    OracleKind.MODEL: "information",
}
"""By how certain the oracle is."""


def severity_of(settings: Settings, kind: OracleKind, tier: Tier, *, is_refactoring: bool = False) -> str:
    """One of `SEVERITIES`; an input unlike every example is told one step lower.

    `is_refactoring`: the user says that behaviour must not change, so that a change is an error.
    """
    if is_refactoring and kind is OracleKind.PREVIOUS:
        return SEVERITIES[0]
    severity = settings.severity_of(kind, DEFAULT_SEVERITIES[kind])
    if kind is OracleKind.MODEL and severity in SEVERITIES[:2]:
        severity = SEVERITIES[2]  # What a language model believes is never told louder than as information.
    if tier is Tier.WIDENED and severity in SEVERITIES[:3]:
        return SEVERITIES[SEVERITIES.index(severity) + 1]
    return severity
