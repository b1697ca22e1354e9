"""The MCP server through the official SDK's own client, over stdio."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the optional extra `mcp` is not installed")

SCRIPT = Path(sysconfig.get_path("scripts")) / ("lsp-evalplus.exe" if os.name == "nt" else "lsp-evalplus")
WRONG = "def double(number: int) -> int:\n    return number * number\n"
RIGHT = "def double(number: int) -> int:\n    return number * 2\n"


async def call(folder: Path, tool: str, arguments: dict[str, Any]) -> Any:
    """The result of one call of a tool, or the text of its error."""
    server = mcp.StdioServerParameters(command=str(SCRIPT), args=["mcp", "--folder", str(folder)])
    async with mcp.Client(server) as client:
        assert {one.name for one in (await client.list_tools()).tools} == {"check_function", "check_changes"}
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text
        structured = result.structured_content
        return structured["result"] if structured else [json.loads(part.text) for part in result.content]


async def test_the_page_describes_every_tool_and_argument(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]

    server = mcp.StdioServerParameters(command=str(SCRIPT), args=["mcp", "--folder", str(tmp_path)])
    async with mcp.Client(server) as client:
        tools = (await client.list_tools()).tools

    described = dict[str, set[str]]()
    for row in rows[1:]:
        tool, arguments, _ = (cell.strip() for cell in row.strip("|").split("|"))
        name = tool.strip("`") or list(described)[-1]
        described.setdefault(name, set()).update(re.findall(r"`(\w+)`", arguments))
    assert described == {one.name: set(one.input_schema["properties"]) for one in tools}


async def test_a_function_against_a_reference(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)

    (found,) = await call(
        tmp_path,
        "check_function",
        {"path": "wrong.py", "name": "double", "reference": "right.py::double", "budget_seconds": 0.3},
    )

    assert found["verdict"] == "differs"
    assert found["counterexample"]["call"].startswith("double(")


@pytest.mark.slow
async def test_changes_since_head(tmp_path: Path) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    (tmp_path / "a.py").write_text(RIGHT)
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=30)
    (tmp_path / "a.py").write_text(WRONG)

    (found,) = await call(tmp_path, "check_changes", {"budget_seconds": 0.3})

    assert (found["name"], found["verdict"]) == ("double", "differs")
    assert found["oracle"]["kind"] == "previous"


@pytest.mark.slow
async def test_what_is_ignored_or_known_is_left_out_and_what_is_broken_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lsp-evalplus]\nbaseline = "known.json"\n')
    (tmp_path / "known.json").write_text('{"version": 1, "findings": []}')
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, capture_output=True, timeout=30)
    wrong = "def {0}(number: int) -> int:\n    '{0}(3) == 6'\n    return number * number\n"
    (tmp_path / "a.py").write_text(f"# lsp-evalplus: ignore\n{wrong.format('ignored')}\n\n{wrong.format('told')}")
    (tmp_path / "b.py").write_text(wrong.format("known"))
    (tmp_path / "bad.py").write_text("def broken(\n")
    write = [str(SCRIPT), "check", "b.py", "--write-baseline", "known.json"]
    subprocess.run(write, cwd=tmp_path, check=True, capture_output=True, timeout=60)

    told = await call(tmp_path, "check_changes", {"budget_seconds": 0.3})

    assert {one["name"]: one["verdict"] for one in told} == {"told": "differs", "": "not_checked"}
    assert any("bad.py does not parse" in one["reason"] for one in told)


@pytest.mark.slow
async def test_what_contradicts_itself_is_told_before_what_has_changed(tmp_path: Path) -> None:
    example = '    """\n    >>> {0}(3)\n    6\n    """\n'
    wrong = WRONG.replace(":\n", ":\n" + example.format("double"), 1)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    (tmp_path / "a.py").write_text(RIGHT)
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=30)
    (tmp_path / "a.py").write_text(wrong + "\n\n" + wrong.replace("double", "new"))

    found = {one["name"]: one for one in await call(tmp_path, "check_changes", {"budget_seconds": 0.3})}

    assert {name: one["verdict"] for name, one in found.items()} == {"double": "differs", "new": "differs"}
    assert {one["oracle"]["kind"] for one in found.values()} == {"examples"}


async def test_a_mistake_is_told_in_words(tmp_path: Path) -> None:
    told = await call(tmp_path, "check_function", {"path": "missing.py", "name": "f"})

    assert "missing.py" in told
    assert "Traceback" not in told
