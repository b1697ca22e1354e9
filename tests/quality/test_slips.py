"""The changes that `realcode.py` makes are such as their names say, and land where the function stands."""

from __future__ import annotations

import ast
import copy
import random
import sys
import textwrap
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.static.same_code import is_same_code

sys.path.insert(0, str(Path(__file__).parent))
import package_code
import slips

SOURCE = '''\
import math

class Shape:
    sides = 3

    def area(self, width: float, height: float) -> float:
        """How large it is."""
        if width < 0 or height < 0:
            raise ValueError(width)
        total = math.pow(width, height)
        self.last = total  # kept
        self.seen.append(self.last)
        return total * 2 if self.sides == 4 else total


def stub(x):
    """Nothing yet."""
    raise NotImplementedError
'''


def drawn(folder: Path) -> package_code.Drawn:
    (folder / "shape.py").write_text(SOURCE)
    found = list(package_code.functions_in(folder / "shape.py"))
    assert [(one.name, one.kind) for one in found] == [("Shape.area", "method")]
    return found[0]


# What is written, and what it may become by a slip of each class.
SLIPPED = {
    "wrong variable": ("return a + b", {"return b + b", "return a + a"}),
    "wrong attribute": ("return self.x - self.y", {"return self.x - self.x", "return self.y - self.y"}),
    "forgotten statement": ("self.x = a", {"pass"}),
    "swapped arguments": ("return g(a, b, 1)", {"return g(b, a, 1)"}),
    "missing else": ("if a:\n    a = 1\nelse:\n    a = 2", {"if a:\n    a = 1"}),
    "off by one": ("return range(a)", {"return range(a - 1)"}),
    "dropped argument": ("return g(a, key=b)", {"return g(a)"}),
    "arithmetic": ("return a * b", {"return a + b"}),
    "guard removed": ("if a:\n    return 0\nreturn b", {"pass\nreturn b"}),
    "dropped condition": ("return a and b", {"return a", "return b"}),
    "wrong method": ("return a.find(b)", {"return a.rfind(b)"}),
    "wrong constant": ("return 'ab'", {"return 'a'"}),
    "negated": ("return b if not a else a", {"return b if a else a"}),
    "forgot copy": ("return list(a)", {"return a"}),
    "early return": ("for x in a:\n    g(x)", {"for x in a:\n    g(x)\n    break"}),
    "truthiness": ("return b if a is None else a", {"return b if not a else a"}),
    "dropped call": ("return int(a)", {"return a"}),
    "boundary": ("return a < b", {"return a <= b"}),
    "and/or": ("return a and b", {"return a or b"}),
    "wrong index": ("return a[0]", {"return a[-1]"}),
    "dropped part": ("return f'{a}-'", {"return f'{a}'", "return f'-'"}),
    "sign": ("a += 1", {"a -= 1"}),
    "dropped strip/lower": ("return a.strip()", {"return a"}),
    "division": ("return a // b", {"return a / b"}),
}


@pytest.mark.parametrize("name", slips.SLIPS)
def test_each_slip_is_what_its_name_says(name: str) -> None:
    if name == "wrong default":
        text, expected = "def f(a=True): return a", {"def f(a=False):\n    return a"}
    else:
        body, bodies = SLIPPED[name]
        text, *rest = (f"def f(self, a, b):\n{textwrap.indent(one, '    ')}" for one in (body, *bodies))
        expected = set(rest)
    seen: set[str] = set()
    for seed in range(20):
        function = function_of(text)
        assert slips.SLIPS[name](function, random.Random(seed))
        seen.add(ast.unparse(ast.fix_missing_locations(function)))
    assert seen == expected


def test_there_is_a_slip_of_each_class() -> None:
    assert len(slips.SLIPS) == 25
    assert set(slips.SLIPS) == {*SLIPPED, "wrong default"}


@pytest.mark.parametrize("text", ["def f() -> 'int':\n    'Words.'\n    x: 'int'", "@g(1, 2)\ndef f(): return g"])
def test_docstrings_annotations_and_decorators_are_left_alone(text: str) -> None:
    assert slips.slip(function_of(text), random.Random(0)) is None


@pytest.mark.parametrize("name", ["arithmetic", "guard removed", "forgotten statement", "swapped arguments"])
def test_a_slip_changes_the_function_and_nothing_else(tmp_path: Path, name: str) -> None:
    one = drawn(tmp_path)
    changed = copy.deepcopy(one.node)
    assert slips.SLIPS[name](changed, random.Random(3))
    source = package_code.rewritten(one, changed)
    assert ast.dump(ast.parse(source)) != ast.dump(ast.parse(SOURCE))
    before, after = (text.partition("    def area")[0] for text in (SOURCE, source))
    assert before == after
    assert source.endswith(SOURCE[SOURCE.index("\n\n\ndef stub") :])


def test_the_harmless_change_gives_the_same_results(tmp_path: Path) -> None:
    one = drawn(tmp_path)
    changed = copy.deepcopy(one.node)
    assert slips.rename_or_add(changed, random.Random(0))
    source = package_code.rewritten(one, changed)
    assert source != SOURCE
    for arguments in ((2.0, 3.0), (0.0, 1.0), (-1.0, 1.0)):
        assert outcome(source, arguments) == outcome(SOURCE, arguments)


def test_a_list_that_nothing_reads_is_other_code(tmp_path: Path) -> None:
    one = drawn(tmp_path)
    changed = copy.deepcopy(one.node)
    assert slips.rename_or_add(changed, random.Random(0))
    assert is_same_code(package_code.rewritten(one, changed), SOURCE)
    slips.make_list(changed)
    source = package_code.rewritten(one, changed)
    assert not is_same_code(source, SOURCE)
    assert outcome(source, (2.0, 3.0)) == outcome(SOURCE, (2.0, 3.0))


def test_the_harmless_change_adds_no_variable_that_the_function_shows() -> None:
    function = function_of("def f(a):\n    b = a\n    return locals()")
    assert slips.rename_or_add(function, random.Random(0))
    assert ast.unparse(function) == "def f(a):\n    pass\n    b = a\n    return locals()"


def test_a_slip_is_drawn_by_the_generator_alone() -> None:
    function = function_of("def f(a, b):\n    return g(a, b) if a < b else 0")
    names = {slips.slip(copy.deepcopy(function), random.Random(seed)) for seed in range(20)}
    assert names == {slips.slip(copy.deepcopy(function), random.Random(seed)) for seed in range(20)}
    assert len(names) > 2
    assert slips.slip(function_of("def f(): return g"), random.Random(0)) is None


def function_of(text: str) -> ast.FunctionDef:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def outcome(source: str, arguments: tuple[float, float]) -> str:
    scope: dict[str, object] = {}
    exec(compile(source, "shape.py", "exec"), scope)
    shape = scope["Shape"]()  # type: ignore[operator]
    shape.seen = []
    try:
        return repr((shape.area(*arguments), shape.seen))
    except ValueError as error:
        return repr(error)
