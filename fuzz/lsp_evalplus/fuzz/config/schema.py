"""JSON Schema of the settings, from their definitions: of ``[tool.lsp-evalplus]`` and of each setting in an editor."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Final

from .settings import LlmSettings, Settings, describe_settings, to_kebab

ADDRESS: Final = "https://raw.githubusercontent.com/lsp-evalplus/lsp-evalplus/main/docs/settings.schema.json"
MANIFEST_KEYWORDS: Final = (
    "type",
    "default",
    "enum",
    "items",
    "minimum",
    "maximum",
    "properties",
    "additionalProperties",
)
"""What the definitions say of a setting in an editor's manifest; the rest, such as its scope, is the manifest's own."""


def table_schema() -> dict[str, Any]:
    """Return the schema of the table ``[tool.lsp-evalplus]`` in pyproject.toml."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": ADDRESS,
        "title": "lsp-evalplus",
        "description": "The table [tool.lsp-evalplus] in pyproject.toml.",
        **_object_schema(Settings, ""),
    }


def _object_schema(kind: type[Settings] | type[LlmSettings], prefix: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for item in dataclasses.fields(kind):
        key = to_kebab(item.name)
        if item.name == "llm":
            properties[key] = _object_schema(LlmSettings, "llm.")
        elif "kind" in item.metadata:
            about = _sentence(item.metadata["about"])
            properties[key] = {**setting_schemas()[prefix + key], "description": about}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def setting_schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each setting with its default, by its dotted key in kebab-case."""
    kinds = {
        prefix + to_kebab(item.name): item.metadata["kind"]
        for prefix, holder in (("", Settings), ("llm.", LlmSettings))
        for item in dataclasses.fields(holder)
        if "kind" in item.metadata
    }
    return {key: {**kinds[key].schema, "default": _default(text)} for key, text, _, _ in describe_settings()}


def describe_in_manifest(properties: dict[str, Any], section: str) -> dict[str, Any]:
    """Return an editor manifest's settings with what the definitions say of those that are the server's.

    Args:
        properties: settings by name, such as ``lspEvalplus.llm.baseUrl``; those that only the editor knows stay as
            they are.
        section: the prefix of the names.
    """
    schemas = setting_schemas()
    described: dict[str, Any] = {}
    for name, given in properties.items():
        schema = schemas.get(to_kebab(name.removeprefix(f"{section}.")))
        own = {key: value for key, value in given.items() if key not in MANIFEST_KEYWORDS}
        described[name] = given if schema is None else {**_in_order(schema), **own}
    return described


def _default(text: str) -> Any:
    """A default as JavaScript writes it: 1 instead of 1.0."""
    value = json.loads(text)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _in_order(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in MANIFEST_KEYWORDS if key in schema}


def _sentence(text: str) -> str:
    """A phrase of the settings as a sentence, without the marks of Markdown."""
    plain = re.sub(r"`([^`]*)`", r"\1", text)
    return plain[0].upper() + plain[1:] + "."
