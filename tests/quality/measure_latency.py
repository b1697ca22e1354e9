"""How long from the notice of an acceptance to its diagnostic, through a real stdio client.

::

    LSP_EVALPLUS_DATA=... python tests/quality/measure_latency.py [--count 200] [--file wrong_dev.jsonl]

For each wrong solution of the development data: a file that holds only the prompt's line for the reference is opened,
the solution is inserted by a change, ``lspEvalplus/accepted`` is sent, and the clock runs until the diagnostic. Beside
it a hover is asked every 20 ms; how long its answer takes shows whether fuzzing keeps other features waiting.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

SCRIPT = Path(sysconfig.get_path("scripts")) / "lsp-evalplus"
PATIENCE_SECONDS = 6.0
PING_SECONDS = 0.02


class Client(LanguageClient):
    """Notes when diagnostics arrive."""

    def __init__(self) -> None:
        super().__init__("latency", "1")
        self.arrived: dict[str, asyncio.Future[float]] = {}
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._note())

    def _note(self) -> Any:
        def note(params: types.PublishDiagnosticsParams) -> None:
            waiting = self.arrived.get(params.uri)
            if params.diagnostics and waiting is not None and not waiting.done():
                waiting.set_result(time.perf_counter())

        return note


def percentile(values: list[float], part: float) -> float:
    """The value below which `part` of `values` lie, in milliseconds."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))]


async def measure(pairs: list[dict[str, str]], folder: Path) -> dict[str, Any]:
    """Latencies in seconds, and what was not found within the time."""
    client = Client()
    await client.start_io(str(SCRIPT), "serve")
    capabilities = types.ClientCapabilities()
    root = folder.as_uri()
    await client.initialize_async(types.InitializeParams(capabilities, root_uri=root, process_id=os.getpid()))
    client.initialized(types.InitializedParams())
    latencies, hovers, missed = list[float](), list[float](), list[str]()
    for number, pair in enumerate(pairs):
        latency = await one(client, folder, number, pair, hovers)
        if latency is None:
            missed.append(pair["id"])
        elif number:  # The first one waits for the guests to start.
            latencies.append(latency)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return {"latencies": latencies, "hovers": hovers, "missed": missed}


async def one(client: Client, folder: Path, number: int, pair: dict[str, str], hovers: list[float]) -> float | None:
    """The latency of one acceptance; None when no diagnostic came."""
    (folder / f"reference_{number}.py").write_text(pair["reference"], encoding="utf-8")
    path = folder / f"candidate_{number}.py"
    path.write_text("", encoding="utf-8")
    uri, name = path.as_uri(), pair["entry_point"]
    directive = f"# lsp-evalplus: reference=reference_{number}.py::{name}\n"
    text = designate(pair["candidate"], name, directive)
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, "")))
    client.arrived[uri] = asyncio.get_running_loop().create_future()
    lines = text.count("\n")
    everything = types.Range(types.Position(0, 0), types.Position(lines, 0))
    start = time.perf_counter()
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri),
            [types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), text)],
        )
    )
    accepted = {
        "textDocument": {"uri": uri, "version": 2},
        "ranges": [{"start": {"line": 0, "character": 0}, "end": {"line": everything.end.line, "character": 0}}],
        "kind": "full",
    }
    client.protocol.notify("lspEvalplus/accepted", accepted)
    pinging = asyncio.ensure_future(ping(client, uri, hovers))
    try:
        return await asyncio.wait_for(client.arrived[uri], PATIENCE_SECONDS) - start
    except TimeoutError:
        return None
    finally:
        pinging.cancel()
        client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


def designate(text: str, name: str, directive: str) -> str:
    """`text` with the directive above the last definition of `name`: models repeat the prompt, the last one counts."""
    *_, last = re.finditer(rf"^def {name}\b", text, re.MULTILINE)
    return text[: last.start()] + directive + text[last.start() :]


async def ping(client: Client, uri: str, hovers: list[float]) -> None:
    """Ask for a hover again and again."""
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 0))
    while True:
        start = time.perf_counter()
        await asyncio.shield(client.text_document_hover_async(params))
        hovers.append(time.perf_counter() - start)
        await asyncio.sleep(PING_SECONDS)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--file", default="wrong_dev.jsonl")
    options = parser.parse_args()
    data = os.environ.get("LSP_EVALPLUS_DATA")
    if not data:
        sys.exit("set LSP_EVALPLUS_DATA to the folder with the development data")
    lines = (Path(data) / options.file).read_text(encoding="utf-8").splitlines()
    step = max(1, len(lines) // options.count)
    pairs = [json.loads(line) for line in lines[::step]][: options.count]
    with tempfile.TemporaryDirectory(prefix="latency-") as folder:
        found = asyncio.run(measure(pairs, Path(folder)))
    for name in ("latencies", "hovers"):
        values = found[name]
        parts = ", ".join(f"p{part} {percentile(values, part / 100):.0f} ms" for part in (50, 90, 95, 99))
        print(f"{name}: n={len(values)}, mean {1000 * statistics.fmean(values):.0f} ms, {parts}")
    print(f"no diagnostic within {PATIENCE_SECONDS:g} s: {len(found['missed'])} {found['missed'][:20]}")


if __name__ == "__main__":
    main()
