"""Makers whose source is written into tests and scripts stand alone."""

from __future__ import annotations

import ast
import inspect
import types

import pytest

from lsp_evalplus.fuzz.guest.values.makers import flask_calls, stubs


@pytest.mark.parametrize("module", [flask_calls, stubs])
def test_what_is_written_uses_nothing_of_other_modules(module: types.ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]

    assert {one.name for node in imports for one in node.names} <= {"type_of"}
