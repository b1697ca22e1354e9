"""``lsp-evalplus bench leaderboard``, and ``bench compare`` of more than two result files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.ranking.board import (
    LEGEND,
    Board,
    Bootstrap,
    domain_table,
    rank,
    standing_table,
    task_table,
)
from lsp_evalplus.bench.ranking.facts import read_facts
from lsp_evalplus.bench.ranking.publish import to_published_results, to_results
from lsp_evalplus.bench.ranking.published import PublishedBoard, published_notes, published_table
from lsp_evalplus.bench.ranking.sources import Runs, read_runs, read_sources
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.reporting.published_page import page_of_published
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.page import Page, Section, to_page

from .run import Display

_RESULTS = '<p>The same as data: <a href="results.json">results.json</a>.</p>'


def compare_many(paths: Sequence[Path], form: str) -> None:
    """Show the runs of result files in order, with tiers."""
    _show_board(rank(*read_runs(paths), None), Display(TableFormat(form)))


def rank_files(
    paths: Sequence[Path],
    form: str,
    bootstrap: Bootstrap,
    *,
    output_dir: Path | None,
    chosen: str | None,
    models: Path | None,
) -> None:
    """Show a leaderboard: of runs with Elo ratings and the hardest tasks, or one that others have published."""
    show = Display(TableFormat(form))
    found = read_sources(paths, chosen)
    if isinstance(found, PublishedBoard):
        for note in published_notes(found):
            show.note(note)
        show.table(published_table(found))
        content, page = to_published_results(found), page_of_published(found, "Leaderboard")
    else:
        board = to_board(found, bootstrap, models)
        _show_board(board, show)
        content, page = to_results(board), page_of_runs(board, "Leaderboard")
    if output_dir is not None:
        _write_folder(output_dir, content, page)
        show.note(f"Written: {output_dir / 'index.html'} and results.json.")


def to_board(runs: Runs, bootstrap: Bootstrap, models: Path | None) -> Board:
    """Rank runs. Raises `UserError` for a single run, and for --models that knows none of them."""
    if len(runs.paths) < 2:
        raise UserError("Name two result files or more.")
    facts = {} if models is None else read_facts(models, list(runs.paths))
    return rank(runs.paths, runs.results, bootstrap, facts)


def _show_board(board: Board, show: Display) -> None:
    for note in board.notes:
        show.note(note)
    show.table(standing_table(board))
    if board.elo:
        show.table(task_table(board))
        domains, problem = domain_table(board)
        if domains is not None:
            show.table(domains)
        if problem:
            show.note(problem)
    show.note(LEGEND)


def _write_folder(folder: Path, results: bytes, page: Page) -> None:
    """Write what a web server shows."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}.") from error
    write_file(folder / "results.json", results)
    first: Section = page.sections[0]
    linked = replace(page, sections=[replace(first, markup=first.markup + _RESULTS), *page.sections[1:]])
    write_file(folder / "index.html", to_page(linked))
