"""What databases hold, read through connections, cursors, sessions and paths: no code of a user's class is run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable

from .dynamic import type_of
from .makers.sqlite_database import LIBRARY, OWN_TABLES, DatabasePath, is_given, quoted
from .program_errors import PROGRAM_ERRORS

_MOST_ROWS = 20


def rows_of(connection: Any) -> dict[str, list[Any]] | None:
    """Return the first rows of each table of an SQLite database; None for what is no connection to one."""
    if not _is_of(connection, LIBRARY, "Connection"):
        return None
    try:
        cursor = _cursor_of(connection)
        tables = cursor.execute(f"SELECT name {OWN_TABLES} ORDER BY name").fetchall()
        return {table: cursor.execute(_statement(table)).fetchall() for (table,) in tables}
    except PROGRAM_ERRORS:  # a closed connection has no rows.
        return None


def content_of(connection: Any) -> dict[str, Any] | None:
    """Return the rows of a connection's tables, the version that a program gave the database, and whether a transaction
    is open."""
    rows = rows_of(connection)
    if rows is None:
        return None
    (version,) = _cursor_of(connection).execute("PRAGMA user_version").fetchone()
    return {"tables": rows, "user_version": version, "in_transaction": connection.in_transaction}


def given_database(value: Any) -> dict[str, Any] | None:
    """Return what the database holds that a connection, a cursor, a session or a path leads to, if it was made as an
    argument; None for anything else."""
    if is_path(value):
        return value.read(content_of)
    kind = type_of(value)
    lead = _LEADS.get((type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__name__")))
    try:
        connection = lead(value) if lead is not None else None
        is_read = _is_of(connection, LIBRARY, "Connection") and is_given(connection)
        return content_of(connection) if is_read else None
    except PROGRAM_ERRORS:  # it is closed, or merely claims to be of that class.
        return None


def is_path(value: Any) -> bool:
    """Return whether a value is the path of a database that was made as an argument."""
    return type_of(value) is DatabasePath


def cursor_state(cursor: Any) -> dict[str, Any]:
    """Return the database of a cursor, and what it says of its last statement; its rows stay where they are."""
    columns = [one[0] for one in cursor.description or ()]
    last = {"columns": columns, "rowcount": cursor.rowcount, "lastrowid": cursor.lastrowid}
    return {**last, "database": content_of(cursor.connection)}


def row_values(row: Any) -> dict[str, Any]:
    """Return the values of a row with their names, also where two have one."""
    return {"names": row.keys(), "values": tuple(row)}


def session_state(session: Any) -> dict[str, Any] | None:
    """Return what the database of a session of SQLAlchemy holds, and how many objects wait to be written to it."""
    connection = _of_session(session)
    waiting = [len(session.new), len(session.dirty), len(session.deleted)]
    content = content_of(connection)
    return None if content is None else {**content, "waiting": waiting}


def async_session_state(session: Any) -> dict[str, Any] | None:
    """Return the same for an asynchronous session."""
    return session_state(session.sync_session)


def connection_state(connection: Any) -> dict[str, Any] | None:
    """Return what the database holds that a connection of SQLAlchemy leads to; None where it is closed."""
    return None if connection.closed else content_of(_driver_of(connection))


def engine_state(engine: Any) -> dict[str, Any] | None:
    """Return what the database holds to which all connections of an engine lead."""
    with engine.connect() as connection:
        return connection_state(connection)


def _of_session(session: Any) -> Any:
    return _driver_of(session.connection())


def _driver_of(connection: Any) -> Any:
    return connection.connection.driver_connection


def _of_cursor(cursor: Any) -> Any:
    return cursor.connection


def _itself(connection: Any) -> Any:
    return connection


_LEADS: Mapping[tuple[Any, str], Callable[[Any], Any]] = MappingProxyType(
    {
        (LIBRARY, "Connection"): _itself,
        (LIBRARY, "Cursor"): _of_cursor,
        ("sqlalchemy.orm.session", "Session"): _of_session,
        ("sqlalchemy.engine.base", "Connection"): _driver_of,
    }
)
"""The connections of SQLite that objects lead to, by their classes."""


def _is_of(value: Any, module: str, name: str) -> bool:
    """Whether the class of a value is the one of that name in a module, and does not merely claim to be."""
    kind = type_of(value)
    known = sys.modules.get(module)
    return known is not None and vars(known).get(name) is kind


def _cursor_of(connection: Any) -> Any:
    cursor = connection.cursor()
    cursor.row_factory = None  # The user's would run their code.
    return cursor


def _statement(table: str) -> str:
    return f"SELECT * FROM {quoted(table)} LIMIT {_MOST_ROWS}"  # noqa: S608 - a name of the database itself, quoted.
