"""What a constructor executes statements of SQL on is a connection to a database, whose rows are part of the state."""

from __future__ import annotations

import ast
import sqlite3
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.static.parameter_members import database_connections
from lsp_evalplus.fuzz.guest.values.library_objects import rows_of
from lsp_evalplus.fuzz.model import Verdict

STORE = """
class Marks:
    def __init__(self, db):
        self.db = db
        self.db.execute("CREATE TABLE IF NOT EXISTS mark (place INTEGER)")

    def put(self, place: int) -> None:
        self.db.execute("INSERT INTO mark VALUES (?)", (place,))

    def count(self) -> int:
        return len(self.db.execute("SELECT place FROM mark").fetchall())
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a.execute('select 1')", {"a"}),
        ("a.executemany(f'INSERT INTO {b} VALUES (?)', c)", {"a"}),
        ("a.executescript('  DROP TABLE ' + b + ';')", {"a"}),
        ("a.execute('selection'), a.execute(b), a.execute(), a.run('SELECT 1'), a.b.execute('SELECT 1')", set()),
    ],
)
def test_database_connections(body: str, expected: set[str]) -> None:
    assert database_connections(ast.walk(ast.parse(body))) == expected


def test_rows_of_a_database() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute('CREATE TABLE "a ""b" (x)')
    connection.execute('INSERT INTO "a ""b" VALUES (1)')

    assert rows_of(connection) == {'a "b': [(1,)]}
    connection.close()
    assert rows_of(connection) is None
    assert rows_of("text") is None


def test_a_mistake_shows_after_rows_were_added(judge: Any) -> None:
    changed = STORE.replace("fetchall())", "fetchall()[1:])")

    assert judge(STORE, changed, name="Marks.count").verdict is Verdict.DIFFERS
    assert judge(STORE, f"{STORE}# Changed.\n", name="Marks.count").verdict is Verdict.AGREES
