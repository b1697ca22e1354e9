"""What a function hands to others of the project is made as those use it: parts of records, attributes, items."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
def _points(player):
    return player.wins * 3 + player.draws


def best(team):
    if not team.players:
        return 0
    return max(_points(one) for one in team.players) + team.bonus


def _head(header):
    head, *rest = header.split(";")
    return head.strip(), rest


def encoding(message):
    kind = message.get("type")
    if not kind:
        return None
    kind, _ = _head(kind)
    return "latin-1" if "text" in kind else "utf-8"


def _join(parts, sep=", "):
    return sep.join(part.strip() for part in parts)


def line(person):
    return person["name"].upper() + ": " + _join(person["roles"], sep=" / ")


class Shop:
    def __init__(self, rate: int):
        self.rate = rate

    def _price(self, item):
        return item["net"] * self.rate

    def total(self, order):
        return sum(self._price(one) for one in order["items"]) - order.get("rebate", 0)


def _walk(node, depth):
    return depth if node.child is None else _walk(node.child, depth + 1)


def height(tree):
    return _walk(tree.top, 1) if tree.top else 0


def swapped(pair):
    first, second = pair["a"], pair["b"]
    first, second = second, first
    return first.lower() + str(second * 2)


def address(options):
    chosen = dict(options)
    return chosen["host"].lower() + ":" + str(chosen["port"] + 1)


def found(entry):
    tags = entry["tags"]
    return "new" in tags
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("best", "wins * 3", "wins * 2"),
        ("encoding", '"text" in kind', '"json" in kind'),
        ("line", "part.strip()", "part"),
        ("Shop.total", 'item["net"] * self.rate', 'item["net"] + self.rate'),
        ("height", "depth + 1", "depth + 2"),
        ("swapped", "second * 2", "second * 3"),
        ("address", "+ 1", "+ 2"),
        ("found", '"new" in tags', '"news" in tags'),
    ],
)
def test_a_mistake_in_what_parts_are_used_for(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(SOURCE, SOURCE.replace(old, new), name, kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", ["best", "encoding", "line", "Shop.total", "height", "swapped", "address", "found"])
def test_the_same_again(judge: Any, name: str) -> None:
    last = name.rpartition(".")[2]
    before = f"def {last}("
    changed = SOURCE.replace(before, f"def _unused():\n{'        ' if '.' in name else '    '}return 1\n\n{before}")
    if "." in name:
        changed = SOURCE.replace("        return sum(", "        _total = 0\n        return sum(")
    report = judge(SOURCE, changed, name, kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason


def test_a_value_in_which_words_are_sought_is_a_string_or_a_dict(judge: Any) -> None:
    source = "def f(entry):\n    kind = entry['kind']\n    return 'a' if 'text' in kind else 'b'\n"
    report = judge(source, source.replace("'b'", "'c'"), kind="previous", calls=300)
    assert report.counterexample is not None
    assert report.counterexample.arguments == "({'kind': ''},)"
