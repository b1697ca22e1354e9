"""Arguments that only the newer version uses, and files that the sandbox hides, blame no version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = '''
import logging


class SettingsError(Exception):
    """The settings cannot be read."""


def total(rows, source):
    return sum(rows)


def paired(rows, source):
    return sum(rows), source


def stored(source):
    return [source]


def described(field, **kwargs):
    return {"extra": field}


def noted(field, **kwargs):
    found = {}
    if field:
        found["extra"] = {}
    return found


def dump(rows, out):
    for row in rows:
        print(row, file=out)


class Sums:
    def __init__(self, source, rows):
        self.source = source
        self.rows = rows

    def total(self):
        return sum(self.rows)

    def name(self):
        return self.source.name


def _servers():
    try:
        with open("/etc/resolv.conf") as file:
            return file.read()
    except OSError:
        raise SettingsError("cannot read the settings") from None


def found(name: str) -> str:
    try:
        _servers()
        return name.lower()
    except SettingsError as error:
        raise ValueError(f"failed: {error}") from error
'''
CLEAN = '        found["extra"] = {}\n'
SEEN = '        if "extra" not in kwargs.get("seen", {}):\n            found["extra"] = {}\n'
READ = "    try:\n        _servers()\n        return name.lower()"
MOVED = "    _servers()\n    try:\n        return name.lower()"
LOGGED = 'return {"extra": field}'


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "return sum(rows)", "logging.debug(source.name)\n    return sum(rows)"),
        ("total", "return sum(rows)", 'logging.debug(source["name"])\n    return sum(rows)'),
        ("paired", "return sum(rows), source", "logging.debug(source.name)\n    return sum(rows), source"),
        ("stored", "return [source]", "logging.debug(source.name)\n    return [source]"),
        ("described", LOGGED, 'if "by" in kwargs:\n        logging.debug(kwargs["by"].name)\n    ' + LOGGED),
        ("noted", CLEAN, '        logging.debug("a" in kwargs.get("seen", {}))\n' + CLEAN),
        ("dump", "    for row in rows:", '    logging.debug("to %s", out.name)\n    for row in rows:'),
        ("Sums.total", "return sum(self.rows)", "logging.debug(self.source.name)\n        return sum(self.rows)"),
        ("found", READ, MOVED),
    ],
)
def test_a_use_that_changes_no_result_is_no_finding(judge: Any, name: str, old: str, new: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=600, seconds=30)
    assert report.verdict is not Verdict.DIFFERS, report.counterexample


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "return sum(rows)", "return sum(rows) + source.offset"),
        ("total", "return sum(rows)", "return sum(rows[source.start :])"),
        ("described", LOGGED, 'return {"extra": kwargs["by"].name if "by" in kwargs else field}'),
        ("noted", CLEAN, SEEN),
        ("dump", "in rows:", "in rows[1:]:"),
        ("Sums.total", "sum(self.rows)", "sum(self.rows[1:])"),
    ],
)
def test_a_use_that_changes_results_is_told(judge: Any, name: str, old: str, new: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_keyword_has_the_type_of_what_stands_for_it(judge: Any) -> None:
    source = TEXT.replace(CLEAN, SEEN).replace("**kwargs):\n    found", "**kwargs: Any):\n    found")
    newer = "from typing import Any\n" + source
    report = judge("from typing import Any\n" + TEXT, newer, "noted", kind="previous", calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "seen={'extra': " in report.counterexample.call
