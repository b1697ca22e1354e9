"""What language models get of our extension in VS Code: its tools, listed and called, and the MCP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from test_vscode_findings import HEAD, RIGHT, WRONG
from waiting import wait_for
from workbench import Workbench

TOOLS = {"check_function", "check_file", "check_changes", "list_unchecked"}


def call(vscode: Workbench, tool: str, *, confirms: bool, **arguments: str) -> Any:
    """Call a tool as an agent does; where code is to be run, the user is asked and agrees."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(vscode.ask, "callTool", name=f"lsp-evalplus_{tool}", input=arguments)
        if confirms:
            vscode.page.locator(".monaco-dialog-box", has_text="Check with lsp-evalplus?").wait_for()
            vscode.page.keyboard.press("Enter")
        return json.loads(answer.result())


def start_mcp_server(vscode: Workbench, label: str) -> None:
    """Start a server of VS Code's list, as a user does."""
    rows = vscode.page.locator(".quick-input-list .monaco-list-row")
    vscode.press("F1")
    vscode.page.locator(".quick-input-widget input[type=text]").fill(">MCP: List Servers")
    for text in ("MCP: List Servers", label, "Start Server"):
        rows.filter(has_text=text).first.click()


def has_mcp_tools(vscode: Workbench) -> bool:
    """Whether VS Code has a tool that only our MCP server offers."""
    return any(one["name"].endswith("_verify_fix") for one in vscode.ask("tools"))


def test_the_tools_are_listed(vscode: Workbench) -> None:
    prefix = "lsp-evalplus_"

    def listed() -> set[str]:
        return {one["name"].removeprefix(prefix) for one in vscode.ask("tools") if one["name"].startswith(prefix)}

    assert wait_for(listed, "tools of ours") == TOOLS


def test_an_agent_writes_a_wrong_function_and_mends_it(vscode: Workbench) -> None:
    vscode.write("by_agent.py", HEAD + WRONG + "\n")

    (found,) = call(vscode, "check_function", confirms=True, path="by_agent.py", name="median")
    assert (found["path"], found["verdict"]) == ("by_agent.py", "differs")
    assert found["counterexample"]["call"].startswith("median([")

    vscode.write("by_agent.py", HEAD + RIGHT + "\n")
    (mended,) = call(vscode, "check_file", confirms=True, path="by_agent.py")
    assert (mended["verdict"], mended["counterexample"]) == ("agrees", None)


def test_what_is_not_checked_is_told_without_a_question(vscode: Workbench) -> None:
    vscode.write("silent.py", "def add(a, b):\n    return a + b\n")

    listing = call(vscode, "list_unchecked", confirms=False, path="silent.py")

    assert [(one["path"], one["name"], one["line"]) for one in listing["unchecked"]] == [("silent.py", "add", 1)]


@pytest.fixture
def with_chat(vscode: Workbench) -> Iterator[None]:
    """VS Code hides its list of MCP servers where AI features are switched off, as they are for the other tests. What
    comes after meets the window as it was before: the log of a server that starts is closed again."""
    know_walkthroughs(vscode)
    vscode.ask("setting", name="chat.disableAIFeatures", value=False)
    yield
    vscode.ask("setting", name="chat.disableAIFeatures", value=True)
    vscode.ask("command", id="workbench.action.closePanel")
    vscode.page.locator(".part.panel").wait_for(state="hidden")


def know_walkthroughs(vscode: Workbench) -> None:
    """Let VS Code read the walkthroughs of extensions, as its welcome page does at the start. Before that page is first
    shown it keeps only the last change of extensions: switching chat on brings VS Code's own, and ours is forgotten."""
    vscode.ask("command", id="workbench.action.openWalkthrough")
    vscode.page.locator(".getting-started-category", has_text="Is the accepted code correct?").first.wait_for()
    vscode.ask("closeAll")


@pytest.mark.usefixtures("with_chat")
def test_the_mcp_server_is_listed_and_starts(vscode: Workbench) -> None:
    start_mcp_server(vscode, "lsp-evalplus (project)")

    wait_for(lambda: has_mcp_tools(vscode), "the tools of the MCP server")
