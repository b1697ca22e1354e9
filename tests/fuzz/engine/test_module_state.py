"""What a call changes in variables of its module is a part of its result."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

REGISTRY = """
import collections

HANDLERS = {}
LOG = collections.deque(["first"])
names = {"a"}
total = 0
_known = {}


def register(event: str, handler, first: bool = False):
    held = HANDLERS.setdefault(event, [])
    if first:
        held.insert(0, handler)
    else:
        held.append(handler)


def note(text: str, level: int = 0):
    if level >= 0:
        LOG.append((level, text))


def add(amount: int):
    global total
    total += amount
    return amount > 0


def rename(one: str, two: str):
    if one in names:
        names.remove(one)
        names.add(two)
        return True
    return False


def learn(user: dict[str, int]):
    user["id"] = user.get("id", 1)
    _known[user["id"]] = user
    return len(_known)


def known():
    return sorted(_known)
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("HANDLERS.setdefault(event, [])", "HANDLERS.get(event, [])", "register"),
        ("LOG.append((level, text))", "LOG.append((text, level))", "note"),
        ("LOG.append((level, text))", "LOG.appendleft((level, text))", "note"),
        ("total += amount", "total -= amount", "add"),
        ("names.remove(one)", "names.discard(two)", "rename"),
        ("if one in names", "if two in names", "rename"),
        ('_known[user["id"]] = user', "_known[len(_known)] = user", "learn"),
    ],
)
def test_other_changes_differ(judge: Any, old: str, new: str, name: str) -> None:
    text = REGISTRY.replace(old, new)
    assert text != REGISTRY
    report = judge(REGISTRY, text, name, kind=OracleKind.PREVIOUS, calls=1200, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(f"returned_and_left({name}, '")


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("held.append(handler)", "held.extend([handler])", "register"),
        ("held = HANDLERS.setdefault(event, [])", "HANDLERS[event] = held = HANDLERS.get(event, [])", "register"),
        ("LOG.append((level, text))", "LOG.extend([(level, text)])", "note"),
        ("total += amount", "total = amount + total", "add"),
        ("names.remove(one)", "names.discard(one)", "rename"),
        ('_known[user["id"]] = user', '_known.update({user["id"]: user})', "learn"),
    ],
)
def test_the_same_changes_agree(judge: Any, old: str, new: str, name: str) -> None:
    assert REGISTRY.count(old) == 1
    report = judge.edit(REGISTRY, name, old, new, calls=1200, seconds=30)
    assert report.verdict is Verdict.AGREES, report


CYCLIC = """
TREE = {"count": 0}
TREE["top"] = TREE
PARENTS = {}


def widen(amount: int):
    TREE["width"] = amount
    return amount > 2


def link(name: str, amount: int):
    node = {"amount": amount}
    node["top"] = PARENTS
    PARENTS[name] = node
    return amount > 2


def width():
    return TREE["width"], PARENTS
"""


@pytest.mark.parametrize("name", ["widen", "link"])
@pytest.mark.parametrize(("new", "verdict"), [("amount > 3", Verdict.DIFFERS), ("2 < amount", Verdict.AGREES)])
def test_variables_that_hold_themselves_do_not_count(judge: Any, name: str, new: str, verdict: Verdict) -> None:
    text = CYCLIC.replace("amount > 2", new)
    report = judge(CYCLIC, text, name, kind=OracleKind.PREVIOUS, calls=1200, seconds=30)
    assert report.verdict is verdict, report


OF_CLASS = """
class Codec:
    default = "json"
    _known: dict = {}
    made = 0

    def __init__(self, level: int = 0):
        self.level = level

    @classmethod
    def register(cls, name: str, level: int = 1):
        if level > 2:
            name = name.upper()
        cls._known[name] = level

    @classmethod
    def use(cls, name: str, force: bool = False):
        if name and not force:
            cls.default = name

    @staticmethod
    def reset(names: list[str]):
        for name in names:
            Codec._known.setdefault(name, 0)

    def count(self, more: int):
        type(self).made += more
        return self.level

    def known(self):
        return sorted(self._known), self.default, self.made
"""


@pytest.mark.parametrize(
    ("old", "new", "name", "verdict"),
    [
        ("not force", "force", "use", Verdict.DIFFERS),
        ("level > 2", "level >= 2", "register", Verdict.DIFFERS),
        ("setdefault(name, 0)", "setdefault(name, 1)", "reset", Verdict.DIFFERS),
        ("made += more", "made -= more", "count", Verdict.DIFFERS),
        ("cls._known[name] = level", "cls._known.update({name: level})", "register", Verdict.AGREES),
        ("cls.default = name", "Codec.default = name", "use", Verdict.AGREES),
        ("type(self).made += more", "Codec.made = Codec.made + more", "count", Verdict.AGREES),
    ],
)
def test_attributes_of_its_class_that_a_method_changes_count(
    judge: Any, old: str, new: str, name: str, verdict: Verdict
) -> None:
    assert OF_CLASS.count(old) == 1
    text = OF_CLASS.replace(old, new)
    report = judge(OF_CLASS, text, f"Codec.{name}", kind=OracleKind.PREVIOUS, calls=600, seconds=30)
    assert report.verdict is verdict, report
    if verdict is Verdict.DIFFERS:
        assert "returned_and_left(" in report.counterexample.call
