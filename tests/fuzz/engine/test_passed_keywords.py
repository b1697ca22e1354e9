"""Keywords that a function only passes on are tried: those that another one pops, gets or has as parameters."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PASSING = '''
class Base:
    def __init__(self, low=0, **others):
        self.low = low
        self.high = others.pop("highest_of_all", max(low, 3))


class Window(Base):
    def __init__(self, name, **more):
        super().__init__(**more)
        self.name = name


def read(values, **options):
    kept = options.copy()
    step = kept.pop("every_step", 1)
    start = kept.get("first_place", min(len(values), 0))
    if kept.keys() - {"first_place", "is_reversed"}:
        raise TypeError("unknown option")
    found = values[start::step]
    return found[::-1] if options.get("is_reversed", not values) else found


def texts(values: list[int], **options):
    return [str(one) for one in read(values, **options)]


def marked(values: list[int], **options):
    return texts(values, **dict(options))


def bounds(name: str, **more):
    """The bounds of a window."""
    window = Window(name, **more)
    return window.low, window.high
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read", '.pop("every_step", 1)', '.get("every_step", 1)'),
        ("read", 'kept.get("first_place", min(len(values), 0))', "0"),
        ("texts", "read(values, **options)", "read(values, **{k: v for k, v in options.items() if len(k) != 11})"),
        ("marked", "**dict(options)", "**{k: v for k, v in options.items() if len(k) != 11}"),
        pytest.param("bounds", "window.low, window.high", "window.low, window.low + 3", marks=pytest.mark.slow),
        ("Window.__init__", "**more)\n        self.name", "low=more.get('low', 0))\n        self.name"),
    ],
)
def test_keywords_of_other_functions(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(PASSING, PASSING.replace(old, new), name, kind="previous", calls=1000)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_keywords_that_are_passed_on_otherwise(judge: Any) -> None:
    changed = PASSING.replace("read(values, **options)]", "read(values, **{**options})]")
    assert judge(PASSING, changed, "texts", kind="previous").verdict is Verdict.AGREES
