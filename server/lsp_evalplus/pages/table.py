"""Tables of text cells, as values and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_UNSEEN = (
    *range(32),
    *range(0x7F, 0xA0),
    *(0xAD, 0x61C, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
)
"""Characters that nobody sees, that turn the text around them, or that no HTML text may hold."""
_CONTROLS = {code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" for code in _UNSEEN if chr(code) not in "\t\n"}
"""These as Python writes them."""


_SHORT = 24
"""Characters of cells that a page does not break, if all of a table are short."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as strings; the first column names the row, the others are right-aligned."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """On a page: name of a row -> what its name leads to, an id of that page."""
    urls: Mapping[str, str] = field(default_factory=dict[str, str])
    """On a page: name of a row -> an address that its name leads to."""
    spare: Sequence[str] = ()
    """Columns that a narrow terminal may leave out, the first one first."""


def escape(text: str) -> str:
    """Return HTML that shows exactly this text: markup, lone surrogates and characters that nobody sees are shown."""
    return html.escape(text.translate(_CONTROLS).encode("utf-8", "backslashreplace").decode())


def to_html(table: Table) -> str:
    """Render the table as an HTML element, with a final newline."""

    def line(cells: Sequence[str], tag: str, scope: str) -> str:
        first = f'<th scope="{scope}">{_named(cells[0], table)}</th>' if cells and cells[0] else "<td></td>"
        rest = "".join(f"<{tag}>{escape(cell)}</{tag.split()[0]}>" for cell in cells[1:])
        return f"  <tr>{first}{rest}</tr>"

    is_short = all(len(cell) <= _SHORT for row in table.rows for cell in row[1:])
    head = line(table.header, 'th scope="col"', "col")
    return "\n".join(
        [
            f'<table class="{"short" if is_short else "long"}">',
            f"  <caption>{escape(table.title)}</caption>",
            f"  <thead>{head.strip()}</thead>",
            "  <tbody>",
            *[f"  {line(row, 'td', 'row')}" for row in table.rows],
            "  </tbody>",
            "</table>\n",
        ]
    )


def _named(cell: str, table: Table) -> str:
    if cell in table.links:
        return f'<a href="#{escape(table.links[cell])}" data-task="{escape(cell)}">{escape(cell)}</a>'
    if table.urls.get(cell, "").startswith(("https://", "http://")):
        return f'<a href="{escape(table.urls[cell])}" rel="noreferrer">{escape(cell)}</a>'
    return escape(cell)
