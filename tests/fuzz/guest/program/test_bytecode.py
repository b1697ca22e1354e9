"""Operations of code objects are those that `dis` gives."""

from __future__ import annotations

import argparse
import ast
import dis
import inspect
import types
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.program.bytecode import LOADS_LOCAL, operations_in


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def by_dis(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """Yield the same by the standard library."""
    for step in dis.get_instructions(code):
        if step.opcode in dis.hasname or step.opcode in dis.hasfree:
            yield step.opname, str(step.argval)
        elif "LOAD_FAST" in step.opname:
            last = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
            yield LOADS_LOCAL, last if last in code.co_varnames else ""
        elif step.opname != "EXTENDED_ARG":
            yield step.opname, ""


@pytest.mark.parametrize("module", [argparse, ast, inspect, typing], ids=lambda one: one.__name__)
def test_operations_are_those_of_dis(module: types.ModuleType) -> None:
    path = Path(str(module.__file__))
    codes = list(codes_in(compile(path.read_text("utf-8"), str(path), "exec")))
    assert len(codes) > 50
    for code in codes:
        assert operations_in(code) == tuple(by_dis(code)), code


def test_a_name_with_a_large_index() -> None:
    """Its index takes more than one byte, which an operation before it holds."""
    body = "".join(f"    self.name_{number}\n" for number in range(300))
    scope: dict[str, typing.Any] = {}
    exec(f"def f(self):\n{body}", scope)
    operations = operations_in(scope["f"].__code__)
    read = [name for operation, name in operations if operation == "LOAD_ATTR"]
    assert read == [f"name_{number}" for number in range(300)]
    assert operations.count((LOADS_LOCAL, "self")) == 300
