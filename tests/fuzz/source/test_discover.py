"""Functions are found wherever they stand, and described as their text says."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.static.deep_reading import deep_reading
from lsp_evalplus.fuzz.model import Binding, FunctionKind, FunctionTarget, Oracle, OracleKind, Span
from lsp_evalplus.fuzz.source.definitions import find_definitions
from lsp_evalplus.fuzz.source.discover import discover, find_target, read_module
from lsp_evalplus.fuzz.source.parsing import parse_text
from lsp_evalplus.fuzz.source.subclasses import ClassesOfModule

TEXT = '''
import asyncio
from typing import overload


def plain(a, /, b: int = 1, *rest: str, c, d=None, **more) -> list[int]:
    """Doc."""
    return [a, b]


async def waits(x): return x


def yields(x):
    yield x


async def streams(x):
    yield x


def only_inner_yields(x):
    def inner():
        yield 1
    return list(inner())


class Outer:
    def method(self, x): return x

    @classmethod
    def build(cls, x): return x

    @staticmethod
    def help_out(x): return x

    @property
    def size(self): return 1

    class Inner:
        def deep(self, x): return x

    @overload
    def many(self, x: int) -> int: ...
    @overload
    def many(self, x: str) -> str: ...
    def many(self, x): return x

    def __init__(self): self.x = 1


if True:
    def conditional(x): return x
'''


def by_name(text: str) -> dict[str, FunctionTarget]:
    return {target.name: target for target in discover(text)}


def test_every_function_is_found_once() -> None:
    assert list(by_name(TEXT)) == [
        "plain",
        "waits",
        "yields",
        "streams",
        "only_inner_yields",
        "only_inner_yields.<locals>.inner",
        "Outer.method",
        "Outer.build",
        "Outer.help_out",
        "Outer.size",
        "Outer.Inner.deep",
        "Outer.many",
        "Outer.__init__",
        "conditional",
    ]


@pytest.mark.parametrize(
    ("name", "kind", "binding"),
    [
        ("plain", FunctionKind.FUNCTION, Binding.FREE),
        ("waits", FunctionKind.COROUTINE, Binding.FREE),
        ("yields", FunctionKind.GENERATOR, Binding.FREE),
        ("streams", FunctionKind.ASYNC_GENERATOR, Binding.FREE),
        ("only_inner_yields", FunctionKind.FUNCTION, Binding.FREE),
        ("Outer.method", FunctionKind.FUNCTION, Binding.METHOD),
        ("Outer.build", FunctionKind.FUNCTION, Binding.CLASSMETHOD),
        ("Outer.help_out", FunctionKind.FUNCTION, Binding.STATICMETHOD),
        ("Outer.Inner.deep", FunctionKind.FUNCTION, Binding.METHOD),
    ],
)
def test_kind_and_binding(name: str, kind: FunctionKind, binding: Binding) -> None:
    target = by_name(TEXT)[name]
    assert (target.kind, target.binding) == (kind, binding)


def test_parameters_are_source_text() -> None:
    target = by_name(TEXT)["plain"]
    assert [(p.name, p.kind, p.annotation, p.default) for p in target.parameters] == [
        ("a", "positional_only", None, None),
        ("b", "positional_or_keyword", "int", "1"),
        ("rest", "var_positional", "str", None),
        ("c", "keyword_only", None, None),
        ("d", "keyword_only", None, "None"),
        ("more", "var_keyword", None, None),
    ]
    assert target.returns == "list[int]"
    assert target.docstring == "Doc."


def test_self_is_no_parameter_of_a_method() -> None:
    targets = by_name(TEXT)
    for name in ("Outer.method", "Outer.build", "Outer.help_out"):
        assert [parameter.name for parameter in targets[name].parameters] == ["x"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class A:\n    @property\n    def f(self): return 1", None),
        ("class A:\n    @property\n    def f(self): return 1\n    @f.setter\n    def f(self, x): pass", None),
        ("class A(B):\n    @B.f.setter\n    def f(self, x): self.x = x", "property"),
        ("import abc\nclass A:\n    @abc.abstractmethod\n    def f(self, x): return 1", "abstract"),
        ("def f(x): ...", "no body"),
        ("def f(x):\n    '''Doc.'''", "no body"),
        ("def f(x):\n    raise NotImplementedError('later')", "no body"),
        ("import pytest\n@pytest.fixture\ndef f(x): return 1", "fixture"),
        ("class A:\n    def __del__(self): return 1", "through its class"),
        ("def g(y):\n    def f(x): return x + y\n    return f", "needs y of g()"),
        ("def g():\n    class A:\n        def f(self, x): return x\n    return A", "inside a function"),
        ("try:\n    def f(x): return 1\nexcept E:\n    def f(x): return 2", None),
        ("def g(y):\n    if y:\n        def f(x): return 1\n    else:\n        def f(x): return 2", "more than once"),
        ("def f(p):\n    return open(p).read()", "reads files: open(...)"),
        ("def f(p):\n    return input(p)", "waits for input"),
        ("import subprocess as sp\ndef f(p):\n    return sp.run(p)", "starts other programs: sp.run(...)"),
        ("from os import remove\ndef f(p):\n    remove(p)", "changes files: remove(...)"),
        (
            "import requests\ndef g(u): return requests.get(u)\ndef f(u):\n    return g(u)",
            "calls g(), which sends requests",
        ),
        ("from urllib.request import pathname2url\ndef f(p): return pathname2url(p)", None),
        ("from http import client\ndef f(code): return client.responses.get(code)", None),
        ("from requests import Session, utils\ndef f(u):\n    return Session(), utils.quote(u)", None),
        ("from http import client\ndef f(u): return client.HTTPSConnection(u)", "uses the network"),
        ("import ssl\ndef f(p): return ssl.create_default_context(), ssl.SSLContext(p)", None),
        ("import ssl\ndef f(host): return ssl.get_server_certificate((host, 443))", "uses the network"),
        ("def f(path):\n    return path.resolve().read_text()", "reads files: .read_text(...)"),
        ("def f(open):\n    return open(1)", None),
        ("def open(x): return x\ndef f(x):\n    return open(1)", None),
        ("def f(p):\n    return print(p)", None),
    ],
)
def test_obstacles_are_named(text: str, reason: str | None) -> None:
    found = [target for target in discover(text) if target.name.rpartition(".")[2] in {"f", "__del__"}]
    if reason is None:
        assert found[-1].obstacle is None
    else:
        assert reason in (found[-1].lack or "")


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("def f(p): return open(p).read()", "reads files: open(...)"),
        ("def f(p): return open(p, 'rb').read()", "reads files: open(...)"),
        ("def f(p): return open(p, mode='r+')", "reads or writes files: open(...)"),
        ("def f(p, m): return open(p, m)", "reads or writes files: open(...)"),
        ("def f(p, **k): return open(p, **k)", "reads or writes files: open(...)"),
        ("async def f(p): return open(p, 'w')", None),
        ("@g\ndef f(p): return open(p, 'w')", None),
        ("import zipfile\ndef f(p): return zipfile.ZipFile(p)", "reads files: zipfile.ZipFile(...)"),
        ("import tarfile\ndef f(p): return tarfile.open(p, 'w')", "reads or writes files: tarfile.open(...)"),
        ("import io\ndef f(p): return io.open(p)", "reads files: io.open(...)"),
        ("import os\ndef f(p): return os.path.isfile(p)", "looks at files: os.path.isfile(...)"),
        ("import os\ndef f(p): return os.listdir(p)", "reads files: os.listdir(...)"),
        ("import os\ndef f(p): return os.remove(p)", "reads or changes files: os.remove(...)"),
        ("def f(p): return p.resolve().write_text('')", "reads or writes files: .write_text(...)"),
        ("import getpass\ndef f(): return getpass.getpass()", None),
        (
            "def g(p): return p.resolve().read_text()\ndef f(p): return g(p)",
            "calls g(), which reads files: .read_text(...)",
        ),
    ],
)
def test_what_reads_or_writes_files_is_judged_by_an_older_version_alone(text: str, reads: str | None) -> None:
    target = discover(text)[-1]
    older = Oracle(OracleKind.PREVIOUS, "git HEAD")

    assert target.reads == reads
    assert (target.obstacle is None) is (reads is not None)
    assert target.lack is not None
    assert target.beside([]).obstacle == target.beside([Oracle(OracleKind.EXAMPLES, "")]).obstacle == target.lack
    assert target.beside([older]).obstacle == target.lack_as_older


@pytest.mark.parametrize(
    ("body", "obstacle", "lack"),
    [
        ("pass", None, "it has no body yet"),
        ("'Doc.'\n    ...", None, "it has no body yet"),
        ("raise NotImplementedError", "it has no body yet", "it has no body yet"),
        ("return x", None, None),
    ],
)
def test_a_body_that_is_none_can_be_compared_with_an_older_one(
    body: str, obstacle: str | None, lack: str | None
) -> None:
    """It can be judged, but nothing can be judged by it; one that says itself that it is none is judged by nobody."""
    target = discover(f"def f(x):\n    {body}")[0]
    assert (target.obstacle, target.lack) == (obstacle, lack)
    assert target.beside([]).obstacle == lack
    assert target.beside(["an oracle"]).obstacle == obstacle


def test_a_program_is_read_that_is_nested_deeply() -> None:
    text = f"TABLE = [1]\ndef f(x: {' | '.join(['int'] * 900)}):\n    return TABLE[x]"
    with pytest.raises(UserError, match=r"f cannot be read: its module is nested too deeply\."):
        read_module(text).target("f")
    with deep_reading():
        assert "TABLE" in read_module(text).target("f").program.source
    with pytest.raises(UserError, match="nested too deeply"):
        read_module(text).target("f")


SUBCLASSES = """
class Base:
    word = ""
    def shown(self): return self.word.upper()
    def other(self): return 1
    def left(self): return self.unit
class Same(Base): ...
class Other(Base):
    note = "x"
class Loud(Base):
    word = "a"
class Complete(Base):
    unit = "m"
"""


@pytest.mark.parametrize(
    ("method", "names"), [("shown", ["Complete", "Loud"]), ("other", ["Complete"]), ("left", ["Complete"])]
)
def test_subclasses_are_part_of_a_program_whose_instances_show_more(method: str, names: list[str]) -> None:
    parsed = parse_text(SUBCLASSES)
    definition = next(one for one in find_definitions(parsed) if one.name == f"Base.{method}")
    assert ClassesOfModule(parsed.tree).telling_subclasses(definition) == names


@pytest.mark.parametrize(
    ("path", "text", "is_test"),
    [
        ("test_a.py", "def test_f(x):\n    return x", True),
        ("a_test.py", "class TestA:\n    def f(self, x):\n        return x", True),
        ("test_a.py", "def test_g():\n    def f(x):\n        return x", True),
        ("test_a.py", "def f(x):\n    return x", False),
        ("a.py", "def test_f(x):\n    return x", False),
        ("test_a.py", "class Parsing(unittest.TestCase):\n    def check(self, x):\n        assert x", True),
        ("tests.py", "class Parsing(aio.AsyncTestCase, Mixin):\n    def read(self, x):\n        return x", True),
        ("tests.py", "class Parsing(Mixin):\n    def read(self, x):\n        return x", False),
        ("a.py", "class Parsing(TestCase):\n    def read(self, x):\n        return x", False),
    ],
)
def test_tests_are_not_tested(path: str, text: str, is_test: bool) -> None:
    assert (discover(text, Path(path))[-1].obstacle == "it is a test, or part of one") == is_test


def test_positions_count_code_points() -> None:
    text = "x = '😀é'; y = 1\nclass Ä:\n    @staticmethod\n    def naïve(é, s='😀'): return é\n"
    target = find_target(text, "Ä.naïve")
    assert target.name_span == Span(3, 8, 3, 13)
    assert target.span == Span(2, 4, 3, len("    def naïve(é, s='😀'): return é"))


def test_code_before_the_function_on_its_line() -> None:
    target = find_target("class A: x = '😀'\nif 1: \tpass\nasync   def  f(x): return x", "f")
    assert target.name_span == Span(2, 13, 2, 14)


def test_a_nested_function_without_closure_is_lifted_out() -> None:
    inner = "    def inner(x):\n        return math.floor(x)\n"
    text = f"import math\n\ndef outer(a):\n    b = 1\n{inner}    return inner(a) + b\n"
    target = find_target(text, "outer.<locals>.inner")
    assert target.obstacle is None
    assert target.program.qualname == "inner"
    namespace: dict[str, object] = {}
    exec(compile(target.program.source, "<lifted>", "exec"), namespace)
    lifted = namespace["inner"]
    assert callable(lifted)
    assert lifted(2.5) == 2
    assert lifted.__code__.co_firstlineno == 5
    assert "outer" not in namespace


@pytest.mark.parametrize("annotation", ["Shelf", '"Shelf"', "int"])
def test_a_nested_function_that_names_what_it_is_nested_in_is_not_lifted_out(annotation: str) -> None:
    body = "Shelf().width()" if annotation == "int" else "depth"
    inner = f"        def inner(shelf: {annotation}, depth):\n            return {body}\n"
    text = f"class Shelf:\n    def width(self):\n{inner}        return inner(self, 1)\n"
    assert find_target(text, "Shelf.width.<locals>.inner").obstacle == "it is nested in Shelf, which it needs"


def test_a_nested_function_that_calls_the_function_around_it_is_not_lifted_out() -> None:
    text = "def count(n):\n    def inner(k):\n        return count(k - 1)\n    return inner(n) if n else 0\n"
    assert find_target(text, "count.<locals>.inner").obstacle == "it is nested in count, which it needs"


def test_a_missing_function_suggests_close_names() -> None:
    with pytest.raises(UserError, match=r"no function 'medain'; did you mean 'median'\?"):
        find_target("def median(x): return x\n", "medain")
    with pytest.raises(UserError, match=r"it does not parse as Python 3\.\d+ \(line 1"):
        find_target("def median(x:", "median")
    with pytest.raises(UserError, match="functions found: none"):
        find_target("x = 1", "median")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_newline_and_a_byte_order_mark(newline: str) -> None:
    text = "\ufeff" + newline.join(["import math", "", "def f(x):", "    return x"])
    assert find_target(text, "f").name_span == Span(2, 4, 2, 5)


@pytest.mark.parametrize("text", ["", "\0", "(" * 300, "def f(", "'''", "\x0cdef", "class", "\ud800"])
def test_no_text_is_too_broken(text: str) -> None:
    assert discover(text) == []


def test_a_fingerprint_ignores_layout_and_follows_dependencies() -> None:
    text = "LIMIT = 3\ndef helper(x): return x\ndef other(x): return x\ndef f(x):\n    return helper(x) + LIMIT\n"
    first = read_module(text).fingerprint("f")
    same = text.replace("def f(x):\n", "# a comment\ndef f( x ):\n    '''Doc.'''\n")
    assert read_module(same).fingerprint("f") == first
    assert read_module(text.replace("def other(x): return x", "def other(x): return 2")).fingerprint("f") == first
    assert read_module(text.replace("LIMIT = 3", "LIMIT = 4")).fingerprint("f") != first
    assert read_module(text.replace("def helper(x): return x", "def helper(x): return -x")).fingerprint("f") != first


@pytest.mark.slow
def test_random_damage_leaves_the_other_functions() -> None:
    source = Path(read_module.__code__.co_filename).read_text(encoding="utf-8")
    lines = source.split("\n")
    whole = read_module(source).definitions
    names = [name for name in whole if "." not in name]
    rng = random.Random(7)
    lost = total = 0
    for _ in range(60):
        damaged = list(lines)
        at = rng.randrange(20, len(lines))
        damaged[at] += rng.choice(["(", "[", " = = ", '"', "def", ")", "'''", "\tif", "{", "@"])
        module = read_module("\n".join(damaged))
        compile(module.parsed.text, "<mended>", "exec")
        owner = next((n for n, d in whole.items() if d.span.start_line <= at <= d.span.end_line), "")
        for name in names:
            if name != owner.partition(".")[0]:
                total += 1
                lost += name not in module.definitions
    assert lost / total < 0.02


def test_positions_survive_damage_above() -> None:
    text = "def broken(:\n    return\n\n\ndef f(x):\n    return x\n"
    module = read_module(text)
    assert module.parsed.problem is not None
    assert module.parsed.problem.startswith("line 1: ")
    assert [(span.start_line, span.end_line) for span in module.parsed.cut] == [(0, 3)]
    assert module.target("f").name_span == Span(4, 4, 4, 5)
    assert "broken" not in module.target("f").program.source


def test_a_broken_method_leaves_its_class() -> None:
    members = "".join(
        f"    def {head}\n        return x\n\n" for head in ("one(self, x):", "two(self, x:", "three(self, x):")
    )
    text = f"class A:\n{members}"
    assert list(read_module(text).definitions) == ["A.one", "A.three"]


def seconds_to_read(functions: int) -> float:
    """Processor time, as the best of three."""
    text = "".join(f"def f{n}(x):\n    '''Doc.'''\n    y = x + {n}\n    return y\n\n\n" for n in range(functions))
    taken = []
    for _ in range(3):
        start = time.process_time()
        module = read_module(text + "broken = (\n")
        taken.append(time.process_time() - start)
        assert len(module.definitions) == functions
    return min(taken)


@pytest.mark.slow
def test_the_time_to_read_a_file_grows_with_it_and_not_faster() -> None:
    assert seconds_to_read(2000) < 3 * 4 * seconds_to_read(500)


@pytest.mark.parametrize(
    ("text", "name", "span"),
    [
        ("def 𝒻(n):\n    'f(1) == 2'\n    return n\n", "f", Span(0, 4, 0, 5)),
        ("x = 'f'\nclass ℂ:\n    async def ﬁ(self): return 1\n", "C.fi", Span(2, 14, 2, 15)),
        ("def \\\n  𝒶𝒷 (ab): return ab\n", "ab", Span(1, 2, 1, 4)),
        ("def f(g): return g\ndef g(f): return f\n", "g", Span(1, 4, 1, 5)),
        ("def ℘(n): return n\n", "℘", Span(0, 4, 0, 5)),
    ],
)
def test_a_name_is_where_it_is_written_however_python_reads_it(text: str, name: str, span: Span) -> None:
    """Python normalises names (NFKC); the text, and positions in it, stay."""
    assert read_module(text, None).definitions[name].name_span == span


def test_where_else_the_code_of_a_function_stands() -> None:
    """An edit in an overload concerns its function, one in a registered implementation the generic function."""
    module = read_module(
        "class C:\n"
        "    @singledispatchmethod\n"
        "    def show(self, x): return 1\n"
        "    @show.register\n"
        "    def _(self, x: int): return 2\n"
        "    @show.register\n"
        "    def _(self, x: str): return 3\n"
        "@overload\n"
        "def f(x: int) -> int: ...\n"
        "def f(x): return x\n"
        "@unknown.register\n"
        "def g(x): return 1\n"
        "def g(x): return 2\n"
    )
    lines = {name: [(one.start_line, one.end_line) for one in parts] for name, parts in module.other_parts.items()}
    assert lines == {"C.show": [(3, 4)], "f": [(7, 8)], "g": [(10, 11)]}
