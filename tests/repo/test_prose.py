"""What users read is easy to read: short sentences, and one term for one thing."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

MEAN = 16
"""Words a sentence of a page, at most, on average."""
LONGEST = 40
"""Words of the longest sentence of any text."""
OVER_THIRTY = 0.02
"""Share of sentences with more than thirty words."""

TERMS = {
    r"designated": "a reference that you named",
    r"has a say|say in the matter": "what the function is compared with",
    r"told as loudly|told louder|loudest": "severity",
    r"a draft counts": "say what is taken",
    r"who may say what is right": "what results are compared with",
    r"behavior\b": "behaviour",
    r"mutation inputs?": "mutants",
    r"counter-example": "counterexample",
    r"golden (?:function|solution)": "reference",
    r"sub-?process": "process",
    r"dataset(?!s?=|s?/|\b[ .`:])": "data set",
}
"""Words that are not said to users, and what is said in their place."""


@pytest.fixture(scope="module")
def measure(repository: Path) -> Any:
    path = repository / "docs" / "measure_readability.py"
    spec = importlib.util.spec_from_file_location("measure_readability", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sentences(measure: Any) -> list[str]:
    """Return the sentences of all that users read."""
    return [one for kind in measure.kinds().values() for one in kind]


def words(sentence: str) -> int:
    return len(sentence.split())


def test_sentences_of_each_page_are_short(measure: Any) -> None:
    pages = {name: sentences for name, sentences in measure.pages().items() if sentences}
    means = {name: sum(map(words, sentences)) / len(sentences) for name, sentences in pages.items()}

    assert len(means) > 40
    assert {name: round(mean, 1) for name, mean in means.items() if mean > MEAN} == {}


def test_no_sentence_is_very_long(sentences: list[str]) -> None:
    assert len(sentences) > 2000
    assert [one for one in sentences if words(one) > LONGEST] == []
    assert sum(words(one) > 30 for one in sentences) < OVER_THIRTY * len(sentences)


@pytest.mark.parametrize("term", TERMS)
def test_one_term_for_one_thing(sentences: list[str], term: str) -> None:
    assert [one for one in sentences if re.search(term, one, re.IGNORECASE)] == [], TERMS[term]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One two three. Four five six.", ["One two three.", "Four five six."]),
        ("# A heading of words\n\n| a | table of words |\n\nBut this counts.", ["But this counts."]),
        ("It runs `a b c` now.", ["It runs code now."]),
        ("- An item without end\n- Another item without end", ["An item without end", "Another item without end"]),
        ("```sh\nnot read at all\n```\nThis is read.", ["This is read."]),
    ],
)
def test_what_a_sentence_is(measure: Any, text: str, sentences: list[str]) -> None:
    assert measure.prose_of(text) == sentences
