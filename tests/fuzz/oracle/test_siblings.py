"""What a module imports is found by the words of its statements: all that the syntax tree has, and hardly more."""

from __future__ import annotations

import ast
import json
import sysconfig
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.oracle.siblings import absolute_module, imported_modules


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b as c, d", {"a", "a.b", "d"}),
        ("from a import b as c, d", {"a", "a.b", "a.d"}),
        ("from . import (\n    b,  # not (this)\n    c,\n)", {"p", "p.q", "p.q.b", "p.q.c"}),
        ("from .import b", {"p", "p.q", "p.q.b"}),
        ("from ..a import b", {"p", "p.a", "p.a.b"}),
        ("from a import b, \\\n    c", {"a", "a.b", "a.c"}),
        ("try: import a\nexcept ImportError: import b", {"a", "b"}),
        ("x = 1; import a; y = 2", {"a"}),
        ("def f():\n    import a", {"a"}),
        ("# import a\nimportant = 1\nraise E from error", set[str]()),
    ],
)
def test_statements_of_each_form(text: str, names: set[str]) -> None:
    ast.parse(text)
    assert set(imported_modules(text, "p.q")) == names


def test_no_import_of_the_standard_library_is_missed() -> None:
    files = sorted(Path(json.__file__).parents[1].glob("*.py"))[::4]
    assert len(files) > 30, sysconfig.get_paths()["stdlib"]
    for path in files:
        text = path.read_text("utf-8")
        found, tree = set(imported_modules(text, "p")), ast.parse(text)
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        assert {alias.name for node in imports for alias in node.names} <= found, path
        origins = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert {absolute_module(node, "p") for node in origins} - {""} <= found, path
