"""Services that are given objects of an interface: a protocol, or an abstract class that nothing implements."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Optional, Protocol


@dataclass
class User:
    id: int
    name: str
    is_vip: bool = False


class Repository(Protocol):
    def get_user(self, user_id: int) -> Optional[User]: ...
    def save(self, order: dict) -> None: ...


class Mailer(ABC):
    @abstractmethod
    def send(self, to: str, message: str) -> bool: ...


class Store(Protocol):
    def get(self, key): ...
    def add(self, key, value): ...


class Desk:
    def __init__(self, users: Repository, mailer: Mailer):
        self.users = users
        self.mailer = mailer

    def name(self, user_id: int) -> str:
        user = self.users.get_user(user_id)
        if user is None:
            return "nobody"
        return user.name + "!"

    def tell(self, user_id: int) -> str:
        user = self.users.get_user(user_id)
        if user is None or not self.mailer.send(user.name, "hello"):
            return "failed"
        return "sent to " + user.name


class Counter:
    def __init__(self, users):
        self.users = users

    def count(self, user_id: int) -> int:
        user = self.users.get_user(user_id)
        self.users.save({"id": user_id})
        return user_id + 1 if user.is_vip else user_id


@dataclass
class Price:
    users: Repository
    rate: float = 0.5

    def of(self, user_id: int, net: float) -> float:
        user = self.users.get_user(user_id)
        return net * self.rate if user is not None and user.is_vip else net


class Cache:
    def __init__(self, store: Store) -> None:
        self.store = store

    def find(self, key: str):
        found = self.store.get(key)
        if found is None:
            found = key * 2
            self.store.add(key, found)
        return found
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Desk.name", 'user.name + "!"', 'user.name + "?"'),
        ("Desk.tell", "not self.mailer", "self.mailer"),
        ("Counter.count", "user_id + 1 if", "user_id + 2 if"),
        ("Price.of", "net * self.rate", "net / self.rate"),
        ("Cache.find", "key * 2", "key * 3"),
    ],
)
def test_a_mistake_beside_an_interface(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", ["Desk.name", "Desk.tell", "Counter.count", "Price.of", "Cache.find"])
def test_the_same_again(judge: Any, name: str) -> None:
    changed = SOURCE.replace("        user = self", "        wanted = user_id\n        user = self")
    changed = changed.replace("        found = self", "        wanted = key\n        found = self")
    report = judge(SOURCE, changed, name, kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason


STATED = """
from dataclasses import dataclass
from typing import Optional, Protocol


@dataclass
class Reply:
    status: int
    body: str = ""


class Channel(Protocol):
    def send(self, path: str) -> Reply: ...


class Clock(Protocol):
    def now(self) -> float: ...


class Client:
    def __init__(self, channel: Channel, tries: int = 2):
        self.channel = channel
        self.tries = tries

    def fetch(self, path: str) -> str:
        for _ in range(self.tries):
            reply = self.channel.send(path)
            if reply.status < 400:
                return reply.body.strip()
        raise OSError(path)


class Timer:
    def __init__(self, clock: Optional[Clock] = None):
        self.clock = clock
        self.started = 0.0

    def passed(self) -> float:
        return 0.0 if self.clock is None else self.clock.now() - self.started


class Ended:
    def __init__(self, clock: Clock):
        self.clock = clock

    def is_over(self, limit: float) -> bool:
        return self.clock.now() >= limit
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("Client.fetch", ".strip()", "", "Reply("),
        ("Client.fetch", "< 400", "<= 400", "Reply(400"),
        ("Client.fetch", "reply.body.strip()", "reply.body.strip().lower()", "Reply("),
        ("Timer.passed", "- self.started", "+ self.started", "now="),
        ("Ended.is_over", ">= limit", "> limit", "now="),
    ],
)
def test_methods_of_an_interface_return_what_it_states(judge: Any, name: str, old: str, new: str, call: str) -> None:
    assert STATED.count(old) == 1
    report = judge.edit(STATED, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert call in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Client.fetch", "for _ in range(self.tries):", "for number in range(1, self.tries + 1):"),
        ("Timer.passed", "0.0 if self.clock is None else", "0.0 if not self.clock else"),
        ("Ended.is_over", "self.clock.now() >= limit", "not self.clock.now() < limit"),
    ],
)
def test_what_it_states_is_used_alike(judge: Any, name: str, old: str, new: str) -> None:
    assert STATED.count(old) == 1
    report = judge.edit(STATED, name, old, new, calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
