"""Sessions, connections and engines of SQLAlchemy as arguments: each has a database of its own with objects."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from .sqlite_database import IN_MEMORY, LIBRARY, mark_as_given


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


def async_database_session(metadata: Any, objects: Sequence[Any] = ()) -> Any:
    """Return an asynchronous session, as of `database_session`: its driver is not asynchronous, which nothing shows."""
    session = importlib.import_module("sqlalchemy.ext.asyncio").AsyncSession(expire_on_commit=False)
    session.sync_session = session._proxied = database_session(metadata, objects)
    session.sync_session.expire_on_commit = False
    return session


def database_connection(metadata: Any, objects: Sequence[Any] = ()) -> Any:
    """Return a connection to such a database."""
    session = database_session(metadata, objects)
    connection = session.connection()
    session.commit()
    return connection


def database_engine(metadata: Any, objects: Sequence[Any] = ()) -> Any:
    """Return an engine of such a database, to which all its connections lead."""
    library, pool = importlib.import_module("sqlalchemy.engine"), importlib.import_module("sqlalchemy.pool")
    filled = database_session(metadata, objects).connection()
    other = importlib.import_module(LIBRARY).connect(IN_MEMORY, check_same_thread=False)
    filled.connection.driver_connection.backup(other)
    # What was compiled for one engine, others execute that have its dialect.
    engine = library.Engine(pool.StaticPool(lambda: other), filled.engine.dialect, filled.engine.url)
    engine.update_execution_options(compiled_cache=_compiled(metadata))
    return engine


@functools.lru_cache(maxsize=8)
def _compiled(metadata: Any) -> dict[Any, Any]:
    """Return what was compiled for the engines of some tables, where SQLAlchemy keeps it."""
    return {}


MAKERS_OF_DATABASES = {
    one.__name__: one for one in (database_session, async_database_session, database_connection, database_engine)
}
"""What makes databases, by the names that recipes have for it."""


@functools.lru_cache(maxsize=8)
def _database(metadata: Any) -> tuple[Any, Any]:
    """Return an engine, whose connections have a database each, and one that has the tables: to make them takes longer
    than most calls."""
    library, pool = importlib.import_module("sqlalchemy"), importlib.import_module("sqlalchemy.pool")
    engine = library.create_engine("sqlite://", poolclass=pool.NullPool)
    tables = importlib.import_module(LIBRARY).connect(IN_MEMORY)
    with engine.connect() as connection:
        metadata.create_all(connection)
        connection.commit()
        connection.connection.driver_connection.backup(tables)
    mark_as_given(tables)
    tables.commit()
    return engine, tables
