"""Texts of snippets as editors insert them: the shape of a statement, with words in the places to fill in."""

from __future__ import annotations

from pathlib import Path

SNIPPETS = tuple(Path(__file__).with_name("snippets.txt").read_text(encoding="utf-8").split("%%\n"))
"""Common shapes; some of them hold a line or two of working code."""
