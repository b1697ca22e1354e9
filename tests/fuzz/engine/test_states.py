"""Methods on instances that other methods have changed: one check per case in tests/cases/pairs/states.txt."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest

CASE_FILE = "../../cases/pairs/states.txt"
CALLS = 3000


def test_verdict(case: Any, judge: Any) -> None:
    name, calls = case.expected["name"], int(case.expected.get("calls", CALLS))

    report = judge(case.reference, case.candidate, name, calls=calls)

    found = report.counterexample
    assert str(report.verdict) == case.expected["verdict"], report
    if found is not None:
        call = case.expected["call"].replace(")[-1]", ")[[]-1]")
        assert fnmatchcase(found.call, call), found
        # What the memory keeps can be read back.
        again = judge(case.reference, case.candidate, name, calls=calls, seeds=[found.arguments])
        assert again.counterexample is not None
        assert fnmatchcase(again.counterexample.call, call), again


def test_a_remembered_instance_with_the_time_in_it_does_not_make_a_function_one_of_chance(judge: Any) -> None:
    head = (
        "import time\nclass C:\n    def __init__(self, clock=time.monotonic):\n        self.clock, self.at = clock, 0\n"
    )
    source = head + "    def mark(self):\n        self.at = self.clock()\n    def last(self):\n        return self.at"
    seeds = ["((it := C(), it.mark(), it)[-1],)"]

    report = judge(source + "\n", source + " + 0\n", "C.last", seeds=seeds)

    assert str(report.verdict) == "agrees", report


HIDDEN = """
class _Field:
    def __repr__(self):
        return self.name


class Header:
    def __init__(self, size: int):
        self.size = size
        self.table = [[place, size] for place in range(1000)]
        self.field = _Field()
        self._entry = None

    def set_entry(self, entry: int):
        if self._entry is not None:
            raise ValueError("there is an entry")
        self._entry = entry
"""


@pytest.mark.parametrize("left_out", ["self.table =", "self.field ="])
def test_an_attribute_that_is_long_or_cannot_be_shown_hides_no_other_state(judge: Any, left_out: str) -> None:
    source = "\n".join([line for line in HIDDEN.split("\n") if left_out not in line])
    report = judge(source, source.replace("there is", "it has"), "Header.set_entry", kind="previous", calls=1500)

    assert report.counterexample is not None, report.reason
    assert report.counterexample.call.count("set_entry(") == 2


READING = """
class Element:
    def __init__(self):
        self.is_open = False

    def start(self, page, fields):
        self._kind = fields.get("kind", "plain")

    def end(self, page, words):
        if self._kind == "title":
            page.set_title(words.strip())
        elif self._kind == "plain":
            page.add(words)
"""


@pytest.mark.parametrize(("old", "new"), [("words.strip()", "words"), ("page.add(words)", "page.add(words.lower())")])
def test_methods_that_prepare_an_instance_are_given_what_they_use(judge: Any, old: str, new: str) -> None:
    report = judge.edit(READING, "Element.end", old, new, calls=3000)

    assert report.counterexample is not None, report.reason
    assert ".start(" in report.counterexample.call


def test_a_method_after_another_one_that_is_as_it_was_agrees(judge: Any) -> None:
    same = READING.replace("words.strip()", "str.strip(words)")
    report = judge(READING, same, "Element.end", kind="previous", calls=1500)

    assert str(report.verdict) == "agrees", report.reason
