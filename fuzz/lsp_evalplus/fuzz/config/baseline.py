"""The baseline: a file of accepted findings, so that only new ones are reported.

A finding is identified by file, function, oracle and input, not by its line. The file's path is part of the fingerprint
and is relative to the baseline's folder; an entry also matches the file that its path denotes relative to the current
folder, or to the project's.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import locked_folder, read_ordinary, write_atomically
from lsp_evalplus.fuzz.model import ArgumentsText, Counterexample, OracleKind

_VERSION = 1


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """One entry."""

    fingerprint: str
    path: str | None
    name: str
    call: str | None = None
    """For human readers of the file."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of one file, and the folders their paths may be relative to."""

    entries: tuple[KnownFinding, ...] = ()
    folders: tuple[Path, ...] = ()

    def knows(self, path: str, name: str, kind: OracleKind, arguments: ArgumentsText) -> bool:
        """Whether a finding in the file at `path` is accepted; `path` is absolute, or as given on the command line."""
        fingerprint = fingerprint_of(path, name, kind, arguments)
        return any(
            entry.fingerprint == fingerprint
            or (
                entry.name == name
                and entry.path is not None
                and entry.fingerprint == fingerprint_of(entry.path, name, kind, arguments)
                and self._leads_to(entry.path, path)
            )
            for entry in self.entries
        )

    def _leads_to(self, written: str, path: str) -> bool:
        wanted = os.path.realpath(path)
        return any(os.path.realpath(folder / written) == wanted for folder in self.folders)


def known_finding(baseline: Path, path: str, name: str, kind: OracleKind, found: Counterexample) -> KnownFinding:
    """Build the baseline entry of a finding in the file at `path`, absolute or relative."""
    file, folder = os.path.realpath(path), os.path.realpath(baseline.absolute().parent)
    try:
        shown = os.path.relpath(file, folder).replace("\\", "/")
    except ValueError:  # Windows: another drive.
        shown = file.replace("\\", "/")
    return KnownFinding(fingerprint_of(shown, name, kind, found.arguments), shown, name, found.call)


def fingerprint_of(path: str, name: str, kind: OracleKind | None, arguments: ArgumentsText) -> str:
    """Return a line-independent identifier of a finding, from file, function, oracle and input."""
    text = "\0".join([path.replace("\\", "/"), name, kind.value if kind is not None else "", arguments])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def read_baseline(path: Path, *folders: Path) -> Baseline:
    """Read a baseline file; its paths may be relative to its own folder or to `folders`.

    Raises:
        UserError: it is missing, unreadable, or not a baseline.
    """
    try:
        document: object = json.loads(read_ordinary(path))
    except FileNotFoundError:
        raise UserError(f"the baseline {path} does not exist; --write-baseline makes one.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"the baseline {path} cannot be read: {error}.") from error
    fields = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    findings = fields.get("findings")
    if fields.get("version") != _VERSION or not isinstance(findings, list):
        raise UserError(f"{path} is no baseline of version {_VERSION}; --write-baseline makes one.")
    entries = [_entry(cast("dict[str, Any]", one)) for one in cast("list[object]", findings) if isinstance(one, dict)]
    return Baseline(tuple(one for one in entries if one is not None), (path.absolute().parent, *folders))


def write_baseline(path: Path, entries: Iterable[KnownFinding]) -> None:
    """Write entries as a baseline, sorted and atomically.

    Raises:
        UserError: the file cannot be written.
    """
    with _locked(path):
        _write(path, entries)


def extend_baseline(path: Path, entry: KnownFinding) -> None:
    """Add an entry to a baseline, creating the file if needed; safe for concurrent use.

    Raises:
        UserError: the file is not a baseline, or cannot be written.
    """
    with _locked(path):
        known = read_baseline(path).entries if path.exists() else ()
        _write(path, [*known, entry])


def _locked(path: Path) -> AbstractContextManager[None]:
    if not path.parent.is_dir():
        raise UserError(f"the baseline {path} cannot be written: there is no folder {path.parent}.")
    return locked_folder(path.parent)


def _write(path: Path, entries: Iterable[KnownFinding]) -> None:
    ordered = sorted(set(entries), key=lambda one: (str(one.path), one.name, one.fingerprint))
    findings = [
        {"fingerprint": one.fingerprint, "path": one.path, "name": one.name, "call": one.call} for one in ordered
    ]
    text = json.dumps({"version": _VERSION, "findings": findings}, indent=2, ensure_ascii=False) + "\n"
    try:
        write_atomically(path, text.encode("utf-8", "surrogatepass"), is_private=False)
    except OSError as error:
        raise UserError(f"the baseline {path} cannot be written: {error.strerror or error}.") from error


def _entry(fields: dict[str, Any]) -> KnownFinding | None:
    fingerprint, path, name, call = (fields.get(key) for key in ("fingerprint", "path", "name", "call"))
    if not isinstance(fingerprint, str):
        return None
    return KnownFinding(
        fingerprint,
        path if isinstance(path, str) else None,
        name if isinstance(name, str) else "",
        call if isinstance(call, str) else None,
    )
