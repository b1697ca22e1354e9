"""Code that was rewritten and does the same: what two versions do with inputs that nobody means is no difference."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import argparse

def attempted(numbers: list[int], times: int) -> int:
    last = None
    for number in numbers[:times]:
        if number > 0:
            return number
        last = ValueError(f"no {number}")
    if times >= 0:
        raise last

def named(names: dict[str, int], key: str) -> int:
    if key not in names:
        raise KeyError("no name %s, but %s" % (key, sorted(names)[0]))
    return names[key]

def options():
    made = argparse.ArgumentParser(prog="tool")
    made.add_argument("--by", choices=["name", "size"], default="name")
    return made

class Window:
    def __init__(self, limit, span):
        self.limit = limit
        self.span = span
        self.times = []

    def note(self, time: float) -> None:
        self.times.append(time)

    def left(self, now: float) -> int:
        return self.limit - len([one for one in self.times if one > now - self.span])

class Reader:
    def __init__(self, content):
        self.content = content
        self.place = 0

    def read(self):
        found = []
        while self.place < len(self.content):
            start = self.place
            while self.place < len(self.content) and self.content[self.place] != ";":
                self.place += 1
            found.append(self.content[start:self.place])
            self.place += 1
        return found

class Bucket:
    def __init__(self, rate: int):
        self.rate = rate
        self.level = 0

    def _fill(self, seconds: int) -> None:
        self.level = self.level + self.rate * seconds

    def fill(self, seconds: int) -> None:
        self._fill(seconds)

class Shelf:
    def __init__(self, limit):
        self.limit = limit
        self.books = []

    def put(self, book: str) -> bool:
        if self.limit is not None and len(self.books) >= self.limit:
            return False
        self.books.append(book)
        return True

def copied(names, found=None):
    if found is None:
        found = {}
    for name in names:
        if name.startswith("app-"):
            found[name] = names[name]
    return found
"""

SAME = [
    ("attempted", "    if times >= 0:\n        raise last", "    if times >= 0:\n        raise last or ValueError('')"),
    ("named", '"no name %s, but %s" % (key, sorted(names)[0])', '"no name %s, but %s" % (key, min(names, default=""))'),
    ("options", '["name", "size"]', '("name", "size")'),
    (
        "Window.left",
        "return self.limit - len([one for one in self.times if one > now - self.span])",
        "first = now - self.span\n        return self.limit - len([one for one in self.times if one > first])",
    ),
    (
        "Reader.read",
        "    def __init__(self, content):\n        self.content = content\n        self.place = 0\n",
        "    def __init__(self, content: str):\n        self.content = content\n        self.place = 0\n",
    ),
    (
        "Bucket._fill",
        "-> None:\n        self.level = self.level + self.rate * seconds",
        "-> int:\n        self.level += self.rate * seconds\n        return self.level",
    ),
    ("copied", "for name in names:", "for name in names.keys():"),
]
CHANGED = [
    ("named", "raise KeyError(", "raise ValueError("),
    ("options", '["name", "size"]', '("size", "name")'),
    ("Window.left", "one > now - self.span", "one >= now - self.span"),
    ("Bucket._fill", "self.level + self.rate * seconds", "self.level - self.rate * seconds"),
    (
        "Bucket.fill",
        "        self._fill(seconds)\n\nclass",
        "        self._fill(seconds)\n        return self.level\n\nclass",
    ),
    ("Shelf.put", "self.limit is not None and len(self.books)", "len(self.books)"),
    ("copied", '"app-"', '"app"'),
]
LISTS = "found.append(self.content[start:self.place])", 'found.append("".join(self.content[start:self.place]))'


def judged(judge: Any, name: str, old: str, new: str) -> Any:
    assert SOURCE.count(old) == 1
    return judge(SOURCE, SOURCE.replace(old, new), name, kind="previous", calls=1500, seconds=30)


@pytest.mark.parametrize(("name", "old", "new"), SAME)
def test_rewritten_code_that_does_the_same(judge: Any, name: str, old: str, new: str) -> None:
    report = judged(judge, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(("name", "old", "new"), CHANGED)
def test_rewritten_code_that_does_not(judge: Any, name: str, old: str, new: str) -> None:
    report = judged(judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(("hint", "verdict"), [("", Verdict.DIFFERS), (": str", Verdict.AGREES)])
def test_a_new_annotation_of_a_constructor_says_what_is_meant(judge: Any, hint: str, verdict: Verdict) -> None:
    """Lists are inputs of a class that asks for no more than items and slices, unless the change says otherwise."""
    newer = SOURCE.replace(*LISTS).replace("def __init__(self, content):", f"def __init__(self, content{hint}):")
    report = judge(SOURCE, newer, "Reader.read", kind="previous", calls=1500, seconds=30)
    assert report.verdict is verdict, report.reason
