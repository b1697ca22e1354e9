"""Large files and long sessions: the loop is never kept, nothing grows, every version is right."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import statistics
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.source.discover import read_module

from .. import forked


@pytest.fixture
def server_command() -> tuple[str, ...]:
    """The processor time of the server's process is measured here."""
    return (str(forked.SCRIPT), "serve")


SHOUT = '''\
def shout(text: str) -> str:
    """Loud.

    >>> shout("a")
    'A!'
    """
    return text + "!"
'''


async def ping(editor, uri: str, seconds: list[float]) -> None:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 0))
    while True:
        started = time.perf_counter()
        # Shielded: pygls fails on the answer to a request that was given up.
        await asyncio.shield(asyncio.ensure_future(editor.client.text_document_hover_async(params)))
        seconds.append(time.perf_counter() - started)
        await asyncio.sleep(0.01)


def seconds_to_read(text: str) -> float:
    """How long a module of that text takes on this machine, in processor time, where nobody has read it before."""
    began = time.process_time()
    read_module(f"{text}\n# {began}\n")
    return time.process_time() - began


async def edited_checked_closed(editor, name: str, text: str) -> str:
    """The verdict on `shout` in a file that is opened, edited, checked, saved and closed."""
    uri = editor.open(name, text)
    await editor.diagnostics(uri, seconds=90)
    for number in range(5):
        where = types.Range(types.Position(number, 0), types.Position(number, 0))
        text = editor.texts[uri]
        place = editor.offset(text, where.start)
        change = types.TextDocumentContentChangePartial(where, "# x\n")
        editor.edit(uri, change, f"{text[:place]}# x\n{text[place:]}")
        await asyncio.sleep(0.05)
    (result,) = await editor.run("lspEvalplus.checkFunction", {"uri": uri, "name": "shout"})
    editor.save(uri)
    editor.inbox.clear()
    editor.close_document(uri)
    await editor.diagnostics(uri, lambda found: not found)
    return result["verdict"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the server's clock is set by a signal")
async def test_no_turn_of_the_loop_takes_long(new_editor, tmp_path: Path):
    """Whatever happens to a file of 50,000 lines, a message that comes meanwhile is answered in between."""
    filler = "".join(f"def f{number}(n):\n    return n + {number}\n\n\n" for number in range(12_500))
    turns = tmp_path / "turns.json"
    editor = await new_editor(command=(sys.executable, str(Path(__file__).parent / "timed_server.py"), str(turns)))
    # What only the first message of a kind costs, whatever the file, is not meant here.
    assert await edited_checked_closed(editor, "small.py", SHOUT) == "differs"
    os.kill(editor.client._server.pid, signal.SIGUSR1)

    assert await edited_checked_closed(editor, "large.py", filler + SHOUT) == "differs"
    await editor.close()

    longest = json.loads(turns.read_text())
    assert longest, "the clock has seen turns"
    assert longest[0][0] < seconds_to_read(filler) / 4, longest


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_fifty_thousand_lines_do_not_keep_others_waiting(new_editor):
    """While the file is read again and again, a hover in another file is answered at once."""
    filler = "".join(f"def f{number}(n):\n    return n + {number}\n\n\n" for number in range(12_500))
    editor = await new_editor()
    small = editor.open("shout.py", SHOUT)
    await editor.diagnostics(small)
    seconds: list[float] = []
    pinging = asyncio.ensure_future(ping(editor, small, seconds))
    large = editor.open("large.py", filler)

    for number in range(10):
        position = types.Position(number * 4000, 0)
        change = types.TextDocumentContentChangePartial(types.Range(position, position), f"# {number}\n")
        lines = editor.texts[large].split("\n")
        lines.insert(position.line, f"# {number}")
        editor.edit(large, change, "\n".join(lines))
        await asyncio.sleep(0.02)
    end = types.Position(editor.texts[large].count("\n"), 0)
    change = types.TextDocumentContentChangePartial(types.Range(end, end), SHOUT)
    editor.edit(large, change, editor.texts[large] + SHOUT)
    (diagnostic,) = (await editor.diagnostics(large, seconds=90)).diagnostics

    pinging.cancel()
    assert diagnostic.range.start.line == end.line
    assert len(seconds) > 20
    # Waiting for the other file would take a whole reading.
    reading = seconds_to_read(filler)
    assert statistics.median(seconds) < reading / 8
    assert sorted(seconds)[int(len(seconds) * 0.95)] < reading / 2


def memory_of(process: int) -> int:
    """Resident bytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see memory")
async def test_ten_thousand_random_edits(new_editor):
    """The server's text is always the client's, memory stays, and in the end the finding is where it belongs."""
    rng = random.Random(1)
    editor = await new_editor(options={"debounce": 0.05, "budget": 0.05})
    uri = editor.open("soak.py", SHOUT)
    process = editor.client._server.pid
    pieces = ["x", "\n", "    ", "def g(n):\n    return n\n", "'", '"""', "😀", "(", "#", "\r\n", ""]
    memory = 0
    for number in range(10_000):
        text = editor.texts[uri]
        if number % 100 == 99:
            editor.change(uri, SHOUT)
            await editor.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
            editor.inbox.clear()
            if number == 2999:
                memory = memory_of(process)
            continue
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 0, 0, 1, 5]))
        while text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
            start, end = max(0, start - 1), max(0, end - 1)
        new = rng.choice(pieces)
        where = types.Range(editor.position(text, start), editor.position(text, end))
        edited = text[:start] + new + text[end:]
        editor.edit(uri, types.TextDocumentContentChangePartial(where, new), edited)
        if number % 25 == 0:
            await asyncio.sleep(0)

    version = editor.change(uri, "# the end\n" + SHOUT)
    published = await editor.diagnostics(uri, lambda found: bool(found) and found[0].range.start.line == 1)
    assert published.version == version
    await asyncio.sleep(1)
    editor.inbox.clear()
    assert memory_of(process) < memory * 1.1
