"""Definitions of what makes databases and requests in the text of a call: written into tests and scripts."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.guest.values.makers import stubs
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
_REQUEST: Final = (
    "    import inspect",
    "",
    "    import flask",
    "    from flask.sessions import SecureCookieSession, SessionInterface",
    "",
    "    scope = list(inspect.unwrap(function).__globals__.values())",
    "    app = next((one for one in scope if isinstance(one, flask.Flask)), None)",
    "    if app is None:",
    "        app = flask.Flask('app')",
    "        for one in scope:",
    "            if isinstance(one, flask.Blueprint):",
    "                app.register_blueprint(one)",
    "    given = {name: parts.get(name) or {} for name in ('args', 'form', 'headers', 'cookies', 'session', 'config')}",
    "    if given['cookies']:",
    "        given['headers']['Cookie'] = '; '.join(f'{name}={value}' for name, value in given['cookies'].items())",
    "    content = {'json': parts['json']} if parts.get('json') is not None else {'data': given['form']}",
    "    method = parts.get('method') or ('POST' if 'json' in content or given['form'] else 'GET')",
    "",
    "    def call(*args, **kwargs):",
    "        session = SecureCookieSession(given['session'])",
    "        app.session_interface = SessionInterface()",
    "        app.session_interface.open_session = lambda *_: session",
    "        app.config.update(given['config'])",
    "        sent = {'query_string': given['args'], 'headers': given['headers'], **content}",
    "        with app.test_request_context(method=method, **sent):",
)
_LEFT: Final = (
    "            changed = {'session': dict(session)} if dict(session) != given['session'] else {}",
    "            left = dict(vars(flask.g._get_current_object()))",
    "            changed.update({'g': left} if left else {})",
)
MAKER_SOURCES: Final = {
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
    IN_REQUEST: (
        "def in_request(function, **parts):",
        *_REQUEST,
        "            result = function(*args, **kwargs)",
        *_LEFT,
        "            return (result, changed) if changed else result",
        "",
        "    return call",
    ),
    ANSWER: (
        "def answer_of(function, **parts):",
        *_REQUEST,
        "            from werkzeug.exceptions import HTTPException",
        "",
        "            try:",
        "                response = app.make_response(function(*args, **kwargs))",
        "                body = response.get_data(as_text=True)",
        "                found = {'status': response.status_code}",
        "                shown = {'json': response.get_json()} if response.is_json else {'body': body} if body else {}",
        "                found.update(shown)",
        "                found.update({'location': response.location} if response.location else {})",
        "            except HTTPException as error:",
        "                found = {'status': error.code}",
        *_LEFT,
        "            return {**found, **changed}",
        "",
        "    return call",
    ),
}
"""The definitions by their names."""


@functools.cache
def stubs_source() -> tuple[str, ...]:
    """The definition of `stubbed`, which holds all that it needs of its module."""
    tree = ast.parse(Path(stubs.__file__).read_text(encoding="utf-8"))
    own = [one for one in tree.body if not isinstance(one, ast.ImportFrom) or not (one.level or one.module == _FUTURE)]
    body = _Bare().visit(ast.Module(own, [])).body
    inner = "\n".join(map(ast.unparse, body)).replace("type_of(", "type(").split("\n")
    given = "function, programs=(), responses=()"
    lines = [f"    {line}" if line else "" for line in inner]
    return (f"def {STUBBED}({given}):", *lines, f"    return {STUBBED}(function, programs, responses)")


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
