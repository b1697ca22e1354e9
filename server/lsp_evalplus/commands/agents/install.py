"""``mcp --install``: the server's entry in the configuration file of an agent, shown before it is written."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any, cast

import click

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary, write_atomically

AGENTS = ("claude", "cursor", "vscode", "codex")
_NAME = "lsp-evalplus"
_JSON_FILES = {"claude": (".mcp.json", "mcpServers"), "cursor": (".cursor/mcp.json", "mcpServers")} | {
    "vscode": (".vscode/mcp.json", "servers")
}
"""Agent -> file in the project, and the key that holds the servers."""


def install(agent: str, folder: Path, *, asks: bool) -> None:
    """Write the entry of an agent, unless it is there already.

    Args:
        agent: one of `AGENTS`.
        folder: the project.
        asks: ask before a file is written.

    Raises:
        UserError: the file cannot be read, is not in its format, or cannot be written.
    """
    path, text = _codex(folder) if agent == "codex" else _json(agent, folder)
    if text is None:
        click.echo(f"{path} has the entry already.")
        return
    if asks:
        if not sys.stdin.isatty():
            raise UserError(f"nothing was written to {path}: nobody can be asked here; pass --yes.")
        click.confirm(f"Write it to {path}?", abort=True)
    try:
        write_atomically(path, text.encode(), is_private=False)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
    click.echo(f"wrote {path}")


def _json(agent: str, folder: Path) -> tuple[Path, str | None]:
    """The file of an agent that reads JSON, and its new text: None where the entry is there."""
    name, key = _JSON_FILES[agent]
    path = folder / name
    entry: dict[str, Any] = {"command": _command(), "args": ["mcp", "--folder", "${workspaceFolder}"]}
    if agent == "claude":
        entry["args"] = ["mcp"]  # It starts servers in the project, and knows no such variable.
    if agent == "vscode":
        entry = {"type": "stdio", **entry}
    shown = json.dumps({key: {_NAME: entry}}, indent=2)
    old = _read(path)
    try:
        document: object = json.loads(old) if old.strip() else {}
    except ValueError as error:
        raise UserError(f"{path} is not plain JSON ({error}); add this yourself:\n{shown}") from None
    servers = cast("dict[str, Any]", document).setdefault(key, {}) if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        raise UserError(f"{path} has no object {key!r} to write to; add this yourself:\n{shown}")
    if cast("dict[str, Any]", servers).get(_NAME) == entry:
        return path, None
    click.echo(f"{path}:\n{shown}")
    if _NAME in servers:
        click.echo(f"(in place of {json.dumps(servers[_NAME])})")
    servers[_NAME] = entry
    return path, json.dumps(document, indent=_indent(old), ensure_ascii=False) + "\n"


def _codex(folder: Path) -> tuple[Path, str | None]:
    """The file of Codex, which is one for all projects, and its new text: None where the entry is there."""
    home = os.environ.get("CODEX_HOME")
    path = (Path(home) if home else Path.home() / ".codex") / "config.toml"
    args = ["mcp", "--folder", str(folder.resolve())]
    shown = f"[mcp_servers.{_NAME}]\ncommand = {_toml(_command())}\nargs = {_toml(args)}\n"
    old = _read(path)
    try:
        before = tomllib.loads(old)
    except ValueError as error:
        raise UserError(f"{path} is not valid TOML ({error}); add this yourself:\n{shown}") from None
    entry = {"command": _command(), "args": args}
    servers: object = before.get("mcp_servers", {})
    if isinstance(servers, dict) and _NAME in servers:
        if servers[_NAME] == entry:
            return path, None
        raise UserError(f"{path} has another entry of {_NAME}; replace it with this yourself:\n{shown}")
    text = f"{old.rstrip()}\n\n{shown}" if old.strip() else shown
    try:
        is_kept = tomllib.loads(text) == {**before, "mcp_servers": {**cast("dict[str, Any]", servers), _NAME: entry}}
    except (ValueError, TypeError):
        is_kept = False
    if not is_kept:
        raise UserError(f"{path} cannot be extended at its end; add this yourself:\n{shown}")
    click.echo(f"{path}:\n{shown}")
    return path, text


def _toml(value: str | list[str]) -> str:
    """Texts and lists of texts are written in TOML as in JSON, but for escaped surrogates."""
    return json.dumps(value, ensure_ascii=False)


def _command() -> str:
    """How an agent starts this program: by its name where that leads here, else by its path."""
    beside = Path(sys.executable).parent / (f"{_NAME}.exe" if os.name == "nt" else _NAME)
    found = shutil.which(_NAME)
    if not beside.exists():
        return _NAME
    return _NAME if found is not None and Path(found).resolve() == beside.resolve() else str(beside)


def _read(path: Path) -> str:
    try:
        return read_ordinary(path).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None


def _indent(text: str) -> int | str:
    """The indentation of the first indented line of a JSON text."""
    for line in text.splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank and line.strip():
            return "\t" if blank.startswith("\t") else len(blank)
    return 2
