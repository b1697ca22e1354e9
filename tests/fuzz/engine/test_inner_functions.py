"""What functions inside of a function, keys of sorting and loops over written lists do with the parts of arguments."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import itertools


def ranked(players, round_number):
    def strength(player):
        return player["wins"] * 3 + player["draws"] - player["fouls"] / (round_number + 1)

    return [player["name"] for player in sorted(players, key=strength, reverse=True)]


def by_street(houses):
    def street_of(house):
        return house["street"].lower()

    return {street: len(list(group)) for street, group in itertools.groupby(sorted(houses, key=street_of), street_of)}


def heavy(parcels, limit):
    def is_heavy(parcel):
        return parcel.weight * parcel.count >= limit

    return list(map(lambda parcel: parcel.label, filter(is_heavy, parcels)))


def scores(games):
    table = {}
    for one, two, ours, theirs in games:
        for team, made, lost in ((one, ours, theirs), (two, theirs, ours)):
            row = table.setdefault(team, [0, 0])
            row[0] += made > lost
            row[1] += made - lost
    return sorted(table, key=lambda team: (-table[team][0], -table[team][1]))


def reachable(links, start):
    found, waiting = [start], [start]
    while waiting:
        for other in links.get(waiting.pop(), ()):
            if other not in found:
                found.append(other)
                waiting.append(other)
    return found


def trips(plan, moment):
    if plan.get("hours") and moment.hour not in plan["hours"]:
        return "closed"
    return "open"
"""

MISTAKES = [
    ("ranked", 'player["wins"] * 3', 'player["wins"] * 2'),
    ("by_street", 'house["street"].lower()', 'house["street"]'),
    ("heavy", ">= limit", "> limit"),
    ("scores", "-table[team][1])", "table[team][1])"),
    ("reachable", "waiting.append(other)", "pass"),
    ("trips", 'not in plan["hours"]', 'not in plan["hours"][:1]'),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_in_what_is_done_with_parts(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=6000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "ranked",
            "sorted(players, key=strength, reverse=True)",
            "sorted(list(players), key=lambda one: strength(one), reverse=True)",
        ),
        (
            "heavy",
            "list(map(lambda parcel: parcel.label, filter(is_heavy, parcels)))",
            "[one.label for one in parcels if is_heavy(one)]",
        ),
        ("scores", "row[0] += made > lost", "row[0] += int(lost < made)"),
    ],
)
def test_the_same_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
