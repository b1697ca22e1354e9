"""Pyright is strict: no file takes a rule off for itself as a whole."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRAGMA = re.compile(r"^# pyright: (?!strict)", re.MULTILINE)


def test_no_file_takes_a_rule_off_for_itself() -> None:
    files = [file for root in ("server", "fuzz", "bench") for file in (ROOT / root).rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if PRAGMA.search(file.read_text(encoding="utf-8"))}

    assert len(files) > 300
    assert found == set(), "type the values as `Value`, and see `values/dynamic.py`"
