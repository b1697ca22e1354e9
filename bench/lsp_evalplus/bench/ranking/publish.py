"""A leaderboard's results in upstream's form."""

from __future__ import annotations

import json
from typing import Any

from .board import Board


def to_results(board: Board) -> bytes:
    """The content of ``results.json``: run -> ``pass@1`` of each part in percent, and upstream's ``elo_mle``.

    Beside that its rank and tier, and the 95 % intervals of its rating.
    """
    content: dict[str, Any] = {}
    for one in board.standings:
        scores = {part: round(100 * (runs[one.name].mean(1) or 0.0), 1) for part, runs in board.parts.items()}
        content[one.name] = {"pass@1": scores, "rank": one.rank, "tier": one.tier}
        if one.name in board.elo:
            rating, *ends = (round(value, 1) for value in board.elo[one.name])
            content[one.name] |= {"elo_mle": round(rating), "elo_battles": ends[:2], "elo_tasks": ends[2:]}
    return (json.dumps(content, indent=2) + "\n").encode("ascii")
