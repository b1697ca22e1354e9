"""The rows of a parametrized test that a change brought are told from its older text."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.oracle.parametrized import new_rows

NAMES = ("test_sum",)


def table(*rows: str, further: str = "", name: str = "rows") -> str:
    """A file with a test of some rows."""
    listed = "".join(f"    {row},\n" for row in rows)
    return (
        f"import pytest\n{name} = [\n{listed}]\n{further}@pytest.mark.parametrize('a', {name})\ndef test_sum(a): ...\n"
    )


@pytest.mark.parametrize(
    ("newer", "older", "expected"),
    [
        (table("1", "2", "3"), table("1", "3"), (1,)),
        (table("1", "(2, 'ä')", "3"), table("1", "(2, 'a')", "3"), (1,)),
        (table("1", "2"), table("1", "2"), ()),
        (table("2", "1"), table("1", "2"), ()),
        (table("1"), None, ()),
        (table("1"), "def test_sum(a): ...\n", ()),
        (table("[\n  1,\n   2]"), table("[\n1,\n2]"), ()),
        ("def test_sum(): ...\n", "def test_sum(): ...\n", ()),
        (table("*others", "1"), table("1"), ()),
        ("@parametrize('a', [1])\ndef (", "", ()),
    ],
)
def test_rows(newer: str, older: str | None, expected: tuple[int, ...]) -> None:
    assert new_rows(newer, older, NAMES) == expected


def test_rows_of_two_tables_multiply() -> None:
    """The table next to the function is the outer one, as pytest has it."""
    inner = "@pytest.mark.parametrize(argnames='b', argvalues=[7, 8{}])\n"
    newer, older = (table("1", "2", further=inner.format(more)) for more in (", 9", ""))
    assert new_rows(newer, older, NAMES) == (2, 5)


def test_methods_have_their_class_before_them() -> None:
    text = "class TestIt:\n    @pytest.mark.parametrize('a', [{}1])\n    def test_sum(self, a): ...\n"
    newer, older = text.format("0, "), text.format("")
    assert new_rows(newer, older, ("TestIt", "test_sum")) == (0,)
    assert new_rows("@pytest.mark.parametrize('b', [1])\n" + newer, older, ("TestIt", "test_sum")) == ()
