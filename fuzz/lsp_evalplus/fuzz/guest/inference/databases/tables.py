"""The tables of SQLite databases that a program works with: those that its statements make, or that its queries name.

SQLite itself reads the statements: what a query lacks in an empty database, its errors say.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from ...calling.subject import Subject
from ...program.classes import parameters_of
from ...values.dynamic import is_python_function, type_of
from ...values.makers.sqlite_database import IN_MEMORY, LIBRARY, OWN_TABLES, quoted, sqlite_database
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipes.model import Name
from .queries import strings_with

MAKES_TABLES: Final = re.compile(r"\bcreate\s+(?:temp\s+|temporary\s+)?table\b", re.IGNORECASE)
_MOST_TABLES: Final = 5
_MOST_STEPS: Final = 60
"""Things that one query may lack."""
_NO_TABLE: Final = re.compile(r"no such table: (?:main\.)?(\w+)")
_NO_COLUMN: Final = re.compile(r"no such column: (?:(\w+)\.)?(\w+)|table (\w+) has no column named (\w+)")
_NO_VALUES: Final = re.compile(r"table (\w+) has (\d+) columns? but (\d+) values were supplied")
_SOURCES: Final = re.compile(
    r"\b(?:from|join|into|update)\s+(\w+)(?:\s+(?:as\s+)?(?!(?:set|where|on|join|left|inner|group|order|values|using)\b)(\w+))?",
    re.IGNORECASE,
)
_KEY: Final = "id"


class Column(NamedTuple):
    """One column of a table."""

    name: str
    declared: str
    """Its type as it is written, in upper case; empty where none is."""
    is_required: bool
    is_key: bool
    """Whether it numbers the rows by itself."""
    is_unique: bool
    """Whether no two rows have one value in it."""


class Tables(NamedTuple):
    """Tables, and what makes them."""

    schema: Any
    """Statements, or the name of a constant or function of the program."""
    columns: Mapping[str, Sequence[Column]]
    """Of each table."""


def tables_of(subject: Subject, queries: Sequence[str]) -> Tables | None:
    """Return the tables that queries of a program name, or that it makes; None where there are none."""
    words = {word.lower() for query in queries for word in re.findall(r"\w+", query)}
    for schema, value in _schemas(subject):
        made = _made_by(value)
        tables = {} if made is None else _columns_made(made)
        used = {table: columns for table, columns in tables.items() if not words or table.lower() in words}
        if used and not _lacks(queries, made):
            return Tables(schema, _first(used))
    stated = ";\n".join(strings_with(subject.anatomy.tree, MAKES_TABLES))
    inferred = _inferred(queries, words, stated)
    made = _made_by(inferred)
    columns = {} if made is None else _columns_made(made)
    return Tables(inferred, _first(columns)) if columns else None


def _first(tables: Mapping[str, Sequence[Column]]) -> dict[str, Sequence[Column]]:
    return dict(list(tables.items())[:_MOST_TABLES])


def _schemas(subject: Subject) -> Iterator[tuple[Name, Any]]:
    """Yield the constants of a program that hold statements which make tables, then the functions that have such
    statements and take nothing but a connection, but for the function under test."""
    strings = {name: value for name, value in subject.namespace.items() if type(value) is str}
    constants = {name: value for name, value in strings.items() if MAKES_TABLES.search(value)}
    for name, value in constants.items():
        yield Name(name), value
    for name, value in subject.namespace.items():
        if not is_python_function(value) or name == subject.qualname:
            continue
        code = value.__code__
        statements = [one for one in code.co_consts if type_of(one) is str and MAKES_TABLES.search(one)]
        if (statements or constants.keys() & set(code.co_names)) and len(parameters_of(value)) == 1:
            yield Name(name), value


def _made_by(schema: Any) -> Any:
    """Return a connection to a database with the tables of a schema; None where that fails."""
    try:
        connection = sqlite_database(schema)
    except PROGRAM_ERRORS:
        return None
    connection.row_factory = None  # The user's would run their code.
    return connection


def _columns_made(connection: Any) -> dict[str, Sequence[Column]]:
    """Return the columns of the tables of a database."""
    names = connection.execute(f"SELECT name {OWN_TABLES}").fetchall()
    return {name: _columns(connection, name) for (name,) in names}


def _columns(connection: Any, table: str) -> list[Column]:
    rows = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    unique = _unique_columns(connection, table)
    count = len([place for *_, place in rows if place])
    found: list[Column] = []
    for _, name, declared, not_null, default, place in rows:
        is_key = bool(place) and count == 1 and declared.upper() == "INTEGER"
        is_required = not is_key and default is None and bool(not_null or place)
        found.append(Column(name, declared.upper(), is_required, is_key, bool(place) or name in unique))
    return found


def _unique_columns(connection: Any, table: str) -> set[str]:
    """Return the columns that an index of a table keeps unique, alone or with others."""
    found: set[str] = set()
    for row in connection.execute(f"PRAGMA index_list({quoted(table)})").fetchall():
        _, index, is_unique, *_ = row
        if is_unique:
            columns = connection.execute(f"PRAGMA index_info({quoted(index)})").fetchall()
            found.update([name for _, _, name in columns])
    return found


def _lacks(queries: Sequence[str], connection: Any) -> bool:
    """Whether a query names a table or a column that a database does not have."""
    errors = [_error(connection, query) for query in queries]
    return any([_NO_TABLE.search(one) or _NO_COLUMN.search(one) for one in errors])


def _inferred(queries: Sequence[str], words: Set[str], stated: str) -> str:
    """Return statements that make the tables which queries lack beside those that are stated: of the columns that they
    name."""
    library = importlib.import_module(LIBRARY)
    connection = library.connect(IN_MEMORY)
    try:
        connection.executescript(stated)
    except PROGRAM_ERRORS:
        connection = library.connect(IN_MEMORY)
    made: dict[str, list[str]] = {}
    for query in queries:
        for _ in range(_MOST_STEPS):
            error = _error(connection, query)
            try:
                if not error or not _add_missing(connection, error, query, made):
                    break
            except PROGRAM_ERRORS:  # it is a view, or no name of a table.
                break
    kept = connection.execute(f"SELECT name, sql {OWN_TABLES}").fetchall()
    used = [(name, made_by) for name, made_by in kept if not words or name.lower() in words]
    statements = [" ".join(made_by.split()) for name, made_by in used if name not in made]
    return "; ".join([*statements, *[_statement(table, names) for table, names in made.items()]])


def _error(connection: Any, query: str) -> str:
    """Return why SQLite does not prepare a query; empty where it does."""
    library = importlib.import_module(LIBRARY)
    try:
        connection.execute("EXPLAIN " + query)
    except library.ProgrammingError:  # it has no values for the placeholders.
        return ""
    except PROGRAM_ERRORS as error:  # also a warning, or a string that SQLite does not take.
        return str(error)
    return ""


def _add_missing(connection: Any, error: str, query: str, made: dict[str, list[str]]) -> bool:
    """Add the table or column that a query lacks; return whether there is one to be added."""
    table, names = _missing(error, query)
    if not table:
        return False
    if names and table not in made:  # a later version of the program has added a column to its table.
        for name in names:
            connection.execute(f"ALTER TABLE {_written(table)} ADD COLUMN {_written(name)}")
        return True
    known = made.setdefault(table, [_KEY])
    if _NO_VALUES.search(error):
        known.clear()
    known += [name for name in names if name not in known]
    connection.execute(f"DROP TABLE IF EXISTS {_written(table)}")
    connection.execute(_statement(table, known))
    return True


def _missing(error: str, query: str) -> tuple[str, list[str]]:
    """Return the table that an error is about, and the columns that it lacks: none where all of it is missing."""
    tables = _NO_TABLE.search(error)
    if tables is not None:
        return tables[1], []
    values = _NO_VALUES.search(error)
    if values is not None:
        return values[1], [f"column{number + 1}" for number in range(int(values[3]))]
    columns = _NO_COLUMN.search(error)
    if columns is None:
        return "", []
    if columns[3]:
        return columns[3], [columns[4]]
    sources = _SOURCES.findall(query)
    if not sources:
        return "", []
    named = {alias or table: table for table, alias in sources}
    return named.get(columns[1], sources[0][0]), [columns[2]]


def _statement(table: str, names: Sequence[str]) -> str:
    columns = ["id INTEGER PRIMARY KEY" if name == _KEY else _written(name) for name in names]
    return f"CREATE TABLE {_written(table)} ({', '.join(columns)})"


def _written(name: str) -> str:
    """Return a name as statements write it: quoted where it is a word of the language."""
    library = importlib.import_module(LIBRARY)
    select = f"SELECT 1 AS {name} FROM (SELECT 1) {name}"  # noqa: S608 - in memory.
    is_plain = not _error(library.connect(IN_MEMORY), select)
    return name if is_plain else quoted(name)
