"""Attributes that are None by default although their annotations do not admit that are set by who makes the object."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

ACTIONS = """
from dataclasses import dataclass, field

@dataclass
class Settings:
    always: bool = False
    control: bool = False

@dataclass
class Actions:
    tag: str = ""
    _settings: Settings = field(default=None, init=False)

    def send(self) -> bool:
        return bool(self.tag and self._settings.always)

@dataclass
class Optionals:
    tag: str = ""
    _settings: "Settings | None" = field(default=None, init=False)

    def send(self) -> bool:
        return bool(self.tag and self._settings.always)
"""
OLD, NEW = "bool(self.tag and self._settings.always)", "bool(self._settings.control or self._settings.always)"


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("Actions.send", False),
        ("Optionals.send", True),
    ],
)
def test_a_new_object_lacks_what_its_annotation_promises(judge: Any, name: str, is_told: bool) -> None:
    """The older version does not come to use it; an annotation that admits None means it."""
    report = judge(ACTIONS, ACTIONS.replace(OLD, NEW), name, kind="previous", calls=600)
    assert (report.verdict is Verdict.DIFFERS) is is_told, report.reason
