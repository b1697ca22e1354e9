"""Queries of SQLite by a connection, a cursor or a path, whose database has the tables of the program."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = '''
import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, email TEXT, active INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users(id), total REAL NOT NULL,
    status TEXT NOT NULL DEFAULT 'open');
"""


def add_user(conn: sqlite3.Connection, name: str) -> int:
    cursor = conn.execute("INSERT INTO users (name) VALUES (?)", (name.strip(),))
    conn.commit()
    return cursor.lastrowid


def email_of(conn: sqlite3.Connection, user_id: int) -> str:
    row = conn.execute("SELECT name, email FROM users WHERE id = ?", (user_id,)).fetchone()
    return "" if row is None else f"{row[0]} <{row[1]}>"


def paid(conn: sqlite3.Connection, user_id: int) -> float:
    cur = conn.cursor()
    cur.execute("SELECT SUM(total) FROM orders WHERE user_id = ? AND status = 'paid'", (user_id,))
    return cur.fetchone()[0] or 0.0


def spent(conn) -> list:
    query = """SELECT u.name, SUM(o.total) FROM users u JOIN orders o ON o.user_id = u.id
        GROUP BY u.id ORDER BY 2 DESC, u.name"""
    return conn.cursor().execute(query).fetchall()


def deactivate(conn, user_id):
    with conn:
        return conn.execute("UPDATE users SET active = 0 WHERE id = ? AND active = 1", (user_id,)).rowcount > 0


def found(cursor, text):
    cursor.execute("SELECT name FROM users WHERE name LIKE ? ORDER BY id", (f"%{text}%",))
    return sorted(name for (name,) in cursor.fetchall())


def shown(row: sqlite3.Row) -> str:
    return f"{row['name']} {row['email']}"


def count_active(path: str) -> int:
    conn = sqlite3.connect(path)
    (count,) = conn.execute("SELECT COUNT(*) FROM users WHERE active = 1").fetchone()
    conn.close()
    return count


def rename(path, user_id: int, name: str) -> None:
    conn = sqlite3.connect(path)
    conn.execute("UPDATE users SET name = ? WHERE id = ?", (name, user_id))
    conn.commit()
    conn.close()


class Orders:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def pay(self, order_id: int) -> bool:
        done = self._conn.execute("UPDATE orders SET status = 'paid' WHERE id = ? AND status = 'open'", (order_id,))
        self._conn.commit()
        return done.rowcount == 1
'''
ELSEWHERE = """
import sqlite3


def pending(db: sqlite3.Connection, owner: str) -> list:
    db.row_factory = sqlite3.Row
    query = "SELECT id, priority FROM tasks WHERE owner = ? AND done = 0 ORDER BY priority DESC, id"
    return [dict(row) for row in db.execute(query, (owner,))]


def counts(db: sqlite3.Connection) -> dict:
    return dict(db.execute("SELECT l.name, COUNT(*) FROM tasks t JOIN lists AS l ON l.id = t.list_id GROUP BY l.name"))


def take(db: sqlite3.Connection, owner: str) -> None:
    db.execute("INSERT INTO taken VALUES (?, ?)", (owner, owner.upper()))
    db.commit()
"""
IN_FILES = """
import sqlite3


def init_db(conn):
    conn.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, pinned BOOLEAN)")


class Notes:
    def __init__(self, path: str = "notes.db"):
        self.path = path
        with self._open() as conn:
            init_db(conn)

    def _open(self):
        return sqlite3.connect(self.path)

    def add(self, title: str) -> int:
        with self._open() as conn:
            return conn.execute("INSERT INTO notes (title, pinned) VALUES (?, 0)", (title.strip(),)).lastrowid

    def titles(self) -> list:
        return [row[0] for row in self._open().execute("SELECT title FROM notes ORDER BY pinned DESC, id")]


def pinned(conn: sqlite3.Connection) -> list:
    return [title for (title,) in conn.execute("SELECT title FROM notes WHERE pinned")]
"""


EMAIL_OF = "email_of(sqlite_database(SCHEMA, {'users': [{'name': ''}]}), 1)"


@pytest.mark.parametrize(
    ("source", "name", "old", "new", "call"),
    [
        (SOURCE, "email_of", "name, email FROM", "email, name FROM", EMAIL_OF),
        (SOURCE, "add_user", "name.strip()", "name", "add_user(sqlite_database(SCHEMA), ' ')"),
        (SOURCE, "paid", " AND status = 'paid'", "", ""),
        (SOURCE, "paid", "SUM(total)", "MAX(total)", ""),
        (SOURCE, "spent", "JOIN", "LEFT JOIN", "spent(sqlite_database(SCHEMA, {'users': [{'name': ''}]}))"),
        (SOURCE, "spent", "GROUP BY u.id", "GROUP BY o.id", ""),
        (SOURCE, "deactivate", " AND active = 1", "", ""),
        (SOURCE, "deactivate", "with conn:", "if True:", "deactivate(sqlite_database(SCHEMA), 0)"),
        (SOURCE, "found", "sorted", "list", ""),
        (SOURCE, "shown", "['email']", "['name']", ""),
        (SOURCE, "count_active", "active = 1", "active > 1", ""),
        (SOURCE, "rename", "    conn.commit()\n    conn.close", "    conn.close", ""),
        (SOURCE, "Orders.pay", "SET status = 'paid'", "SET status = 'done'", ""),
        (SOURCE, "Orders.pay", "        self._conn.commit()\n", "", ""),
        (ELSEWHERE, "pending", "priority DESC", "priority", ""),
        (ELSEWHERE, "pending", "done = 0", "done = 1", ""),
        (ELSEWHERE, "counts", "l.name, COUNT(*)", "l.name, COUNT(DISTINCT l.id)", ""),
        (ELSEWHERE, "take", "owner, owner.upper()", "owner, owner", ""),
        (IN_FILES, "Notes.add", "title.strip()", "title", "Notes(sqlite_file()).add(' ')"),
        (IN_FILES, "Notes.titles", "DESC", "ASC", ""),
        (IN_FILES, "pinned", "WHERE pinned", "WHERE NOT pinned", ""),
    ],
)  # fmt: skip
def test_queries(judge: Any, source: str, name: str, old: str, new: str, call: str) -> None:
    place = source.index(f"def {name.rpartition('.')[2]}(")
    newer = source[:place] + source[place:].replace(old, new, 1)
    assert newer != source
    report = judge(source, newer, name, kind="previous", calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert call in ("", report.counterexample.call)


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (SOURCE, "email_of", '"" if row is None else f"{row[0]} <{row[1]}>"', '"%s <%s>" % row if row else ""'),
        (SOURCE, "paid", "cur.fetchone()[0] or 0.0", "next(cur)[0] or 0.0"),
        (SOURCE, "spent", "o.user_id = u.id", "u.id = o.user_id"),
        (SOURCE, "found", "name for (name,) in cursor.fetchall()", "row[0] for row in cursor"),
        (SOURCE, "shown", "row['name']", "row[row.keys().index('name')]"),
        (SOURCE, "rename", "conn.commit()", "conn.execute('COMMIT')"),
        (SOURCE, "Orders.pay", "done.rowcount == 1", "done.rowcount > 0"),
        (ELSEWHERE, "pending", "dict(row)", "{key: row[key] for key in row.keys()}"),
        (ELSEWHERE, "counts", "tasks t JOIN lists AS l", "lists l INNER JOIN tasks t"),
        (IN_FILES, "Notes.add", "title, pinned) VALUES (?, 0)", "pinned, title) VALUES (0, ?)"),
        (IN_FILES, "Notes.titles", "row[0] for row", "title for (title,)"),
    ],
)
def test_the_same_queries(judge: Any, source: str, name: str, old: str, new: str) -> None:
    place = source.index(f"def {name.rpartition('.')[2]}(")
    newer = source[:place] + source[place:].replace(old, new, 1)
    assert newer != source
    report = judge(source, newer, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


def test_rows_have_names_where_a_program_reads_them_alone(judge: Any) -> None:
    source = """
import sqlite3


class Labels:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self.conn = conn
        self.name = "a"

    def of(self, number: int) -> str:
        row = self.conn.execute("SELECT id, name FROM labels WHERE id = ?", (number,)).fetchone()
        return self.name if row is None else f"{row[0]} {row[1]}"
"""
    newer = source.replace('f"{row[0]} {row[1]}"', '"%s %s" % row')
    report = judge(source, newer, "Labels.of", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
    assert "named" not in str(report)


def test_a_database_of_an_objects_own_is_its_own_concern(judge: Any) -> None:
    source = """
import sqlite3


class Counter:
    def __init__(self):
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE TABLE words (word TEXT)")

    def add(self, word: str) -> int:
        self._db.execute("INSERT INTO words VALUES (?)", (word,))
        return self._db.execute("SELECT COUNT(*) FROM words WHERE word = ?", (word,)).fetchone()[0]
"""
    newer = source.replace("words (word TEXT)", "words (word TEXT, length INTEGER)").replace(
        "VALUES (?)", "VALUES (?, 1)"
    )
    report = judge(source, newer, "Counter.add", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
