"""Severity of a finding, from its oracle, its input and the settings."""

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
    OracleKind.RETURN: "warning",
    OracleKind.ANNOTATION: "warning",
    OracleKind.ROBUSTNESS: "hint",
    OracleKind.MODEL: "information",
}
"""Default severities, by reliability of the oracle."""


def severity_of(settings: Settings, kind: OracleKind, tier: Tier, *, is_refactoring: bool = False) -> str:
    """Return one of `SEVERITIES`; an input unlike every example lowers it by one step.

    `is_refactoring`: the user declared that behaviour must not change, so that a change is an error.
    """
    if is_refactoring and kind is OracleKind.PREVIOUS:
        return SEVERITIES[0]
    severity = settings.severity_of(kind, DEFAULT_SEVERITIES[kind])
    if kind is OracleKind.MODEL and severity in SEVERITIES[:2]:
        severity = SEVERITIES[2]  # Findings based on a language model are at most information.
    if tier is Tier.WIDENED and severity in SEVERITIES[:3]:
        return SEVERITIES[SEVERITIES.index(severity) + 1]
    return severity
