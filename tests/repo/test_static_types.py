"""Pyright is strict: a file that takes a rule off for itself as a whole is listed here, and the list only shrinks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUEST = "fuzz/lsp_evalplus/fuzz/guest"
PRAGMA = re.compile(r"^# pyright: (?!strict)", re.MULTILINE)
EXCEPTIONS = frozenset(
    f"{GUEST}/{name}.py"
    for name in (
        "contracts/assertion_operands",
        "docstrings/predicates",
        "generation/boundary_values",
        "inference/annotations",
        "inference/overloads",
        "judging/empty_instances",
        "judging/outcomes",
        "judging/return_types",
        "judging/side_effects",
        "program/materialize",
        "search/unused_arguments",
        "shrinking/relabel",
        "shrinking/shrinker",
        "values/equality",
        "values/metrics",
        "values/public_state",
    )
)
"""They narrow values under test by ``isinstance`` or ``type``, which leaves the types of their parts unknown."""


def test_no_other_file_takes_a_rule_off_for_itself() -> None:
    files = [file for root in ("server", "fuzz", "bench") for file in (ROOT / root).rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if PRAGMA.search(file.read_text(encoding="utf-8"))}

    assert len(files) > 300
    assert found - EXCEPTIONS == set(), "type the values as `Value`, and see `values/dynamic.py`"
    assert EXCEPTIONS - found == set(), "take these off the list"
