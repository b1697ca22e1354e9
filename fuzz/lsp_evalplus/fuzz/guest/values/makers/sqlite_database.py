"""Connections to SQLite databases as arguments: each has a database of its own in memory, with tables and rows."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Callable, Union

from .input_files import check_private

LIBRARY, IN_MEMORY = "sqlite3", ":memory:"
FILE_NAME = "database.sqlite3"
Schema = Union[str, Callable[[Any], Any]]
"""Statements that make tables, or a function that makes them on a connection."""
OWN_TABLES = "FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
"""Where the tables are listed that SQLite does not keep for itself."""
_GIVEN = 0x6C7370
"""The number of the application that databases are for which arguments lead to."""
_NO_ROWS: Mapping[str, Sequence[Mapping[str, Any]]] = MappingProxyType({})


def sqlite_database(
    schema: Schema, rows: Mapping[str, Sequence[Mapping[str, Any]]] = _NO_ROWS, *, named: bool = False
) -> Any:
    """Return a connection to a new database with these tables, after the rows were inserted and committed.

    Args:
        schema: what makes the tables.
        rows: the rows of each table, as values by column; what a row leaves out has its default.
        named: whether queries give rows whose values have names, too (``sqlite3.Row``).

    Raises:
        Exception: SQLite refuses the rows: two have one key, or a value is missing.
    """
    library = importlib.import_module(LIBRARY)
    connection = library.connect(IN_MEMORY)
    if type(schema) is str:
        connection.executescript(schema)
    else:
        schema(connection)  # type: ignore[operator]
    for table, several in rows.items():
        for row in several:
            columns = ", ".join([quoted(name) for name in row])
            values = f"({columns}) VALUES ({', '.join('?' * len(row))})" if row else "DEFAULT VALUES"
            connection.execute(f"INSERT INTO {quoted(table)} {values}", tuple(row.values()))
    mark_as_given(connection)
    connection.commit()
    if named:
        connection.row_factory = library.Row
    return connection


def mark_as_given(connection: Any) -> None:
    """Mark a database as one that others hold, and that is no concern of the object alone which was made with it."""
    connection.execute(f"PRAGMA application_id = {_GIVEN}")


def is_given(connection: Any) -> bool:
    """Whether a database was marked so, or is a copy of one that was."""
    cursor = connection.cursor()
    cursor.row_factory = None  # The user's would run their code.
    return bool(cursor.execute("PRAGMA application_id").fetchone() == (_GIVEN,))


def sqlite_cursor(
    schema: Schema, rows: Mapping[str, Sequence[Mapping[str, Any]]] = _NO_ROWS, *, named: bool = False
) -> Any:
    """Return a cursor of such a connection."""
    return sqlite_database(schema, rows, named=named).cursor()


class DatabasePath(str):
    """The path of a file with a database, or of none yet.

    Each has the same name, so that a result which shows it is the same for all: what one holds is kept when the next
    one takes its place.
    """

    latest: DatabasePath | None = None
    kept: bytes | None = None
    """The content of its file when another one took its place."""

    def __str__(self) -> str:
        """Return the path as it is, so that what was converted is known still."""
        return self

    def keep(self) -> None:
        """Keep the content of the file, and remove it with what SQLite has written beside it."""
        if os.path.isfile(self):
            with open(self, "rb") as file:
                self.kept = file.read()
        _remove(self)

    def read(self, reader: Callable[[Any], Any]) -> Any:
        """Return what is read of a connection to the database; None where there is no file."""
        if self is DatabasePath.latest:
            return _read_file(self, reader) if os.path.isfile(self) else None
        if self.kept is None:
            return None
        copy = f"copy_of_{FILE_NAME}"
        with open(copy, "wb") as file:
            file.write(self.kept)
        try:
            return _read_file(copy, reader)
        finally:
            _remove(copy)


def _read_file(path: str, reader: Callable[[Any], Any]) -> Any:
    library = importlib.import_module(LIBRARY)
    try:
        with contextlib.closing(library.connect(path, timeout=0)) as connection:
            return reader(connection)
    except library.Error:  # it is no database, or locked.
        return None


def _remove(path: str) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)


def sqlite_file(schema: Schema = "", rows: Mapping[str, Sequence[Mapping[str, Any]]] = _NO_ROWS) -> DatabasePath:
    """Return the path of a file in the private folder with such a database; there is no file yet where it is empty.

    Raises:
        PermissionError: the current folder is not the private one.
        Exception: SQLite refuses the rows.
    """
    check_private()
    if DatabasePath.latest is not None:
        DatabasePath.latest.keep()
    _remove(FILE_NAME)
    if schema != "" or rows:
        with contextlib.closing(importlib.import_module(LIBRARY).connect(FILE_NAME)) as written:
            written.execute("PRAGMA synchronous = OFF")
            sqlite_database(schema, rows).backup(written)
    DatabasePath.latest = DatabasePath(FILE_NAME)
    return DatabasePath.latest


def sqlite_row(values: Mapping[str, Any]) -> Any:
    """Return a row of a query with these values by name."""
    library = importlib.import_module(LIBRARY)
    connection = library.connect(IN_MEMORY)
    connection.row_factory = library.Row
    columns = ", ".join([f"? AS {quoted(name)}" for name in values])
    return connection.execute(f"SELECT {columns}", tuple(values.values())).fetchone()


def quoted(name: str) -> str:
    """Return a name as statements write it, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


MAKERS_OF_SQLITE = {one.__name__: one for one in (sqlite_database, sqlite_cursor, sqlite_file, sqlite_row)}
"""What makes them, by the names that recipes have for it."""
