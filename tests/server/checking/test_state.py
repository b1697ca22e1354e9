"""What is known of a file's functions: surveys, positions that follow edits, taking a survey while others work."""

from __future__ import annotations

import asyncio
import pickle

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Span
from lsp_evalplus.server.analysis.facts import FunctionFacts, Survey
from lsp_evalplus.server.checking.schedule import Breather
from lsp_evalplus.server.checking.state import FileState
from lsp_evalplus.server.documents.documents import Edit

FACTS = [
    FunctionFacts("f", Span(0, 0, 1, 9), Span(0, 4, 0, 5), "key f", "hash f", None, False, False),
    FunctionFacts("C.𝒻", Span(3, 4, 2**40, 0), Span(3, 8, 3, 9), "key 𝒻", "hash", True, True, False),
    FunctionFacts("g", Span(5, 0, 6, 9), Span(5, 4, 5, 5), "key g", "hash g", True, False, True, is_new=True),
    FunctionFacts(
        "h", Span(8, 0, 9, 9), Span(8, 4, 8, 5), "key h", "", None, False, False, other_parts=(Span(12, 0, 13, 4),)
    ),
]


def test_a_survey_gives_back_what_it_was_made_of_also_after_a_pipe() -> None:
    survey = pickle.loads(pickle.dumps(Survey.of(FACTS, "line 3: invalid syntax")))

    assert [survey.function(index) for index in range(len(survey))] == FACTS
    assert [survey.name(index) for index in range(len(survey))] == [one.name for one in FACTS]
    assert [survey.key(index) for index in range(len(survey))] == [one.key for one in FACTS]
    assert survey.problem == "line 3: invalid syntax"
    assert len(Survey.of([], None)) == 0


async def test_positions_follow_edits_whether_or_not_anyone_asked_before() -> None:
    file = FileState("file:///a.py")
    assert await file.take(Survey.of(FACTS, None), Breather()) == []
    insertion = Edit(Span(2, 0, 2, 0), "# one\n# two\n")

    file.follow([insertion])
    file.functions["g"].is_checking = True
    assert file.functions["g"].facts.name_span == Span(7, 4, 7, 5)
    file.follow([insertion])

    assert file.functions["g"].facts.name_span == Span(9, 4, 9, 5)
    assert file.functions["C.𝒻"].facts.name_span == Span(7, 8, 7, 9)
    assert file.functions["h"].facts.spans == (Span(12, 0, 13, 9), Span(16, 0, 17, 4))
    assert file.functions["f"].facts == FACTS[0]
    await file.take(Survey.of(FACTS, None), Breather())
    assert [one.facts for one in file.functions.values()] == FACTS


async def test_a_survey_keeps_states_and_tells_which_are_gone() -> None:
    file = FileState("file:///a.py")
    await file.take(Survey.of(FACTS, None), Breather())
    kept = file.functions["g"]

    gone = await file.take(Survey.of(FACTS[2:3], None), Breather())

    assert gone is not None
    assert [one.name for one in gone] == ["f", "C.𝒻", "h"]
    assert file.functions == {"g": kept}


@pytest.mark.parametrize("is_edited", [False, True])
async def test_an_edit_while_a_large_survey_is_taken_makes_it_void(is_edited: bool) -> None:
    file = FileState("file:///a.py")
    many = [
        FunctionFacts(f"f{n}", Span(n, 0, n, 9), Span(n, 4, n, 5), "key", "hash", None, False, False)
        for n in range(20_000)
    ]
    taking = asyncio.ensure_future(file.take(Survey.of(many, None), Breather()))
    await asyncio.sleep(0)
    assert not taking.done()

    if is_edited:
        file.follow([Edit(Span(0, 0, 0, 0), "x")])

    assert await taking == (None if is_edited else [])
    assert len(file.functions) == (0 if is_edited else 20_000)


async def test_what_a_replay_found_stays_when_the_check_that_follows_is_cancelled() -> None:
    file = FileState("file:///a.py")
    await file.take(Survey.of(FACTS, None), Breather())
    state = file.functions["f"]
    oracle = (OracleKind.EXAMPLES, "examples")
    state.learn_from("key", is_replay=False)
    state.fresh |= {oracle, (OracleKind.CONTRACT, "asserts")}

    state.learn_from("changed key", is_replay=True)
    assert (state.fresh, state.checked_key) == (frozenset(), None)
    state.fresh |= {oracle}
    state.learn_from("changed key", is_replay=False)

    assert (state.fresh, state.checked_key) == (frozenset({oracle}), "changed key")
