"""Values of mappings that code asks for their classes, as it does with what it has read from JSON."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
from typing import Any

def total(data):
    found = 0
    for value in data.values():
        if isinstance(value, dict):
            found += total(value)
        elif isinstance(value, (list, tuple)):
            found += sum(1 for one in value if one)
        elif isinstance(value, str):
            found += len(value)
    return found

def flatten(data, prefix=""):
    found = {}
    for key, value in data.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, list):
            for at, one in enumerate(value):
                found.update(flatten({str(at): one}, name))
        else:
            found[name] = value
    return found

def cleaned(data: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in data.items():
        if isinstance(value, dict):
            found[key] = cleaned(value)
        elif value is not None:
            found[key] = value
    return found

def walk(node):
    if isinstance(node, dict):
        return {key: walk(value) for key, value in node.items()}
    return [walk(one) for one in node] if isinstance(node, list) else str(node)

def assigned(values, names: list[str]):
    found = {name: [] for name in names}
    for name in values:
        if name != "__dummy":
            found[name].append(values[name])
    return found

def ordered(sizes):
    return [(name, sizes[name]) for name in sorted(sizes.keys()) if name != "total"]

def longest(table):
    return max((len(row["name"]) for row in table.values()), default=0)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "if one)", "if not one)"),
        ("total", "found += total(value)", "found += 1"),
        ("flatten", "enumerate(value)", "enumerate(value, 1)"),
        ("assigned", "append(values[name])", "append(values[name])\n            break"),
        ("ordered", "(name, sizes[name])", "(name, name)"),
        ("cleaned", "found[key] = cleaned(value)", "found[key] = value"),
        ("walk", "walk(one) for one", "one for one"),
        ("longest", "default=0", "default=1"),
        ("longest", 'len(row["name"])', 'len(row["name"]) + 1'),
    ],
)
def test_values_have_the_classes_that_code_asks_for(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_is_read_otherwise_agrees(judge: Any) -> None:
    changed = TEXT.replace("(list, tuple)):", "list) or isinstance(value, tuple):")
    report = judge(TEXT, changed, "total", kind="previous", calls=600)
    assert report.verdict is Verdict.AGREES, report.reason


NESTED = """
def nearest(graph, start):
    reached = {}
    for other, weight in graph.get(start, {}).items():
        if weight < 0:
            raise ValueError("a negative weight")
        reached[other] = weight
    return sorted(reached, key=lambda one: (reached[one], one))

def expanded(text, known):
    def value(name):
        found = known.get(name)
        return name if found is None else str(found)
    return " ".join(value(one) for one in text.split())

def advance(state, event):
    table = {("new", "start"): "open", ("open", "close"): "done"}
    if (state, event) not in table:
        raise ValueError(f"no {event} in {state}")
    return table[state, event]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("nearest", "weight < 0", "weight <= 0"),
        ("expanded", "str(found)", 'str(found) + "."'),
        ("advance", '"done"', '"closed"'),
    ],
)
def test_mappings_by_the_keys_that_other_arguments_are(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(NESTED, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason


DEFAULTS = """
import enum

MISSING = object()

class Mode(enum.Enum):
    SHORT = 1
    LONG = 2

def looked_up(data, key, default=MISSING, mark="!"):
    try:
        return data[key]
    except (KeyError, IndexError, TypeError):
        if default is MISSING:
            raise KeyError(key) from None
        return default

def written(text, mode=Mode.SHORT, mark="."):
    return (text[:3] if mode is Mode.SHORT else text) + mark

def reduced(total, coupon=None):
    if coupon is not None:
        kind, value = coupon
        if kind == "amount":
            return max(0, total - value)
        raise ValueError(kind)
    return total

def counted(words, stop=frozenset()):
    return sum(1 for word in words if word.lower() not in stop)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        pytest.param("looked_up", "return default", "return None", "looked_up(", id="sentinel"),
        pytest.param("written", "else text)", "else text.upper())", "Mode.LONG", id="enumeration"),
        pytest.param("written", "+ mark", '+ "."', "Mode.", id="behind it"),
        pytest.param("reduced", "max(0, total - value)", "total - value", "'amount'", id="unpacked"),
        pytest.param("counted", "word.lower() not in", "word not in", "{", id="items of a set"),
    ],
)
def test_defaults_with_names_and_what_is_unpacked(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(DEFAULTS, name, old, new, calls=2500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert shown in report.counterexample.call


def test_defaults_with_names_stay_where_nothing_differs(judge: Any) -> None:
    for name in ("looked_up", "written"):
        report = judge(DEFAULTS, DEFAULTS.replace("text[:3]", "text[0:3]"), name, kind="previous", calls=300)
        assert report.verdict is Verdict.AGREES, report.reason


TABLES = """
def grouped(rows, field, total=None):
    found = {}
    for row in rows:
        found.setdefault(row[field], []).append(row if total is None else row[total])
    return found

def ranked(players, by, limit=3):
    best = sorted(players, key=lambda one: one[by], reverse=True)
    return [one[by] for one in best[:limit]]

def joined(left, right, on):
    by_key = {row[on]: row for row in right}
    return [{**row, **by_key[row[on]]} for row in left if row[on] in by_key]

def average(items, attr, default=0.0):
    values = [item.get(attr) for item in items if item.get(attr) is not None]
    return sum(values) / len(values) if values else default

def column(matrix, index):
    return [row[index] for row in matrix]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("grouped", "row[total])", "row[field])"),
        ("ranked", "reverse=True", "reverse=False"),
        ("joined", "{**row, **by_key[row[on]]}", "{**by_key[row[on]], **row}"),
        ("average", "/ len(values)", "/ len(items)"),
        ("column", "for row in matrix", "for row in matrix[1:]"),
    ],
)
def test_keys_of_records_that_other_parameters_are(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TABLES, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason
