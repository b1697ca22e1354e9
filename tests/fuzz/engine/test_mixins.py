"""Classes that are mixed into others: their instances get what nothing in the class sets."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

MIXINS = """
class Licensed:
    def license_of(self, attributes: dict):
        context = self._get_context()
        value = self._get_attribute(attributes, "resource")
        found = {"rel": "license"}
        if value:
            found["href"] = value
        context.setdefault("links", []).append(found)
        return found


class Audited:
    def rename(self, name: str):
        old = self.name
        if old == name:
            return False
        self.store(name)
        self.audit.write("renamed " + old)
        return True


class Sized:
    def __init__(self, width: int):
        self.width = width

    def area(self):
        return self.width * self.height


class Version:
    def __init__(self, major: int, minor: int):
        self.major = major
        self.minor = minor


class Converting:
    version: Version

    def nullable(self, field: dict):
        if self.version.major < 3:
            return {"x-nullable": True}
        return {"nullable": True, "ref": field} if self.version.minor < 1 else field


class Open:
    def __getattr__(self, name):
        return len(name)

    def total(self, count: int):
        return self.first + count


class Whole:
    def __init__(self, count: int):
        self.count = count
        self._begin()

    def _begin(self):
        self.kept = self.count * 2

    def total(self):
        return self.kept + self.count
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        (
            "Licensed.license_of",
            "if value:",
            "if not value:",
            "setattr(it, '_get_context', lambda *args, **kwargs: {})",
        ),
        ("Audited.rename", '"renamed " + old', '"renamed " + name', "setattr(it, 'store', call_recorder())"),
        ("Sized.area", "self.width * self.height", "self.width + self.height", "setattr(it, 'height', "),
        ("Converting.nullable", "minor < 1", "minor > 1", "Version("),
        ("Open.total", "+ count", "- count", "Open().total("),
        ("Whole.total", "+ self.count", "- self.count", "Whole(1).total()"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(MIXINS, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert shown in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Licensed.license_of", "if value:", "if not (not value):"),
        ("Audited.rename", '"renamed " + old', 'f"renamed {old}"'),
        ("Sized.area", "self.width * self.height", "self.height * self.width"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(MIXINS, name, old, new, calls=600)
    assert report.verdict is Verdict.AGREES, report.reason


def test_what_attributes_have_to_do_with_each_other_nobody_knows(judge: Any) -> None:
    report = judge(MIXINS, MIXINS.replace("self.height", "self.size[1]"), "Sized.area", kind="previous")
    assert report.verdict is Verdict.NOT_CHECKED, report.reason


PROTOCOLS = """
from typing import Protocol


class Runs(Protocol):
    def run(self, *words: str):
        ...

    async def wait(self, seconds: int):
        pass

    def limit(self):
        return 3


class Commands(Runs):
    def rename(self, old: str, new: str):
        return self.run("RENAME", old, new)

    async def later(self, name: str):
        await self.wait(2)
        return name

    def most(self, count: int):
        return count + self.limit()
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Commands.rename", '"RENAME", old, new', 'old, "RENAME", new'),
        ("Commands.later", "self.wait(2)", "self.wait(3)"),
        ("Commands.most", "count + self", "count - self"),
    ],
)
def test_what_a_protocol_states_is_left_to_others(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PROTOCOLS, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert ("setattr" in report.counterexample.call) is (name != "Commands.most")
