"""What was typed and what was not, told from edits alone."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance.detection import InsertionWatch, RecentTexts, agent_spans, stands_in
from lsp_evalplus.server.acceptance.line_changes import line_changes
from lsp_evalplus.server.documents.documents import Document, Edit

FUNCTION = "def f(x):\n    if x:\n        return 1\n    return 2\n"
INDENTED = "".join(f"    {line}\n" for line in FUNCTION.splitlines())
LONG = "def g(first, second):\n    result = dict(first=first, second=second, third=first + second)\n    return result\n"
WRAPPED = (
    "def g(first, second):\n    result = dict(\n        first=first,\n        second=second,\n"
    "        third=first + second,\n    )\n    return result\n"
)
KEPT = "def kept(x):\n    return x\n\n\n"


def typed(text: str, line: int = 0, removed: str = "") -> Edit:
    end = Edit(Span(line, 0, line, 0), removed).end_after
    return Edit(Span(line, 0, *end), text, removed)


ERASED = [[typed("", removed="z")] for _ in range(80)]


@pytest.mark.parametrize(
    ("edits", "others", "is_accepted"),
    [
        pytest.param([[typed(FUNCTION)]], [], True, id="a function at once"),
        pytest.param([[typed("    if x:\n        return y\n")]], [], True, id="two lines of a body"),
        pytest.param([[typed("x")], [typed("y")]], [], False, id="typing"),
        pytest.param([[typed("return x")]], [], False, id="one line"),
        pytest.param([[typed("some words\nof a text that is no code at all\n")]], [], False, id="prose"),
        pytest.param([[typed(FUNCTION)]], [f"import os\n\n{FUNCTION}"], False, id="a paste from another file"),
        pytest.param([[typed(INDENTED)]], [f"import os\n\n{FUNCTION}"], False, id="a paste at another depth"),
        pytest.param([[typed("", removed=FUNCTION)], [typed(FUNCTION)]], [], False, id="undo of a deletion"),
        pytest.param([[typed("", removed=FUNCTION)], [typed(FUNCTION, 9)]], [], False, id="a moved block"),
        pytest.param([[typed("", removed=FUNCTION)], *ERASED, [typed(FUNCTION, 9)]], [], False, id="moved much later"),
        pytest.param([[typed(FUNCTION), typed("import os\n")]], [], False, id="many changes at once"),
        pytest.param([[typed(WRAPPED, removed=LONG)]], [], False, id="a formatter"),
        pytest.param([[typed(KEPT + WRAPPED, removed=KEPT + LONG)]], [], False, id="a formatter of everything"),
        pytest.param([[typed(WRAPPED + FUNCTION, removed=LONG)]], [], True, id="a whole text with one function more"),
    ],
)
def test_what_counts_as_accepted(edits: list[list[Edit]], others: list[str], is_accepted: bool) -> None:
    watch = InsertionWatch()

    found = [watch.notice(change, others) for change in edits]

    assert (found[-1] is not None) is is_accepted


def test_of_a_whole_text_only_what_is_new_was_inserted() -> None:
    found = InsertionWatch().notice([typed(KEPT + FUNCTION, removed=KEPT)], [])

    assert found is not None
    assert found.span.start_line == 4
    assert found.text == FUNCTION


def test_redo_of_an_accepted_completion_is_not_news() -> None:
    watch = InsertionWatch()
    found = watch.notice([typed(FUNCTION)], [])
    assert found is not None
    assert found.span == Span(0, 0, 3, 12)
    watch.notice([typed("", removed=FUNCTION)], [])

    assert watch.notice([typed(FUNCTION)], []) is None


def test_a_block_that_was_cut_elsewhere_is_pasted() -> None:
    recent = RecentTexts()
    assert InsertionWatch(recent).notice([typed("", removed=FUNCTION)], []) is None

    assert InsertionWatch(recent).notice([typed(INDENTED)], []) is None


THREE = "def a(x):\n    return x\n\n\ndef b(x):\n    return x\n\n\ndef c(x):\n    return x\n"
SPANS = [Span(0, 0, 1, 12), Span(4, 0, 5, 12), Span(8, 0, 9, 12)]


def change(line: int, column: int, old: str, new: str) -> Edit:
    return Edit(Span(line, column, line, column + len(old)), new, old)


@pytest.mark.parametrize(
    ("edits", "count"),
    [
        pytest.param([change(1, 11, "x", "x + 1"), change(5, 11, "x", "x * 2")], 2, id="two functions"),
        pytest.param([change(1, 11, "x", "y"), change(5, 11, "x", "y"), change(9, 11, "x", "y")], 0, id="a rename"),
        pytest.param([change(1, 0, "", "# "), change(5, 0, "", "# ")], 0, id="commented out"),
        pytest.param([change(1, 11, "x", "(x)"), change(5, 11, "x", " x")], 0, id="layout"),
        pytest.param([change(1, 4, "return", "yield"), change(1, 10, "x", "y")], 0, id="one function twice"),
        pytest.param([change(2, 0, "", "import os\n"), change(1, 11, "x", "y")], 0, id="an import and a function"),
        pytest.param([], 0, id="nothing"),
    ],
)
def test_different_changes_of_several_functions_are_an_agents(edits: list[Edit], count: int) -> None:
    document = Document.from_text("file:///a.py", THREE)
    for edit in edits:
        document.replace(edit.span, edit.text)

    assert len(agent_spans(line_changes(document, edits), SPANS)) == count


def test_an_agent_that_replaces_everything_changed_what_is_different() -> None:
    new = THREE.replace("def a(x):\n    return x", "def a(x):\n    return x + 1").replace(
        "def c(x):\n    return x", "def c(x):\n    x = 2\n    return x"
    )

    spans = agent_spans([typed(new, removed=THREE)], [Span(0, 0, 1, 16), Span(4, 0, 5, 12), Span(8, 0, 10, 12)])

    assert [(span.start_line, span.end_line) for span in spans] == [(1, 1), (9, 9)]


@pytest.mark.parametrize(
    ("other", "stands"),
    [("", False), (FUNCTION, True), (INDENTED, True), (FUNCTION.replace("1", "3"), False), ("def f(x):\n", False)],
)
def test_a_text_stands_in_another(other: str, stands: bool) -> None:
    assert stands_in(FUNCTION, [other]) is stands
