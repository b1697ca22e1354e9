"""Tests and examples that quick fixes add: all are run, on the wrong function and on the right one."""

# ruff: noqa: E501 -- one case, one line
from __future__ import annotations

import dataclasses
import doctest
import importlib.util
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.values.rendering import value_text, yielded
from lsp_evalplus.fuzz.model import AWAITED_NOTE, Counterexample, FunctionTarget, Outcome, OutcomeKind, Tier
from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.server.edits import doctest_case, pytest_case, script
from lsp_evalplus.server.edits.model import apply_edits

pytestmark = pytest.mark.slow

PYTEST = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
WITHOUT_PLUGINS = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Added tests need none, and pytest starts three times as fast without."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A wrong function, the right one, and a call on which they differ."""

    name: str
    wrong: str
    right: str
    call: str
    arguments: str
    candidate: str
    expected: str
    raises: bool = False
    fails: bool = False
    """The candidate raises."""
    before: str | None = None
    """Arguments after the call of the candidate, and of what is right."""
    after: str | None = None
    printed: tuple[str, str] | None = None
    hangs: bool = False
    no_example: bool = False

    def write(self, folder: Path, text: str) -> Path:
        path = folder / f"module_{CASES.index(self)}.py"
        path.write_text(text, encoding="utf-8")
        return path

    def finding(self) -> Counterexample:
        kind = OutcomeKind.TIMED_OUT if self.hangs else OutcomeKind.RAISED if self.fails else OutcomeKind.RETURNED
        printed = self.printed or (None, None)
        return Counterexample(
            self.arguments,
            self.call,
            Outcome(kind, self.candidate, self.before, printed[0]),
            Outcome(OutcomeKind.RAISED if self.raises else OutcomeKind.RETURNED, self.expected, self.after, printed[1]),
            Tier.INSIDE,
        )


def function(body: str, head: str = "def f(x):") -> str:
    return f"{head}\n    {body}\n"


STATE = "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)\n"
STATELESS = "def f(x, seen=()):\n    seen = [*seen, x]\n    return len(seen)\n"
BOX = "class C:\n    def put(self, x):\n        self.x = x\n    def m(self):\n"
PAIR = BOX.replace("def m(self", "def m(self, other")
FLASK = "from flask import g, jsonify, request\n\n\n"
MAPPED = """from sqlalchemy import func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class A(Base):
    __tablename__ = "a"
    i: Mapped[int] = mapped_column(primary_key=True)


"""
STORED = "import sqlite3\n\nTABLES = 'CREATE TABLE a (i INTEGER)'\n\n\n"
ASYNC_BOX = BOX.replace("def ", "async def ")
CASES = [
    Case("f", function("return [one async for one in x]", "async def f(x):"), function("return [-one async for one in x]", "async def f(x):"), "f(async_items([1]))", "(async_items([1]),)", "[1]", "[-1]", no_example=True),
    Case("f", function("try:\n        return g()\n    except ValueError:\n        return 0", "def f(g):"), function("try:\n        return g()\n    except ValueError:\n        return g()", "def f(g):"), "f(call_recorder(raises=ValueError, times=1))", "(call_recorder(raises=ValueError, times=1),)", "0", "2", no_example=True),
    Case("f", function("return await x", "async def f(x, g):"), function("return await g(await x)", "async def f(x, g):"), "f(async_value(1), async_function(str))", "(async_value(1), async_function(str))", "1", "'1'", no_example=True),
    Case("f", function("return [g(), g()]", "def f(g):"), function("return [g(), -g()]", "def f(g):"), "f(returning('a', 2))", "(returning('a', 2),)", "['a', 2]", "['a', -2]", no_example=True),
    Case("f", function("return [g(), g()]", "def f(g):"), function("return [g(), -g()]", "def f(g):"), "f(ticking_clock())", "(ticking_clock(),)", "[1, 2]", "[1, -2]", no_example=True),
    Case("f", MAPPED + function("return x.scalar(select(func.sum(A.i)))"), MAPPED + function("return x.scalar(select(func.count(A.i)))"), "f(database_session(A.metadata, [A(i=3)]))", "(database_session(A.metadata, [A(i=3)]),)", "3", "1", no_example=True),
    Case("f", MAPPED + function("return x.execute(select(func.sum(A.i))).scalar()"), MAPPED + function("return x.execute(select(func.count(A.i))).scalar()"), "f(database_connection(A.metadata, [A(i=3)]))", "(database_connection(A.metadata, [A(i=3)]),)", "3", "1", no_example=True),
    Case("f", STORED + function("return x.execute('SELECT sum(i) FROM a').fetchone()[0]"), STORED + function("return x.execute('SELECT count(i) FROM a').fetchone()[0]"), "f(sqlite_database(TABLES, {'a': [{'i': 3}, {}]}))", "(sqlite_database(TABLES, {'a': [{'i': 3}, {}]}),)", "3", "1", no_example=True),
    Case("f", STORED + function("return x.execute('SELECT sum(i) FROM a').fetchone()[0]"), STORED + function("return x.execute('SELECT count(i) FROM a').fetchone()[0]"), "f(sqlite_cursor('CREATE TABLE a (i)', {'a': [{'i': 3}]}))", "(sqlite_cursor('CREATE TABLE a (i)', {'a': [{'i': 3}]}),)", "3", "1", no_example=True),
    Case("f", STORED + function("return sqlite3.connect(x).execute('SELECT sum(i) FROM a').fetchone()[0]"), STORED + function("return sqlite3.connect(x).execute('SELECT count(i) FROM a').fetchone()[0]"), "f(sqlite_file(TABLES, {'a': [{'i': 3}]}))", "(sqlite_file(TABLES, {'a': [{'i': 3}]}),)", "3", "1", no_example=True),
    Case("f", STORED + function("return x['i'] + 1"), STORED + function("return x['i'] + 2"), "f(sqlite_row({'i': 3}))", "(sqlite_row({'i': 3}),)", "4", "5", no_example=True),
    Case("f", FLASK + function("return {'a': request.args['q']}", "def f():"), FLASK + function("return jsonify(a=request.args['q'] * 2)", "def f():"), "answer_of(f, args={'q': 'a'})()", "{'args': (), 'kwargs': {'request_args': {'q': 'a'}}}", "{'status': 200, 'json': {'a': 'a'}}", "{'status': 200, 'json': {'a': 'aa'}}", no_example=True),
    Case("f", FLASK + function("return {'a': 1}, 201", "def f():"), FLASK + function("return 'no', 404, {'X-A': 'b'}", "def f():"), "answer_of(f)()", "()", "{'status': 201, 'json': {'a': 1}}", "{'status': 404, 'body': 'no', 'headers': {'X-A': 'b'}}", no_example=True),
    Case("f", FLASK + function("return {}", "def f():"), FLASK.replace("import", "import abort,") + function("abort(404, 'no such page')", "def f():"), "answer_of(f)()", "()", "{'status': 200, 'json': {}}", "{'status': 404, 'description': 'no such page'}", no_example=True),
    Case("f", FLASK + function("g.x = 1\n    return request.method", "def f():"), FLASK + function("g.x = 2\n    return request.method", "def f():"), "in_request(f, method='POST')()", "{'args': (), 'kwargs': {'request_method': 'POST'}}", "('POST', {'g': {'x': 1}})", "('POST', {'g': {'x': 2}})", no_example=True),
    Case("f", function("return x.g().h"), function("return -x.g().h"), "f(types.SimpleNamespace(g=lambda *args, **kwargs: types.SimpleNamespace(h=1)))", "(types.SimpleNamespace(g=lambda *args, **kwargs: types.SimpleNamespace(h=1)),)", "1", "-1", no_example=True),
    Case("f", function("with x.g() as y:\n        return y"), function("with x.g() as y:\n        return -y"), "f(types.SimpleNamespace(g=lambda *args, **kwargs: contextlib.nullcontext(1)))", "(types.SimpleNamespace(g=lambda *args, **kwargs: contextlib.nullcontext(1)),)", "1", "-1", no_example=True),
    Case("f", function("x.g(1)\n    return True"), function("x.g(2)\n    return True"), "f(types.SimpleNamespace(g=call_recorder()))", "(types.SimpleNamespace(g=call_recorder()),)", "True after calling x.g(1)", "True after calling x.g(2)", no_example=True),
    Case("f", function("x.g(1, a={2: 3})"), function("x.g(1, a={2: 4})"), "f(types.SimpleNamespace(g=call_recorder()))", "(types.SimpleNamespace(g=call_recorder()),)", "None after calling x.g(1, a={2: 3})", "None after calling x.g(1, a={2: 4})", no_example=True),
    Case("f", "import os\n" + function("return x"), "import os\n" + function("return os.environ.get('F_LEVEL', x)"), "in_environment(f, environ={'F_LEVEL': '3'})(1)", "{'args': (1,), 'kwargs': {'os_environ': {'F_LEVEL': '3'}}}", "1", "'3'", no_example=True),
    Case("f", "import sys\n" + function("return x"), "import sys\n" + function("return [x, *sys.argv[1:], sys.stdin.read()]"), "in_environment(f, argv=['-q'], stdin=['a', 'b'])(1)", "{'args': (1,), 'kwargs': {'sys_argv': ['-q'], 'sys_stdin': ['a', 'b']}}", "1", "[1, '-q', 'a\\nb\\n']", no_example=True),
    Case("f", "import os\n" + function("os.environ['F_LEVEL'] = x"), "import os\n" + function("os.environ['F_LEVEL'] = x * 2"), "returned_and_set(f)('a')", "('a',)", "(None, {'F_LEVEL': 'a'})", "(None, {'F_LEVEL': 'aa'})", no_example=True),
    Case("f", "KNOWN = {}\n" + function("KNOWN[x] = [x]"), "KNOWN = {}\n" + function("KNOWN[x * 2] = [x]"), "returned_and_left(f, 'KNOWN')('a')", "('a',)", "(None, {'KNOWN': {'a': ['a']}})", "(None, {'KNOWN': {'aa': ['a']}})", no_example=True),
    Case("f", "MET = ['c']\n" + function("MET.append(x)"), "MET = ['c']\n" + function("MET.append(x * 2)"), "returned_and_left(f, 'MET')('a')", "('a',)", "(None, {'MET': ['c', 'a']})", "(None, {'MET': ['c', 'aa']})", no_example=True),
    Case("f", function("open('b.txt', 'w').write(x)"), function("open('b.txt', 'w').write(x * 2)"), "returned_and_written(f)('a')", "('a',)", "(None, {'b.txt': 'a'})", "(None, {'b.txt': 'aa'})", no_example=True),
    Case("f", function("return open('a.txt').read()"), function("return open('a.txt').read() + x"), "with_files(f, {'a.txt': 'a'})('b')", "{'args': ('b',), 'kwargs': {'os_files': {'a.txt': 'a'}}}", "'a'", "'ab'", no_example=True),
    Case("f", "import json\n" + function("return json.load(open('b/a.json'))"), "import json\n" + function("return [x, json.load(open('b/a.json'))]"), "with_files(f, {'b/a.json': {'a': [1]}})(1)", "{'args': (1,), 'kwargs': {'os_files': {'b/a.json': {'a': [1]}}}}", "{'a': [1]}", "[1, {'a': [1]}]", no_example=True),
    Case("f", function("open('b.txt', 'a').write(x)"), function("open('b.txt', 'a').write(x * 2)"), "returned_and_written(f, {'b.txt': 'c'})('a')", "{'args': ('a',), 'kwargs': {'os_files': {'b.txt': 'c'}}}", "(None, {'b.txt': 'ca'})", "(None, {'b.txt': 'caa'})", no_example=True),
    Case("f", function("x.write_text('a')"), function("x.rename(x.with_suffix('.b'))"), "returned_and_written(f)(file_with('a'))", "(file_with('a'),)", "None", "(None, {'file.b': 'a', 'file.txt': None})", no_example=True),
    Case("f", function("(x / 'a.txt').unlink()"), function("(x / 'sub').mkdir()"), "returned_and_written(f)(folder_with({'a.txt': 'b', 'c/': None}, days_old=(1,)))", "(folder_with({'a.txt': 'b', 'c/': None}, days_old=(1,)),)", "(None, {'folder/a.txt': None})", "(None, {'folder/sub/': None})", no_example=True),
    Case("f", function("x.rename(f'{x}.1')"), function("x.with_suffix('.b').unlink()"), "returned_and_written(f)(file_with('a', 'c.txt', beside={'c.b': ''}))", "(file_with('a', 'c.txt', beside={'c.b': ''}),)", "None", "(None, {'folder/c.b': None})", no_example=True),
    Case("f", "import zipfile\n" + function("return zipfile.ZipFile(x).namelist()"), "import zipfile\n" + function("return sorted(zipfile.ZipFile(x).namelist())"), "f(archive_with({'b.txt': 'a', 'a/': None}))", "(archive_with({'b.txt': 'a', 'a/': None}),)", "['b.txt', 'a/']", "['a/', 'b.txt']", no_example=True),
    Case("f", "import tarfile\n" + function("return tarfile.open(x).getnames()"), "import tarfile\n" + function("return sorted(tarfile.open(x).getnames())"), "f(archive_with({'b.txt': 'a', 'a/': None}, name='a.tar.gz'))", "(archive_with({'b.txt': 'a', 'a/': None}, name='a.tar.gz'),)", "['b.txt', 'a']", "['a', 'b.txt']", no_example=True),
    Case("f", function("x.g()"), function("return None"), "f(types.SimpleNamespace(g=call_recorder()))", "(types.SimpleNamespace(g=call_recorder()),)", "None after calling x.g()", "None without calling x.g", no_example=True),
    Case("C.m", "class C:\n    def __init__(self, x):\n        self.x = x\n    def m(self, y):\n        self.x.g(y)\n", "class C:\n    def __init__(self, x):\n        self.x = x\n    def m(self, y):\n        self.x.g(y, y)\n", "C(types.SimpleNamespace(g=call_recorder())).m(0)", "(C(types.SimpleNamespace(g=call_recorder())), 0)", "None after calling self.x.g(0)", "None after calling self.x.g(0, 0)", no_example=True),
    Case("f", function("return x"), function("return x + 1"), "f(1)", "(1,)", "1", "2"),
    Case("f", function("return x"), function("return None"), "f(1)", "(1,)", "1", "None"),
    Case("f", function("return 1"), function("return True"), "f(1)", "(1,)", "1", "True"),
    Case("f", function("return (1, 2)"), function("return [1, 2]"), "f(1)", "(1,)", "(1, 2)", "[1, 2]"),
    Case("f", function("return 0.5"), function("return x * 0.1"), "f(3)", "(3,)", "0.5", "0.30000000000000004"),
    Case("f", function("return 0.5"), function("return float('nan')"), "f(3)", "(3,)", "0.5", "nan"),
    Case("f", function("return [0.5]"), function("return [x, float('inf')]"), "f(3)", "(3,)", "[0.5]", "[3, inf]"),
    Case("f", function("return {1}"), function("return {x, 'a'}"), "f(3)", "(3,)", "{1}", "{3, 'a'}"),
    Case("f", function("return {}"), function("return {'b': [x], 'a': 1}"), "f(3)", "(3,)", "{}", "{'b': [3], 'a': 1}"),
    Case("f", function("return ''"), function("return x + '\\\\\\n\"\"\"é😀'"), "f('a')", "('a',)", "''", repr("a\\\n\"\"\"é😀"), no_example=True),
    Case("f", function("return x"), function("return x + '\\\\d'"), "f('a')", "('a',)", "'a'", repr("a\\d")),
    Case("f", function("return frozenset()"), function("return frozenset({x})"), "f(3)", "(3,)", "frozenset()", "frozenset({3})"),
    Case("f", function("return 1"), "from fractions import Fraction\n" + function("return Fraction(1, x)"), "f(3)", "(3,)", "1", "Fraction(1, 3)"),
    Case("f", function("return x"), function("raise ValueError('no: ' + str(x))"), "f(3)", "(3,)", "3", "ValueError: no: 3", raises=True),
    Case("f", "class Refused(Exception): pass\n" + function("return x"), "class Refused(Exception): pass\n" + function("raise Refused"), "f(3)", "(3,)", "3", "Refused: ", raises=True),
    Case("f", function("raise KeyError"), function("return x"), "f(3)", "(3,)", "KeyError: ", "3", fails=True),
    Case("f", function("x.sort()"), function("pass"), "f([2, 1])", "([2, 1],)", "None", "None", before="([1, 2],)"),
    Case("f", function("pass"), function("x.sort()"), "f([2, 1])", "([2, 1],)", "None", "None", after="([1, 2],)"),
    Case("f", function("print(x)"), function("print('<', x)"), "f(3)", "(3,)", "None", "None", printed=("3\n", "< 3\n")),
    Case("f", function("while x: pass"), function("return x"), "f(3)", "(3,)", "did not end", "3", hangs=True, no_example=True),
    Case("f", function("return a", "def f(a, /, b=2, *c, d, **e):"), function("return a + b", "def f(a, /, b=2, *c, d, **e):"), "f(1, d=4)", "{'args': (1,), 'kwargs': {'d': 4}}", "1", "3"),
    Case("f", function("return expected", "def f(expected):"), function("return 1", "def f(expected):"), "f(0)", "(0,)", "0", "1"),
    Case("f", "import math\n" + function("return x"), "import math\n" + function("return 0"), "f(math.inf)", "(math.inf,)", "inf", "0"),
    Case("f", "import enum\nclass C(enum.Enum):\n    R = 1\n" + function("return x.value"), "import enum\nclass C(enum.Enum):\n    R = 1\n" + function("return 2"), "f(C.R)", "(C.R,)", "1", "2"),
    Case("f", function("return x", "async def f(x):"), function("return x + 1", "async def f(x):"), "f(1)", "(1,)", "1", "2"),
    Case("f", function("yield x"), function("yield x + 1"), "f(1)", "(1,)", "[1]", "[2]"),
    Case("f", function("yield x", "async def f(x):"), function("yield x + 1", "async def f(x):"), "f(1)", "(1,)", "[1]", "[2]", no_example=True),
    # Texts as guests write them.
    Case("f", function("return 1.5"), function("return float('inf')"), "f(3)", "(3,)", value_text(1.5), value_text(math.inf)),
    Case("f", function("return 1.5"), function("return float('nan')"), "f(3)", "(3,)", value_text(1.5), value_text(math.nan)),
    Case("f", function("return []"), function("return [[float('-inf')]]"), "f(3)", "(3,)", value_text([]), value_text([[-math.inf]])),
    Case("f", function("return []"), function("return [{'a', 'b'}, {}]"), "f(3)", "(3,)", value_text([]), value_text([{"a", "b"}, {}])),
    Case("f", function("return {}"), function("return {x: float('inf')}"), "f(3)", "(3,)", value_text({}), value_text({3: math.inf})),
    Case("f", function("yield x"), function("yield x + 1"), "f(1)", "(1,)", value_text(yielded([1], "generator")), value_text(yielded([2], "generator"))),
    Case("f", function("yield x", "async def f(x):"), function("yield x + 1", "async def f(x):"), "f(1)", "(1,)", value_text(yielded([1], "async_generator")), value_text(yielded([2], "async_generator")), no_example=True),
    Case("C.m", "class C:\n    def m(self, x):\n        return x\n", "class C:\n    def m(self, x):\n        return x + 1\n", "C().m(1)", "(1,)", "1", "2"),
    Case("C.m", "class C:\n    def __init__(self, n=0):\n        self.n = n\n    def m(self):\n        return 0\n", "class C:\n    def __init__(self, n=0):\n        self.n = n\n    def m(self):\n        return self.n\n", "C(1).m()", "(C(1),)", "0", "1"),
    Case("C.s", "class C:\n    @staticmethod\n    def s(x):\n        return x\n", "class C:\n    @staticmethod\n    def s(x):\n        return x + 1\n", "C.s(1)", "(1,)", "1", "2"),
    Case("C.k", "class C:\n    @classmethod\n    def k(cls, x):\n        return x\n", "class C:\n    @classmethod\n    def k(cls, x):\n        return x + 1\n", "C.k(1)", "(1,)", "1", "2"),
    # Sequences of calls: only the last one is wrong.
    Case("f", STATE, STATELESS, "(f(0), f(0))[-1]", "(0,)", "2", "1"),
    Case("f", STATE, STATELESS, "(f(1), f(0))[-1]", "(0,)", "2", "1"),
    Case("f", STATE, STATELESS, "[f(0) for _ in range(10)][-1]", "(0,)", "10", "1"),
    Case("f", "async " + STATE, "async " + STATELESS, "(f(0), f(0))[-1]", "(0,)", "2", "1"),
    Case("f", "async " + STATE, "async " + STATELESS, "[f(0) for _ in range(10)][-1]", "(0,)", "10", "1"),
    Case("f", STATE.replace("return", "yield"), STATELESS.replace("return", "yield"), "(f(0), f(0))[-1]", "(0,)", "[2]", "[1]"),
    Case("f", "async " + STATE.replace("return", "yield"), "async " + STATELESS.replace("return", "yield"), "(f(0), f(0))[-1]", "(0,)", "[2]", "[1]", no_example=True),
    Case("f", STATE.replace("return", "if len(seen) > 1: raise KeyError\n    return"), STATELESS, "(f(0), f(0))[-1]", "(0,)", "KeyError: ", "1", fails=True),
    Case("C.m", BOX + "        return 0\n", BOX + "        return self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "0", "1"),
    Case("C.m", BOX + "        return 0\n", BOX + "        raise KeyError(self.x)\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "0", "KeyError: 1", raises=True),
    Case("C.m", BOX.replace("def m", "async def m") + "        return 0\n", BOX.replace("def m", "async def m") + "        return self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "0", "1", no_example=True),
    Case("C.m", ASYNC_BOX + "        return 0\n", ASYNC_BOX + "        return self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "0", "1", no_example=True),
    Case("C.m", ASYNC_BOX + "        yield 0\n", ASYNC_BOX + "        yield self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", value_text(yielded([0], "async_generator")), value_text(yielded([1], "async_generator")), no_example=True),
    Case("C.m", BOX.replace("def put", "async def put") + "        return 0\n", BOX.replace("def put", "async def put") + "        return self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "0", "1", no_example=True),
    Case("C.m", PAIR + "        return self.x\n", PAIR + "        return self.x + other.x\n", "(it2 := C(), it2.put(1), it2.m((it := C(), it.put(2), it)[-1]))[-1]", "((it := C(), it.put(1), it)[-1], (it := C(), it.put(2), it)[-1])", "1", "3"),
    Case("C.m", PAIR.replace("def m", "async def m") + "        return self.x\n", PAIR.replace("def m", "async def m") + "        return self.x + other.x\n", "(it2 := C(), it2.put(1), it2.m((it := C(), it.put(2), it)[-1]))[-1]", "((it := C(), it.put(1), it)[-1], (it := C(), it.put(2), it)[-1])", "1", "3", no_example=True),
    Case("C.m", BOX + "        yield 0\n", BOX + "        yield self.x\n", "(it := C(), it.put(1), it.m())[-1]", "((it := C(), it.put(1), it)[-1],)", "[0]", "[1]"),
    Case("f", STATE, STATELESS.replace("return", "raise ValueError(x) from None\n    return"), "(f(0), f(0))[-1]", "(0,)", "2", "ValueError: 0", raises=True),
]  # fmt: skip


def target_of(case: Case, path: Path, text: str) -> FunctionTarget:
    return find_target(text, case.name, path)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bool, bool]]:
    """For each test file: whether it passed on the wrong and on the right functions. Two runs of pytest for all."""
    folder = tmp_path_factory.mktemp("tests")
    (folder / "pyproject.toml").write_text("")
    for number, case in enumerate(CASES):
        path = case.write(folder, case.wrong)
        place = folder / f"test_{number}.py"
        edit = pytest_case.add_test(target_of(case, path, case.wrong), case.finding(), str(place), None)
        assert edit is not None, case
        place.write_text(apply_edits("", edit.edits), encoding="utf-8")
    wrong = passed(folder)
    for case in CASES:
        case.write(folder, case.right)
    right = passed(folder)
    return {str(number): (str(number) in wrong, str(number) in right) for number in range(len(CASES))}


def passed(folder: Path) -> set[str]:
    command = [*PYTEST, "-rA", "--tb=no", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, env=WITHOUT_PLUGINS)
    assert not [line for line in done.stdout.splitlines() if line.startswith("ERROR")], done.stdout
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("PASSED")]
    return {line[1].partition("::")[0].removeprefix("test_").removesuffix(".py") for line in lines}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_an_added_test_fails_on_the_wrong_and_passes_on_the_right(
    outcomes: dict[str, tuple[bool, bool]], number: int
) -> None:
    assert outcomes[str(number)] == (False, True)


@pytest.mark.parametrize("case", CASES, ids=[f"{number}-{case.call}" for number, case in enumerate(CASES)])
@pytest.mark.parametrize(
    "docstring", ["", '"""One line."""', "'''Many\n\n    lines.\n    '''", 'r"""Raw \\d.\n    """']
)
def test_an_added_example_fails_on_the_wrong_and_passes_on_the_right(
    tmp_path: Path, case: Case, docstring: str
) -> None:
    results = []
    for text in (case.wrong, case.right):
        text = with_docstring(text, case.name, docstring)
        path = case.write(tmp_path, text)
        edit = doctest_case.add_example(target_of(case, path, text), case.finding(), text.split("\n"))
        if edit is None:
            assert case.no_example
            return
        path.write_text(apply_edits(text, (edit,)), encoding="utf-8")
        results.append(doctest_failures(path))

    assert results == [1, 0] or (results[0] >= 1 and results[1] == 0)


def with_docstring(text: str, name: str, docstring: str) -> str:
    head, _, body = text.partition(f"def {name.rpartition('.')[2]}(")
    line, _, rest = body.partition("\n")
    indent = " " * (len(rest) - len(rest.lstrip(" ")))
    if not docstring:
        return text
    return f"{head}def {name.rpartition('.')[2]}({line}\n{indent}{docstring.replace(chr(10) + '    ', chr(10) + indent)}\n{rest}"


def doctest_failures(path: Path) -> int:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    results = doctest.testmod(module, report=False)
    assert results.attempted > 0
    return results.failed


@pytest.mark.parametrize("case", [case for case in CASES if not case.hangs], ids=lambda case: case.call)
def test_the_script_makes_the_call(tmp_path: Path, case: Case) -> None:
    path = case.write(tmp_path, case.wrong)
    text = script.failing_input(target_of(case, path, case.wrong), case.finding(), None, case.wrong)
    place = tmp_path / "elsewhere" / "script.py"
    place.parent.mkdir()
    place.write_text(text, encoding="utf-8")

    done = subprocess.run([sys.executable, "-B", str(place)], capture_output=True, text=True, timeout=280)

    if case.fails:
        assert case.candidate.partition(":")[0] in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert "returned:" in done.stdout


def test_a_second_case_joins_the_first(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(function("return x"))
    target = find_target(function("return x"), "f", path)
    text: str | None = None
    for value in (1, 2, 3):
        finding = Counterexample(
            f"({value},)",
            f"f({value})",
            Outcome(OutcomeKind.RETURNED, str(value)),
            Outcome(OutcomeKind.RETURNED, str(value + 1)),
        )
        edit = pytest_case.add_test(target, finding, str(tmp_path / "test_m.py"), text)
        assert edit is not None
        text = apply_edits(text or "", edit.edits)

    assert text is not None
    assert text.count("def test_") == 1
    assert "        (1, 2),\n        (2, 3),\n        (3, 4),\n    ]," in text


@pytest.mark.parametrize(
    "existing",
    [
        "",
        '"""Doc."""\n',
        "import os\n\n\ndef test_f():\n    assert os\n",
        "from m import g\n\ndef test_other():\n    assert g\n",
        "from m import (\n    g,\n)\n\ndef test_f(): pass",
        "import pytest\n\n@pytest.mark.parametrize('x', [1])\ndef test_f(x): pass\n",
        "class TestF:\n    def test_f(self): pass\n",
    ],
)
def test_an_existing_file_keeps_what_it_has(tmp_path: Path, existing: str) -> None:
    code = function("return x") + function("return x", "def g(x):")
    (tmp_path / "m.py").write_text(code)
    target = find_target(code, "f", tmp_path / "m.py")
    finding = Counterexample("(1,)", "f(1)", Outcome(OutcomeKind.RETURNED, "1"), Outcome(OutcomeKind.RETURNED, "2"))

    edit = pytest_case.add_test(target, finding, str(tmp_path / "test_m.py"), existing)

    assert edit is not None
    text = apply_edits(existing, edit.edits)
    compile(text, "test_m.py", "exec")
    for line in existing.splitlines():
        assert line in text.splitlines() or line == "from m import g"
    (tmp_path / "test_m.py").write_text(text)
    command = [*PYTEST, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, env=WITHOUT_PLUGINS)
    assert "1 failed" in done.stdout, done.stdout


@pytest.mark.parametrize(
    "expected",
    [
        value_text([[math.nan], {1, 2}]),
        value_text(yielded([1], "map")),
        value_text([yielded([1], "generator")]),
        value_text(object()),
        value_text(list(range(1000))),
        "Point(x=float('inf'))",
        "Bag({1, 2})",
    ],
)
def test_what_no_expression_gives_again_is_not_offered(tmp_path: Path, expected: str) -> None:
    text = function("return 1")
    target = find_target(text, "f", tmp_path / "a.py")
    finding = Case("f", text, text, "f(1)", "(1,)", "1", expected).finding()

    assert pytest_case.test_case(target, finding) is None
    assert doctest_case.add_example(target, finding, text.split("\n")) is None


def test_what_a_coroutine_comes_to_is_not_known(tmp_path: Path) -> None:
    text = function("return x", "async def f(x):")
    target = find_target(text, "f", tmp_path / "module.py")
    outcomes = Outcome(OutcomeKind.RETURNED, "a coroutine"), Outcome(OutcomeKind.RETURNED, "1")
    finding = Counterexample("(1,)", "f(1)", *outcomes, Tier.INSIDE, AWAITED_NOTE)

    assert pytest_case.test_case(target, finding) is None
    assert doctest_case.example_lines(target, finding) is None
