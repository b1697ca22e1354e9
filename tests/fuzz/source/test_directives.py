"""Directive comments belong to the function they stand above or on."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import read_module


def read(text: str) -> dict[str, str]:
    module = read_module(text)
    return read_directives(module.target("f"), module.parsed.lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# lsp-evalplus: reference=a.py::g\ndef f(x): return x", {"reference": "a.py::g"}),
        ("#lsp-evalplus:reference = a/b.py::C.m\n@d\n@e(1)\ndef f(x): return x", {"reference": "a/b.py::C.m"}),
        ("@d\n# lsp-evalplus: off\ndef f(x): return x", {"off": ""}),
        ("def f(x):  # lsp-evalplus: refactoring, budget=2\n    return x", {"refactoring": "", "budget": "2"}),
        ('# lsp-evalplus: reference="a b.py::g"\n# other words\ndef f(x): return x', {"reference": "a b.py::g"}),
        ("# lsp-evalplus: off\n\ndef f(x): return x", {}),
        ("# lsp-evalplus: off\ndef g(x): return x\ndef f(x): return x", {}),
        ("def f(x):\n    # lsp-evalplus: off\n    return x", {}),
    ],
)
def test_directives(text: str, expected: dict[str, str]) -> None:
    assert read(text) == expected


def test_a_misspelt_directive_is_told() -> None:
    with pytest.raises(UserError, match="the text, line 1: unknown directive 'refrence'; known are reference"):
        read("# lsp-evalplus: refrence=a.py\ndef f(x): return x")
