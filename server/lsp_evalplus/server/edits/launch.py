"""Debug one input: a debugpy launch configuration, and its entry in ``.vscode/launch.json``.

VS Code and nvim-dap both read that file.
"""

from __future__ import annotations

import json
from typing import Any, cast

from .model import FileEdit, TextEdit, new_file
from .whole import whole_span


def launch_configuration(name: str, program: str, python: str, folder: str) -> dict[str, Any]:
    """A debugpy configuration that runs the script at `program`."""
    return {
        "name": name,
        "type": "debugpy",
        "request": "launch",
        "program": program,
        "python": python,
        "cwd": folder,
        "console": "internalConsole",
        "justMyCode": True,
    }


def add_configuration(configuration: dict[str, Any], path: str, existing: str | None) -> FileEdit | None:
    """The edit of launch.json at `path`; None when the file is not plain JSON (it may hold comments)."""
    if existing is None or not existing.strip():
        return new_file(path, _text({"version": "0.2.0", "configurations": [configuration]}))
    try:
        content: object = json.loads(existing)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    launch = cast("dict[str, Any]", content)
    others: object = launch.get("configurations", [])
    if not isinstance(others, list):
        return None
    kept = [one for one in cast("list[dict[str, Any]]", others) if one.get("name") != configuration["name"]]
    text = _text({**launch, "configurations": [*kept, configuration]})
    return FileEdit(path, (TextEdit(whole_span(existing), text),))


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"
