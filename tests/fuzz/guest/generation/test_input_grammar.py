"""Texts of the form that a program reads, read off its source."""

from __future__ import annotations

import ast
import json
import random
import re

import pytest

from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.input_grammar import Grammar, Writer
from lsp_evalplus.fuzz.guest.generation.regex_sampler import Sampler
from lsp_evalplus.fuzz.guest.program.source_facts import find_function
from lsp_evalplus.fuzz.guest.static.near_code import near_parts


def texts(source: str, count: int = 200, known: str = "") -> list[str]:
    pool = Pool()
    pool.add([4, 255])
    pool.add(known)
    writer = Writer(Grammar([source]), pool, random.Random(1))
    return [writer.text() for _ in range(count)]


PATTERNS = [
    r"#[0-9a-fA-F]{6}",
    r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?",
    r"[a-z]+(?:-[a-z]+)*",
    r"(?P<a>[A-Z]{2})\d{2,}(?P=a)",
    r"(yes|no|maybe)\s*[^,;]*",
    r"\w+@\w+\.(?:com|org)",
    r"a{2,3}?b*+" if hasattr(re, "NOFLAG") else r"a{2,3}?b*",
    r"(?i:abc)|\Z",
    r".\S\D",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_samples_match(pattern: str) -> None:
    sampler = Sampler.of(pattern)
    assert sampler is not None
    rng = random.Random(3)
    found = {sampler.sample(rng, lambda: str(rng.randrange(300))) for _ in range(200)}
    assert all(re.fullmatch(pattern, text) for text in found), found
    assert len(found) > 1


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a>", "(" * 5000])
def test_what_is_no_pattern_has_no_sampler(pattern: str) -> None:
    assert Sampler.of(pattern) is None


def test_parts_between_separators() -> None:
    found = texts("def f(x): return [p.split('=') for p in x.split(';')]")
    assert any(re.fullmatch(r"[^=;]*=[^=;]*;[^=;]*=[^=;]*", text) for text in found)
    assert any(text.count(";") == 3 for text in texts("def f(x): return x.split(';')"))


def test_lines_between_affixes() -> None:
    source = "def f(x):\n    return [line.strip('|').split('|') for line in x.splitlines()]"
    found = texts(source)
    assert any(re.fullmatch(r"\|[^|\n]*\|[^|\n]*\|\n.*", text, re.DOTALL) for text in found)
    assert any(text.count("\n") > 1 and len(set(text.split("\n"))) < len(text.split("\n")) for text in found)


def test_separators_of_tables() -> None:
    found = texts("import csv\ndef f(x): return list(csv.reader(x, delimiter=';'))")
    assert any(re.fullmatch(r"[^;\n]*;[^;\n]*\n[^\n]*", text) for text in found)


def test_several_matches_as_a_tokenizer_reads_them() -> None:
    found = texts("import re\nTOKEN = re.compile(r'[0-9]+|[-+*]')\ndef f(x): return TOKEN.findall(x)")
    assert any(re.fullmatch(r"[0-9]+ ?[-+*] ?[0-9]+", text) for text in found)


def test_matches_inside_of_what_a_pattern_leaves_open() -> None:
    source = "import re\ndef f(x): return re.sub('<(.*?)>', lambda m: re.match('[A-Z]{3}', m[1])[0], x)"
    assert any(re.search("<[A-Z]{3}>", text) for text in texts(source))


def test_as_many_parts_as_are_asked_for() -> None:
    for source in (
        "def f(x):\n    parts = x.split()\n    if len(parts) != 7: raise ValueError\n    return parts",
        "def f(x):\n    a, b, c, d, e, f, g = x.split(' ')\n    return a",
    ):
        assert sum(text.count(" ") == 6 for text in texts(source)) > 30


def test_what_is_split_first_is_outside() -> None:
    found = texts(
        "def f(x):\n    for row in x.split('|'):\n        for cell in row.split('.'):\n            yield cell"
    )
    assert sum("|" in text for text in found) > len(found) / 2


def test_near_code_decides_most_strings() -> None:
    source = (
        "import json\nSEPARATOR = '#'\n"
        "def far(x): return json.loads(x)\n"
        "def part(x): return x.split('#')\n"
        "class C:\n    def own(self, x): return [self._cut(one) for one in part(x)]\n"
        "    def _cut(self, x): return x.partition('~')\n"
    )
    tree = ast.parse(source)
    near = near_parts(tree, find_function(tree, "C.own"))
    grammar = Grammar([source], (), near)
    writer = Writer(grammar, Pool(), random.Random(1))

    assert sorted(getattr(one, "name", "") for one in near) == ["_cut", "own", "part"]
    assert grammar.near is not None
    assert not grammar.near.is_json
    assert sum("#" in text or "~" in text for text in (writer.text() for _ in range(200))) > 100


def test_words_that_were_taken_are_put_together() -> None:
    writer = Writer(Grammar(["def f(x):\n    return [KNOWN[word] for word in x.split(' ')]"]), Pool(), random.Random(1))
    for row in (("up",), ("down up",), (7, ["left"]), ("right" * 100,)):
        writer.learn(row)
    texts = {writer.text() for _ in range(600)}

    assert {"down up down", "up up", "down down up"} <= texts
    assert not any("left" in text or "right" in text for text in texts)


def test_json_with_the_keys_that_are_looked_up() -> None:
    found = [json.loads(text) for text in texts("import json\ndef f(x): return json.loads(x).get('cpu', 1)")]
    for value in (0, None, ""):
        assert {"cpu": value} in found


def test_dates_in_the_format_of_the_program() -> None:
    found = texts("from datetime import datetime\ndef f(x): return datetime.strptime(x, '%Y-%m-%d')")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in found)


def test_what_functions_of_the_library_read() -> None:
    assert "::1" in texts("import ipaddress\ndef f(x): return ipaddress.ip_address(x)")


@pytest.mark.parametrize("source", ["def f(x): return x + 1", "def f(x", ""])
def test_most_programs_read_no_texts(source: str) -> None:
    assert Grammar([source]).is_silent()


def test_texts_of_the_length_that_is_asked_for() -> None:
    found = texts("def f(x):\n    if len(x) != 12 or not x.startswith('+1'): raise ValueError", known="+1")
    assert sum(len(text) == 12 for text in found) > 150
    assert any(re.fullmatch(r"\+1[0-9]{10}", text) for text in found)
    assert {10, 13} <= {len(text) for text in texts("def f(x): return len(x) in (10, 13)")}


@pytest.mark.parametrize("source", ["len(x) > 3", "len(x) < 100", "len(x) == n", "size(x) == 12", "len(x) == True"])
def test_lengths_that_say_little(source: str) -> None:
    assert Grammar([source]).is_silent()


def test_words_and_dates_in_matches() -> None:
    """Words that consist of the characters of a class, and dates that exist, in most strings that match."""
    sampler, rng = Sampler.of(r"(\d{4})-(\d{2})-(\d{2}) \d\d:\d\d [A-Z_]+ [^a]+ \d{8}"), random.Random(1)
    assert sampler is not None
    found = [sampler.sample(rng, lambda: "39", words=["BIG_ONE", "small", "x1"]) for _ in range(200)]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d [A-Z_]+ [^a]+ \d{8}", one) for one in found)
    assert sum("BIG_ONE" in one for one in found) > 50
    assert not any("small" in one or "x1" in one for one in found)
    assert sum(1 <= int(one[5:7]) <= 12 and 1 <= int(one[8:10]) <= 28 and int(one[11:13]) < 24 for one in found) > 100
