"""Objects that answer for every attribute, and even for their class, with an exception, as proxies do outside of a
request."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PROXIES = """
import json


class Proxy:
    def __getattribute__(self, name):
        raise RuntimeError("not within a request")

    def __bool__(self):
        return False


current = Proxy()


def dumps(value, indent: int = 0):
    if current:
        return current.dumps(value)
    return json.dumps(value, indent=indent)


class Holder:
    app = current

    def __init__(self, names: list[str]):
        self.names = names

    def first(self, count: int):
        if self.app:
            return self.app.name
        return self.names[:count]


def fresh(count: int):
    def inner(number):
        return current if current else count + number

    return inner


def both(count: int):
    return count, current
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("dumps", "indent=indent", "indent=indent + 1"),
        ("Holder.first", "[:count]", "[count:]"),
        ("fresh", "count + number", "count - number"),
        ("both", "return count,", "return count + 1,"),
    ],
)
def test_a_module_may_hold_them(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PROXIES, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert judge(PROXIES, f"{PROXIES}# Changed.\n", name, kind="previous").verdict is Verdict.AGREES
