"""What a constructor executes statements of SQL on is a connection to a database, whose rows are part of the state."""

from __future__ import annotations

import ast
import sqlite3
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.comparison.equality import same
from lsp_evalplus.fuzz.guest.static.parameter_members import database_connections
from lsp_evalplus.fuzz.guest.values.databases import rows_of
from lsp_evalplus.fuzz.model import OracleKind, Verdict

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


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT * FROM mark", True),
        ("INSERT INTO mark VALUES (2)", False),
        ("PRAGMA user_version = 3", False),
        ("BEGIN", False),
    ],
)
def test_databases_are_compared_by_what_they_hold(statement: str, expected: bool) -> None:
    one, two = [sqlite3.connect(":memory:") for _ in range(2)]
    for connection in (one, two):
        connection.execute("CREATE TABLE mark (place INTEGER)")
    two.execute(statement)

    assert same(one, two) is expected


def test_a_changed_statement_shows_in_the_rows_that_a_caller_finds(judge: Any) -> None:
    source = f"import sqlite3\n\ndef put(db: sqlite3.Connection, name: str) -> None:\n{FILLS}"
    changed = source.replace("(name,)", "(name.strip(),)")

    report = judge(source, changed, name="put", kind=OracleKind.PREVIOUS, calls=300)

    assert report.verdict is Verdict.DIFFERS, report
    assert "tables={'names': " in str(report.counterexample.expected.mutated_arguments)


FILLS = """\
    db.execute("CREATE TABLE IF NOT EXISTS names (name TEXT)")
    db.execute("INSERT INTO names VALUES (?)", (name,))
    db.commit()
"""


def test_what_catches_exceptions_of_a_database_prepares_instances(judge: Any) -> None:
    changed = REGISTER.replace("name = ?", "place = ?")

    assert judge(REGISTER, changed, name="Register.place_of").verdict is Verdict.DIFFERS


REGISTER = """
import sqlite3
from typing import Optional

class Register:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE names (place INTEGER PRIMARY KEY, name TEXT UNIQUE)")

    def add(self, name: str) -> None:
        try:
            self.db.execute("INSERT INTO names (name) VALUES (?)", (name,))
        except sqlite3.IntegrityError:
            raise ValueError(name)

    def place_of(self, name: str) -> Optional[int]:
        row = self.db.execute("SELECT place FROM names WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None
"""


def test_a_mistake_shows_after_rows_were_added(judge: Any) -> None:
    changed = STORE.replace("fetchall())", "fetchall()[1:])")

    assert judge(STORE, changed, name="Marks.count").verdict is Verdict.DIFFERS
    assert judge(STORE, f"{STORE}# Changed.\n", name="Marks.count").verdict is Verdict.AGREES
