"""Events, queues, futures and streams of the standard library as arguments, beside an older version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

SLOW = pytest.mark.slow
TEXT = """
import asyncio
import queue
import threading

def is_ready(event: threading.Event) -> str:
    return "ready" if event.is_set() else "waits"

def emptied(waiting: "queue.Queue[int]") -> list:
    found = []
    while not waiting.empty():
        found.append(waiting.get_nowait())
    return found

async def awaited(future: asyncio.Future) -> str:
    result = await future
    return str(result)

async def lines(reader: asyncio.StreamReader) -> list:
    found = []
    while not reader.at_eof():
        found.append(await reader.readline())
    return found

async def taken(items: asyncio.Queue) -> int:
    items.get_nowait()
    return items.qsize()

class Pause:
    def __init__(self, event: asyncio.Event) -> None:
        self.event = event

    def toggle(self) -> None:
        if self.event.is_set():
            self.event.clear()
        else:
            self.event.set()
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("is_ready", "event.is_set()", "bool(event.is_set())", "not event.is_set()"),
        pytest.param(
            "emptied",
            "append(waiting.get",
            "insert(len(found), waiting.get",
            "insert(0, waiting.get",
            marks=pytest.mark.slow,
        ),
        ("awaited", "str(result)", "f'{result}'", "repr(result)"),
        (
            "lines",
            "append(await reader.readline())",
            "extend([await reader.readline()])",
            "append(b'')\n        await reader.read()",
        ),
        pytest.param(
            "taken",
            "return items.qsize()",
            "count = items.qsize()\n    return count",
            "return items.qsize() + 1",
            marks=pytest.mark.slow,
        ),
        ("Pause.toggle", "self.event.clear()", "event = self.event\n            event.clear()", "pass"),
        pytest.param("Pause.__init__", "= event", "= (event)", "= None", marks=pytest.mark.slow),
    ],
)
def test_finds_what_they_show(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    for new, verdict in ((wrong, Verdict.DIFFERS), (harmless, Verdict.AGREES)):
        text = TEXT.replace(old, new)
        assert text != TEXT
        report = judge(TEXT, text, name, kind=OracleKind.PREVIOUS, calls=60, seconds=30)
        assert report.verdict is verdict, report.reason


OBJECTS = """
import argparse
import ast
import configparser
import email.message
import inspect
import logging
import random
import sqlite3
import xml.etree.ElementTree as ET
from urllib.parse import SplitResult
from zoneinfo import ZoneInfo

def mode(args: argparse.Namespace) -> str:
    return "loud" if args.verbose and not args.quiet else "quiet"

def names_read(node: ast.AST) -> list:
    return sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)})

def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

def flags(parser: configparser.ConfigParser) -> list:
    return [parser.options(one) for one in parser.sections()]

def receivers(message: email.message.Message) -> list:
    return [one.strip() for one in message.get("To", "").split(",") if one.strip()]

def required(signature: inspect.Signature) -> list:
    return [one.name for one in signature.parameters.values() if one.default is one.empty]

def shown(record: logging.LogRecord) -> str:
    return f"{record.levelname[0]}:{record.getMessage()}"

def tossed(generator: random.Random) -> list:
    return [generator.randint(1, 6) for _ in range(3)]

def counted(db: sqlite3.Connection, low: int) -> int:
    db.execute("create table t (x)")
    db.executemany("insert into t values (?)", [(one,) for one in range(5)])
    return db.execute("select count(*) from t where x > ?", (low,)).fetchone()[0]

def texts(root: ET.Element) -> list:
    return [one.text or "" for one in root]

def origin(url: SplitResult) -> str:
    return f"{url.scheme}://{url.netloc}"

def offset(zone: ZoneInfo) -> str:
    return zone.key.partition("/")[2]
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("mode", "args.verbose and not args.quiet", "not args.quiet and args.verbose", "args.verbose"),
        ("names_read", "sorted({", "sorted({*()} | {", "list({'a'} | {"),
        pytest.param("is_text", "value.value, str)", "value.value, (str,))", "value.value, int)", marks=SLOW),
        pytest.param("flags", "parser.options(one)", "[*parser.options(one)]", "one", marks=SLOW),
        ("receivers", 'message.get("To", "")', 'message.get("to", "")', 'message.get("Cc", "")'),
        pytest.param("required", "is one.empty", "is inspect.Parameter.empty", "is not one.empty", marks=SLOW),
        ("shown", "levelname[0]", "levelname[:1]", "levelname[:2]"),
        pytest.param("tossed", "(1, 6)", "(1, 5 + 1)", "(1, 5)", marks=SLOW),
        pytest.param("counted", "x > ?", "? < x", "x >= ?", marks=SLOW),
        pytest.param("texts", 'one.text or ""', "one.text or str()", "one.text", marks=SLOW),
        pytest.param("origin", "{url.netloc}", "{url[1]}", "{url.hostname}", marks=SLOW),
        pytest.param("offset", 'partition("/")[2]', 'partition("/")[-1]', 'partition("/")[0]', marks=SLOW),
    ],
)
def test_objects_of_other_modules(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    for new, verdict in ((wrong, Verdict.DIFFERS), (harmless, Verdict.AGREES)):
        assert OBJECTS.count(old) == 1
        report = judge.edit(OBJECTS, name, old, new, calls=200, seconds=30)
        assert report.verdict is verdict, report.reason


STRUCTURES = """
import stat
from os import stat_result, terminal_size
from time import struct_time

def is_folder(status: stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode)

def columns(size: terminal_size) -> int:
    return max(size.columns - 2, 10)

def clock(moment: struct_time) -> str:
    return f"{moment.tm_hour:02}:{moment.tm_min:02}"
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("is_folder", "S_ISDIR", "S_ISREG"), ("columns", "- 2", "- 3"), ("clock", "moment.tm_min", "moment.tm_sec")],
)
def test_structures_of_the_system(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(STRUCTURES, name, old, new, calls=100)
    assert report.verdict is Verdict.DIFFERS, report.reason
