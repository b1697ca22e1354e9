"""A leaderboard as files for a web server: upstream's form of results, and a page of tables that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.bench.results.tables import Table, TableFormat, to_text

from .standing import Standing

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0 0 2rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:last-child:not(:nth-child(n + 4)) { text-align: left; }
tbody th { font-weight: 400; overflow-wrap: anywhere; }
@media print { body { max-width: none; margin: 0; } }
"""


def to_results(
    standings: Sequence[Standing], parts: Mapping[str, Mapping[str, TaskScores]], elo: Mapping[str, tuple[float, ...]]
) -> bytes:
    """The content of ``results.json``: run -> ``pass@1`` of each part in percent, and upstream's ``elo_mle``.

    Beside that its rank and tier, and the 95 % intervals of its rating.
    """
    content: dict[str, Any] = {}
    for one in standings:
        scores = {part: round(100 * (runs[one.name].mean(1) or 0.0), 1) for part, runs in parts.items()}
        content[one.name] = {"pass@1": scores, "rank": one.rank, "tier": one.tier}
        if one.name in elo:
            rating, *ends = (round(value, 1) for value in elo[one.name])
            content[one.name] |= {"elo_mle": round(rating), "elo_battles": ends[:2], "elo_tasks": ends[2:]}
    return (json.dumps(content, indent=2) + "\n").encode("ascii")


def to_page(tables: Sequence[Table]) -> bytes:
    """A page with tables, in which every cell is text; it loads nothing and runs nothing."""
    body = "\n".join(f'<div class="wide" tabindex="0">\n{to_text(table, TableFormat.HTML)}</div>' for table in tables)
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Leaderboard</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>Leaderboard</h1>
{body}
</main>
</body>
</html>
"""
    return page.encode("utf-8", "xmlcharrefreplace")
