"""A dependency changes while a function that depends on it is being checked: the verdict is about its latest text."""

from __future__ import annotations

import asyncio

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


def opened(session, path, text):
    item = types.TextDocumentItem(path.as_uri(), "python", 1, text)
    session.documents.did_open(types.DidOpenTextDocumentParams(item))
    return item.uri


@pytest.fixture
async def session(tmp_path):
    checks = Checks()
    options = ClientOptions(values={"database": "off"})
    store, outbox = AcceptanceStore(tmp_path / "cache", ""), Outbox()
    made = Session(TextDocuments(), outbox, checks.check, options=options, store=store)
    made.documents.listener = made
    made.folders.add_workspace_folder(str(tmp_path))
    await made.analysis.start()
    made.checks, made.outbox = checks, outbox
    yield made
    await made.close()


def close(session, uri):
    session.documents.did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_a_change_during_a_check_replaces_it(session, tmp_path):
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(session, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    opened(session, tmp_path / "a.py", REFERRED)
    await session.checks.begun.get()

    close(session, reference)

    end = await session.checks.begun.get()
    end.set()
    await session.outbox.idle.wait()
    before, after = session.checks.oracles
    assert "a - 1" in str(before)
    assert "a + 1" in str(after)


async def test_a_change_before_it_is_known_what_a_function_depends_on(session, tmp_path, monkeypatch):
    prepare, read, held = session.analysis.prepare, asyncio.Event(), asyncio.Event()

    async def slow(*arguments):
        prepared = await prepare(*arguments)
        read.set()
        await held.wait()
        return prepared

    monkeypatch.setattr(session.analysis, "prepare", slow)
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(session, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    opened(session, tmp_path / "a.py", REFERRED)
    await read.wait()

    close(session, reference)
    held.set()

    for _ in range(2):
        (await session.checks.begun.get()).set()
    await session.outbox.idle.wait()
    before, after = session.checks.oracles
    assert "a - 1" in str(before)
    assert "a + 1" in str(after)


async def test_a_check_that_has_seen_the_latest_change_is_the_last(session, tmp_path):
    (tmp_path / "new.py").write_text(SUCCESSOR)
    reference = opened(session, tmp_path / "new.py", SUCCESSOR.replace("a + 1", "a - 1"))
    uri = opened(session, tmp_path / "a.py", REFERRED)
    (await session.checks.begun.get()).set()
    await session.outbox.idle.wait()
    close(session, reference)
    (await session.checks.begun.get()).set()
    await session.outbox.idle.wait()

    await session.check_now(uri)

    assert len(session.checks.oracles) == 2
