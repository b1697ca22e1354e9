"""Context managers whose bodies add to what they are given, classes by which code asks, and coroutine functions that
fail."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SECTION = """
import contextlib

@contextlib.contextmanager
def section(out: list, title: str, level: int = 1):
    out.append(title)
    inner = []
    yield inner
    out.extend("  " * level + line for line in inner)
"""
POOL = """
import contextlib

class Pool:
    def __init__(self, size: int):
        self.free = list(range(size))

    @contextlib.contextmanager
    def taken(self):
        one = self.free.pop()
        try:
            yield one
        finally:
            self.free.append(one)
"""
TRANSACTION = """
class Transaction:
    def __init__(self, store):
        self.store = store
        self._saved = None

    def __enter__(self):
        self._saved = dict(self.store)
        return self.store

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            self.store.clear()
            self.store.update(self._saved)
        self._saved = None
        return False
"""
STEPS = """
import contextlib

def run_all(steps, undo):
    done = []
    with contextlib.ExitStack() as stack:
        for name, step in steps:
            done.append(step())
            stack.callback(undo, name)
        stack.pop_all()
    return done
"""
LOOKUP = """
class Session:
    def __init__(self, log):
        self.log = log

    def __exit__(self, kind, error, traceback):
        self.log.append("rollback" if kind else "commit")
        return kind is not None and issubclass(kind, KeyError)
"""
IGNORING = """
class Ignoring:
    def __init__(self, *types):
        self.types = types
        self.caught = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None and issubclass(kind, self.types):
            self.caught.append(error)
            return True
        return False
"""
GATHER = """
import asyncio

async def gather(jobs, limit=2):
    gate = asyncio.Semaphore(limit)
    running = 0

    async def run(job):
        nonlocal running
        async with gate:
            running += 1
            try:
                return await job()
            finally:
                running -= 1

    return await asyncio.gather(*(run(job) for job in jobs), return_exceptions=True)
"""
AGAIN = """
import asyncio

async def again(operation, attempts=3):
    for attempt in range(attempts):
        try:
            return await operation()
        except ConnectionError:
            if attempt == attempts - 1:
                raise
            await asyncio.sleep(1)
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (SECTION, '"  " * level', '"  "', "section"),
        (POOL, "self.free.append(one)", "self.free.append(0)", "Pool.taken"),
        (IGNORING, "issubclass(kind, self.types)", "kind in self.types", "Ignoring.__exit__"),
        (IGNORING, "append(error)", "append(kind)", "Ignoring.__exit__"),
        (TRANSACTION, "            self.store.clear()\n", "", "Transaction.__exit__"),
        (LOOKUP, "KeyError", "LookupError", "Session.__exit__"),
        (STEPS, "        stack.pop_all()\n", "", "run_all"),
        (GATHER, "return_exceptions=True", "return_exceptions=False", "gather"),
        (AGAIN, "except ConnectionError", "except OSError", "again"),
    ],
)
def test_it_differs(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (SECTION, '"  " * level + line for line in inner', "f\"{'  ' * level}{line}\" for line in inner", "section"),
        (POOL, "one = self.free.pop()", "one = self.free.pop(-1)", "Pool.taken"),
        (IGNORING, "if kind is not None and", "if kind and", "Ignoring.__exit__"),
        (TRANSACTION, "if kind is not None:", "if kind:", "Transaction.__exit__"),
        (STEPS, "done.append(step())", "done += [step()]", "run_all"),
        (AGAIN, "attempt == attempts - 1", "attempt + 1 == attempts", "again"),
    ],
)
def test_the_same_agrees(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.AGREES, report
