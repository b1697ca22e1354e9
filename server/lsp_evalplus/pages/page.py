"""A page: sections of prose, charts and tables in one HTML file.

Each chart has its table behind it, so that nothing is said by a picture alone. The charts are drawn by one script that
the page holds itself. The page's content security policy allows that script, by its hash, and nothing else: no network,
no other script, no form. What programs and people named arrives as text, or as JSON that the script shows as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from .table import Table, escape, to_html

_ASSETS = resources.files("lsp_evalplus.pages").joinpath("assets")
SCRIPT = "charts.js"
"""Built from pages-client/ when the package is built, which needs Node; a package without it makes pages of tables."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, in words and as the script takes it."""

    label: str
    """What it shows, in one sentence: its caption, and what a screen reader says of it."""
    data: Mapping[str, Any]
    """One of the kinds of pages-client/src/data.ts."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    id: str
    title: str
    text: Sequence[str] = ()
    """Paragraphs."""
    chart: Chart | None = None
    table: Table | None = None
    """The chart's values."""
    is_open: bool = False
    """Whether the table is shown beside its chart, and not folded up."""
    markup: str = ""
    """HTML made by `escape` and `to_html`, at the end."""


@dataclass(frozen=True, slots=True)
class Page:
    """All of a page."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    failures: Sequence[Mapping[str, Any]] = field(default_factory=tuple[Mapping[str, Any], ...])
    """Programs for the element with the id ``failures``, as in pages-client/src/data.ts."""


@cache
def script() -> str | None:
    """Return the script that draws charts; None where the package was built without Node."""
    found = _ASSETS.joinpath(SCRIPT)
    return found.read_text("utf-8") if found.is_file() else None


def to_page(page: Page) -> bytes:
    """Render a page. The same page gives the same bytes."""
    drawn = script()
    charts = {section.id: section.chart for section in page.sections if section.chart is not None}
    data = json.dumps(
        {"charts": {f"chart-{name}": chart.data for name, chart in charts.items()}, "failures": page.failures}
    )
    held = data.replace("<", "\\u003c")  # Nothing in it ends the element that holds it.
    links = "\n".join(f'<li><a href="#{escape(item.id)}">{escape(item.title)}</a></li>' for item in page.sections)
    body = "\n".join(_section(item, has_script=drawn is not None) for item in page.sections)
    scripts = ""
    if drawn is not None:
        licences = _ASSETS.joinpath("charts.licenses.txt").read_text("utf-8").replace("<", "&lt;")
        scripts = (
            f'<script type="application/json" id="page-data">{held}</script>\n'
            f'<script type="text/plain" id="licences">\n{licences}</script>\n<script>{drawn}</script>'
        )
    elif charts:
        body = (
            f'<p class="note">Tables only: this lsp-evalplus was built without Node, which its charts need.</p>\n{body}'
        )
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_policy(drawn)}">
<meta name="color-scheme" content="light dark">
<title>{escape(page.title)}</title>
<style>
{_ASSETS.joinpath("page.css").read_text("utf-8")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
<h1>{escape(page.title)}</h1>
<p>{escape(page.subtitle)}</p>
</header>
<nav aria-label="Sections"><ul>
{links}
</ul></nav>
<main id="main" tabindex="-1">
{body}
</main>
<footer>Made by lsp-evalplus; charts by Observable Plot (ISC).</footer>
{scripts}
</body>
</html>
"""
    return text.encode("utf-8")


def _policy(drawn: str | None) -> str:
    allowed = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    if drawn is None:
        return allowed
    digest = base64.b64encode(hashlib.sha256(drawn.encode("utf-8")).digest()).decode("ascii")
    return f"{allowed}; img-src data:; script-src 'sha256-{digest}'"


def _section(section: Section, *, has_script: bool) -> str:
    parts = [f'<section id="{escape(section.id)}">', f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(text)}</p>" for text in section.text]
    drawn = section.chart is not None and has_script
    if section.chart is not None and drawn:
        label = escape(section.chart.label)
        parts.append(
            f'<figure id="chart-{escape(section.id)}" data-label="{label}" tabindex="0">'
            f"<figcaption>{label}</figcaption></figure>"
        )
    if section.table is not None:
        title = escape(section.table.title)
        attributes = f'class="wide" tabindex="0" role="region" aria-label="{title}"'
        table = f"<div {attributes}>\n{to_html(section.table)}</div>"
        mark = " open" if section.is_open else ""
        parts.append(f"<details{mark}><summary>As a table</summary>\n{table}</details>" if drawn else table)
    return "\n".join([*parts, section.markup, "</section>"])
