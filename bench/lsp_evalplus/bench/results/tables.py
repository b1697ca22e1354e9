"""Tables of results as values, rendered for the terminal or as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from lsp_evalplus.pages.table import Table, to_html

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


class TableFormat(StrEnum):
    """The output format of a table."""

    RICH = "rich"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


def to_text(table: Table, form: TableFormat) -> str:
    """Render the table in a plain format, with a final newline. Raises `ValueError` for `TableFormat.RICH`.

    JSON is one object on one line, so that several tables are JSON lines; LaTeX needs the package booktabs.
    """
    writers = {
        TableFormat.MARKDOWN: _to_markdown,
        TableFormat.LATEX: _to_latex,
        TableFormat.CSV: _to_csv,
        TableFormat.JSON: _to_json,
        TableFormat.HTML: to_html,
    }
    if form not in writers:
        raise ValueError(f"{form} is not a plain form")
    return writers[form](table)


def to_rich(table: Table, width: int | None = None) -> tuple[RichTable, list[str]]:
    """Render the table for a terminal of `width` characters; returns it and the columns that had no room.

    No number is cut, and no name: names go on in the next line. For them, spare columns are left out.
    """
    from rich.table import Table as RichTable
    from rich.text import Text

    kept = list(range(len(table.header)))
    widths = {place: _width_of(table, place) for place in kept}
    left_out: list[str] = []
    if width is not None and _total(widths, kept) > width:
        widths = {place: _narrow(table, place) for place in kept}
        for name in table.spare:
            if _total(widths, kept) <= width:
                break
            kept.remove(table.header.index(name))
            left_out.append(name)
    fits = width is None or _total(widths, kept) <= width
    result = RichTable(title=Text(table.title, style="table.title"), title_justify="left")
    for place in kept:
        long = widths[place] > _SHORT
        result.add_column(
            Text(table.header[place]),
            justify="right" if place else "left",
            overflow="fold",
            min_width=None if fits or long else widths[place],
        )
    for row in table.rows:
        result.add_row(*[Text(row[place]) for place in kept])
    return result, left_out


_SHORT = 16
"""Characters of a cell that is not broken."""
_LEAST_NAME = 30
"""Characters of a line of names in a narrow terminal, if all else can be left out for it."""
_BORDER = 3
"""Of a cell: a line, and a space on each side."""


def _total(widths: Mapping[int, int], kept: Sequence[int]) -> int:
    return sum(widths[place] + _BORDER for place in kept) + 1


def _width_of(table: Table, place: int) -> int:
    from rich.cells import cell_len

    cells = [table.header[place], *[row[place] for row in table.rows]]
    return max(cell_len(line) for cell in cells for line in (cell.splitlines() or [""]))


def _narrow(table: Table, place: int) -> int:
    """The width of a column whose header and names go on in further lines."""
    from rich.cells import cell_len

    words = max((cell_len(word) for word in table.header[place].split()), default=0)
    longest = max((cell_len(row[place]) for row in table.rows), default=0)
    return max(words, longest if place and longest <= _SHORT else min(longest, _LEAST_NAME))


def _on_one_line(text: str) -> str:
    """Replace line ends with spaces: they would end a table row, or a comment with the title."""
    return " ".join(text.splitlines())


def _to_markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_on_one_line(cell).replace("|", "\\|") for cell in cells) + " |"

    rule = "| --- |" + " ---: |" * (len(table.header) - 1)
    return "\n".join([f"**{_on_one_line(table.title)}**", "", line(table.header), rule, *map(line, table.rows)]) + "\n"


def _to_latex(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "  " + " & ".join(_on_one_line(cell).translate(_LATEX) for cell in cells) + r" \\"

    columns = "l" + "r" * (len(table.header) - 1)
    return (
        "\n".join(
            [
                f"% {_on_one_line(table.title)}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"  \toprule",
                line(table.header),
                r"  \midrule",
                *map(line, table.rows),
                r"  \bottomrule",
                r"\end{tabular}",
            ]
        )
        + "\n"
    )


def _to_csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return text.getvalue()


def _to_json(table: Table) -> str:
    rows = [dict(zip(table.header, row)) for row in table.rows]
    return json.dumps({"title": table.title, "rows": rows}) + "\n"


def percent(share: float) -> str:
    """Format a fraction as a percentage with one decimal."""
    return f"{100 * share:.1f}"


def interval(low: float, high: float) -> str:
    """Format a confidence interval in percent."""
    return f"{percent(low)}-{percent(high)}"


def wide(rows: Sequence[Mapping[str, str]], title: str) -> Table:
    """Build a table from records with the same keys, which become the header."""
    header = list(rows[0]) if rows else []
    return Table(title, header, [[row[name] for name in header] for row in rows])
