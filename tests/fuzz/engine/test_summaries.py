"""Objects whose ``repr`` is a summary, options that exclude one another, and instances of subclasses."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

CATALOG = """
import io


class Catalog:
    def __init__(self, locale=None, charset=None):
        self.locale = locale
        self.charset = charset or "utf-8"
        self._messages = {}
        self._count = 0

    def __repr__(self):
        return f"<Catalog {self.locale!r}>"

    def add(self, key, value):
        self._messages[key] = value
        self._count += 1

    def __len__(self):
        return self._count


def read(text: str, charset: str = None):
    catalog = Catalog(text, charset=charset)
    for part in text.split(","):
        catalog.add(part.strip(), part)
    return catalog


class Page:
    def __init__(self, text: str) -> None:
        self._file = io.StringIO(text)

    def __repr__(self):
        return "<Page>"

    def close(self) -> None:
        if not self._file.closed:
            self._file.close()


class Numbered(dict):
    def __init__(self, values: dict[str, int]) -> None:
        super().__init__(values)
        self._order = list(values)

    def __repr__(self):
        return f"Numbered({self._order})"

    def clear(self) -> None:
        dict.clear(self)
        self._order.clear()


def recode(catalog: Catalog, charset: str):
    if catalog.charset != charset:
        catalog.charset = charset
    return len(catalog)
"""
EXCLUSIVE = """
def decide(cmp, eq, order, default):
    if cmp is not None and (eq is not None or order is not None):
        raise ValueError("either cmp, or eq and order")
    if cmp is not None:
        return cmp, cmp
    if eq is None:
        eq = default
    return eq, eq if order is None else order
"""
TIMED = """
class Timer:
    def __init__(self, clock):
        self.clock = clock

    def __call__(self):
        return self.clock


class Base:
    def __init__(self, size: int):
        self.size = size
        self.items = {}
        self.timer = Timer(3)

    def clear(self):
        self.expire(2)
        self.items.clear()

    def __len__(self):
        self.expire(1)
        return len(self.items)


class Timed(Base):
    def __init__(self, size: int, life: int = 1):
        super().__init__(size)
        self.life = life

    def expire(self, time):
        self.size = self.size - time
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "part"),
    [
        ("read", "Catalog(text, charset=charset)", "Catalog(text)", "with charset = 'utf-8'"),
        ("read", "add(part.strip(), part)", "add(part, part)", "with _messages = "),
        ("Catalog.add", "_count += 1", "_count += 2", "with self._count = 2"),
        ("recode", "catalog.charset = charset", "catalog.charset = charset.upper()", "with catalog.charset = "),
        (
            "Page.close",
            "            self._file.close()",
            "            self._file.seek(0)",
            "with self._file.closed = False",
        ),
        ("recode", "catalog.charset = charset", "catalog._charset = charset", "with catalog.charset = "),
        ("Catalog.__init__", "self.locale = locale", "self.locale = locale; self.locale_name = 1", ""),
        ("Catalog.__init__", 'charset or "utf-8"', 'charset or "ascii"', "with charset = 'ascii'"),
        ("Numbered.clear", "        dict.clear(self)", "        self", "with len(self) = "),
    ],
)
def test_a_repr_is_a_summary(judge: Any, name: str, old: str, new: str, part: str) -> None:
    """What objects store beyond it counts where their class is the same, and is named in the finding."""
    report = judge.edit(CATALOG, name, old, new)
    if not part:
        assert report.verdict is Verdict.AGREES, report.reason
        return
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert part in report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read", "    for part in", "    unused = None\n    for part in"),
        ("Catalog.add", "self._count += 1", "self._count = self._count + 1"),
        ("read", "Catalog(text, charset=charset)", "Catalog(charset=charset, locale=text)"),
        (
            "recode",
            "        catalog.charset = charset",
            "        catalog._seen = True\n        catalog.charset = charset",
        ),
    ],
)
def test_a_harmless_change_of_what_makes_them(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CATALOG, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


def test_a_class_that_stores_otherwise(judge: Any) -> None:
    """Where the class changes, too, what its objects store is no difference to those that read their texts."""
    other = CATALOG.replace("_messages", "_texts").replace("self._count", "self._number")
    report = judge(CATALOG, other, "read", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


def test_options_that_exclude_one_another(judge: Any) -> None:
    changed = EXCLUSIVE.replace("return cmp, cmp", "return default, cmp")
    report = judge(EXCLUSIVE, changed, "decide", kind="previous", calls=500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert ", None, None, " in report.counterexample.call


def test_a_method_that_no_longer_needs_what_only_subclasses_have(judge: Any) -> None:
    """The finding is made, and made again in fresh processes, with an instance of the subclass."""
    report = judge(TIMED, TIMED.replace("self.expire(2)", "self.timer(2)"), "Base.clear", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "Timed(" in report.counterexample.call
