"""What uses and names tell of parameters without annotation."""

from __future__ import annotations

import ast
import random

import pytest

from lsp_evalplus.fuzz.guest.domain import ACCEPTED, Domain
from lsp_evalplus.fuzz.guest.evidence import number_fields, used_kinds
from lsp_evalplus.fuzz.guest.mine import Pool
from lsp_evalplus.fuzz.guest.programs import Parameter
from lsp_evalplus.fuzz.guest.shapes import ANY


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
    ],
)
def test_used_kinds(body: str, kinds: dict[str, set[str]]) -> None:
    function = ast.parse(f"def f(x): {body}").body[0]
    assert isinstance(function, ast.FunctionDef)

    assert used_kinds([function, None]) == kinds


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
    domain = Domain([parameter], [], has_contract=False, named=frozenset(), text="", used=used)

    domain.learn(lambda row: ACCEPTED, Pool(), random.Random(0))

    shape = domain.typical[0]
    assert {part.kind for part in (shape.parts if shape.kind == "union" else (shape,))} >= {kind}
    assert (shape.kind == kind) is (kind != "int")


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
