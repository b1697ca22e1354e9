"""A dependency changes while a function that depends on it is being checked: the verdict is about its latest text."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest
from lsprotocol import types

from lsp_evalplus.fuzz.model import Report, Verdict
from lsp_evalplus.server.acceptance.acceptance import AcceptanceStore
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.session.session import Session
from lsp_evalplus.server.workspace.settings import ClientOptions

REFERRED = "# lsp-evalplus: reference=new.py::f\ndef f(a: int) -> int:\n    return a\n"
SUCCESSOR = "def f(a: int) -> int:\n    return a + 1\n"


class Outbox:
    """Waits until no check is left."""

    def __init__(self):
        self.idle = asyncio.Event()

    def findings_changed(self, uri):
        pass

    def activity_changed(self, pending, name):
        if pending:
            self.idle.clear()
        else:
            self.idle.set()

    def show_problem(self, sentence):
        raise AssertionError(sentence)


class Checks:
    """In the place of the engine: each check ends when it is told to."""

    def __init__(self):
        self.oracles, self.ends, self.begun = [], [], asyncio.Queue()

    async def check(self, target, oracle, budget, pool, seeds):
        end = asyncio.Event()
        self.oracles.append(oracle)
        self.ends.append(end)
        self.begun.put_nowait(end)
        await end.wait()
        return Report(target.name, Verdict.AGREES, oracle)


class _Server(NamedTuple):
    session: Session
    checks: Checks
    outbox: Outbox


def opened(server, path, text):
    item = types.TextDocumentItem(path.as_uri(), "python", 1, text)
    server.session.documents.did_open(types.DidOpenTextDocumentParams(item))
    return item.uri


@pytest.fixture
async def server(tmp_path):
    checks = Checks()
    options = ClientOptions(values={"database": "off"})
    store, outbox = AcceptanceStore(tmp_path / "cache", ""), Outbox()
    made = Session(TextDocuments(), outbox, checks.check, options=options, store=store)
    made.documents.listener = made
    made.folders.add_workspace_folder(str(tmp_path))
    await made.analysis.start()
    yield _Server(made, checks, outbox)
    await made.close()


def close(server, uri):
    server.session.documents.did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_a_change_during_a_check_replaces_it(server, tmp_path):
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(server, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    opened(server, tmp_path / "a.py", REFERRED)
    await server.checks.begun.get()

    close(server, reference)

    end = await server.checks.begun.get()
    end.set()
    await server.outbox.idle.wait()
    before, after = server.checks.oracles
    assert "a - 1" in str(before)
    assert "a + 1" in str(after)


async def test_a_change_before_it_is_known_what_a_function_depends_on(server, tmp_path, monkeypatch):
    prepare, read, held = server.session.analysis.prepare, asyncio.Event(), asyncio.Event()

    async def slow(*arguments):
        prepared = await prepare(*arguments)
        read.set()
        await held.wait()
        return prepared

    monkeypatch.setattr(server.session.analysis, "prepare", slow)
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(server, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    opened(server, tmp_path / "a.py", REFERRED)
    await read.wait()

    close(server, reference)
    held.set()

    for _ in range(2):
        (await server.checks.begun.get()).set()
    await server.outbox.idle.wait()
    before, after = server.checks.oracles
    assert "a - 1" in str(before)
    assert "a + 1" in str(after)


async def test_a_check_that_has_seen_the_latest_change_is_the_last(server, tmp_path):
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(server, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    uri = opened(server, tmp_path / "a.py", REFERRED)
    (await server.checks.begun.get()).set()
    await server.outbox.idle.wait()
    close(server, reference)
    (await server.checks.begun.get()).set()
    await server.outbox.idle.wait()

    await server.session.check_now(uri)

    assert len(server.checks.oracles) == 2
