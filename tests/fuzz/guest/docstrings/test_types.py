"""Types of parameters that docstrings name."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.docstrings.types import documented_types
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint

SPHINX = """Reverse.

:param str text: what is turned
:param n: how often
:type n: int, optional
:param list[str] names: see `text`: a string
:returns: the other
"""
GOOGLE = """Reverse.

Args:
    text (str): what is turned; see also (int): no entry.
    n (int, optional): how often
    names (list of str): names
    either (int or None): a number
    other (Widget): unknown
Returns:
    str (text): what is turned
"""
NUMPY = """Reverse.

Parameters
----------
text : str
    what is turned
n : int, default 3
names : list of strings
table : Dict[str, List[int]]
pair : Tuple[int, str]
rows : tuple of (what, ever)

Returns
-------
result : str
"""


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (SPHINX, {"text": "str", "n": "int", "names": "list[str]"}),
        (GOOGLE, {"text": "str", "n": "int", "names": "list[str]", "either": "int | None"}),
        (
            NUMPY,
            {
                "text": "str",
                "n": "int",
                "names": "list[str]",
                "table": "dict[str, list[int]]",
                "pair": "tuple[int, str]",
            },
        ),
        ("Add two (int): numbers.\n\nNote: x : str is no section", {}),
        ("", {}),
    ],
)
def test_types(docstring: str, expected: dict[str, str]) -> None:
    found = documented_types(docstring)

    assert {name: shape_of_hint(hint).describe() for name, hint in found.items()} == expected
