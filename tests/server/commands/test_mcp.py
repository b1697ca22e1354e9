"""The MCP server through the official SDK's own client, over stdio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ... import forked

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="the optional extra `mcp` is not installed")

SCRIPT = forked.SCRIPT
WRONG = "def double(number: int) -> int:\n    return number * number\n"
RIGHT = "def double(number: int) -> int:\n    return number * 2\n"


def sdk() -> Any:
    """The SDK, imported where it is used: it takes a second, which every process that collects tests would spend."""
    return import_module("mcp")


async def call(folder: Path, tool: str, arguments: dict[str, Any]) -> Any:
    """The result of one call of a tool, or the text of its error."""
    mcp = sdk()
    server = mcp.StdioServerParameters(command=str(SCRIPT), args=["mcp", "--folder", str(folder)])
    async with mcp.Client(server) as client:
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text
        structured = result.structured_content
        return structured["result"] if structured else [json.loads(part.text) for part in result.content]


def texts(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


@pytest.mark.slow
async def test_a_session_from_the_finding_to_the_repair(tmp_path: Path) -> None:
    mcp = sdk()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(
        f"# lsp-evalplus: reference=right.py::double\n{WRONG}\n\ndef alone(x):\n    return x\n"
    )
    before = (tmp_path / "wrong.py").read_text()
    server = mcp.StdioServerParameters(command=str(SCRIPT), args=["mcp", "--folder", str(tmp_path)])
    reported = list[tuple[float, float | None]]()

    async def on_progress(done: float, of: float | None, _message: str | None) -> None:
        reported.append((done, of))

    async with mcp.Client(server) as client:
        asked = {"path": "wrong.py", "name": "double", "budget_seconds": 0.3}
        checked = await client.call_tool("check_function", asked, progress_callback=on_progress)
        (found,) = checked.structured_content["result"]
        assert reported == [(0, 1), (1, 1)]
        key = found["fingerprint"]

        explained = texts(await client.call_tool("explain_finding", {"fingerprint": key}))
        assert found["counterexample"]["call"] in explained
        assert found["page"] in explained
        resource = (await client.read_resource(f"lsp-evalplus://findings/{key}")).contents[0]
        assert resource.text == explained
        listed = (await client.read_resource("lsp-evalplus://findings")).contents[0]
        assert [one["fingerprint"] for one in json.loads(listed.text)] == [key]

        async def verify(text: str) -> Any:
            return await client.call_tool(
                "verify_fix", {"fingerprint": key, "replacement": text, "budget_seconds": 0.3}
            )

        (still,) = (await verify(WRONG.replace("number * number", "number + 1"))).structured_content["result"]
        assert still["verdict"] == "differs"
        (good,) = (await verify(RIGHT)).structured_content["result"]
        assert (good["verdict"], good["name"]) == ("agrees", "double")
        dodge = await verify(WRONG.replace("    return", "    assert number in (0, 2)\n    return"))
        assert dodge.is_error
        assert "preconditions" in texts(dodge)

        unchecked = (await client.call_tool("list_unchecked", {"path": "wrong.py"})).structured_content
        assert [one["name"] for one in unchecked["unchecked"]] == ["alone"]
        assert unchecked["advice"]

        assert (tmp_path / "wrong.py").read_text() == before
        assert not list(tmp_path.rglob("test_*.py"))
        test = (await client.call_tool("write_test", {"fingerprint": key, "write": True})).structured_content
        assert test["written"]
        run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test["path"]]
        assert subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=280).returncode == 1
        (tmp_path / "wrong.py").write_text(RIGHT)
        assert subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=280).returncode == 0
        assert "put its oracle back" in texts(await verify(RIGHT))


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts processes in /proc")
async def test_a_cancelled_check_ends_its_guests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lsp_evalplus.commands.agents.mcp import make_server

    lasting = RIGHT.replace("number * 2", "number * 2 + 0 * sum(range(10**6))")
    (tmp_path / "right.py").write_text(lasting)
    (tmp_path / "same.py").write_text(lasting)
    monkeypatch.chdir(tmp_path)
    own = children()
    asked = {"path": "same.py", "name": "double", "reference": "right.py::double", "budget_seconds": 600}
    async with sdk().Client(make_server()) as client:
        call = asyncio.ensure_future(client.call_tool("check_function", asked))
        async with asyncio.timeout(200):
            while not (guests := children() - own):
                assert not call.done(), call
                await asyncio.sleep(0.01)
            call.cancel()
            while guests & children():
                await asyncio.sleep(0.01)
            with pytest.raises(asyncio.CancelledError):
                await call
        told = await client.call_tool("explain_finding", {"fingerprint": "none"})
    assert "there is no finding 'none'" in texts(told)


def children() -> set[str]:
    """Processes that this one, or one of them, has started and that live."""
    found, waiting = set[str](), ["self"]
    while waiting:
        one = waiting.pop()
        with contextlib.suppress(OSError):  # It has ended meanwhile.
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            started = {child for task in tasks for child in (task / "children").read_text().split()} - found
            found |= started
            waiting += started
    return found


async def test_a_server_lists_its_tools_answers_and_tells_mistakes_in_words(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)
    mcp = sdk()
    server = mcp.StdioServerParameters(command=str(SCRIPT), args=["mcp", "--folder", str(tmp_path)])
    asked = {"path": "wrong.py", "name": "double", "reference": "right.py::double", "budget_seconds": 0.3}
    async with mcp.Client(server) as client:
        tools = (await client.list_tools()).tools
        checked = await client.call_tool("check_function", asked)
        mistaken = await client.call_tool("check_function", {"path": "missing.py", "name": "f"})

    assert {one.name: set(one.input_schema["properties"]) for one in tools} == described_tools()
    (found,) = checked.structured_content["result"]
    assert found["verdict"] == "differs"
    assert found["counterexample"]["call"].startswith("double(")
    assert mistaken.is_error
    assert "missing.py" in texts(mistaken)
    assert "Traceback" not in texts(mistaken)


def described_tools() -> dict[str, set[str]]:
    """The arguments of each tool, as the page describes them."""
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    described = dict[str, set[str]]()
    for row in rows[1:]:
        tool, arguments, _ = (cell.strip() for cell in row.strip("|").split("|"))
        name = tool.strip("`") or list(described)[-1]
        described.setdefault(name, set()).update(re.findall(r"`(\w+)`", arguments))
    return described


@pytest.mark.slow
async def test_changes_since_head(tmp_path: Path) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    (tmp_path / "a.py").write_text(RIGHT)
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=280)
    (tmp_path / "a.py").write_text(WRONG)

    (found,) = await call(tmp_path, "check_changes", {"budget_seconds": 0.3})

    assert (found["name"], found["verdict"]) == ("double", "differs")
    assert found["oracle"]["kind"] == "previous"


@pytest.mark.slow
async def test_what_is_ignored_or_known_is_left_out_and_what_is_broken_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lsp-evalplus]\nbaseline = "known.json"\n')
    (tmp_path / "known.json").write_text('{"version": 1, "findings": []}')
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, capture_output=True, timeout=280)
    wrong = "def {0}(number: int) -> int:\n    '{0}(3) == 6'\n    return number * number\n"
    (tmp_path / "a.py").write_text(f"# lsp-evalplus: ignore\n{wrong.format('ignored')}\n\n{wrong.format('told')}")
    (tmp_path / "b.py").write_text(wrong.format("known"))
    (tmp_path / "bad.py").write_text("def broken(\n")
    write = [str(SCRIPT), "check", "b.py", "--write-baseline", "known.json"]
    subprocess.run(write, cwd=tmp_path, check=True, capture_output=True, timeout=280)

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
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=280)
    (tmp_path / "a.py").write_text(wrong + "\n\n" + wrong.replace("double", "new"))

    found = {one["name"]: one for one in await call(tmp_path, "check_changes", {"budget_seconds": 0.3})}

    assert {name: one["verdict"] for name, one in found.items()} == {"double": "differs", "new": "differs"}
    assert {one["oracle"]["kind"] for one in found.values()} == {"examples"}
