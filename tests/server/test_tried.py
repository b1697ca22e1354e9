"""What a panel shows of a search: its stages, the kinds and sizes of its inputs, how its finding became small."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Trace, Trial
from lsp_evalplus.server.features.tried import view_of

WRONG = """\
# lsp-evalplus: reference=reference.py::largest
def largest(numbers: list[int]) -> int:
    return max(numbers) + (len(numbers) > 5)
"""
REFERENCE = """\
def largest(numbers: list[int]) -> int:
    assert numbers
    return max(numbers)
"""


async def test_the_panel_is_told_what_was_tried(new_editor):
    editor = await new_editor(files={"reference.py": REFERENCE})
    uri = editor.open("largest.py", WRONG)
    await editor.diagnostics(uri)

    params = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 5}}
    panel = await editor.client.protocol.send_request_async("lspEvalplus/finding", params)

    tried = panel.tried
    assert tried.inputs == sum(number for _, number in tried.stages) == sum(number for _, number in tried.judgements)
    assert "a difference" in dict(tried.judgements)
    assert "(list[int])" in dict(tried.kinds)
    assert 0 < tried.sizes.smallest <= tried.sizes.median <= tried.sizes.largest
    assert tried.steps >= len(tried.shrinking) - 1 > 0
    assert tried.shrinking[-1] == panel.call


def test_counts_are_ranked_and_summed() -> None:
    trials = tuple(Trial(call, "types", "agree") for call in ("f([1])", "f([1, 2])", "f('a')", "f([1, 2…"))
    stages = {"types": {"agree": 3, "rejected": 1}, "seeds": {"agree": 1}, "mutation": {"agree": 1, "differ": 1}}

    assert view_of(Trace(stages, trials, (), 0)) == {
        "inputs": 7,
        "stages": [("types", 4), ("mutation", 2), ("seeds", 1)],
        "judgements": [("no difference", 5), ("a difference", 1), ("refused by the contract or the reference", 1)],
        "kinds": [("(list[int])", 2), ("(str)", 1)],
        "sizes": {"smallest": 6, "median": 7.0, "largest": 9},
        "steps": 0,
        "shrinking": [],
    }


def test_rare_kinds_are_told_together() -> None:
    calls = [f"f({', '.join(['1'] * number)})" for number in range(12)]

    view = view_of(Trace({"types": {"agree": 12}}, tuple(Trial(one, "types", "agree") for one in calls), (), 0))

    assert view is not None
    assert len(view["kinds"]) == 9
    assert view["kinds"][-1] == ("others", 4)


@pytest.mark.parametrize("trace", [None, Trace({}, (), (), 0)])
def test_without_a_search_there_is_nothing_to_show(trace: Trace | None) -> None:
    assert view_of(trace) is None
