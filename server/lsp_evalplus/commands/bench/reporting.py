"""``lsp-evalplus bench report``: result files as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lsp_evalplus.bench.files import check_writable, read_object, write_file
from lsp_evalplus.bench.generation.usage import read_usage
from lsp_evalplus.bench.ranking.board import Bootstrap
from lsp_evalplus.bench.ranking.published import PublishedBoard
from lsp_evalplus.bench.ranking.sources import read_sources
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.reporting.one_run import page_of_run
from lsp_evalplus.bench.reporting.published_page import page_of_published
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.page import script, to_page

from .ranking import to_board
from .run import Display


def report_files(
    paths: Sequence[Path],
    output: Path,
    *,
    title: str | None,
    costs: Path | None,
    bootstrap: Bootstrap,
    chosen: str | None,
    models: Path | None,
) -> None:
    """Write the page of one or several result files. Raises `UserError` for files that are none."""
    show = Display(TableFormat.RICH)
    check_writable(output)
    found = read_sources(paths, chosen)
    if isinstance(found, PublishedBoard):
        page = page_of_published(found, title or "Published leaderboard")
    elif len(found.paths) == 1:
        ((name, path),) = found.paths.items()
        page = page_of_run(path, found.results[name], title or name)
    else:
        board = to_board(found, bootstrap, models)
        page = page_of_runs(board, title or "Comparison of runs", _read_costs(costs, found.paths))
    content = to_page(page)
    write_file(output, content)
    if script() is None:
        show.note("Tables only: this lsp-evalplus was built without Node, which the charts need.")
    show.note(f"Written: {output} ({len(content) / 1e6:.1f} MB).")


def _read_costs(path: Path | None, files: Mapping[str, Path]) -> dict[str, float]:
    """Read a JSON object of costs by run. Raises `UserError` for anything else, and for runs that are not there.

    Without one, the costs are those that `generate` has kept beside the samples.
    """
    if path is None:
        return {name: usage["cost"] for name, file in files.items() if "cost" in (usage := read_usage(file))}
    runs = list(files)
    record = read_object(path, str(path))
    costs = {name: float(cost) for name, cost in record.items() if isinstance(cost, (int, float)) and cost >= 0}
    if not record or len(costs) < len(record):
        raise UserError(f'{path} is not a JSON object of costs by run, such as {{"{runs[0]}": 1.25}}.')
    unknown = [name for name in costs if name not in runs]
    if unknown:
        raise UserError(f"{path} has a cost of {unknown[0]!r}, which is none of the runs: {', '.join(runs)}.")
    return costs
