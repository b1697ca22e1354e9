"""The server takes what a proxy reports: through a real process, whichever comes first, the report or the change."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from lsp_evalplus.proxy.dialect import Accepted
from lsp_evalplus.proxy.rendezvous import announce

pytestmark = pytest.mark.slow

HEAD = 'def shout(word):\n    """\n    >>> shout("😀")\n    \'😀!\'\n    """\n'
BODY = "    return '😀' if word else ''"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where servers of this test listen."""
    return tmp_path / "cache" / "lsp-evalplus" / "listening"


async def tell(folder: Path, accepted: Accepted) -> None:
    """What the proxy does, once the server listens."""
    async with asyncio.timeout(200):
        while not list(folder.glob("*.json")):
            await asyncio.sleep(0.01)
    assert await asyncio.to_thread(announce, folder, accepted.to_params()) == 1


async def hover_of(editor, uri: str) -> str:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 5))
    hover = await editor.client.text_document_hover_async(params)
    return hover.contents.value if hover is not None else ""


async def hover_says(editor, uri: str, text: str) -> None:
    async with asyncio.timeout(200):
        while text not in await hover_of(editor, uri):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("first", ["the change", "the report"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_an_acceptance_that_comes_past_the_editor(new_editor, folder, first, encoding):
    editor = await new_editor(encodings=[encoding])
    uri = editor.open("shout.py", HEAD + "    pass\n")
    accepted = Accepted(uri, (5, 0), BODY, "full")

    if first == "the report":
        await tell(folder, accepted)
    editor.change(uri, HEAD + BODY + "\n")
    if first == "the change":
        await tell(folder, accepted)

    await hover_says(editor, uri, "Accepted code (from proxy)")
    await editor.diagnostics(uri)


async def test_a_report_may_come_before_its_document(new_editor, folder):
    editor = await new_editor()
    uri = editor.uri("shout.py")

    await tell(folder, Accepted(uri, (5, 0), BODY, "full"))
    # Time for the report to be read.
    await asyncio.sleep(0.1)
    editor.open("shout.py", HEAD + BODY + "\n")

    await hover_says(editor, uri, "Accepted code (from proxy)")
    await editor.diagnostics(uri)


async def test_what_is_not_in_the_document_was_not_accepted_here(new_editor, folder):
    editor = await new_editor()
    uri = editor.open("shout.py", HEAD + BODY + "\n")
    await editor.diagnostics(uri)

    for wrong in (
        Accepted(uri, (5, 0), "    return 1", "full"),
        Accepted(uri, (99, 0), BODY, "full"),
        Accepted("x:y", (5, 0), BODY, "full"),
    ):
        await tell(folder, wrong)
    announce(folder, {"textDocument": {}, "text": 1})

    assert "proxy" not in await hover_of(editor, uri)


async def test_nobody_listens_when_the_server_has_ended(new_editor, folder):
    editor = await new_editor()
    async with asyncio.timeout(200):
        while not list(folder.glob("*.json")):
            await asyncio.sleep(0.01)

    await editor.close()

    assert list(folder.glob("*")) == []
