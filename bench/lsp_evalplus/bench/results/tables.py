"""Tables of results as values, and their four forms: terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

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
    """How a table is written."""

    RICH = "rich"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; the first column names the row, the others are set to the right."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def to_text(table: Table, form: TableFormat) -> str:
    """The table in one of the plain forms, with a newline at its end. Raises `ValueError` for `TableFormat.RICH`."""
    writers = {TableFormat.MARKDOWN: _to_markdown, TableFormat.LATEX: _to_latex, TableFormat.CSV: _to_csv}
    if form not in writers:
        raise ValueError(f"{form} is not a plain form")
    return writers[form](table)


def to_rich(table: Table) -> RichTable:
    """The table for a terminal."""
    from rich.table import Table as RichTable
    from rich.text import Text

    result = RichTable(title=Text(table.title, style="table.title"), title_justify="left")
    for place, name in enumerate(table.header):
        result.add_column(Text(name), justify="right" if place else "left")
    for row in table.rows:
        result.add_row(*[Text(cell) for cell in row])
    return result


def _on_one_line(text: str) -> str:
    """A name that has line ends in it would end a row, or a title that is a comment."""
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
                r"  \hline",
                line(table.header),
                r"  \hline",
                *map(line, table.rows),
                r"  \hline",
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


def percent(share: float) -> str:
    """A share of one as a percentage with one decimal."""
    return f"{100 * share:.1f}"


def interval(low: float, high: float) -> str:
    """A confidence interval in percent."""
    return f"{percent(low)}-{percent(high)}"


def wide(rows: Sequence[Mapping[str, str]], title: str) -> Table:
    """A table from records that share their keys, which become the header."""
    header = list(rows[0]) if rows else []
    return Table(title, header, [[row[name] for name in header] for row in rows])
