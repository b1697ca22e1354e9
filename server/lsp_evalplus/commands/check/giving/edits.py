"""Edits of a finding's function that the dialogue offers: a precondition, a comment that ignores, the older version."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget, OracleKind
from lsp_evalplus.fuzz.oracle.git import find_base, find_work_tree
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion, read_previous
from lsp_evalplus.fuzz.source.directives import finding_mark
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import ignore, precondition, restore
from lsp_evalplus.server.edits.model import TextEdit

from .sources import NotWrittenError, Sources, Subject, Written

_NARROWED: Final = {
    OracleKind.REFERENCE,
    OracleKind.CONTRACT,
    OracleKind.RETURN,
    OracleKind.ANNOTATION,
    OracleKind.ROBUSTNESS,
}
"""Oracles for which inputs can be declared invalid: an example is valid, and an older version cannot be edited."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The function whose asserts say which inputs are valid: the reference, where there is one, else the candidate."""

    path: Path
    text: str
    target: FunctionTarget


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Conditions that reject the input of a finding, each of which can be asserted."""

    place: _Place
    conditions: tuple[str, ...]

    def write(self, condition: str, sources: Sources) -> Written:
        """Assert one of the conditions.

        Raises:
            NotWrittenError: the file has changed.
            UserError: it cannot be written.
        """
        place = self.place
        edit = precondition.add_precondition(place.target, condition, place.text.split("\n"))
        assert edit is not None, "conditions without a place are not offered"
        return _written(place.path, place.text, edit, sources, f"wrote assert {condition} into {place.target.name}")


def find_preconditions(subject: Subject, sources: Sources) -> Preconditions | None:
    """Conditions that reject the input and admit every example; None where there are none, or nowhere to put one."""
    place = _find_place(subject, sources) if subject.oracle.kind in _NARROWED else None
    if place is None:
        return None
    found = precondition.preconditions(
        place.target, subject.found.arguments, subject.oracle.examples, declared=subject.target
    )
    lines = place.text.split("\n")
    fitting = [one for one in found if precondition.add_precondition(place.target, one, lines) is not None]
    return Preconditions(place, tuple(fitting)) if fitting else None


def _find_place(subject: Subject, sources: Sources) -> _Place | None:
    oracle = subject.oracle
    if oracle.kind is not OracleKind.REFERENCE:
        return _Place(subject.path, subject.text, subject.target)
    if oracle.reference is None or oracle.reference_path is None:
        return None
    path = Path(oracle.reference_path)
    try:
        text = sources.read(path)
        target = read_module(text, path.absolute()).target(oracle.reference.qualname)
    except (NotWrittenError, UserError):
        return None
    is_same = target.program.source == oracle.reference.source or sources.has_written(path)
    return _Place(path, text, target) if is_same else None


def write_ignore(subject: Subject, sources: Sources) -> Written:
    """Write the comment that suppresses this finding and no other.

    Raises:
        NotWrittenError: the file has changed.
        UserError: it cannot be written.
    """
    name = subject.checked.item.name
    mark = finding_mark(name, subject.oracle.kind, subject.found.arguments)
    edit = ignore.ignore_finding(mark, subject.target.span, subject.lines)
    return _written(subject.path, subject.text, edit, sources, f"wrote a comment that ignores this finding of {name}")


@dataclass(frozen=True, slots=True)
class Previous:
    """The older version of a finding's function."""

    label: str
    edit: TextEdit

    def write(self, subject: Subject, sources: Sources) -> Written:
        """Restore it.

        Raises:
            NotWrittenError: the file has changed.
            UserError: it cannot be written.
        """
        said = f"restored {subject.checked.item.name} from {self.label}"
        return _written(subject.path, subject.text, self.edit, sources, said)


class Versions:
    """The older versions of files, each read once."""

    def __init__(self, revision: str | None) -> None:
        self._revision = revision or "HEAD"
        self._read = dict[Path, PreviousVersion | None]()

    def find(self, subject: Subject) -> Previous | None:
        """The version of the function in the base revision, if it has another text there."""
        path, name = subject.path.absolute(), subject.checked.item.name
        if path not in self._read:
            self._read[path] = _or_none(lambda: self._read_file(path))
        version = self._read[path]
        older = version.read(path) if version is not None else None
        if version is None or older is None or name not in older.definitions:
            return None
        span = older.definitions[name].span
        edit = restore.restore(subject.target, subject.lines, older.parsed.lines, span)
        now = "\n".join(subject.lines[edit.span.start_line : edit.span.end_line + 1])
        return Previous(version.label, edit) if now.rstrip() != edit.text.rstrip() else None

    def _read_file(self, path: Path) -> PreviousVersion | None:
        base = find_base(find_work_tree(path.parent) or path.parent, self._revision)
        return read_previous(path, base.commit, base.label)


def _or_none(read: Callable[[], PreviousVersion | None]) -> PreviousVersion | None:
    """What is read; None outside of a repository."""
    try:
        return read()
    except UserError:
        return None


def _written(path: Path, before: str, edit: TextEdit, sources: Sources, said: str) -> Written:
    after = sources.write(path, before, edit)
    shown = Path(os.path.relpath(path)) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
    return Written(f"{said} in {shown}", shown, before, after)
