"""Set-ups of editors that the tests cannot run: what they may hold, by what the editors publish.

The shapes are in our words. Sources: Zed, `LspSettings`, `BinarySettings` and `LanguageSettingsContent` in its crate of
settings; Sublime's LSP, ``sublime-package.json`` and its page "Client Configuration"; LSP4IJ,
``docs/UserDefinedLanguageServerTemplate.md``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
STRINGS = {"type": "array", "items": {"type": "string"}}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def each(item: dict[str, Any]) -> dict[str, Any]:
    """An object whose values are all alike."""
    return {"type": "object", "additionalProperties": item, "minProperties": 1}


BINARY = closed(
    {"path": {"type": "string"}, "arguments": STRINGS, "env": TEXTS, "ignore_system_version": {"type": "boolean"}}
)
ZED_SERVER = closed(
    {
        "binary": BINARY,
        "initialization_options": {},
        "settings": {},
        "enable_lsp_tasks": {"type": "boolean"},
        "fetch": closed({"pre_release": {"type": "boolean"}}),
    }
)
ZED = closed({"lsp": each(ZED_SERVER), "languages": each(closed({"language_servers": STRINGS}))}, "lsp", "languages")
SUBLIME_CLIENT = closed(
    {
        "enabled": {"type": "boolean"},
        "command": {**STRINGS, "minItems": 1},
        "selector": {"type": "string", "pattern": r"^(source|text)\."},
        "priority_selector": {"type": "string"},
        "schemes": STRINGS,
        "initializationOptions": {"type": "object"},
        "settings": {"type": "object"},
        "experimental_capabilities": {"type": "object"},
        "env": TEXTS,
        "tcp_port": {"type": "integer"},
    },
    "enabled",
    "command",
    "selector",
)
SUBLIME = closed({"clients": each(SUBLIME_CLIENT)}, "clients")
BY_SYSTEM = closed({key: {"type": "string"} for key in ("default", "windows", "linux", "mac")}, "default")
FILE_TYPE = closed({"name": {"type": "string"}, "patterns": STRINGS}, "name")
MAPPING = closed(
    {"fileType": FILE_TYPE, "language": {"type": "string"}, "languageId": {"type": "string"}}, "languageId"
)
LSP4IJ = closed(
    {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "programArgs": {"oneOf": [{"type": "string"}, BY_SYSTEM]},
        "fileTypeMappings": {"type": "array", "items": MAPPING, "minItems": 1},
    },
    "id",
    "name",
    "programArgs",
    "fileTypeMappings",
)


def setup_of(editor: str) -> Any:
    """The set-up that a section of the page about editors shows."""
    text = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
    section = text.partition(f"## {editor}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    return json.loads(block)


TEMPLATE = json.loads((ROOT / "editor-client/lsp4ij/template.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("found", "schema"),
    [
        pytest.param(setup_of("Zed"), ZED, id="Zed"),
        pytest.param(setup_of("Sublime Text"), SUBLIME, id="Sublime Text"),
        pytest.param(TEMPLATE, LSP4IJ, id="LSP4IJ"),
    ],
)
def test_a_setup_is_of_the_shape_that_its_editor_publishes(found: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)

    jsonschema.validate(found, schema)


def test_each_setup_starts_the_server_for_python() -> None:
    zed, sublime = setup_of("Zed"), setup_of("Sublime Text")
    (name,) = zed["lsp"]
    binary = zed["lsp"][name]["binary"]
    (client,) = sublime["clients"].values()
    (mapping,) = TEMPLATE["fileTypeMappings"]

    assert [binary["path"], *binary["arguments"]] == client["command"] == ["lsp-evalplus", "serve"]
    assert TEMPLATE["programArgs"]["default"].split() == client["command"]
    assert zed["languages"]["Python"]["language_servers"][0] == name
    assert client["selector"] == "source.python"
    assert (mapping["fileType"]["patterns"], mapping["languageId"]) == (["*.py"], "python")


@pytest.mark.parametrize(
    ("found", "schema"),
    [
        pytest.param({"lsp": {"pylsp": {"command": ["lsp-evalplus"]}}, "languages": {}}, ZED, id="Zed"),
        pytest.param({"clients": {"x": {"command": "lsp-evalplus serve"}}}, SUBLIME, id="Sublime Text"),
        pytest.param({**TEMPLATE, "fileTypeMappings": [{"fileType": {"pattern": "*.py"}}]}, LSP4IJ, id="LSP4IJ"),
    ],
)
def test_the_shapes_refuse_what_the_editors_do_not_know(found: Any, schema: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema)
