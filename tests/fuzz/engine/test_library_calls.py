"""Values of records that are handed to functions of the standard library."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import json
import math
from datetime import datetime, timedelta, timezone
from math import sqrt


def furthest(points):
    return max(math.hypot(one["x"], one["y"]) for one in points)


def per_day(events: list[dict]) -> dict:
    found = {}
    for event in events:
        day = datetime.fromtimestamp(event["at"], timezone.utc).date().isoformat()
        found[day] = found.get(day, 0) + event.get("units", 1)
    return found


def finished(job):
    return datetime(2024, 1, 1) + timedelta(hours=job["hours"], minutes=job["minutes"])


def sides(fields):
    return [sqrt(one["area"]) for one in fields if one.get("square", True)]


def names(messages):
    return [json.loads(one["body"]) for one in messages if one["kind"] == "name"]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("furthest", 'one["y"])', 'one["x"])'),
        ("per_day", '"units", 1', '"units", 0'),
        ("per_day", "found.get(day, 0) + ", ""),
        ("finished", 'minutes=job["minutes"]', 'minutes=job["hours"]'),
        ("sides", '"square", True', '"square", False'),
        ("names", '== "name"', '!= "name"'),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("furthest", "max(math.hypot", "max(1 * math.hypot"),
        ("per_day", 'event.get("units", 1)', '(event["units"] if "units" in event else 1)'),
        ("sides", 'if one.get("square", True)', 'if "square" not in one or one["square"]'),
    ],
)
def test_a_refactoring(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


WRITTEN = """
import json
from typing import Any


def encoded(value: Any, status: int = 200) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def quoted(name: str) -> str:
    return json.dumps(name, sort_keys=True)
"""


@pytest.mark.parametrize(("name", "verdict"), [("encoded", Verdict.DIFFERS), ("quoted", Verdict.AGREES)])
def test_values_of_any_type_that_are_written_as_json(judge: Any, name: str, verdict: Verdict) -> None:
    report = judge(WRITTEN, WRITTEN.replace(", sort_keys=True", ""), name, kind="previous", calls=900)
    assert report.verdict is verdict, report


SAVED = """
from pathlib import Path


def save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
"""


def test_paths_lie_in_folders_that_are_not_there(judge: Any) -> None:
    report = judge(SAVED, SAVED.replace("parents=True, ", ""), "save", kind="previous", calls=200)
    assert report.verdict is Verdict.DIFFERS, report
