"""`mcp --install`: the entry is shown, written once, and nothing else in the file changes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

FILES = {"claude": (".mcp.json", "mcpServers"), "cursor": (".cursor/mcp.json", "mcpServers")}
FILES |= {"vscode": (".vscode/mcp.json", "servers")}


@pytest.mark.parametrize("agent", FILES)
def test_json_entry_keeps_the_others(agent: str, project: Path, run: Run) -> None:
    name, key = FILES[agent]
    (project / name).parent.mkdir(exist_ok=True)
    others: dict[str, Any] = {"inputs": [1], key: {"mine": {"command": "é"}}}
    (project / name).write_text(json.dumps(others, indent=4, ensure_ascii=False), encoding="utf-8")

    refused = run("mcp", "--install", agent)
    assert (refused.code, json.loads((project / name).read_text("utf-8"))) == (2, others)
    assert "--yes" in refused.err

    ran = run("mcp", "--install", agent, "--yes")
    text = (project / name).read_text("utf-8")
    entry = json.loads(text)[key].pop("lsp-evalplus")
    assert (ran.code, entry["args"][0]) == (0, "mcp")
    assert json.dumps(entry["args"][0]) in ran.out
    assert json.loads(text) == {**others, key: {**others[key], "lsp-evalplus": entry}}
    assert '\n    "inputs"' in text
    assert "already" in run("mcp", "--install", agent, "--yes").out
    assert (project / name).read_text("utf-8") == text


@pytest.mark.parametrize("old", ["", '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "c"'])
def test_codex_entry_keeps_the_others(old: str, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(project / "codex"))
    (project / "codex").mkdir()
    (project / "codex" / "config.toml").write_text(old)

    assert run("mcp", "--install", "codex", "--yes").code == 0
    text = (project / "codex" / "config.toml").read_text()

    assert text.startswith(old)
    servers = tomllib.loads(text)["mcp_servers"]
    assert servers.pop("lsp-evalplus")["args"] == ["mcp", "--folder", str(project.resolve())]
    assert servers == tomllib.loads(old).get("mcp_servers", {})
    assert "already" in run("mcp", "--install", "codex", "--yes").out
    monkeypatch.chdir(project / "codex")
    assert "another entry" in run("mcp", "--install", "codex", "--yes").err


@pytest.mark.parametrize("text", ["// a comment\n{}", "[]", '{"mcpServers": 1}'])
def test_file_that_is_not_understood_is_left_alone(text: str, project: Path, run: Run) -> None:
    (project / ".mcp.json").write_text(text)
    ran = run("mcp", "--install", "claude", "--yes")
    assert ran.code == 2
    assert "add this yourself" in ran.err
    assert (project / ".mcp.json").read_text() == text
