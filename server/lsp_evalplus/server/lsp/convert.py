"""Convert engine values to LSP values. No other module of the server does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lsprotocol import types
from pygls.uris import from_fs_path

from lsp_evalplus.fuzz.config.codes import code_of, page_of
from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.checking.state import Finding, FunctionState
from lsp_evalplus.server.documents.documents import Document, Encoding
from lsp_evalplus.server.edits.model import FileEdit, TextEdit

from . import messages
from .client import Client
from .extension_types import FindingData

_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts for one client."""

    client: Client
    encoding: Encoding

    def to_range(self, lines: Sequence[str], span: Span) -> types.Range:
        """A span as an LSP range, in the client's position encoding."""
        return types.Range(
            start=self._to_position(lines, span.start_line, span.start_column),
            end=self._to_position(lines, span.end_line, span.end_column),
        )

    def _to_position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        if line >= len(lines):
            return types.Position(len(lines), 0) if lines and lines[-1] else types.Position(max(len(lines) - 1, 0), 0)
        return types.Position(line, self.encoding.to_units(lines[line], column))

    def to_diagnostic(self, document: Document, state: FunctionState, finding: Finding) -> types.Diagnostic:
        """The diagnostic of a finding, at its function's name."""
        code = code_of(finding.oracle.kind, finding.counterexample)
        description = types.CodeDescription(page_of(code))
        return types.Diagnostic(
            range=self.to_range(document.lines, state.facts.name_span),
            message=messages.diagnostic_message(finding, state.accepted),
            severity=_SEVERITIES[finding.severity],
            code=code,
            code_description=description if self.client.code_description else None,
            source=messages.SOURCE,
            related_information=self._related(document, state, finding) if self.client.related_information else None,
            data=self._data(state, finding) if self.client.diagnostic_data else None,
        )

    def _related(
        self, document: Document, state: FunctionState, finding: Finding
    ) -> list[types.DiagnosticRelatedInformation] | None:
        reference = self._reference(state, finding)
        found = [] if reference is None else [reference]
        for number, message in messages.places(state, finding, document.lines):
            where = self.to_range(document.lines, _start_of(document.lines, number))
            found.append(types.DiagnosticRelatedInformation(types.Location(document.uri, where), message))
        return found or None

    def _reference(self, state: FunctionState, finding: Finding) -> types.DiagnosticRelatedInformation | None:
        oracle = finding.oracle
        if oracle.reference_path is None or oracle.reference_span is None:
            return None
        span = oracle.reference_span
        line = state.prepared.reference_lines.get(oracle.kind, "") if state.prepared is not None else ""
        start = types.Position(span.start_line, self.encoding.to_units(line, span.start_column))
        end = types.Position(span.start_line, self.encoding.to_units(line, span.end_column))
        place = types.Location(to_uri(oracle.reference_path), types.Range(start, end))
        return types.DiagnosticRelatedInformation(place, messages.reference_message(oracle, finding.counterexample))

    def _data(self, state: FunctionState, finding: Finding) -> FindingData:
        example = finding.counterexample
        return {
            "name": state.name,
            "oracle": finding.oracle.kind.value,
            "call": example.call,
            "arguments": example.arguments,
            "candidate": {"kind": example.candidate.kind.value, "text": example.candidate.text},
            "expected": {"kind": example.expected.kind.value, "text": example.expected.text},
        }

    def to_text_edit(self, document: Document, edit: TextEdit) -> types.TextEdit:
        """An edit of a document, with the document's line ends."""
        text = edit.text.replace("\n", document.line_end) if document.line_end != "\n" else edit.text
        return types.TextEdit(self.to_range(document.lines, edit.span), text)

    def to_workspace_edit(
        self, edits: Sequence[FileEdit], document_of: Callable[[str], Document | None]
    ) -> types.WorkspaceEdit:
        """Edits of files; `document_of` returns the current document at a path or URI, open or from disk."""
        changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
        plain: dict[str, list[types.TextEdit]] = {}
        for one in edits:
            document = document_of(one.place) or Document.from_text(to_uri(one.place), "")
            converted = [self.to_text_edit(document, edit) for edit in one.edits]
            if one.creates and self.client.creates_files:
                options = types.CreateFileOptions(overwrite=False, ignore_if_exists=True)
                changes.append(types.CreateFile(uri=document.uri, options=options))
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
            changes.append(types.TextDocumentEdit(identifier, list(converted)))
            plain[document.uri] = converted
        if self.client.document_changes:
            return types.WorkspaceEdit(document_changes=changes)
        return types.WorkspaceEdit(changes=plain)


def _start_of(lines: Sequence[str], number: int) -> Span:
    """The start of the code on a line; its end would move with every character that is typed."""
    column = len(lines[number]) - len(lines[number].lstrip())
    return Span(number, column, number, column)


def to_uri(path: str) -> str:
    """The URI of a file."""
    uri = from_fs_path(path)
    assert uri is not None
    return uri
