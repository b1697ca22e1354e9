"""How a class of a version uses its attributes is read in that version, though both are loaded as one file."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

KEYED = """
class Index:
    def __init__(self):
        self.entries = []

    def by_name(self):
        return {entry["name"]: entry for entry in self.entries}


class Report:
    def __init__(self, options):
        self.options = options

    def title(self):
        return "# " + self.options["title"].strip()


class Shelf:
    def __init__(self):
        self.rows = []

    def widths(self):
        return [row["box"]["width"] for row in self.rows]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Index.by_name", 'entry["name"]', 'entry["NAME"]'),
        ("Shelf.widths", '["width"]', '["w"]'),
    ],
)
def test_another_key_in_the_newer_version(judge: Any, name: str, old: str, new: str) -> None:
    """Also where its lines are others."""
    report = judge(KEYED, "import os\n\n\n" + KEYED.replace(old, new), name, kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Index.by_name", 'entry["name"]: entry', 'entry["name"]: dict(entry)'),
        ("Report.title", '"# " + self.options["title"].strip()', "'# ' + str.strip(self.options['title'])"),
    ],
)
def test_the_same_keys_in_the_newer_version(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(KEYED, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report.reason
