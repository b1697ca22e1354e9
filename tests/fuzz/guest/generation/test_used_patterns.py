"""The regular expressions that a function uses, and strings of their format inside of objects."""

from __future__ import annotations

import itertools
import random
import re
import types
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.subject import Parameter
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.domain import Domain, Facts
from lsp_evalplus.fuzz.guest.generation.input_grammar import Grammar, Writer
from lsp_evalplus.fuzz.guest.generation.stages.context import Context
from lsp_evalplus.fuzz.guest.generation.stages.grammar import structured_texts
from lsp_evalplus.fuzz.guest.generation.used_patterns import used_patterns
from lsp_evalplus.fuzz.guest.values.recipes.model import New, Prepared
from lsp_evalplus.fuzz.guest.values.shapes import ANY, STR, BytesShape, Shape

WORDS = ["one", "two"]
NAMED = re.compile(r"\{(" + "|".join(WORDS) + r")\}")
TABLE = {"dates": re.compile("[0-9]+ # verbose", re.VERBOSE), "none": 1}
OF_BYTES = re.compile(b"<" + b"a" * 2 + b">")
UNUSED = re.compile("unused")


WORDS_OF_LINES = r"\w+:\s*\w+"
MESSAGE = "is (not) a word."


class Reader:
    """It uses a pattern of its own."""

    pattern = re.compile("x" * 3)

    def read(self, text: str) -> Any:
        return self.pattern.match(text) or self._number(text)

    @staticmethod
    def _number(text: str) -> Any:
        return TABLE["dates"].match(text)


def direct(text: str) -> Any:
    return NAMED.match(text)


def indirect(text: bytes) -> Any:
    return direct(text.decode()) or OF_BYTES.search(text)


def named(text: str) -> Any:
    of_archives = r"https?://example.org/(?P<name>[a-z]+)/(?P<version>.+).zip"
    for pattern in (of_archives, WORDS_OF_LINES):
        found = re.search(pattern, text)
        if found:
            return found.groupdict()
    raise ValueError(text + MESSAGE)


def told(text: str) -> str:
    return text.replace(r"\d+", MESSAGE)


@pytest.mark.parametrize(
    ("function", "owner", "patterns"),
    [
        (direct, None, [(r"\{(one|two)\}", False)]),
        (indirect, None, [("<aa>", False), (r"\{(one|two)\}", False)]),
        (Reader.read, Reader, [("xxx", False), ("[0-9]+ # verbose", True)]),
        (named, None, [(r"https?://example.org/(?P<name>[a-z]+)/(?P<version>.+).zip", False), (WORDS_OF_LINES, False)]),
        (told, None, []),
        (len, None, []),
    ],
)
def test_patterns_that_a_function_and_what_it_calls_use(
    function: Any, owner: Any, patterns: list[tuple[str, bool]]
) -> None:
    assert used_patterns(function, owner) == patterns


def _defined(module: str, source: str, **others: Any) -> dict[str, Any]:
    """Return the namespace of a module that a source text makes."""
    namespace: dict[str, Any] = {"__name__": module, "re": re, **others}
    exec(source, namespace)
    return namespace


VERSIONS = """
class Version:
    PATTERN = re.compile("v[0-9]")

    @classmethod
    def parse(cls, text):
        return cls.PATTERN.match(text)

def is_draft(text):
    return re.compile("draft-[0-9]+").match(text)
"""


@pytest.mark.parametrize(
    ("body", "module", "patterns"),
    [
        ("Version.parse(release)", "shop.versions", [("v[0-9]", False)]),
        ("versions.Version.parse(release)", "shop.versions", [("v[0-9]", False)]),
        ("is_draft(release)", "shop.versions", [("draft-[0-9]+", False)]),
        ("Version.parse(release)", "library.versions", []),
    ],
)
def test_patterns_of_what_a_function_calls_in_other_modules_of_its_package(
    body: str, module: str, patterns: list[tuple[str, bool]]
) -> None:
    """Those of libraries are theirs."""
    there = _defined(module, VERSIONS)
    versions = types.ModuleType(module)
    vars(versions).update(there)
    named = {"versions": versions, "Version": there["Version"], "is_draft": there["is_draft"]}
    function = _defined("shop.orders", f"def check(release):\n    return {body}", **named)["check"]
    assert used_patterns(function, None) == patterns


def _rows(value: Any, shape: Shape, *others: Any, seed: int = 0) -> list[Any]:
    pool = Pool()
    writer = Writer(Grammar([], [(r"\{(one|two)\}", False)]), pool, random.Random(0))
    parameter = Parameter("x", "positional", shape, None, has_default=False)
    context = Context(Domain([parameter], [], Facts()), pool, random.Random(seed), writer)
    for one in (value, *others):
        context.keep((one,))
    return [row[0] for row in itertools.islice(structured_texts(context), 60)]


TEXT = "{one}"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (New("Reader", ("a", 1)), New("Reader", (TEXT, 1))),
        (New("Reader", (1,), {"text": "a"}), New("Reader", (1,), {"text": TEXT})),
        (New("io.BytesIO", (b"a",)), New("io.BytesIO", (TEXT.encode(),))),
        (New("Outer", (New("Inner", (["a", 2],)),)), New("Outer", (New("Inner", ([TEXT, 2],)),))),
        (Prepared(New("R", ()), (New("feed", ("a",)),)), Prepared(New("R", ()), (New("feed", (TEXT,)),))),
        ({"key": "a", "other": 1}, {"key": TEXT, "other": 1}),
    ],
)
def test_texts_that_objects_are_made_of_have_the_format_that_is_read(value: Any, wanted: Any) -> None:
    assert repr(wanted) in map(repr, _rows(value, ANY))


@pytest.mark.parametrize("seed", range(8))
def test_rows_without_strings_do_not_end_it(seed: int) -> None:
    """Where a key may be missing, the rows that are accepted first are empty."""
    assert {"key": TEXT} in _rows({}, ANY, {"other": 1}, {"key": 1}, {"key": "a"}, seed=seed)


def test_arguments_are_strings_and_bytes_of_the_format() -> None:
    assert TEXT in _rows("a", STR)
    assert TEXT.encode() in _rows(b"a", BytesShape())


@pytest.mark.parametrize(
    "value", [New("sqlite3.connect", (":memory:",)), New("argument_in_test", ("tests/test_a.py::test_b", "x")), 3]
)
def test_what_names_something_stays(value: Any) -> None:
    assert _rows(value, ANY) == []


def test_an_unescaped_dot_beside_a_letter_is_mostly_a_dot() -> None:
    writer = Writer(Grammar([], used_patterns(named, None)), Pool(), random.Random(0))
    texts = [text for text in (writer.text() for _ in range(300)) if text.startswith("http")]
    assert len([text for text in texts if "://example.org/" in text]) > 0.6 * len(texts) > 10
    assert {text[-4] for text in texts} > {"."}
