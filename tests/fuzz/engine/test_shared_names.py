"""Objects that have names in common, which decide how they are grouped."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from dataclasses import dataclass, field


@dataclass
class Song:
    key: str
    title: str
    singers: list[str] = field(default_factory=list)
    year: int = 0


class Charts:
    def __init__(self, songs: list[Song]) -> None:
        self._songs: dict[str, Song] = {}
        for song in songs:
            self._songs[song.key] = song

    def by_singer(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for song in self._songs.values():
            for singer in song.singers:
                found.setdefault(singer, []).append(song.title)
        return {name: sorted(titles) for name, titles in found.items()}


def oldest_by_title(songs: list[Song]) -> dict[str, int]:
    found: dict[str, int] = {}
    for song in songs:
        if song.title not in found or song.year < found[song.title]:
            found[song.title] = song.year
    return found

"""


@pytest.mark.parametrize(
    ("name", "old", "new", "calls"),
    [
        ("Charts.by_singer", "sorted(titles)", "titles", 700),
        ("Charts.by_singer", "found.setdefault(singer, []).append(song.title)", "found[singer] = [song.title]", 700),
        ("oldest_by_title", "song.year < found", "song.year > found", 200),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str, calls: int) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=calls, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Charts.by_singer", "sorted(titles)", "sorted(list(titles))"),
        ("oldest_by_title", "found[song.title] = song.year", "found.update({song.title: song.year})"),
    ],
)
def test_a_refactoring(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason
