"""The way of one sample as values: what each state makes of the one before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsp_evalplus.bench.judging.evalplus_compat import HIDDEN_NAMES
from lsp_evalplus.bench.judging.verdicts import Failure, PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.running.sample_states import FirstPass, SecondPass, Settled, Unjudged, settle

PROBLEM = Problem("Task/1", "", "f", "", "", (), (), 0.0, Family.CUSTOM)
PASSED, FAILED = PartVerdict(Status.PASS), PartVerdict(Status.FAIL, (Failure(2, "3"),))
SAMPLE = Unjudged(PROBLEM, "abc", "def f(x):\n    return x\n", (Part.BASE, Part.PLUS))


def both(verdict: PartVerdict) -> dict[Rule, PartVerdict]:
    return dict.fromkeys(Rule, verdict)


def whole(verdict: PartVerdict) -> SampleVerdict:
    return SampleVerdict(dict.fromkeys(Part, both(verdict)))


@pytest.mark.parametrize("order", [(Part.BASE, Part.PLUS), (Part.PLUS, Part.BASE)])
def test_parts_have_their_second_passes_in_any_order(order: tuple[Part, Part]) -> None:
    first = FirstPass(SAMPLE, {}, {}, 0.1)
    assert first.open_parts == [Part.BASE, Part.PLUS]

    begun = SecondPass.after(first)
    half = begun.with_part(order[0], both(PASSED))
    full = half.with_part(order[1], both(FAILED))

    assert [one.is_complete for one in (begun, half, full)] == [False, False, True]
    assert full.found == {order[0]: both(PASSED), order[1]: both(FAILED)}
    assert (begun.found, half.found) == ({}, {order[0]: both(PASSED)})


def test_a_part_that_the_first_pass_settled_has_no_second() -> None:
    first = FirstPass(SAMPLE, {Part.BASE: both(PASSED)}, {}, 0.1)

    assert first.open_parts == [Part.PLUS]
    assert SecondPass.after(first).with_part(Part.PLUS, both(FAILED)).is_complete


def test_a_program_that_needs_nothing_of_what_is_withheld_is_settled_at_once() -> None:
    assert settle(SAMPLE, whole(FAILED)) == Settled(SAMPLE, whole(FAILED))


def test_one_that_may_is_judged_again_and_each_time_says_what_one_comparator_finds() -> None:
    needy = replace(SAMPLE, solution="import os\n\ndef f(x):\n    return os.getcwd()\n")

    again = settle(needy, whole(PASSED))
    assert isinstance(again, Unjudged)
    assert (again.key, again.is_alone, again.hidden_names) == (needy.key, True, tuple(HIDDEN_NAMES))
    assert needy.hidden_names == ()
    end = settle(again, whole(FAILED))

    assert isinstance(end, Settled)
    for part in Part:
        assert end.verdict.parts[part] == {Rule.STRICT: PASSED, Rule.EVALPLUS: FAILED}


def test_a_harmless_program_needs_nothing_that_is_withheld() -> None:
    harmless = replace(SAMPLE, solution="import os\n\ndef f(x):\n    return x\n", is_harmless=True)

    assert settle(harmless, whole(PASSED)) == Settled(harmless, whole(PASSED))
