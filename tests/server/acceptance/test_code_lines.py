"""How much code lines hold, where it may be a snippet and where it cannot be one."""

from __future__ import annotations

import pytest

from lsp_evalplus.server.acceptance.code_lines import bare_lines, count_code, count_statements


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("for item in items:\n    pass\n", 0, id="a loop over nothing"),
        pytest.param("for item in items:\n    total += item\n", 2, id="a loop that does something"),
        pytest.param("if condition:\n    raise error\n", 0, id="a condition that is a name"),
        pytest.param("if number < 0:\n    raise ValueError(number)\n", 1, id="a condition that compares"),
        pytest.param("def name(arg):\n    return arg\n", 0, id="what was passed is returned"),
        pytest.param("def name(arg):\n    return arg * 2\n", 2, id="something else is returned"),
        pytest.param("def __len__(self):\n    return len(self.items)\n", 1, id="a special method of one line"),
        pytest.param("self.name = name\nself.items = []\n", 0, id="names for what is there"),
        pytest.param("self.last = self.first\n", 1, id="another attribute"),
        pytest.param("def name():\n    '''What it is for.'''\n    # Some words.\n", 0, id="prose"),
        pytest.param("def outer(f):\n    def inner(*args):\n        pass\n    return inner\n", 0, id="a decorator"),
        pytest.param("values = [\n    item\n    for item in items\n]\n", 0, id="a list of names"),
    ],
)
def test_what_a_snippet_brings_counts_as_nothing(text: str, count: int) -> None:
    assert count_code(bare_lines(text), goes_on=False) == count


def test_a_header_counts_where_something_follows_what_was_put_in() -> None:
    assert count_code(bare_lines("for item in self.items:\n"), goes_on=True) == 1
    assert count_code(bare_lines("for item in self.items:\n"), goes_on=False) == 0


def test_what_is_no_snippet_counts_unless_it_is_an_import_or_prose() -> None:
    text = "import os\nfrom os import path\n# Words.\n\n'''A text.\nMore of it.'''\nself.a = a\npass\nwords of a text\n"

    assert count_statements(bare_lines(text)) == 2
