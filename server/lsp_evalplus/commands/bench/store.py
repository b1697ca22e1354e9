"""The work of ``lsp-evalplus bench plan`` and ``bench store``: the cost of a run, and what is kept of earlier ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.results.results import result_path
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.bench.running.estimate import ASSUMED_SECONDS, estimate
from lsp_evalplus.bench.samples.samples import load_samples
from lsp_evalplus.bench.store.store import conditions_folders, join_segments, store_beside, summarize
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .options import to_options, user_store
from .run import Display


def plan_run(options: dict[str, Any]) -> None:
    """Show what judging samples will cost."""
    show = Display(TableFormat(options["form"]))
    variant = {"mini": options["mini"], "noextreme": options["noextreme"]}
    dataset = load_dataset(options["dataset"], **variant, cache=cache_folder())
    base_only = options["base_only"] or not dataset.has_plus
    setup = to_options(
        {**options, "base_only": base_only, "isolate": False, "fresh": False, "no_store": False}, options["samples"][0]
    )
    if options["store"] is None:
        beside = {store_beside(result_path(path)): None for path in options["samples"]}
        setup = replace(setup, store=(*beside, user_store()))
    chosen = {"ids": options["ids"], "limit": options["limit"]}
    cost = estimate(dataset, (load_samples(path, dataset, **chosen) for path in options["samples"]), setup)
    rows = [
        ["files", f"{cost.files:,}"],
        ["samples", f"{cost.samples:,}"],
        ["different programs", f"{cost.programs:,}"],
        ["judged before", f"{cost.known:,}"],
        ["to judge", f"{cost.missing:,}"],
        ["core-hours", f"{cost.seconds / 3600:,.3f}"],
        [f"wall time with --jobs {setup.jobs}", _duration(cost.wall_seconds(setup.jobs))],
        ["bytes that the store grows by", f"{cost.bytes:,}"],
    ]
    show.table(Table(f"{dataset.name} {dataset.version}: what is to be done", ["", "about"], rows))
    if cost.is_assumed and cost.missing:
        show.note(
            f"The store has measured nothing of these tasks: {ASSUMED_SECONDS} s a program is assumed. Judge a few "
            "samples of each task, and ask again."
        )
    elif cost.missing:
        measured = f"Measured: {cost.measured_tasks} of {count(cost.tasks, 'task')}"
        show.note(f"{measured}; each other one is taken for an average one.")
    show.note("References that are not cached, and data sets that are read for the first time, come in addition.")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def show_store(options: dict[str, Any]) -> None:
    """Say what a store holds, after joining its segments if that is asked for."""
    show = Display(TableFormat(options["form"]))
    named: Path | None = options["store"]
    if named is not None and not named.is_dir():
        raise UserError(f"--store {named}: there is no such folder.")
    store = named or user_store()
    joined = sum(join_segments(folder) for folder in conditions_folders(store)) if options["compact"] else None
    found = summarize(store)
    rows = [["verdicts", f"{found.verdicts:,}"], ["segments", f"{found.segments:,}"], ["bytes", f"{found.bytes:,}"]]
    show.table(Table("The verdict store", ["", "number"], rows))
    show.note(f"Store: {store}")
    if joined is not None:
        show.note(f"Joined {count(joined, 'file')} of processes that are gone; those of running ones stay.")
    if found.damaged:
        show.note(f"Skipped {count(found.damaged, 'line')} that cannot be read as a verdict.")
