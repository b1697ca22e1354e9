"""What functions of a module do with attributes tells what the constructor of a plain class takes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.constructors.stored_uses import plain_parts
from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Parcel:
    def __init__(self, weight, street, fragile=None, sender=None):
        self.weight = weight
        self.street = street
        self.fragile = fragile
        self.sender = sender


class Van:
    def __init__(self, room):
        self.room = room
        self.parcels = []

    def load(self, parcel: Parcel):
        if parcel.weight > self.room:
            return False
        self.room -= parcel.weight
        self.parcels.append(parcel)
        return True

    def streets(self):
        return sorted({parcel.street.strip().title() for parcel in self.parcels})


def heaviest(parcels: list[Parcel], most: int) -> list[Parcel]:
    return [one for one in parcels if one.weight * 2 >= most]
"""

MISTAKES = [
    ("Van.load", "parcel.weight > self.room", "parcel.weight >= self.room"),
    ("Van.load", "self.room -= parcel.weight", "self.room = parcel.weight"),
    ("Van.streets", ".strip().title()", ".title()"),
    ("heaviest", ">= most", "> most"),
]


def test_parts_of_a_class_that_does_nothing_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parcels_that_are_sent.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = importlib.import_module("parcels_that_are_sent").Parcel
    found = {name: shape.describe() for name, shape in plain_parts(kind).items()}
    assert "int" in found["weight"]
    assert found["street"] == "str"
    assert "sender" not in found


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_with_what_objects_hold(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge(SOURCE, SOURCE.replace(old, new), name, kind="previous", calls=4000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Van.load", "parcel.weight > self.room", "self.room < parcel.weight"),
        ("heaviest", "one.weight * 2 >= most", "not one.weight * 2 < most"),
    ],
)
def test_the_same_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge(SOURCE, SOURCE.replace(old, new), name, kind="previous", calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
