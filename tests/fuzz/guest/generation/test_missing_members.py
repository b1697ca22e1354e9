"""Methods that a base class leaves to its subclasses, where there are none."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PROGRAMS = {
    "a lookup": """
class A:
    def __init__(self, path):
        self.path = path

    def read(self, key):
        raise NotImplementedError

    def f(self, key, default=None):
        found = self.read(key)
        return default if found is None else [found, "a"]
""",
    "a name, by another method": """
class A:
    def name(self):
        'Return the name.'
        raise NotImplementedError("define it")

    def title(self):
        return self.name().title()

    def f(self):
        return self.title() + "a"
""",
    "a coroutine of a base": """
class Base:
    async def fetch(self, url):
        raise NotImplementedError(type(self).__name__)

class A(Base):
    async def f(self, url):
        page = await self.fetch(url)
        return page.status, page.text.strip() + "a"
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_given_to_instances(judge: Any, name: str) -> None:
    program = PROGRAMS[name]

    assert judge(program, f"{program}# Changed.\n", name="A.f", calls=1_000).verdict is Verdict.AGREES
    assert judge(program, program.replace('"a"', '"z"'), name="A.f", calls=1_000).verdict is Verdict.DIFFERS


EXPECTED = """
class A:
    def size(self):
        raise NotImplementedError

    def f(self, items):
        try:
            return self.size()
        except NotImplementedError:
            return len(items) + 1
"""
DEFINED = """
class A:
    def size(self, items):
        if items:
            return 3
        raise NotImplementedError

    def f(self, items):
        return self.size(items) + 1
"""


@pytest.mark.parametrize("program", [EXPECTED, DEFINED])
def test_what_a_method_does_itself_is_kept(judge: Any, program: str) -> None:
    found = judge(program, program.replace("+ 1", "+ 2"), name="A.f")

    assert found.verdict is Verdict.DIFFERS
    assert "setattr" not in found.counterexample.call
