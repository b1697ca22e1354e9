"""The JSON Schema of the settings is current, and allows what the command line and the editor allow."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsp_evalplus.fuzz.config.settings import Layer, load_settings
from lsp_evalplus.fuzz.errors import UserError

TABLES = [
    ("", True),
    ("budget = 2", True),
    ("budget = 0.5", True),
    ("budget = 0", False),
    ('budget = "2"', False),
    ("budget = true", False),
    ("jobs = 2", True),
    ("jobs = 2.5", False),
    ("memory-limit = 64", True),
    ("memory-limit = 63", False),
    ("network = 1", False),
    ('oracles = ["reference", "model"]', True),
    ('oracles = ["guess"]', False),
    ('oracles = "reference"', False),
    ('[references]\n"a.py::f" = "b.py::f"', True),
    ('[references]\n"a.py::f" = 3', False),
    ('[severity]\nprevious = "hint"', True),
    ('[severity]\nprevious = "loud"', False),
    ('[severity]\nnobody = "hint"', False),
    ("[llm]\ntimeout = 30", True),
    ("[llm]\ntimeout = 0", False),
    ("[llm]\nsecret = 1", False),
    ("unknown = 1", False),
]


def render(repository: Path) -> dict[Path, str]:
    """Return what `make schema` would write."""
    spec = importlib.util.spec_from_file_location("make_settings_schema", repository / "docs/make_settings_schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rendered: dict[Path, str] = module.render()
    return rendered


def test_schema_and_manifest_are_current(repository: Path) -> None:
    stale = [path.name for path, text in render(repository).items() if path.read_text(encoding="utf-8") != text]

    assert stale == [], "run `make schema`"


@pytest.mark.parametrize(("table", "is_allowed"), TABLES)
def test_schema_allows_what_is_accepted(table: str, is_allowed: bool, repository: Path, tmp_path: Path) -> None:
    schema: dict[str, Any] = json.loads((repository / "docs/settings.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)

    assert validator.is_valid(tomllib.loads(table)) is is_allowed
    assert accepts(tmp_path, table) is is_allowed


def accepts(folder: Path, table: str) -> bool:
    try:
        load_settings(folder, Layer("a test", tomllib.loads(table)))
    except UserError:
        return False
    return True
