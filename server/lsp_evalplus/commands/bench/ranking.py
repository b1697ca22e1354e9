"""``lsp-evalplus bench leaderboard``, and ``bench compare`` of more than two result files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.ranking.board import (
    LEGEND,
    Bootstrap,
    domain_table,
    rank,
    read_runs,
    standing_table,
    task_table,
)
from lsp_evalplus.bench.ranking.publish import to_results
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.page import to_page

from .run import Display


def rank_files(
    paths: Sequence[Path], form: str, bootstrap: Bootstrap | None = None, output_dir: Path | None = None
) -> None:
    """Show the runs of result files in order; with a bootstrap also their Elo ratings and the hardest tasks."""
    show = Display(TableFormat(form))
    board = rank(*read_runs(paths), bootstrap)
    for note in board.notes:
        show.note(note)
    show.table(standing_table(board))
    if bootstrap is not None:
        show.table(task_table(board))
        domains, problem = domain_table(board)
        if domains is not None:
            show.table(domains)
        if problem:
            show.note(problem)
    show.note(LEGEND)
    if output_dir is not None:
        try:
            output_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{output_dir} cannot be made: {error.strerror or error}.") from error
        write_file(output_dir / "results.json", to_results(board))
        write_file(output_dir / "index.html", to_page(page_of_runs(board, "Leaderboard")))
        show.note(f"Written: {output_dir / 'index.html'} and results.json.")
