"""Filters and formatters of logs are called with records, and what they set of these is compared."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

LOGS = """
import json
import logging


class Context(logging.Filter):
    def __init__(self, request: str = "-") -> None:
        super().__init__()
        self.request = request

    def filter(self, record: logging.LogRecord) -> bool:
        record.request = self.request
        return True


class Lines(logging.Formatter):
    def format(self, record):
        data = {"level": record.levelname, "message": record.getMessage()}
        if record.exc_info:
            data["exception"] = self.formatException(record.exc_info)
        return json.dumps(data, sort_keys=True)


class Coloured(logging.Formatter):
    def format(self, record):
        record.colour = "red" if record.levelno >= logging.ERROR else "none"
        text = super().format(record)
        return text.upper() if record.levelno >= logging.ERROR else text
"""


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Context.filter", "record.request = self.request", "pass"),
        ("Lines.format", "record.getMessage()", "record.msg"),
        ("Lines.format", "self.formatException(record.exc_info)", '""'),
        ("Lines.format", "if record.exc_info", "if not record.exc_info"),
        ("Coloured.format", "text.upper() if", "text if"),
        ("Coloured.format", 'record.colour = "red"', 'record.color = "red"'),
    ],
)
def test_mistakes_are_told(judge: Any, name: str, right: str, wrong: str) -> None:
    assert LOGS.count(right) == 1
    report = judge(LOGS, LOGS.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Context.filter", "record.request =", "record.seen = True\n        record.request ="),
        ("Lines.format", "if record.exc_info", "if record.exc_info is not None"),
        ("Coloured.format", "text = super().format(record)", "text = logging.Formatter.format(self, record)"),
    ],
)
def test_harmless_changes_agree(judge: Any, name: str, old: str, new: str) -> None:
    assert LOGS.count(old) == 1
    report = judge.edit(LOGS, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report


def test_what_is_set_in_private_may_have_another_name(judge: Any) -> None:
    old, new = [LOGS.replace("record.request =", f"record.{name} =") for name in ("_request", "_identifier")]
    assert judge(old, new, "Context.filter", kind=OracleKind.PREVIOUS, calls=500).verdict is Verdict.AGREES
