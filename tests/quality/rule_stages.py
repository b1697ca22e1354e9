"""The stages of a search: each is a rule set of the ablation."""

from __future__ import annotations

from typing import Final

STAGES: Final = {
    "product": "product",
    "around": "",
    "choices": "choices",
    "prepared": "call_sequences",
    "enumeration": "small_scope",
    "mutation": "mutation",
    "random": "random",
    "text": "grammar",
    "template": "digit_templates",
    "extremes": "extremes",
    "widening": "",
    "wide": "",
    "solving": "solving",
    "feedback": "",
}
"""Stages with their modules; empty where a module holds several."""
