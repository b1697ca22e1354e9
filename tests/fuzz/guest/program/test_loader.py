"""Programs of every shape are loaded as a module would be; what cannot be is told in one sentence."""

from __future__ import annotations

import asyncio
import inspect
import linecache
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program.loader import Loaded, LoadError, evaluate_text, load, split_arguments
from lsp_evalplus.fuzz.guest.surroundings.completion import DRAIN_LIMIT


@pytest.fixture(autouse=True)
def _clean_modules() -> Iterator[None]:
    """In a guest nothing is undone; here the next test is in the same process."""
    modules, path = dict(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.path[:] = path
    linecache.clearcache()


def load_program(source: str, qualname: str = "f", **more: Any) -> Loaded:
    return load({"source": source, "qualname": qualname, **more})


CLASS = """
class Base:
    scale = 10
class Plain(Base):
    def method(self, x): return self.scale * x
    @classmethod
    def of_class(cls, x): return (cls.__name__, x)
    @staticmethod
    def static(x): return -x
    @property
    def name(self): return 'p'
    class Inner:
        def deep(self): return 'deep'
class Counter:
    def __init__(self): self.count = 0
    def step(self):
        self.count += 1
        return self.count
class Needy:
    def __init__(self, y): self.y = y
    def add(self, x): return self.y + x
"""
CALLS: list[tuple[str, str, str, str, Any]] = [
    ("def f(x, *, y=1): return x + y", "f", "{'args': (1,), 'kwargs': {'y': 5}}", "free", 6),
    ("f = lambda x: x * 2", "f", "(4,)", "free", 8),
    ("async def f(x): return x", "f", "(1,)", "free", 1),
    ("def f(n):\n    yield from range(n)", "f", "(3,)", "free", [0, 1, 2]),
    ("async def f(n):\n    for i in range(n): yield i", "f", "(3,)", "free", [0, 1, 2]),
    ("def f():\n    n = 0\n    while True:\n        yield n", "f", "()", "free", [0] * DRAIN_LIMIT),
    ("async def g(): return 5\ndef f(): return g()", "f", "()", "free", 5),
    (CLASS, "Plain.method", "(3,)", "method", 30),
    (CLASS, "Plain.of_class", "(3,)", "classmethod", ("Plain", 3)),
    (CLASS, "Plain.static", "(3,)", "staticmethod", -3),
    (CLASS, "Plain.name", "()", "method", "p"),
    (CLASS, "Plain.Inner.deep", "()", "method", "deep"),
    (CLASS, "Needy.add", "(Needy(5), 1)", "method", 6),
    ("def o():\n    def f(n, k=2): return k if n < 1 else f(n - 1)\n    return f", "o.<locals>.f", "(3,)", "free", 2),
    (
        "import math\nclass A:\n    def m(self):\n        def f(x): return math.floor(x)",
        "A.m.<locals>.f",
        "(3.5,)",
        "free",
        3,
    ),
    ("import functools\n@functools.lru_cache\ndef f(x): return x", "f", "(3,)", "free", 3),
    ("\ufeffdef f(): return 1", "f", "()", "free", 1),
    ("def f():\r\n    return 1\r\n", "f", "()", "free", 1),
    ("# coding: latin-1\ndef f(): return 'é'", "f", "()", "free", "é"),
    ("def f(): return __name__ == '__main__'", "f", "()", "free", False),
    (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\ndef f(p): return p.x",
        "f",
        "(P(3),)",
        "free",
        3,
    ),
    ("def f(x): return x != x", "f", "(nan,)", "free", True),
    ("def f(x): return x", "f", "(decimal.Decimal('1.5') + 1 == 2.5,)", "free", True),
]


@pytest.mark.parametrize(("source", "qualname", "arguments", "binding", "value"), CALLS)
def test_calls(source: str, qualname: str, arguments: str, binding: str, value: Any) -> None:
    import decimal

    assert decimal
    loaded = load_program(source, qualname)

    assert loaded.binding == binding
    assert loaded.call(*loaded.arguments(arguments)) == value


def test_methods_share_no_state() -> None:
    loaded = load_program(CLASS, "Counter.step")

    assert [loaded.call((), {}), loaded.call((), {})] == [1, 1]


def test_what_is_not_drained() -> None:
    loaded = load_program("def f(): yield 1")

    result = loaded.call((), {}, drain=False)

    assert inspect.isgenerator(result)
    assert list(result) == [1]


REFUSALS: list[tuple[str, str, str]] = [
    (
        "import no_such_module\ndef f(): pass",
        "f",
        "an import fails: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    ("from os import nothing\ndef f(): pass", "f", "an import fails: ImportError"),
    ("x = 1\n1 / 0\ndef f(): pass", "f", "it raises ZeroDivisionError: division by zero at line 2"),
    ("raise SystemExit(3)\ndef f(): pass", "f", "it raises SystemExit: 3 at line 1"),
    ("raise KeyboardInterrupt\ndef f(): pass", "f", "it raises KeyboardInterrupt at line 1"),
    ("def f(:", "f", "a syntax error at line 1"),
    ("def f(:", "f", f"(for Python {sys.version_info[0]}.{sys.version_info[1]})"),
    ("def f(): return '\0'", "f", "null byte"),
    ("def f(): return '\ud800'", "f", "does not compile"),
    ("x = " + "(" * 300 + ")" * 300, "f", "cannot be loaded because"),
    ("def g(): pass", "f", "there is no 'f' in the module"),
    ("class A: pass", "A.f", "there is no 'A.f' in the module"),
    ("if not 1:\n    def f(): pass", "f", "'f' is defined under conditions that are not met here"),
    ("f = 3", "f", "'f' is not callable: it is of type 'int'"),
    ("def o(a):\n    def f(): return a\n    return f", "o.<locals>.f", "it uses 'a' of the function around it"),
    ("def o(): pass", "o.<locals>.f", "there is no 'o.<locals>.f' in the module"),
    ("class Error(Exception):\n    def __str__(self): raise ValueError\nraise Error\n", "f", "it raises Error"),
]


@pytest.mark.parametrize(("source", "qualname", "message"), REFUSALS)
def test_refusals(source: str, qualname: str, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        load_program(source, qualname)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tracebacks_and_sources_are_of_the_given_text(tmp_path: Path) -> None:
    path = tmp_path / "pkg_mod.py"
    path.write_text("def f(): return 'the version on disk'\n")
    source = "def f():\n    raise ValueError('here')\n"
    loaded = load_program(source, path=str(path))

    assert inspect.getsource(loaded.function) == source
    try:
        loaded.call((), {})
    except ValueError:
        assert "raise ValueError('here')" in traceback.format_exc()
    assert loaded.module.__file__ == str(path)
    assert loaded.module.__name__ == "pkg_mod"


def test_a_package_and_its_relative_imports(tmp_path: Path) -> None:
    package = tmp_path / "some_pkg_x" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "sibling.py").write_text("value = 3\n")
    loaded = load_program(
        "from .sibling import value\nfrom . import sibling\ndef f(): return value, __package__, __name__",
        path=str(package / "module.py"),
        package="some_pkg_x.inner",
        search_path=[str(tmp_path)],
    )

    assert loaded.call((), {}) == (3, "some_pkg_x.inner", "some_pkg_x.inner.module")
    assert sys.path[0] == str(tmp_path)


def test_an_instance_of_another_copy_of_the_class_is_no_argument(tmp_path: Path) -> None:
    package = tmp_path / "twice"
    package.mkdir()
    (package / "__init__.py").write_text("from .box import Box\n")
    source = (
        "class Box:\n    def __init__(self, width=0):\n        self.width = width\n"
        "    def first(self, count):\n        return count, self.width\n"
    )
    (package / "box.py").write_text(source)
    loaded = load_program(
        source,
        "Box.first",
        path=str(package / "box.py"),
        package="twice",
        search_path=[str(tmp_path)],
    )
    args, kwargs = loaded.arguments("(twice.Box(3), 1)")

    assert type(args[0]) is not loaded.owner
    assert loaded.call(args, kwargs) == (1, 3)
    assert loaded.call((2,), {}) == (2, 0)


def test_a_package_finds_its_modules_and_files_when_they_are_asked_for(tmp_path: Path) -> None:
    package = tmp_path / "worded"
    package.mkdir()
    (package / "words.txt").write_text("one two")
    (package / "later.py").write_text("def count(text): return len(text.split())\n")
    source = (
        "import pkgutil\nfrom importlib.resources import files\n"
        "TEXT = files(__name__).joinpath('words.txt').read_text()\n"
        "assert pkgutil.get_data(__name__, 'words.txt') == TEXT.encode()\n"
        "def f(x):\n    from . import later\n    return later.count(TEXT) + x\n"
    )
    (package / "__init__.py").write_text("")

    loaded = load_program(source, path=str(package / "__init__.py"), package="worded", search_path=[str(tmp_path)])

    assert loaded.function(1) == 3


def test_a_missing_package_is_told() -> None:
    with pytest.raises(LoadError, match="its package 'no_such_package_y' raises"):
        load_program("def f(): pass", package="no_such_package_y")


def test_programs_do_not_replace_modules_of_the_same_name() -> None:
    import json

    first = load_program("def f(): return 1", path="/somewhere/json.py")
    second = load_program("def f(): return 2", path="/elsewhere/candidate_z.py")

    assert sys.modules["json"] is json
    assert first.module.__name__ == "json_2"
    assert second.module.__name__ == "candidate_z"
    assert all(sys.modules[loaded.module.__name__] is loaded.module for loaded in (first, second))


def test_versions_of_a_module_have_one_name_which_means_the_one_that_runs() -> None:
    """Programs show their name, and find themselves by it."""
    text = "import sys\nclass A: pass\ndef f(): return repr(A), sys.modules[__name__].A is A"
    older = load_program(text, path="/elsewhere/candidate_z.py")
    newer = load_program(text, path="/elsewhere/candidate_z.py")

    assert older.call((), {}) == ("<class 'candidate_z.A'>", True)
    assert newer.call((), {}) == ("<class 'candidate_z.A'>", False)
    assert newer.own_modules is not None
    with newer.own_modules, newer.own_modules:
        assert newer.call((), {}) == ("<class 'candidate_z.A'>", True)
        assert older.call((), {}) == ("<class 'candidate_z.A'>", False)
    assert sys.modules["candidate_z"] is older.module


def test_a_version_that_cannot_be_loaded_leaves_the_other_one() -> None:
    older = load_program("def f(): return 1", path="/elsewhere/candidate_z.py")
    with pytest.raises(LoadError):
        load_program("def f(): return 1\n1 / 0", path="/elsewhere/candidate_z.py")
    assert sys.modules["candidate_z"] is older.module


@pytest.mark.parametrize("text", ["(", "nope", "1 / 0", "open('/nowhere')", "x = 1"])
def test_arguments_that_cannot_be_evaluated(text: str) -> None:
    with pytest.raises(LoadError):
        evaluate_text(text, {})


@pytest.mark.parametrize("value", [3, "text", {"args": (1,), "other": 2}, {1}])
def test_arguments_of_another_form(value: Any) -> None:
    with pytest.raises(LoadError):
        split_arguments(value)


def test_asyncio_is_usable_after_a_coroutine() -> None:
    loaded = load_program("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 1")

    assert [loaded.call((), {}) for _ in range(2)] == [1, 1]
    assert asyncio.run(asyncio.sleep(0, 7)) == 7


TWICE = "if 1:\n    def f(): return 1\nelse:\n    def f(): return 2\n"


def test_of_several_definitions_the_one_that_is_meant_has_to_count() -> None:
    program = {"source": TWICE, "qualname": "f"}

    assert load({**program, "first_line": 2}).call((), {}) == 1
    with pytest.raises(LoadError, match="another definition of 'f' counts here: the one at line 2"):
        load({**program, "first_line": 4})


REPLACED = "def dirname(p): return p + '!'\nfrom posixpath import dirname\n"
REPLACED_BY_C = "def sqrt(x): return x\ntry:\n    from math import sqrt\nexcept ImportError: pass\n"
REPLACED_CLASS = """
class Random:
    def choice(self, x): return x
from random import Random
"""
REPLACED_BY_C_CLASS = """
class deque:
    def append(self, x): return x
from collections import deque
"""
DECORATED = """
import functools
@functools.lru_cache
def f(x): return x
class A:
    @functools.cached_property
    def g(self): return 1
"""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (REPLACED, "dirname"),
        (REPLACED_BY_C, "sqrt"),
        (REPLACED_CLASS, "Random.choice"),
        (REPLACED_BY_C_CLASS, "deque.append"),
    ],
)
def test_what_an_import_puts_in_place_of_a_definition(source: str, name: str) -> None:
    """Nothing would have been compared."""
    with pytest.raises(LoadError, match=rf"another definition of '{name}' takes its place, which comes from '\w+'"):
        load_program(source, name)


@pytest.mark.parametrize("name", ["f", "A.g"])
def test_what_a_decorator_puts_in_place_of_a_definition(name: str) -> None:
    assert load_program(DECORATED, name).filename


def test_a_package_that_fails_has_what_it_defined_before(tmp_path: Path) -> None:
    folder = tmp_path / "partly_there"
    folder.mkdir()
    (folder / "__init__.py").write_text("LIMIT = 3\nfrom .spread import spread\nAFTER = 4\n")
    (folder / "spread.py").write_text("from no_such_library_z.moves import spread\n")
    source, more = "from partly_there import {0}\ndef f(): return {0}", {"path": str(folder / "base.py")}
    loaded = load_program(source.format("LIMIT"), package="partly_there", search_path=[str(tmp_path)], **more)
    assert loaded.call((), {}) == 3
    with pytest.raises(LoadError, match="cannot import name 'AFTER'"):
        load_program(source.format("AFTER"), package="partly_there", **more)


def test_a_package_that_fails_is_stood_in_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "failing_y" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "failing_y" / "__init__.py").write_text("raise RuntimeError('not installed')\n", "utf-8")
    (inner / "__init__.py").write_text("", "utf-8")
    (inner / "near.py").write_text("STEP = 3\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    program = {
        "source": "from .near import STEP\nfrom failing_y.inner import near\ndef f(n): return n * STEP\n",
        "qualname": "f",
        "path": str(inner / "user.py"),
        "package": "failing_y.inner",
    }

    assert load(program).call((2,), {}) == 6
