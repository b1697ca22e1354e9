"""Modules whose import takes seconds, and machines whose processors are wanted by many programs."""

from __future__ import annotations

import os
from typing import Any

import pytest

from lsp_evalplus.fuzz.host.run import waiting_per_processor
from lsp_evalplus.fuzz.model import Verdict

HEAVY = """
import time

def build():
    end = time.process_time() + 2.0
    found = 0
    while time.process_time() < end:
        found += 1
    return {"step": 3}

TABLE = build()

def step(n: int):
    return n * TABLE["step"]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "verdict"), [("TABLE['step'] * n", Verdict.AGREES), ("n + TABLE['step']", Verdict.DIFFERS)]
)
def test_an_import_has_time_of_its_own(judge: Any, new: str, verdict: Verdict) -> None:
    """Loading both programs takes more processor time than the search may."""
    report = judge(HEAVY, HEAVY.replace('n * TABLE["step"]', new), "step", kind="previous", seconds=1.5)
    assert report.verdict is verdict, report.reason


@pytest.mark.parametrize(("load", "factor"), [(0.1, 1.0), (2.0, 1.0), (12.0, 6.0)])
def test_silence_is_longer_where_many_wait_for_a_processor(
    monkeypatch: pytest.MonkeyPatch, load: float, factor: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert waiting_per_processor() == factor


def test_a_system_that_counts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg")
    assert waiting_per_processor() == 1.0
