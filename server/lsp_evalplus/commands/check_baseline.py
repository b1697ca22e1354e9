"""The baseline: findings that are known and accepted, so that only new ones are reported."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.errors import UserError

from .check_report import to_fingerprint
from .check_run import Checked

_VERSION = 1


def read_baseline(path: Path) -> frozenset[str]:
    """The fingerprints in a baseline file.

    Raises:
        UserError: it is missing, unreadable, or no baseline.
    """
    try:
        document: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"the baseline {path} does not exist; --write-baseline makes one.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"the baseline {path} cannot be read: {error}.") from error
    fields = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    findings = fields.get("findings")
    if fields.get("version") != _VERSION or not isinstance(findings, list):
        raise UserError(f"{path} is no baseline of version {_VERSION}; --write-baseline makes one.")
    entries = [cast("dict[str, Any]", entry) for entry in cast("list[object]", findings) if isinstance(entry, dict)]
    return frozenset(entry["fingerprint"] for entry in entries if isinstance(entry.get("fingerprint"), str))


def write_baseline(path: Path, findings: Iterable[Checked]) -> None:
    """Write the findings as a baseline, whole or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    entries = [
        {
            "fingerprint": to_fingerprint(checked),
            "path": checked.item.path,
            "name": checked.item.name,
            "call": checked.report.counterexample.call if checked.report.counterexample else None,
        }
        for checked in findings
    ]
    entries.sort(key=lambda entry: (str(entry["path"]), str(entry["name"]), str(entry["fingerprint"])))
    text = json.dumps({"version": _VERSION, "findings": entries}, indent=2, ensure_ascii=False) + "\n"
    try:
        write_atomically(path, text)
    except OSError as error:
        raise UserError(f"the baseline {path} cannot be written: {error.strerror or error}.") from error


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that readers see the old one or the new one, never a part."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
