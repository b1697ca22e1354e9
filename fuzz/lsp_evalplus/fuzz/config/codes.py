"""The stable code of a finding, by its oracle and outcome; each code has a page in ``docs/diagnostics``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.model import Counterexample, OracleKind, OutcomeKind, Tier

DOCUMENTATION: Final = "https://github.com/lsp-evalplus/lsp-evalplus/blob/main/docs/diagnostics/"
DOES_NOT_END: Final = "does-not-end"
CODES: Final[Mapping[OracleKind, str]] = {
    OracleKind.REFERENCE: "differs-from-reference",
    OracleKind.PREVIOUS: "behaviour-changed",
    OracleKind.EXAMPLES: "example-fails",
    OracleKind.CONTRACT: "contract-violated",
    OracleKind.RETURN: "return-missing",
    OracleKind.ANNOTATION: "annotation-violated",
    OracleKind.ROBUSTNESS: "crashes",
    OracleKind.MODEL: "implementations-disagree",
}
"""The codes of findings other than `DOES_NOT_END`."""


def all_codes() -> list[str]:
    """Return every diagnostic code."""
    return [*CODES.values(), DOES_NOT_END]


def code_of(kind: OracleKind, found: Counterexample) -> str:
    """Return the code of a finding."""
    is_endless = found.tier is Tier.HANG or found.candidate.kind is OutcomeKind.TIMED_OUT
    return DOES_NOT_END if is_endless else CODES[kind]


def page_of(code: str) -> str:
    """Return the address of a code's page on the web."""
    return f"{DOCUMENTATION}{code}.md"


def installed_page(code: str) -> Path | None:
    """Return the file of a code's page: it comes with the package, or lies in the clone in use."""
    here = Path(__file__).resolve()
    folders = (here.parent / "diagnostics", here.parents[4] / "docs" / "diagnostics")
    return next((path for folder in folders if (path := folder / f"{code}.md").is_file()), None)
