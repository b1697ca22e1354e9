"""What declines or refuses values of other types than it tests for, gets such a value."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

DECLINING = """
class Fixed:
    def __init__(self, *names):
        self.names = frozenset(names)


class Union(Fixed):
    def __or__(self, other):
        if isinstance(other, Union):
            names = self.names | other.names
        elif isinstance(other, Fixed):
            names = self.names | {len(other.names)}
        else:
            return NotImplemented
        return Union(*names)

    def __and__(self, other):
        if isinstance(other, Fixed) and other.names:
            return Union(*(self.names & other.names))
        return NotImplemented

    def merge(self, other: Fixed):
        if isinstance(other, Union):
            return self
        elif isinstance(other, Fixed):
            return other
        else:
            raise TypeError("names are merged with names")
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Union.__or__", "        else:\n            return NotImplemented\n", ""),
        ("Union.__and__", "        return NotImplemented\n\n    def merge", "        return Union()\n\n    def merge"),
        ("Union.merge", '        else:\n            raise TypeError("names are merged with names")\n', ""),
    ],
)
def test_other_types_are_no_longer_declined(judge: Any, name: str, old: str, new: str) -> None:
    assert old in DECLINING
    report = judge.edit(DECLINING, name, old, new, calls=300)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_other_types_are_declined_in_other_words(judge: Any) -> None:
    newer = DECLINING.replace(
        "        else:\n            return NotImplemented\n",
        "        if not isinstance(other, Fixed):\n            return NotImplemented\n",
    )
    report = judge(DECLINING, newer, "Union.__or__", kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
