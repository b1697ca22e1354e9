"""Results as SARIF 2.1.0, the exchange format of static analysis tools (OASIS standard, 2020)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from lsp_evalplus.fuzz.config.codes import CODES, DOES_NOT_END, code_of, page_of
from lsp_evalplus.fuzz.config.severity import DEFAULT_SEVERITIES
from lsp_evalplus.fuzz.model import OracleKind, Span, Verdict

from .items import Item
from .report import LEVELS, describe_finding, to_fingerprint, to_level, to_shared_path, to_stable_place
from .run import Checked

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/lsp-evalplus/lsp-evalplus"
RULES = {
    CODES[OracleKind.REFERENCE]: "The function does something else than its reference.",
    CODES[OracleKind.PREVIOUS]: "The function's behaviour has changed.",
    CODES[OracleKind.EXAMPLES]: "The function contradicts its own examples.",
    CODES[OracleKind.CONTRACT]: "The function breaks its own contract.",
    CODES[OracleKind.RETURN]: "The function ends without the value that its annotation promises.",
    CODES[OracleKind.ANNOTATION]: "The function returns what its annotation excludes.",
    CODES[OracleKind.ROBUSTNESS]: "The function fails on an input that its annotations allow.",
    CODES[OracleKind.MODEL]: "Independent implementations by a language model disagree with the function.",
    DOES_NOT_END: "The function does not end where it should.",
}
_LEVELS = {CODES[kind]: LEVELS[severity] for kind, severity in DEFAULT_SEVERITIES.items()} | {DOES_NOT_END: "error"}


def to_sarif(results: Sequence[Checked]) -> dict[str, Any]:
    """The SARIF log of one run; its results are the findings only."""
    findings = [checked for checked in results if checked.report.verdict is Verdict.DIFFERS]
    driver = {
        "name": "lsp-evalplus",
        "version": version("lsp-evalplus"),
        "informationUri": _HOME,
        "rules": list(_rules()),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_to_result(checked) for checked in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> Iterable[dict[str, Any]]:
    for code, about in RULES.items():
        yield {
            "id": code,
            "name": "".join(word.capitalize() for word in code.split("-")),
            "shortDescription": {"text": about},
            "helpUri": page_of(code),
            "defaultConfiguration": {"level": _LEVELS[code]},
        }


def _to_result(checked: Checked) -> dict[str, Any]:
    item, report = checked.item, checked.report
    assert report.oracle is not None
    assert report.counterexample is not None
    kind = report.oracle.kind
    code = code_of(kind, report.counterexample)
    result: dict[str, Any] = {
        "ruleId": code,
        "ruleIndex": list(RULES).index(code),
        "level": to_level(checked),
        "message": {"text": describe_finding(report.counterexample, report.oracle)},
        "partialFingerprints": {
            "counterexample/v1": to_fingerprint(checked),
            "function/v1": _function_fingerprint(checked),
        },
        "properties": {"call": report.counterexample.call, "inputs": report.inputs},
    }
    if item.path is not None and item.target is not None:
        result["locations"] = [{"physicalLocation": _to_location(item.path, item.target.name_span)}]
    elif item.path is None:
        result["locations"] = [_to_pair_location(item)]
    if report.oracle.reference_path and report.oracle.reference_span:
        place = _to_location(report.oracle.reference_path, report.oracle.reference_span)
        message = {"text": f"The {kind.value} is here."}
        result["relatedLocations"] = [{"id": 0, "physicalLocation": place, "message": message}]
    return result


def _to_location(path: str, span: Span) -> dict[str, Any]:
    """Lines and columns count from 1; the end column is exclusive."""
    region = {
        "startLine": span.start_line + 1,
        "startColumn": span.start_column + 1,
        "endLine": span.end_line + 1,
        "endColumn": span.end_column + 1,
    }
    return {"artifactLocation": {"uri": _to_address(path)}, "region": region}


def _to_pair_location(item: Item) -> dict[str, Any]:
    """A pair is located by its identifier, and by a line of its file unless read from standard input."""
    found: dict[str, Any] = {"logicalLocations": [{"name": item.name, "fullyQualifiedName": item.identifier}]}
    if item.listed is not None:
        path, number = item.listed
        region = {"startLine": number}
        found["physicalLocation"] = {"artifactLocation": {"uri": _to_address(path)}, "region": region}
    return found


def _to_address(path: str) -> str:
    normal = to_shared_path(path)
    return f"file://{quote(normal)}" if normal.startswith("/") else quote(normal)


def _function_fingerprint(checked: Checked) -> str:
    """A fingerprint that is the same for every failing input of a function."""
    item, oracle = checked.item, checked.report.oracle
    text = "\0".join([to_stable_place(item), item.name, oracle.kind.value if oracle else ""])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
