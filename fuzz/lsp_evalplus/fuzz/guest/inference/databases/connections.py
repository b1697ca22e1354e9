"""Connections to SQLite databases, cursors and rows: their tables are those that a program works with."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ...calling.subject import Subject
from ...static.parameter_members import cursors_and_connections, listed_parameters
from ...static.walking import Function, string_in, walk_tree
from ...values.makers.sqlite_database import (
    LIBRARY,
    DatabasePath,
    sqlite_cursor,
    sqlite_database,
    sqlite_file,
    sqlite_row,
)
from ...values.shapes import (
    BYTES,
    FLOAT,
    INT,
    STR,
    CallShape,
    ChoiceShape,
    FixedDictShape,
    IntShape,
    ListShape,
    Shape,
    union_of,
)
from ..library_objects import NEW_DATABASE
from .queries import code_around, compared_in, queries_in, strings_with
from .tables import MAKES_TABLES, Column, Tables, tables_of

_MOST_ROWS: Final = 4
_TIMES: Final = re.compile(r"DATE|TIME")
_NAMED_TIMES: Final = re.compile(r"(?:^|_)(?:at|date|day|time|timestamp|since|until|due)$", re.IGNORECASE)
_NAMED_NUMBERS: Final = re.compile(
    r"(?:^|_)(?:amount|age|balance|count|duration|level|number|position|price|priority|qty|quantity|rank|rating|score|"
    r"size|stock|total|version|weight|year)s?$",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(r"(?:^|_)id$", re.IGNORECASE)
_FLAGS: Final = re.compile(
    r"^(?:is|has|can|was)_|^(?:active|archived|completed|deleted|done|enabled|paid|read|used)$", re.I
)
_OF_NAMED_ROWS: Final = ("Row", "row_factory")
"""Attributes of the library by which programs have rows whose values have names."""
_DATES: Final = ("2024-01-01", "2024-01-02", "2023-12-31")
_MOMENTS: Final = ("2024-01-01 00:00:00", "2024-01-01 12:00:00", "2023-12-31 23:59:59")


class _Kind(NamedTuple):
    """Values of columns."""

    shape: Shape
    various: tuple[Any, ...]
    """Those of the first rows of a database that is filled."""
    alike: tuple[Any, ...] = ()
    """The same where the first two rows share what they can; empty where that is `various`."""


_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "flag": _Kind(ChoiceShape((0, 1)), (1, 0, 1)),
        "reference": _Kind(IntShape(1, 3), (1, 1, 2)),
        "int": _Kind(union_of([ChoiceShape((0, 1, 2)), INT]), (2, 0, 1)),
        "float": _Kind(union_of([ChoiceShape((0.0, 1.5, 2.0)), FLOAT]), (1.5, 0.5, 2.5)),
        "date": _Kind(ChoiceShape(_DATES), _DATES),
        "moment": _Kind(ChoiceShape(_MOMENTS), _MOMENTS),
        "bytes": _Kind(BYTES, (b"a", b"", b"b")),
        "str": _Kind(union_of([ChoiceShape(("a", "b", "")), STR]), ("b", "a", "c"), ("a", "a", "b")),
    }
)


def database_shapes(subject: Subject) -> dict[type, Shape]:
    """Return the shapes of connections to databases, of their cursors and of rows, by class; none where a program has
    no tables."""
    library: Any = sys.modules.get(LIBRARY)
    if library is None or LIBRARY not in subject.source:
        return {}
    around = code_around(subject)
    queries = queries_in(around) or queries_in([subject.anatomy.tree])
    tables = tables_of(subject, queries)
    if tables is None:
        return {}
    compared = compared_in(queries)
    columns = {column.name: column for several in tables.columns.values() for column in several}
    nodes = [node for part in around for node in walk_tree(part)]
    read = {string_in(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
    is_named = bool(read & columns.keys()) or any([getattr(node, "attr", "") in _OF_NAMED_ROWS for node in nodes])
    parts: tuple[Shape, ...] = (ChoiceShape((tables.schema,)), _contents(tables, compared))
    parts += (ChoiceShape((True,)),) if is_named else ()
    keywords = ("named",) if is_named else ()
    rows = [
        FixedDictShape(names, tuple([_column_shape(columns[name], compared) for name in names]), names)
        for names in _names_of_rows(tables, read)
    ]
    makes_tables = any([strings_with(part, MAKES_TABLES) for part in around])
    made = {
        kind: _with_empty(CallShape(maker.__name__, parts, keywords), makes_tables=makes_tables)
        for kind, maker in ((library.Connection, sqlite_database), (library.Cursor, sqlite_cursor))
    }
    return {
        **made,
        DatabasePath: union_of([NEW_DATABASE, CallShape(sqlite_file.__name__, parts[:2])]),
        library.Row: CallShape(sqlite_row.__name__, (union_of(rows),)),
    }


def _with_empty(database: CallShape, *, makes_tables: bool) -> Shape:
    """Return the shape of databases, also without tables where the program makes these itself."""
    empty = CallShape(database.name, (ChoiceShape(("",)),))
    return union_of([empty, database]) if makes_tables else database


def _names_of_rows(tables: Tables, read: Set[str]) -> list[tuple[str, ...]]:
    """Return the names of the values that rows have: of all columns of a table, and of those that a program reads."""
    whole = [tuple([one.name for one in columns]) for columns in tables.columns.values()]
    known = dict.fromkeys([name for names in whole for name in names if name in read])
    return [*whole, *([tuple(known)] if len(known) > 1 else [])]


def database_hints(function: Function | None, source: str) -> dict[str, Any]:
    """Return the classes of parameters without annotation on which a function executes statements, by name: connections
    and cursors of SQLite, where its module imports that."""
    library: Any = sys.modules.get(LIBRARY)
    if function is None or library is None or LIBRARY not in source:
        return {}
    own = {one.arg for one in listed_parameters(function.args) if one.annotation is None}
    cursors, connections = cursors_and_connections(walk_tree(function))
    return {
        **dict.fromkeys(sorted(cursors & own), library.Cursor),
        **dict.fromkeys(sorted(connections & own), library.Connection),
    }


def _contents(tables: Tables, compared: Mapping[str, Sequence[Any]]) -> Shape:
    """Return the shape of the rows of all tables, by table: any, and those of two databases in which much is alike."""
    rows: list[Shape] = []
    alike, various = dict[str, Any](), dict[str, Any]()
    for table, columns in tables.columns.items():
        given = sorted([one for one in columns if not one.is_key], key=lambda one: not one.is_required)
        names = tuple([one.name for one in given])
        required = tuple([one.name for one in given if one.is_required])
        shapes = tuple([_column_shape(one, compared) for one in given])
        rows.append(ListShape(FixedDictShape(names, shapes, required), high=_MOST_ROWS))
        columns_alike = [_values(one, compared, is_alike=not one.is_unique) for one in given]
        columns_various = [_values(one, compared, is_alike=False) for one in given]
        alike[table] = [dict(zip(names, row)) for row in zip(*columns_alike)]
        various[table] = [dict(zip(names, row)) for row in zip(*columns_various)]
    return union_of([ChoiceShape((alike, various)), FixedDictShape(tuple(tables.columns), tuple(rows), ())])


def _column_shape(column: Column, compared: Mapping[str, Sequence[Any]]) -> Shape:
    constants = tuple(compared.get(column.name.lower(), ()))
    shape = _KINDS[_kind_of(column, constants)].shape
    return union_of([ChoiceShape(constants), shape]) if constants else shape


def _values(column: Column, compared: Mapping[str, Sequence[Any]], *, is_alike: bool) -> Sequence[Any]:
    """Return the values of a column in three rows: such as queries compare it with in the first two, another one in the
    third.

    Args:
        column: the column.
        compared: the constants that columns are compared with.
        is_alike: whether the first two share strings and constants.
    """
    constants = tuple(compared.get(column.name.lower(), ()))
    kind = _KINDS[_kind_of(column, constants)]
    if not constants:
        return (kind.alike if is_alike else ()) or kind.various
    other = next((one for one in kind.various if one not in constants), kind.various[0])
    return (constants[-1], constants[-1], other) if is_alike else (constants[0], constants[-1], other)


def _kind_of(column: Column, constants: Sequence[Any]) -> str:
    """Return what a column holds, by its type as SQLite reads that, by what queries compare it with, or by its name."""
    declared, name = column.declared, column.name
    if "BOOL" in declared or (_FLAGS.search(name) and "CHAR" not in declared and "TEXT" not in declared):
        return "flag"
    if _TIMES.search(declared) or _NAMED_TIMES.search(name):
        return "int" if "INT" in declared else "float" if "REAL" in declared else _time_of(declared, name)
    if "INT" in declared:
        return "reference" if _REFERS.search(name) else "int"
    if any([one in declared for one in ("CHAR", "CLOB", "TEXT", "JSON")]):
        return "str"
    if "BLOB" in declared:
        return "bytes"
    if declared or any([type(one) is float for one in constants]):
        return "float"
    if any([type(one) is str for one in constants]):
        return "str"
    if constants or _NAMED_NUMBERS.search(name):
        return "int"
    return "reference" if _REFERS.search(name) else "str"


def _time_of(declared: str, name: str) -> str:
    return "date" if declared == "DATE" or name.lower().endswith(("date", "day", "due")) else "moment"
