"""Definitions of what makes files, databases and requests in the text of a call: written into tests and scripts."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.guest.values.makers import flask_calls, stubs
from lsp_evalplus.fuzz.guest.values.makers.stub_parameters import STUBBED
from lsp_evalplus.fuzz.guest.values.makers.web_requests import ANSWER, IN_REQUEST

_FUTURE: Final = "__future__"
_ENGINE: Final = (
    "    import sqlalchemy",
    "    import sqlalchemy.orm",
    "",
    "    engine = sqlalchemy.create_engine('sqlite://', poolclass=sqlalchemy.StaticPool)",
    "    metadata.create_all(engine)",
    "    session = sqlalchemy.orm.Session(engine)",
    "    session.add_all(objects)",
    "    session.commit()",
    "    session.expunge_all()",
)
_FILLED: Final = (
    "    import sqlite3",
    "",
    "    connection = sqlite3.connect({path})",
    "    if callable(schema):",
    "        schema(connection)",
    "    else:",
    "        connection.executescript(schema)",
    "    for table, several in (rows or {{}}).items():",
    "        for row in several:",
    "            columns, marks = ', '.join(map('\"{{}}\"'.format, row)), ', '.join('?' * len(row))",
    "            values = f'({{columns}}) VALUES ({{marks}})' if row else 'DEFAULT VALUES'",
    "            connection.execute(f'INSERT INTO \"{{table}}\" {{values}}', tuple(row.values()))",
    "    connection.commit()",
)
_IN_MEMORY: Final = (
    *[line.format(path="':memory:'") for line in _FILLED],
    "    if named:",
    "        connection.row_factory = sqlite3.Row",
)
_FILLED_FOLDER: Final = (
    "    folder = pathlib.Path(tempfile.mkdtemp(), {name})",
    "    for path, held in {{'./': None, **{files}}}.items():",
    "        target = folder / path",
    "        (target if path.endswith('/') else target.parent).mkdir(parents=True, exist_ok=True)",
    "        if not path.endswith('/'):",
    "            target.write_bytes(held if isinstance(held, bytes) else held.encode())",
)
_OF_FILES: Final = {
    "file_with": (
        "def file_with(content='', name='file.txt', beside=None):",
        "    import pathlib",
        "    import tempfile",
        "",
        *[line.format(name="'' if beside is None else 'folder'", files="(beside or {})") for line in _FILLED_FOLDER],
        "    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())",
        "    return folder / name",
    ),
    "folder_with": (
        "def folder_with(files, name='folder', days_old=()):",
        "    import os",
        "    import pathlib",
        "    import tempfile",
        "    import time",
        "",
        *[line.format(name="name", files="files") for line in _FILLED_FOLDER],
        "    for path, days in zip(files, days_old):",
        "        os.utime(folder / path, (time.time() - days * 86400,) * 2)",
        "    return folder",
    ),
    "archive_with": (
        "def archive_with(members, name='archive.zip'):",
        "    import io",
        "    import pathlib",
        "    import tarfile",
        "    import tempfile",
        "    import zipfile",
        "",
        "    path = pathlib.Path(tempfile.mkdtemp(), name)",
        "    is_tar = '.tar' in name or name.endswith('.tgz')",
        "    mode = 'w:gz' if name.endswith('gz') else 'w'",
        "    with tarfile.open(path, mode) if is_tar else zipfile.ZipFile(path, 'w') as archive:",
        "        for member, content in members.items():",
        "            data = content if isinstance(content, bytes) else (content or '').encode()",
        "            if not is_tar:",
        "                archive.writestr(member, data)",
        "                continue",
        "            info = tarfile.TarInfo(member)",
        "            info.size, info.type = len(data), tarfile.DIRTYPE if member.endswith('/') else tarfile.REGTYPE",
        "            archive.addfile(info, io.BytesIO(data))",
        "    return path",
    ),
}
MAKER_SOURCES: Final = {
    **_OF_FILES,
    "database_session": ("def database_session(metadata, objects=()):", *_ENGINE, "    return session"),
    "database_engine": (
        "def database_engine(metadata, objects=()):",
        *_ENGINE,
        "    session.close()",
        "    return engine",
    ),
    "database_connection": (
        "def database_connection(metadata, objects=()):",
        *_ENGINE,
        "    session.close()",
        "    return engine.connect()",
    ),
    "async_database_session": (
        "def async_database_session(metadata, objects=()):",
        "    import sqlalchemy.ext.asyncio",
        *_ENGINE,
        "    made = sqlalchemy.ext.asyncio.AsyncSession(expire_on_commit=False)",
        "    made.sync_session = made._proxied = session",
        "    session.expire_on_commit = False",
        "    return made",
    ),
    "sqlite_database": (
        "def sqlite_database(schema, rows=None, *, named=False):",
        *_IN_MEMORY,
        "    return connection",
    ),
    "sqlite_cursor": (
        "def sqlite_cursor(schema, rows=None, *, named=False):",
        *_IN_MEMORY,
        "    return connection.cursor()",
    ),
    "sqlite_file": (
        "def sqlite_file(schema='', rows=None):",
        "    import os",
        "    import tempfile",
        "",
        "    path = os.path.join(tempfile.mkdtemp(), 'database.sqlite3')",
        *[line.format(path="path") for line in _FILLED],
        "    connection.close()",
        "    return path",
    ),
    "sqlite_row": (
        "def sqlite_row(values):",
        "    import sqlite3",
        "",
        "    connection = sqlite3.connect(':memory:')",
        "    connection.row_factory = sqlite3.Row",
        "    columns = ', '.join(f'? AS \"{name}\"' for name in values)",
        "    return connection.execute(f'SELECT {columns}', tuple(values.values())).fetchone()",
    ),
}
"""The definitions by their names."""
WRITTEN_FROM: Final = {IN_REQUEST: flask_calls, ANSWER: flask_calls, STUBBED: stubs}
"""The modules with the definitions of others."""


@functools.cache
def definition_of(name: str) -> tuple[str, ...]:
    """The definition of a maker in `WRITTEN_FROM`, which holds all that it needs of its module."""
    needed = _needed(ast.parse(Path(str(WRITTEN_FROM[name].__file__)).read_text(encoding="utf-8")).body, name)
    inner = ast.unparse(_Bare().visit(ast.Module(needed, []))).replace("type_of(", "type(")
    lines = [f"    {line}" if line else "" for line in inner.split("\n")]
    return (f"def {name}(*args, **kwargs):", *lines, f"    return {name}(*args, **kwargs)")


def _needed(statements: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements of a module that bind a name and those it uses; no imports of its package."""
    outside = [
        one for one in statements if not (isinstance(one, ast.ImportFrom) and (one.level or one.module == _FUTURE))
    ]
    binding = [(one, set(_bound(one))) for one in outside]
    known: set[str] = set()
    left = {name}
    while left:
        known |= left
        left = {read for one, names in binding if names & left for read in _read(one)} - known
    return [one for one, names in binding if names & known]


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case _:
            stored = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
            yield from (one.id for one in stored if isinstance(one.ctx, ast.Store))


def _read(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement uses, but for annotations."""
    bare = _Bare().visit(copy.deepcopy(statement))
    return (one.id for one in ast.walk(bare) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings and annotations."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """Leave out strings."""
        return None if isinstance(node.value, ast.Constant) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        """Assign without an annotation."""
        return None if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Leave out the annotation."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave out what it returns, and everything inside."""
        self.generic_visit(node)
        node.returns, node.body = None, node.body or [ast.Pass()]
        return node
