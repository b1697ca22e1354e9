"""The connected client's capabilities, read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """Capabilities that change what the server sends. Each defaults to the least."""

    pulls_diagnostics: bool = False
    """It pulls diagnostics and supports their refresh; otherwise they are pushed."""
    related_information: bool = False
    code_description: bool = False
    diagnostic_data: bool = False
    resolves_edits: bool = False
    """Edits of code actions may be resolved lazily."""
    literal_actions: bool = False
    """Code actions may be literals, not only commands."""
    preferred_actions: bool = False
    document_changes: bool = False
    creates_files: bool = False
    applies_edits: bool = False
    shows_documents: bool = False
    progress: bool = False
    configuration: bool = False
    watches_files: bool = False
    registers_configuration: bool = False
    refreshes_lenses: bool = False
    refreshes_hints: bool = False
    markdown_hover: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """Read the capabilities."""

        def has(path: str) -> bool:
            return bool(_look_up(capabilities, path))

        pulls = has("text_document.diagnostic") and has("workspace.diagnostics.refresh_support")
        formats = _look_up(capabilities, "text_document.hover.content_format") or ()
        resolved = _look_up(capabilities, "text_document.code_action.resolve_support.properties") or ()
        operations = _look_up(capabilities, "workspace.workspace_edit.resource_operations") or ()
        return cls(
            pulls_diagnostics=pulls,
            related_information=has(
                f"text_document.{'diagnostic' if pulls else 'publish_diagnostics'}.related_information"
            )
            or has("text_document.publish_diagnostics.related_information"),
            code_description=has("text_document.publish_diagnostics.code_description_support"),
            diagnostic_data=has("text_document.publish_diagnostics.data_support"),
            resolves_edits="edit" in resolved and has("text_document.code_action.data_support"),
            literal_actions=has("text_document.code_action.code_action_literal_support"),
            preferred_actions=has("text_document.code_action.is_preferred_support"),
            document_changes=has("workspace.workspace_edit.document_changes"),
            creates_files=types.ResourceOperationKind.Create in operations,
            applies_edits=has("workspace.apply_edit"),
            shows_documents=has("window.show_document.support"),
            progress=has("window.work_done_progress"),
            configuration=has("workspace.configuration"),
            watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
            registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
            refreshes_lenses=has("workspace.code_lens.refresh_support"),
            refreshes_hints=has("workspace.inlay_hint.refresh_support"),
            markdown_hover=types.MarkupKind.Markdown in formats,
        )


def _look_up(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = getattr(value, name, None)
        if value is None:
            return None
    return value
