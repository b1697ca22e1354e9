"""What a function does with a copy of a parameter says what the parameter is."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

MERGED = """
import copy


def merged(base, extra):
    result = copy.deepcopy(base)
    for key, value in extra.items():
        if key in result and isinstance(result[key], list):
            result[key] = result[key] + value
        else:
            result[key] = value
    return result
"""


@pytest.mark.parametrize("copied", ["copy.deepcopy(base)", "copy.copy(base)"])
def test_a_copy_that_is_used_as_a_dict(judge: Any, copied: str) -> None:
    older = MERGED.replace("copy.deepcopy(base)", copied)
    newer = older.replace("key in result and isinstance(result[key], list)", "isinstance(result.get(key), list)")
    report = judge(older, newer, "merged", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.AGREES, report


def test_a_mistake(judge: Any) -> None:
    newer = MERGED.replace("            result[key] = value\n", "            result[key] = [value]\n")
    report = judge(MERGED, newer, "merged", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
