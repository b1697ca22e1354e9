"""Write docs/settings.schema.json and the settings in the VS Code extension's manifest from their definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.config.schema import describe_in_manifest, table_schema

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = ROOT / "editor-client" / "package.json"
SCHEMA = ROOT / "docs" / "settings.schema.json"


def to_text(value: Any) -> str:
    """JSON as npm writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def render() -> dict[Path, str]:
    """Return the content of each file."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    configuration = manifest["contributes"]["configuration"]
    configuration["properties"] = describe_in_manifest(configuration["properties"], "lspEvalplus")
    return {SCHEMA: to_text(table_schema()), MANIFEST: to_text(manifest)}


if __name__ == "__main__":
    for path, text in render().items():
        path.write_text(text, encoding="utf-8")
