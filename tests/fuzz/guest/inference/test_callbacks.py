"""Functions that are called with several arguments of any type, and parameters of methods that a library calls."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PROGRAMS = {
    "an application that is awaited": """
class A:
    def __init__(self, app):
        self.app = app

    async def f(self, scope, receive, send):
        await self.app(scope, receive, send)
        return scope["type"] + "a"
""",
    "an annotated factory": """
from typing import Any, Callable

class A:
    def __init__(self, make: Callable[[str, dict, int], Any]):
        self.make = make

    def f(self, options):
        return self.make("a", options, len(options))
""",
    "an annotated condition": """
from typing import Callable

class A:
    def __init__(self, accepts: Callable[[dict, str], bool]):
        self.accepts = accepts

    def f(self, options: dict):
        return "a" if self.accepts(options, "b") else "c"
""",
    "a filter of log records": """
import logging

class A(logging.Filter):
    def f(self, record):
        return record.getMessage() + "a"
""",
    "an action of a command line": """
import argparse

class A(argparse.Action):
    def __init__(self, dest="x"):
        super().__init__([], dest)

    def f(self, parser, namespace, values):
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest, None) or []), "a"])
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_methods_that_call_or_are_called_back_are_compared(judge: Any, name: str) -> None:
    program = PROGRAMS[name]

    assert judge(program, f"{program}# Changed.\n", name="A.f").verdict is Verdict.AGREES
    assert judge(program, program.replace('"a"', '"z"'), name="A.f").verdict is Verdict.DIFFERS
