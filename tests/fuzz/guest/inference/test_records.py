"""Records that are passed as dicts, read off what a function looks up in them."""

from __future__ import annotations

import ast
import random
import sys
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.mutation import Mutator
from lsp_evalplus.fuzz.guest.generation.random_values import Maker
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint
from lsp_evalplus.fuzz.guest.inference.evidence import with_records
from lsp_evalplus.fuzz.guest.inference.records.shapes import uses_in
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.shapes import (
    ANY,
    AnyShape,
    DictShape,
    FieldsShape,
    ListShape,
    Shape,
    StrShape,
    UnionShape,
)


def read(source: str, other: str = "", hint: Any = None) -> Shape:
    functions = [ast.parse(text).body[0] for text in (source, other or source)]
    assert all(isinstance(one, ast.FunctionDef) for one in functions)
    uses = uses_in(*functions)  # type: ignore[arg-type]
    return with_records(ANY if hint is None else shape_of_hint(hint), uses["x"])


CASES = {
    "lookups": ("return x['a'] * 2", "{'a': 1}", "{'a': ''}"),
    "a key that may be missing": ("return x.get('a', 'n')", "{}", "{'a': 1}"),
    "a key that is asked for": ("return x['a'] if 'a' in x else ''", "{}", "{'a': 1}"),
    "a list of records": ("return [y['a'].lower() for y in x]", "[{'a': 'B'}, {'a': ''}]", "[{}]"),
    "a loop with a number": ("for i, y in enumerate(x):\n  y['a']", "[{'a': 'b'}]", "['b']"),
    "a list inside": ("return sum(y['b'] * y['c'] for y in x['a'])", "{'a': [{'b': 1, 'c': 2.5}]}", "{'a': ['']}"),
    "a mapping inside": ("return x['a'].get(n, 0) + x['a'][n] - 1", "{'a': {'k': 1}}", "{'a': []}"),
    "an order": ("return sorted(x, key=lambda y: y['a'] - 1)", "[{'a': 1}, {'a': 0}]", "[{'b': 1}]"),
    "a tree": ("return 1 + sum(f(y) for y in x['a'])", "{'a': [{'a': []}, {'a': [{'a': []}]}]}", "{'a': [1]}"),
    "a truth": ("return [1 for y in x if y['a'] and not y['b']]", "[{'a': True, 'b': False}]", "[{'a': 'b'}]"),
    "a sum of texts": ("return 'a' + ', ' + x['a']", "{'a': ''}", "{'a': 1}"),
    "a sum that begins at nothing": ("n = 0\n for y in x: n += y['a']", "[{'a': 1}]", "[{'a': ''}]"),
    "a sum by key": ("for y in x: n[y['k']] += y['a']", "[{'k': '', 'a': 1}]", "[{'k': 1, 'a': 1}]"),
    "a comparison": ("return x['a'] in ('b', 'c') or x['n'] >= 300", "{'a': 'c', 'n': 300}", "{'a': 1, 'n': 'b'}"),
    "items that are unpacked": ("return [y * k.lower() for k, y in x]", "[('', 1)]", "[(1, 1)]"),
    "items without a use": ("return [z for z, y, x in x]", "[(1, b'', 'a')]", "[(1, 2)]"),
    "items inside of items": ("return [z for z, (y, k), x in x]", "[(1, (b'', 2), 'a')]", "[(1, b'', 'a')]"),
    "a sum of bytes": ("for t, b in x: n += h(t) + b + b'x' * t", "[(1, b'a')]", "[(1, 'a')]"),
    "names": ("return [y.__name__ for y in x]", "[len]", "['len']"),
    "what holds if another does": ("k = n and x['k'] or None\n return k in ('b', 'c')", "{'k': 'c'}", "{'k': 1}"),
    "what a condition gives": ("k = x['k'] if n else None\n return k == 'b'", "{'k': 'b'}", "{'k': 1}"),
    "what is handed on": ("out = []\n out.append(x)\n return x['a']", "{'a': '', 'other': 1}", "{'other': 1}"),
}


def read_and_tried(source: str, accepted: str, refused: str) -> Shape:
    """The shape of a function's parameter, which accepts one value and refuses another."""
    shape = read(source)

    assert shape.accepts(from_text(accepted)), shape.key()
    assert not shape.accepts(from_text(refused)), shape.key()
    return shape


@pytest.mark.parametrize("name", CASES)
def test_records(name: str) -> None:
    body, accepted, refused = CASES[name]
    shape = read_and_tried(f"def f(x, n=None):\n {body}", accepted, refused)

    maker = Maker(Mutator(Pool(), random.Random(1)))
    assert all(shape.accepts(maker.value(shape)) for _ in range(50))


PATTERNS = {
    "keys": ("case {'k': 'click', 'n': n}: return n + 1", "{'k': 'click', 'n': 1}", "{'n': ''}"),
    "classes": ("case {'k': str(k), 'n': int()}: return k", "{'k': 'a', 'n': 1}", "{'n': 'a'}"),
    "items": ("case ['go', w]: return w.upper()\n  case [_, w, n]: return w * n", "('go', 'a')", "('go',)"),
    "alternatives": ("case {'k': 'a' | 'b' as k}: return k", "{'k': 'b'}", "{'k': 1}"),
    "first items": ("case [{'k': k}, *_]: return k", "[{'k': 'b'}]", "['b']"),
}


@pytest.mark.skipif(sys.version_info < (3, 10), reason="there are no match statements")
@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name: str) -> None:
    cases, accepted, refused = PATTERNS[name]
    read_and_tried(f"def f(x):\n match x:\n  {cases}", accepted, refused)


@pytest.mark.parametrize(
    "source",
    ["def f(x): return x[0]", "def f(x): return x[n]['a']['b'][0](x) if n else len(x)", "def f(x): return x.a['b']"],
)
def test_what_is_no_record(source: str) -> None:
    shape = read(source)

    assert shape.kind in (AnyShape, ListShape, UnionShape), shape.key()


def test_annotations_stay_where_they_say_more() -> None:
    source = "def f(x): return x['a']"

    assert read(source, hint=dict[int, int]).kind is DictShape
    assert read(source, hint=dict[str, list[int]]).kind is DictShape
    assert read(source, hint=str).kind is StrShape
    assert read(source, hint=dict[str, Any]).kind is FieldsShape
    assert read(source, hint=Any).alternatives[0].kind is FieldsShape
    assert read("def f(x): return x['a'], list(x.items())", hint=dict).kind is UnionShape


def test_values_of_looked_up_keys_have_the_type_that_is_stated() -> None:
    source = "def f(x): return int(x['a']) + len(x.get('b') or ''), x['c'] * 2"
    shape = read(source, hint=dict[str, str])

    assert shape.accepts(from_text("{'a': '12', 'b': '', 'c': 'd'}"))
    assert not shape.accepts(from_text("{'a': 12, 'b': '', 'c': 'd'}"))
    assert not shape.accepts(from_text("{'a': 'b', 'c': 'd'}"))
    assert read("def f(x): return x['a'], list(x.items())", hint=dict[str, int]).kind is UnionShape


def test_keys_of_the_candidate_are_no_duty() -> None:
    shape = read("def f(x): return x['a']", "def f(x): return x['a'] + x['b']")

    assert shape.accepts(from_text("{'a': 'b'}"))
    assert shape.accepts(from_text("{'a': 'b', 'b': 'c'}"))


@pytest.mark.parametrize("condition", ["y['a'] == 'percent'", "y['a'] in ('fixed', 'percent')"])
def test_texts_that_a_value_is_compared_with_come_often(condition: str) -> None:
    shape = read(f"def f(x): return [1 for y in x if {condition}]")
    maker = Maker(Mutator(Pool(), random.Random(1)))

    found = [record["a"] for _ in range(50) for record in maker.value(shape)]

    assert found.count("percent") >= len(found) / 10
    assert shape.accepts([{"a": "neither"}])


@pytest.mark.parametrize(
    ("body", "is_record"),
    [
        ("if 'ab' in x:\n  return x.replace('a', 'b')\n return x", False),
        ("return 'ab' in x or any(c.isdigit() for c in x)", False),
        ("return '<' in x or '>' in x", False),
        ("for k in x:\n  k.strip()\n return 'a' in x and x['a']", True),
        ("return 'ab' in x and any(n(c) for c in x)", True),
        ("return 'a' in x and any(k.isdigit() for k in x.keys())", True),
    ],
)
def test_texts_in_which_strings_are_sought(body: str, *, is_record: bool) -> None:
    """A string that is sought by ``in`` is a key of a mapping, unless other uses, or punctuation, speak for a text."""
    shape = read(f"def f(x):\n {body}")
    assert isinstance(shape, FieldsShape) is is_record
