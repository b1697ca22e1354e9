"""Sessions of SQLAlchemy as arguments: each with a database of its own in memory, in which some objects are stored."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

SESSION = "database_session"
"""The name that recipes have for the maker."""


def database_session(metadata: Any, objects: Sequence[Any] = ()) -> Any:
    """Return a session on a new database with the tables of `metadata`, after the objects were added and committed.

    Raises:
        Exception: SQLAlchemy refuses the objects: two have one key, or a value is missing.
    """
    engine, tables = _database(metadata)
    connection = engine.connect()
    tables.backup(connection.connection.driver_connection)
    session = importlib.import_module("sqlalchemy.orm").Session(connection)
    session.add_all(objects)
    session.commit()
    # Which objects it still knows would depend on when those that nobody holds are collected.
    session.expunge_all()
    return session


@functools.lru_cache(maxsize=8)
def _database(metadata: Any) -> tuple[Any, Any]:
    """Return an engine, whose connections have a database each, and one that has the tables: to make them takes longer
    than most calls."""
    library, pool = importlib.import_module("sqlalchemy"), importlib.import_module("sqlalchemy.pool")
    engine = library.create_engine("sqlite://", poolclass=pool.NullPool)
    tables = importlib.import_module("sqlite3").connect(":memory:")
    with engine.connect() as connection:
        metadata.create_all(connection)
        connection.commit()
        connection.connection.driver_connection.backup(tables)
    return engine, tables
