"""The quick fixes of a finding and their edits, which are computed by pure functions in `edits`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.model import FunctionTarget, OracleKind
from lsp_evalplus.fuzz.source.directives import finding_mark
from lsp_evalplus.fuzz.source.parsing import try_parse
from lsp_evalplus.server.analysis.facts import JUST_REPLACED
from lsp_evalplus.server.checking.state import FileState, Finding, FunctionState
from lsp_evalplus.server.documents.documents import Document, path_of
from lsp_evalplus.server.edits import calls, doctest_case, ignore, precondition, pytest_case, restore, script, test_file
from lsp_evalplus.server.edits.model import FileEdit
from lsp_evalplus.server.edits.wording import shortened
from lsp_evalplus.server.session.session import Session


class FixKind(StrEnum):
    """A kind of quick fix."""

    SHOW_INPUT = "showInput"
    ADD_TEST = "addTest"
    ADD_EXAMPLE = "addExample"
    ADD_PRECONDITION = "addPrecondition"
    RESTORE = "restore"
    DEBUG = "debug"
    CHECK_LONGER = "checkLonger"
    IGNORE = "ignore"
    ADD_TO_BASELINE = "addToBaseline"
    SUGGEST_FIX = "suggestFix"
    """Offered by `features.suggest_fix`, which knows whether a language model may be asked."""


@dataclass(frozen=True, slots=True)
class QuickFix:
    """An available quick fix; `detail` distinguishes several of one kind."""

    fix: FixKind
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FixSubject:
    """The finding to fix, and its function."""

    document: Document
    file: FileState
    state: FunctionState
    finding: Finding
    target: FunctionTarget
    """With its spans in the current document."""


def subject(document: Document, file: FileState, state: FunctionState, finding: Finding) -> FixSubject | None:
    """The subject of a finding; None when the function was not prepared, which every finding's was."""
    if state.target is None:
        return None
    target = replace(state.target, span=state.facts.span, name_span=state.facts.name_span)
    return FixSubject(document, file, state, finding, target)


def offers(about: FixSubject, baseline: Path | None = None) -> list[QuickFix]:
    """The quick fixes of a finding, the most useful first. Does not read the disk.

    `baseline` is the folder's file of known findings, if it has one.
    """
    target, example = about.target, about.finding.counterexample
    call = shortened(example.call, 60)
    found = [QuickFix(FixKind.SHOW_INPUT, f"Show the failing input {call} as a script")]
    if calls.call_site(example.called(target)) is not None and pytest_case.test_case(target, example) is not None:
        found.append(QuickFix(FixKind.ADD_TEST, f"Add {call} as a pytest test"))
    if doctest_case.add_example(target, example, about.document.lines) is not None:
        found.append(QuickFix(FixKind.ADD_EXAMPLE, f"Add {call} as an example to the docstring"))
    for number, condition in enumerate(_conditions(about, target)):
        if not _has_place(about, condition):
            break
        title = f"This input is not valid: assert {shortened(condition, 60)}"
        found.append(QuickFix(FixKind.ADD_PRECONDITION, title, str(number)))
    if about.finding.oracle.source == JUST_REPLACED:
        found.append(QuickFix(FixKind.RESTORE, f"Restore {JUST_REPLACED} of {target.name}"))
    elif about.state.facts.is_changed and not about.state.facts.is_new:
        found.append(QuickFix(FixKind.RESTORE, f"Restore {target.name} from git HEAD"))
    found.append(QuickFix(FixKind.DEBUG, f"Debug {call}"))
    found.append(QuickFix(FixKind.CHECK_LONGER, f"Check {target.name} again with 10× the budget"))
    if baseline is not None and path_of(about.document.uri) is not None:
        found.append(QuickFix(FixKind.ADD_TO_BASELINE, f"Ignore this finding: add it to {baseline.name}"))
    else:
        found.append(QuickFix(FixKind.IGNORE, "Ignore this finding"))
    return found


async def edits_for(session: Session, about: FixSubject, fix: FixKind, detail: str) -> list[FileEdit] | None:
    """The edits of a quick fix; None when it turns out to be impossible."""
    if fix is FixKind.ADD_TEST:
        return await _test_edits(session, about)
    if fix is FixKind.RESTORE:
        return await _restore_edits(session, about)
    if fix is FixKind.ADD_PRECONDITION:
        return await _precondition_edits(session, about, int(detail)) if detail.isdecimal() else None
    makers: dict[FixKind, Callable[[], object]] = {
        FixKind.ADD_EXAMPLE: lambda: doctest_case.add_example(
            about.target, about.finding.counterexample, about.document.lines
        ),
        FixKind.IGNORE: lambda: ignore.ignore_finding(
            finding_mark(about.state.name, about.finding.oracle.kind, about.finding.counterexample.arguments),
            about.target.span,
            about.document.lines,
        ),
    }
    maker = makers.get(fix)
    edit = maker() if maker is not None else None
    return [FileEdit(about.document.uri, (edit,))] if edit is not None else None  # type: ignore[arg-type]


def failing_script(about: FixSubject) -> str:
    """The failing input as a script."""
    source = about.document.slice(about.target.span)
    return script.failing_input(about.target, about.finding.counterexample, about.finding.oracle, source)


async def _test_edits(session: Session, about: FixSubject) -> list[FileEdit] | None:
    site = calls.call_site(about.finding.counterexample.called(about.target))
    path = path_of(about.document.uri)
    if site is None or path is None:
        return None
    root = session.folder_of(about.document).root
    place = await asyncio.to_thread(test_file.test_file_for, Path(path), root, Path(site.import_root))
    existing = await session.closed.text_at(str(place))
    edit = pytest_case.add_test(about.target, about.finding.counterexample, str(place), existing)
    return [edit] if edit is not None else None


_NARROWED: Final = {
    OracleKind.REFERENCE,
    OracleKind.CONTRACT,
    OracleKind.RETURN,
    OracleKind.ANNOTATION,
    OracleKind.ROBUSTNESS,
}
"""Oracles for which inputs can be declared invalid. An example is valid by definition, and HEAD cannot be edited."""


def _conditions(about: FixSubject, target: FunctionTarget) -> list[str]:
    """Conditions that reject the input, over the parameters of `target`."""
    oracle = about.finding.oracle
    if oracle.kind not in _NARROWED or (oracle.kind is OracleKind.REFERENCE and oracle.reference_path is None):
        return []  # A reference that is in no file has no location to show.
    arguments = about.finding.counterexample.arguments
    return precondition.preconditions(target, arguments, oracle.examples, declared=about.target)


def _has_place(about: FixSubject, condition: str) -> bool:
    """Whether an ``assert`` can be inserted into the function that would be edited."""
    kind, prepared = about.finding.oracle.kind, about.state.prepared
    if kind is not OracleKind.REFERENCE:
        return precondition.add_precondition(about.target, condition, about.document.lines) is not None
    # Only the line of a reference's name is available here: a function on one line cannot take an assert.
    line = prepared.reference_lines.get(kind, "") if prepared is not None else ""
    return not line or try_parse(line.strip())[0] is None


async def _precondition_edits(session: Session, about: FixSubject, number: int) -> list[FileEdit] | None:
    """An ``assert`` in the function that defines validity: the reference, where there is one, else the target.

    The asserts of a candidate cannot overrule its reference: a wrong one would hide a bug.
    """
    oracle = about.finding.oracle
    if oracle.kind is not OracleKind.REFERENCE:
        conditions = _conditions(about, about.target)
        if number >= len(conditions):
            return None
        edit = precondition.add_precondition(about.target, conditions[number], about.document.lines)
        return [FileEdit(about.document.uri, (edit,))] if edit is not None else None
    if oracle.reference is None or oracle.reference_path is None:
        return None
    document = await session.closed.document_for_edit(oracle.reference_path)
    if document is None:
        return None
    text = session.file_text(document)
    prepared = await session.analysis.prepare(text, oracle.reference.qualname, session.folder_of(document).settings, {})
    conditions = _conditions(about, prepared.target) if prepared is not None else []
    if prepared is None or number >= len(conditions):
        return None
    edit = precondition.add_precondition(prepared.target, conditions[number], document.lines)
    return [FileEdit(oracle.reference_path, (edit,))] if edit is not None else None


async def _restore_edits(session: Session, about: FixSubject) -> list[FileEdit] | None:
    is_replaced = about.finding.oracle.source == JUST_REPLACED and about.state.accepted is not None
    replaced = about.state.accepted.replaced if is_replaced and about.state.accepted is not None else None
    previous = await session.analysis.previous(session.file_text(about.document), about.state.name, replaced)
    if previous is None:
        return None
    edit = restore.restore(about.target, about.document.lines, previous.lines, previous.span)
    return [FileEdit(about.document.uri, (edit,))]
