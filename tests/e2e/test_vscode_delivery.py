"""A user with the .vsix and nothing else: restricted mode, trust, consent, installation, the first finding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_vscode_agents import has_mcp_tools, start_mcp_server
from test_vscode_findings import HEAD, WRONG, complete, finding
from waiting import wait_for
from workbench import Workbench, opened_workbench

from conftest import require

TRUST = {
    "security.workspace.trust.enabled": True,
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.banner": "never",
}


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory, playwright: Any, extensions: list[Path]) -> Iterator[Workbench]:
    """A window on a folder that nobody has trusted yet, without a server anywhere."""
    require("chromium")
    home = tmp_path_factory.mktemp("newcomer")
    folder = home / "project"
    folder.mkdir()
    with opened_workbench(playwright, home, folder, extensions, machine_settings={}, user_settings=TRUST) as workbench:
        yield workbench


def status(vscode: Workbench) -> str:
    """What the language status says, read from its hover as a user does."""
    item = vscode.page.locator('[id="status.languageStatus"]')
    item.hover()
    hover = vscode.page.locator(".hover-language-status").first
    hover.wait_for()
    text = hover.inner_text()
    vscode.page.mouse.move(600, 300)
    return text


def servers(home: Path) -> list[Path]:
    """Complete private environments."""
    return [mark.parent for mark in home.rglob("server-*/complete")]


def test_nothing_runs_before_trust(untrusted: Workbench) -> None:
    path = untrusted.write("first.py", HEAD + WRONG + "\n")
    untrusted.open(path)
    wait_for(lambda: "restricted mode" in status(untrusted), "the status to say so", every=0.3)

    assert servers(untrusted.folder.parent) == []
    assert untrusted.page.locator(".notification-toast", has_text="needs its server").count() == 0


def test_language_models_get_nothing_before_trust(untrusted: Workbench) -> None:
    tools = [one["name"] for one in untrusted.ask("tools") if one["name"].startswith("lsp-evalplus_")]

    assert tools
    for name in tools:
        # A tool that runs code would have to be agreed to first; it is not even asked about.
        with pytest.raises(AssertionError, match="Restricted Mode"):
            untrusted.ask("callTool", name=name, input={"path": "first.py", "name": "median"})


@pytest.mark.timeout(400)
def test_one_click_installs_the_server(untrusted: Workbench) -> None:
    untrusted.run_command("Workspaces: Manage Workspace Trust")
    untrusted.page.get_by_role("button", name="Trust", exact=True).first.click()
    toast = untrusted.page.locator(".notification-toast", has_text="needs its server")
    toast.wait_for()
    assert servers(untrusted.folder.parent) == []
    toast.get_by_role("button", name="Install", exact=True).click()
    (environment,) = wait_for(lambda: servers(untrusted.folder.parent), "the installation", 240, every=0.2)

    assert (environment / "bin" / "lsp-evalplus").exists()


def test_the_installed_server_finds_something(untrusted: Workbench) -> None:
    path = untrusted.folder / "median.py"
    complete(untrusted, path, HEAD, WRONG)

    assert "2.5" in str(finding(untrusted, path)["message"])
    untrusted.squiggle().wait_for()
    assert "2 findings" in wait_for(lambda: "finding" in (text := status(untrusted)) and text, "the status", every=0.3)


def test_the_packed_extension_asks_for_nothing_new(untrusted: Workbench) -> None:
    """A restart uses the environment that is there."""
    untrusted.run_command("lsp-evalplus: Restart Server")
    path = untrusted.folder / "again.py"
    complete(untrusted, path, HEAD, WRONG)

    finding(untrusted, path)
    assert len(servers(untrusted.folder.parent)) == 1
    assert untrusted.page.locator(".notification-toast", has_text="needs its server").count() == 0


@pytest.mark.timeout(400)
def test_the_mcp_server_gets_its_library_when_it_is_started(untrusted: Workbench) -> None:
    untrusted.ask("setting", name="chat.disableAIFeatures", value=False)
    start_mcp_server(untrusted, "lsp-evalplus")
    toast = untrusted.page.locator(".notification-toast", has_text="needs one library more")
    toast.get_by_role("button", name="Install", exact=True).click()
    wait_for(lambda: has_mcp_tools(untrusted), "the tools of the MCP server", 240, every=0.2)

    (environment,) = servers(untrusted.folder.parent)
    assert environment.name.endswith("-mcp")
    path = untrusted.folder / "once_more.py"
    complete(untrusted, path, HEAD, WRONG)
    finding(untrusted, path)
