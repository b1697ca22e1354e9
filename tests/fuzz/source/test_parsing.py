"""Texts are parsed once for all who read them, and large trees are not kept."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.source.parsing import parse_module, try_parse


def test_readers_of_one_text_share_its_tree() -> None:
    text = "def shared(a):\n    return a\n"
    tree = parse_module(text)
    assert tree is not None
    assert parse_module("".join(text)) is tree
    assert try_parse(text)[0] is tree


def test_a_large_tree_is_not_kept() -> None:
    """It would take a hundred times the memory of its text."""
    text = f"x = '{'a' * 420_000}'\n"
    tree = parse_module(text)
    assert tree is not None
    assert parse_module(text) is not tree


def test_trees_that_were_used_last_are_kept() -> None:
    texts = [f"name_{number} = '{'a' * 77_000}'\n" for number in range(6)]
    first, *_, last = [parse_module(text) for text in texts]
    assert parse_module(texts[-1]) is last
    assert parse_module(texts[0]) is not first


@pytest.mark.parametrize(
    ("text", "parses", "compiles"),
    [("return 1\n", True, False), ("x = = 1\n", False, False), ("x = 1\0\n", False, False), ("x = 1\n", True, True)],
)
def test_readers_need_the_grammar_only(text: str, parses: bool, compiles: bool) -> None:
    tree, problem = try_parse(text)
    assert (parse_module(text) is not None) is parses
    assert (tree is not None) is compiles
    assert (problem is None) is compiles
