"""The settings of the VS Code extension are those of the server: same names, same defaults, same choices."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import describe_settings
from lsp_evalplus.server.workspace.settings import load

MANIFEST = Path(__file__).parents[2] / "editor-client" / "package.json"
PROPERTIES: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"][
    "properties"
]
NAMES = {name.removeprefix("lspEvalplus."): name for name in PROPERTIES}
DEFAULTS = {key: json.loads(default) if default != "{}" else {} for key, default, _, _ in describe_settings()}


def to_camel(key: str) -> str:
    return re.sub(r"-([a-z])", lambda match: match[1].upper(), key)


def nested(name: str, value: Any) -> dict[str, Any]:
    head, _, rest = name.partition(".")
    return {head: nested(rest, value)} if rest else {head: value}


@pytest.mark.parametrize("key", [key for key in DEFAULTS if key.startswith("llm.")])
def test_all_that_decides_what_is_sent_can_be_set(key: str) -> None:
    assert to_camel(key) in NAMES


@pytest.mark.parametrize("key", [key for key in DEFAULTS if to_camel(key) in NAMES])
def test_the_default_is_that_of_the_server(key: str) -> None:
    assert PROPERTIES[NAMES[to_camel(key)]]["default"] == DEFAULTS[key]


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_is_understood(name: str, tmp_path: Path) -> None:
    declared = PROPERTIES[NAMES[name]]
    values: list[Any] = [declared["default"], *declared.get("enum", [])]
    values += [[choice] for choice in declared.get("items", {}).get("enum", [])]
    for key, inner in declared.get("properties", {}).items():
        values += [{key: choice} for choice in inner.get("enum", [])]
    for value in values:
        _, problems = load(tmp_path, ("the editor", nested(name, value)))
        assert problems == []


@pytest.mark.parametrize(
    "name", ["llm.enabled", "llm.model", "llm.baseUrl", "llm.apiKeyEnv", "llm.exclude", "path", "network", "read"]
)
def test_no_workspace_decides_what_is_sent_started_read_or_reached(name: str) -> None:
    assert PROPERTIES[NAMES[name]]["scope"] == "machine"


@pytest.mark.parametrize("wrong", ['budget = "x"', "unknown = 1", 'severity = { contract = "loud" }', "llm = 3"])
def test_a_wrong_key_of_a_project_leaves_the_others(wrong: str, tmp_path: Path) -> None:
    for lines in ([wrong, 'oracles = ["contract"]'], ['oracles = ["contract"]', wrong]):
        (tmp_path / "pyproject.toml").write_text("\n".join(["[tool.lsp-evalplus]", *lines]))

        settings, problems = load(tmp_path, ("the editor", {"budget": 2.0}))

        assert (settings.oracles, settings.budget, settings.root) == (("contract",), 2.0, tmp_path)
        assert len(problems) == 1
        assert problems[0].startswith(str(tmp_path / "pyproject.toml"))


@pytest.mark.parametrize("wrong", ['base-url = "http://elsewhere.example/v1"', "enabled = true", "timeout = 0"])
def test_what_a_project_excludes_is_never_sent(wrong: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.lsp-evalplus.llm]\n{wrong}\nexclude = ["secret/**"]\n')
    given = {"llm": {"enabled": True, "unknown": 1, "exclude": ["keys/**"]}}

    settings, problems = load(tmp_path, ("the editor", given))

    assert settings.llm.enabled
    assert settings.llm.base_url == ""
    assert settings.llm.timeout == 20.0
    assert settings.llm.exclude == ("secret/**", "keys/**")
    assert len(problems) == 2


def test_a_project_cannot_name_an_endpoint(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lsp-evalplus.llm]\nbase-url = "http://elsewhere.example/v1"\n')
    _, problems = load(tmp_path)
    assert len(problems) == 1
    assert "may not be set in a project's file" in problems[0]
