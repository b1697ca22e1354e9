"""What uses and names tell of parameters without annotation."""

from __future__ import annotations

import ast
import random

import pytest

from lsp_evalplus.fuzz.guest.calling.subject import Parameter
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.domain import Domain, Facts
from lsp_evalplus.fuzz.guest.generation.probing import ACCEPTED, Trials, learn
from lsp_evalplus.fuzz.guest.inference.functions.called_parameters import called_items
from lsp_evalplus.fuzz.guest.inference.usage import (
    Evidence,
    asked_types,
    compared_words,
    number_fields,
    told_kinds,
    used_kinds,
)
from lsp_evalplus.fuzz.guest.values.shapes import ANY, NAMED


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("x.strip()", {"x": {"str"}}),
        ("x.items()", {"x": {"dict"}}),
        ("x['a']", {"x": {"dict"}}),
        ("dict(x)", {"x": {"dict"}}),
        ("x.append(1)", {"x": {"list"}}),
        ("x[0], x.y, x.count(1), dict(x, a=1), dict()", {"x": {"dict"}}),
        ("x[0], x.y, x.count(1), f(x).strip()", {}),
        ("y = deepcopy(x); y.get(z)", {"x": {"dict"}, "y": {"dict"}}),
        ("y = copy.copy(x); y.append(1)", {"x": {"list"}, "y": {"list"}}),
        ("y = copy.copy(x); y = 1; y.append(1)", {"y": {"list"}}),
        ("y = f(x); y.append(1)", {"y": {"list"}}),
        ("unicodedata.normalize(y, x)", {"x": {"str"}}),
        ("urllib.parse.unquote(x, y)", {"x": {"str"}}),
        ("own.parse(x), quote(x)", {}),
    ],
)
def test_used_kinds(body: str, kinds: dict[str, set[str]]) -> None:
    function = ast.parse(f"def f(x): {body}").body[0]
    assert isinstance(function, ast.FunctionDef)

    assert used_kinds([function, None]) == kinds


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("[f(1, y) for f in x]", {"x": 2}),
        ("any(f() for f in x), [f for f in y]", {"x": 0}),
        ("[g(1) for g in x.values()], [x(f) for f in y]", {}),
    ],
)
def test_functions_in_a_list(body: str, counts: dict[str, int]) -> None:
    function = ast.parse(f"def f(x, y): return {body}").body[0]
    assert isinstance(function, ast.FunctionDef)

    assert called_items(function) == counts


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("x == 1", {"x": {"int"}}),
        ("x[:2] != 'ab'", {"x": {"str"}}),
        ("x in ('a', 2)", {"x": {"str", "int"}}),
        ("x * 6.0, (y - 1.5) * z", {"x": {"float"}, "y": {"float"}, "z": {"float"}}),
        ("round(x, 2), math.floor(y)", {"x": {"float"}, "y": {"float"}}),
        ("x is None, x[0] == 'a', x + 1", {"x": set[str]()}),
        ("int(x), x - int(x), int(y), y + z, z // 2, int(y.z)", {"x": {"float"}}),
    ],
)
def test_told_kinds(body: str, kinds: dict[str, set[str]]) -> None:
    function = ast.parse(f"def f(x): {body}").body[0]
    assert isinstance(function, ast.FunctionDef)

    assert told_kinds([function, None]) == kinds


def test_words_and_types_that_are_asked_for() -> None:
    text = (
        "def f(mode, kind, value):\n"
        "    if mode.lower() == 'fast' or kind in ('left', 'a', 'right') or value == '':\n"
        "        return isinstance(value, (int, module.Thing)) and isinstance(mode, str)\n"
        "    match kind:\n"
        "        case 'centre' | 'left': return 1\n"
    )
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)

    words = {name: sorted(found) for name, found in compared_words([function]).items()}
    assert words == {"mode": ["fast"], "kind": ["centre", "left", "right"]}
    assert asked_types([function]) == {"value": ["int", "module.Thing"], "mode": ["str"]}


def test_uses_behind_a_test_say_nothing_of_other_values() -> None:
    used: dict[str, set[str]] = {"x": {"str"}}

    assert Evidence(used=used).uses("x") == {"str"}
    assert Evidence(used=used, tested={"x": {"str"}}).uses("x") == set()


@pytest.mark.parametrize(
    ("name", "used", "kind"),
    [
        ("header_line", {}, "str"),
        ("x", {}, "int"),
        ("x", {"x": {"dict"}}, "dict"),
        ("text", {"text": {"list"}}, "list"),
    ],
)
def test_kind_of_a_parameter(name: str, used: dict[str, set[str]], kind: str) -> None:
    parameter = Parameter(name, "positional", ANY, None, has_default=False)
    domain = Domain([parameter], [], Facts(evidence=Evidence(used=used)))

    learned = learn(domain, Trials(lambda row: ACCEPTED), Pool(), random.Random(0))

    assert learned is not None
    assert domain.typical == (ANY,), "the domain itself stays as it is"
    shape = learned.typical[0]
    assert NAMED[kind] in {part.kind for part in shape.alternatives}
    assert (shape.kind is NAMED[kind]) is (kind != "int")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("return self.x * other.x", {"x"}),
        ("return -self.x, self.y // 2, self.z ** 2", {"x", "y", "z"}),
        ("return self.x + other.x, self.x * 2, self.x / other.x, self.x - other.x", set[str]()),
    ],
)
def test_number_fields(body: str, fields: set[str]) -> None:
    tree = ast.parse(f"class A:\n  def f(self, other): {body}\nclass B:\n  def f(self): return -self.w")

    assert number_fields(tree, "A") == fields
