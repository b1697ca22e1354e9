"""Which variables of its module a function changes, for others to see."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.outside.module_state import changed_variables

HEAD = """
import collections

ROUTES = {}
_hooks = []
_private = []
cache: dict[str, int] = {}
COUNTS = collections.Counter()
limit = 3
LATER = None
TWICE = {}
TWICE = {}


def hooks():
    return list(_hooks)
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("ROUTES[a] = b", ("ROUTES",)),
        ("ROUTES.setdefault(a, []).append(b)", ("ROUTES",)),
        ("ROUTES[a][b] = 1; del COUNTS[a]", ("ROUTES", "COUNTS")),
        ("_hooks.append(a)", ("_hooks",)),
        ("global limit; limit += a", ("limit",)),
        ("global LATER; LATER = a", ("LATER",)),
        ("cache.clear()", ("cache",)),
        ("cache[a] = b; return b", ()),
        ("_private.append(a)", ()),
        ("ROUTES = {}; ROUTES[a] = b", ()),
        ("a.append(b); b[0] = a", ()),
        ("limit.append(a)", ()),
        ("TWICE[a] = b", ()),
        ("return ROUTES[a], COUNTS.get(b)", ()),
        ("def later(): ROUTES[a] = b\n    return later", ("ROUTES",)),
    ],
)
def test_changed_variables(body: str, names: tuple[str, ...]) -> None:
    programs = [Program(f"{HEAD}\ndef f(a, b):\n    {one}\n", "f") for one in (body, "pass")]
    assert changed_variables(*programs) == names
    assert changed_variables(*programs[::-1]) == names


@pytest.mark.parametrize(
    ("old", "new"), [("ROUTES = {}", "ROUTES = []"), ("return list(_hooks)", "return list(_hooks), ROUTES")]
)
def test_what_means_something_else_in_the_other_version_is_left_out(old: str, new: str) -> None:
    text = f"{HEAD}\ndef f(a, b):\n    ROUTES[a] = b\n"
    assert changed_variables(Program(text, "f"), Program(text.replace(old, new), "f")) == ()


def test_methods_and_functions_that_are_defined_twice_are_left_out() -> None:
    function = "def f(a):\n    ROUTES[a] = 1\n"
    texts = [f"{HEAD}\nclass A:\n    {function}", f"{HEAD}\n{function}\n{function}", "def f(:"]
    for text, name in zip(texts, ("A.f", "f", "f")):
        assert changed_variables(Program(text, name), Program(text, name)) == ()
