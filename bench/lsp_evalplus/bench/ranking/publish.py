"""A leaderboard's results in upstream's form."""

from __future__ import annotations

import json
from typing import Any

from .board import Board
from .facts import to_record
from .published import PublishedBoard, published_results


def to_results(board: Board) -> bytes:
    """The content of ``results.json``: run -> ``pass@1`` of each part in percent, and upstream's ``elo_mle``.

    Beside that its rank and tier, its exact rating with two 95 % intervals, and what --models says of it.
    """
    content: dict[str, Any] = {}
    for one in board.standings:
        scores = {part: round(100 * (runs[one.name].mean(1) or 0.0), 1) for part, runs in board.parts.items()}
        facts = to_record(board.facts[one.name]) if one.name in board.facts else {}
        content[one.name] = {**facts, "pass@1": scores, "rank": one.rank, "tier": one.tier}
        if one.name in board.elo:
            rating, *ends = (round(value, 2) for value in board.elo[one.name])
            content[one.name] |= {
                "elo_mle": round(rating),
                "elo": rating,
                "elo_battles": ends[:2],
                "elo_tasks": ends[2:],
            }
    return _to_json(content)


def to_published_results(board: PublishedBoard) -> bytes:
    """The content of ``results.json`` of a published leaderboard."""
    return _to_json(published_results(board))


def _to_json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode("ascii")
