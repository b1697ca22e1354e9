"""The changes that `realcode.py` makes are such as their names say, and land where the function stands."""

from __future__ import annotations

import ast
import copy
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import realcode
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


def drawn(folder: Path) -> realcode.Drawn:
    (folder / "shape.py").write_text(SOURCE)
    found = list(realcode.functions_in(folder / "shape.py"))
    assert [(one.name, one.kind) for one in found] == [("Shape.area", "method")]
    return found[0]


@pytest.mark.parametrize("name", slips.SLIPS)
def test_each_slip_changes_the_function_and_nothing_else(tmp_path: Path, name: str) -> None:
    one = drawn(tmp_path)
    changed = copy.deepcopy(one.node)
    assert slips.SLIPS[name](changed, random.Random(3))
    source = realcode.rewritten(one, changed)
    assert ast.dump(ast.parse(source)) != ast.dump(ast.parse(SOURCE))
    before, after = (text.partition("    def area")[0] for text in (SOURCE, source))
    assert before == after
    assert source.endswith(SOURCE[SOURCE.index("\n\n\ndef stub") :])


def test_the_harmless_change_gives_the_same_results(tmp_path: Path) -> None:
    one = drawn(tmp_path)
    changed = copy.deepcopy(one.node)
    assert slips.rename_or_add(changed, random.Random(0))
    source = realcode.rewritten(one, changed)
    assert source != SOURCE
    for arguments in ((2.0, 3.0), (0.0, 1.0), (-1.0, 1.0)):
        assert outcome(source, arguments) == outcome(SOURCE, arguments)


def test_a_slip_is_drawn_by_the_generator_alone() -> None:
    function = ast.parse("def f(a, b):\n    return g(a, b) if a < b else 0").body[0]
    assert isinstance(function, ast.FunctionDef)
    names = {slips.slip(copy.deepcopy(function), random.Random(seed)) for seed in range(20)}
    assert names == {slips.slip(copy.deepcopy(function), random.Random(seed)) for seed in range(20)}
    assert len(names) > 2
    assert slips.slip(ast.parse("def f(): return g").body[0], random.Random(0)) is None  # type: ignore[arg-type]


def outcome(source: str, arguments: tuple[float, float]) -> str:
    scope: dict[str, object] = {}
    exec(compile(source, "shape.py", "exec"), scope)
    shape = scope["Shape"]()  # type: ignore[operator]
    shape.seen = []
    try:
        return repr((shape.area(*arguments), shape.seen))
    except ValueError as error:
        return repr(error)
