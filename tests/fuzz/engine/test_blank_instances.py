"""Methods whose instances no constructor can make here: they get instances with what the methods need."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.blank_instances import check_blank
from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import read_module

PROGRAM = """
import abc
import socket


class DeviceError(Exception):
    pass


def find(device, kinds):
    if device.kind in kinds:
        return device
    raise DeviceError(f"no device of {kinds}")


class Profile:
    KINDS = []

    def __init__(self, device, handler):
        self.device = device
        self.profile = find(device, self.KINDS)
        self._icon = None

    @property
    def icon(self):
        if not self._icon:
            self._icon = self.profile.icons[-1].path if self.profile.icons else ""
        return self._icon

    def title(self, prefix):
        return f"{prefix}: {self.profile.name.strip()}"


class Connection:
    limit: int

    def __init__(self, host: str, port: int):
        self.sock = socket.create_connection((host, port))
        self.host = host
        self.sent = 0
        self.state = "new"

    def send(self, data: bytes) -> int:
        self.sock.sendall(data)
        self.sent += len(data)
        return self.sent

    def label(self) -> str:
        return f"{self.host.upper()} ({self.sent})"

    def is_full(self):
        return self.limit < self.sent

    def is_open(self):
        return self.state == "open"

    def close(self):
        self.state = "closed"


class Slotted:
    __slots__ = ("count", "peer")

    def __init__(self, peer):
        self.peer = socket.socket(peer)
        self.count = 1

    def doubled(self):
        return self.count * 2


class Base(abc.ABC):
    def __init__(self):
        self.link = socket.create_connection(("a", 1))
        self.count = 0

    @abc.abstractmethod
    def run(self): ...

    def doubled(self):
        return self.count * 2


class Single:
    def __new__(cls, host):
        made = super().__new__(cls)
        made.link = socket.create_connection((host, 1))
        made.count = 1
        return made

    def doubled(self):
        return self.count * 2


class Made:
    def __init__(self, count: int):
        self.count = count

    def doubled(self):
        return self.count * 2
"""


def checked(judge: Any, newer: str, name: str, calls: int = 600, kind: OracleKind = OracleKind.PREVIOUS) -> Report:
    """The report of a method, alone and then without a constructor, if nothing was compared."""
    older, target = read_module(PROGRAM), read_module(newer).target(name)
    budget = Budget(12.0, calls, 0)
    report = judge.check(target, oracle_of(older, older.target(name), kind, "before"), budget)
    return judge.run(check_blank(report, target, budget, judge.pool))


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        (
            "Profile.title",
            "name.strip()",
            "name.lstrip()",
            "it := Profile.__new__(Profile), setattr(it, 'profile', types.SimpleNamespace(name='a ')), it.title('')",
        ),
        ("Profile.icon", 'else ""', "else None", "icons=[]"),
        ("Connection.send", "+= len(data)", "+= 1", "setattr(it, 'sent', "),
        ("Connection.label", "({self.sent})", "({-self.sent})", "setattr(it, 'sent', 1)"),
        ("Connection.label", "host.upper()", "host", "setattr(it, 'host', 'a')"),
        ("Connection.is_full", "limit < self.sent", "limit <= self.sent", "setattr(it, 'limit', 0)"),
        ("Connection.is_open", '== "open"', '!= "new"', "setattr(it, 'state', "),
        ("Slotted.doubled", "count * 2", "count * 3", "setattr(it, 'count', 1)"),
        ("Made.doubled", "count * 2", "count * 3", "Made(1).doubled()"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str, call: str) -> None:
    before, head, after = PROGRAM.partition(f"class {name.partition('.')[0]}")
    report = checked(judge, before + head + after.replace(old, new, 1), name)

    assert report.verdict is Verdict.DIFFERS, report.reason
    assert call in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Profile.icon", "if not self._icon:", "if self._icon is None:"),
        ("Profile.title", 'f"{prefix}: {self.profile.name.strip()}"', 'prefix + ": " + self.profile.name.strip()'),
        ("Connection.send", "self.sent += len(data)", "self.sent = self.sent + len(data)"),
        ("Connection.label", 'f"{self.host.upper()} ({self.sent})"', 'self.host.upper() + " (%d)" % self.sent'),
        ("Connection.is_open", '== "open"', 'in ("open",)'),
        ("Slotted.doubled", "self.count * 2", "self.count + self.count"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    """What a constructor sets to a number is one, and what it leaves to a method is None until then."""
    report = checked(judge, PROGRAM.replace(old, new), name)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Profile.title", "self.profile.name", "self.device.name"),
        ("Base.doubled", "self.count * 2", "self.count * 3"),
        ("Single.doubled", "self.count * 2", "self.count * 3"),
    ],
)
def test_what_is_not_checked(judge: Any, name: str, old: str, new: str) -> None:
    """Nobody knows what attributes have to do with each other; abstract classes, and what makes instances itself."""
    report = checked(judge, PROGRAM.replace(old, new), name, 100)
    assert report.verdict is Verdict.NOT_CHECKED, report.reason


def test_other_oracles(judge: Any) -> None:
    """A reference is no earlier state of the class: its instances are its own concern."""
    report = checked(
        judge, PROGRAM.replace("name.strip()", "name.lstrip()"), "Profile.title", 100, OracleKind.REFERENCE
    )
    assert report.verdict is Verdict.NOT_CHECKED, report.reason
