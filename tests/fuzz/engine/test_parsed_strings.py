"""Parts of records that the standard library parses: other strings are refused before anything happens."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import json
from datetime import date, datetime
from decimal import Decimal


def booked(row: dict[str, str]) -> tuple[str, Decimal]:
    return row["account"].strip(), Decimal(row["amount"]) + int(row.get("bonus") or 1)


def is_late(row):
    return date.fromisoformat(row["day"]) >= date(2000, 1, 1) and int(row["hours"].strip()) > 2


def shown(entry: dict[str, str]) -> tuple[bool, int]:
    at = datetime.strptime(entry["at"], "%d.%m.%Y %H:%M")
    data = json.loads(entry.get("data", "{}"))
    return at.hour >= 12, len(data) if isinstance(data, dict) else -1


def number(row: dict[str, str]) -> int:
    try:
        return int(row["n"])
    except ValueError:
        return -1


def paid(row: dict[str, str]) -> float:
    amount = float(row["amount"].replace("$", "").replace(",", ""))
    return amount if amount < 1000 else amount - float(row.get("fee", "0%").rstrip("%")) / 100


def weight(row):
    return float(row["weight"].replace(",", ".") or 0)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("booked", '["account"].strip()', '["account"]'),
        ("booked", "or 1)", "or 0)"),
        ("is_late", ">= date", "> date"),
        ("is_late", "> 2", ">= 2"),
        ("shown", ">= 12", "> 12"),
        ("shown", "%d.%m.%Y", "%m.%d.%Y"),
        ("shown", "else -1", "else -2"),
        ("number", "return -1", "return 0"),
        ("paid", "< 1000", "<= 1000"),
        ("paid", '.replace("$", "")', ""),
        ("paid", '.replace(",", "")', '.replace(",", ".")'),
        ("paid", '.rstrip("%")', '.lstrip("%")'),
        ("weight", '(",", ".")', '(",", "")'),
    ],
)
def test_values_that_are_parsed(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
