"""Classes that raise SystemExit or KeyboardInterrupt from any of their methods are objects like others."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class Usage(SystemExit):
    pass

class Option:
    def __init__(self, short: str, count: int = 0):
        if len(short) > 6:
            raise Usage(short)
        self.short = short
        self.count = count
    def __eq__(self, other):
        if self.count > 5:
            raise Usage("count")
        return isinstance(other, Option) and self.short == other.short
    __hash__ = None
    def __repr__(self):
        if self.count == 3:
            raise KeyboardInterrupt
        return "Option(" + self.short + ")"
    def twice(self, times: int):
        return [self.short] * (times % 3) * 2

def pick(options: list[Option], least: int):
    if least < 0:
        raise Usage("negative")
    return [one for one in options if one.count >= least]
"""
CHANGES = [
    pytest.param(
        "Option.__init__", "self.count = count", "self.count = count + 0", "self.count = 0", marks=pytest.mark.slow
    ),
    ("Option.__eq__", "self.short == other.short", "other.short == self.short", "self.short != other.short"),
    pytest.param("Option.__repr__", "+ self.short", "+ str(self.short)", "+ repr(self.short)", marks=pytest.mark.slow),
    pytest.param("Option.twice", ") * 2", ") * 2 * 1", ") * 3", marks=pytest.mark.slow),
    ("pick", "one.count >= least", "least <= one.count", "one.count > least"),
]


@pytest.mark.parametrize(("name", "old", "harmless", "wrong"), CHANGES)
def test_it_is_compared(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    agreed = judge(TEXT, TEXT.replace(old, harmless), name, kind=OracleKind.PREVIOUS, calls=150)
    assert (agreed.verdict, agreed.inputs > 0) == (Verdict.AGREES, True), agreed.reason
    differing = judge(TEXT, TEXT.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=600)
    assert differing.verdict is Verdict.DIFFERS, differing.reason
