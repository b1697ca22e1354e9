"""How large pages of results are, how long a browser takes to open them and to draw all, and what axe says of them.

::

    LSP_EVALPLUS_DATA=... python tests/quality/measure_pages.py [--times 3] [--keep FOLDER] [--images docs/images]

The pages: 63 public runs (``runs_dev.jsonl.gz``), the leaderboards that BigCodeBench published, and runs made up by a
seeded generator, as many as a page has to stand. ``--sizes small`` makes fewer of them.

A page is opened from a file in Chromium, at 1,400 x 900 pixels. *open* ends when the page is loaded and the charts in
view are drawn; *all* when the reader has scrolled through it and every chart is drawn. Both in seconds of wall time,
and in brackets the processor time of the page's main thread. Of several times the smallest counts: other programs only
add to it. axe audits the page with everything unfolded.

Needs what ``tests/e2e/install.sh`` and ``make pages`` install.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.ranking.board import Bootstrap, rank
from lsp_evalplus.bench.ranking.published import read_board
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.reporting.one_run import page_of_run
from lsp_evalplus.bench.reporting.published_page import page_of_published
from lsp_evalplus.pages.page import Page, to_page

ROOT = Path(__file__).parents[2]
AXE = ROOT / "pages-client" / "node_modules" / "axe-core" / "axe.min.js"
VIEW = {"width": 1400, "height": 900}
_IN_VIEW = """() => [...document.querySelectorAll('figure[data-label]')].every(one =>
  one.getBoundingClientRect().top > innerHeight || one.querySelector('svg') !== null)"""
_SCROLL = "where => scrollBy(0, document.querySelector(where).getBoundingClientRect().top - 200)"
_PROGRAM = (
    "def solve(values):\n    total = 0\n    for value in values:\n        total += value * {}\n    return total\n"
)

PICTURED = "32cd78c"

Results = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """Models, tasks and samples of the runs that are made up."""

    wide: tuple[int, int, int] = (200, 1140, 1)
    deep: tuple[int, int, int] = (20, 164, 200)


SIZES = {"full": Sizes(), "small": Sizes((20, 114, 1), (4, 16, 20))}


def public_runs(data: Path) -> dict[str, Results]:
    """Result files of the public runs."""
    runs: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(data / "runs_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            entry = {"solution": row["solution"], "base_status": row["base"], "plus_status": row["plus"]}
            runs[row["run"]][row["task_id"]].append(entry)
    return {name: {"hash": "runs_dev", "eval": dict(tasks)} for name, tasks in runs.items()}


def made_up(models: int, tasks: int, samples: int, *, has_plus: bool) -> dict[str, Results]:
    """Result files of models of all strengths on tasks of all difficulties; every wrong program is another one."""
    generator = random.Random(0)
    hardness = [generator.random() for _ in range(tasks)]
    runs: dict[str, Results] = {}
    for model in range(models):
        strength = (model + 1) / (models + 1)
        found: dict[str, list[dict[str, Any]]] = {}
        for task, hard in enumerate(hardness):
            group: list[dict[str, Any]] = []
            for sample in range(samples):
                base = generator.random() < min(0.98, max(0.02, 0.5 + strength - hard))
                plus = base and generator.random() < 0.9
                entry = {"solution": _PROGRAM.format(sample), "base_status": "pass" if base else "fail"}
                group.append({**entry, "plus_status": "pass" if plus else "fail"} if has_plus else entry)
            found[f"Task/{task}"] = group
        runs[f"organisation--model-{model}-instruct_temperature_0.8"] = {"hash": "made up", "eval": found}
    return runs


def board_page(runs: dict[str, Results]) -> Page:
    """The page of several runs."""
    return page_of_runs(rank({name: Path(name) for name in runs}, runs, Bootstrap(500, 0)), "Leaderboard")


def first_page(runs: dict[str, Results]) -> Page:
    """The page of the first of some runs."""
    name = next(iter(runs))
    return page_of_run(Path(name), runs[name], name)


def published_page(name: str, content: Results) -> Page:
    """The page of a leaderboard that others have published."""
    return page_of_published(read_board({name: content}), "Leaderboard")


def pages(data: Path, sizes: Sizes) -> Iterator[tuple[str, Callable[[], Page]]]:
    """What is measured: a name, and what makes the page of results that are read."""
    public = public_runs(data)
    yield f"{len(public)} public runs, 84 tasks", partial(board_page, public)
    for file in ("leaderboard_results", "leaderboard_results-hard", "leaderboard_results_32cd78c"):
        content = json.loads((data / "bigcodebench" / f"{file}.json").read_text("utf-8"))
        yield f"BigCodeBench's {file}", partial(published_page, file, content)
    for shape, has_plus in ((sizes.wide, False), (sizes.deep, True)):
        runs = made_up(*shape, has_plus=has_plus)
        name = " x ".join(f"{number:,}" for number in shape)
        yield f"{name} samples", partial(board_page, runs)
        if shape == sizes.deep:
            yield f"one run of these, {shape[1]} x {shape[2]}", partial(first_page, runs)


@dataclass(frozen=True)
class Reading:
    """What opening a page once took, in seconds, and what was wrong with it."""

    opened: float
    opened_processor: float
    drawn: float
    drawn_processor: float
    complaints: list[str]


def read(browser: Any, path: Path) -> Reading:
    """Open a page, and scroll through it."""
    page = browser.new_page(viewport=VIEW)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def processor() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(float(item["value"]) for item in metrics if item["name"] == "TaskDuration")

    started = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_function(_IN_VIEW)
    opened, opened_processor = time.perf_counter() - started, processor()
    figures = page.locator("figure[data-label]")
    for place in range(figures.count()):
        figures.nth(place).scroll_into_view_if_needed()
        figures.nth(place).locator("svg").first.wait_for(state="attached")
    reading = Reading(opened, opened_processor, time.perf_counter() - started, processor(), complaints)
    page.close()
    return reading


def audit(browser: Any, path: Path) -> list[str]:
    """The rules of axe that a page breaks with everything unfolded."""
    page = browser.new_page(viewport=VIEW)
    page.goto(path.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    page.close()
    return [f"{item['id']} ({len(item['nodes'])})" for item in found["violations"]]


def picture(browser: Any, path: Path, folder: Path) -> None:
    """Take the pictures of the documentation: the page's order and its table, wide and on a phone, light and dark."""
    for name, width, scheme in (("wide", 1100, "light"), ("wide", 1100, "dark"), ("phone", 360, "light")):
        page = browser.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme)
        page.goto(path.as_uri())
        page.locator("figure[data-label] svg").first.wait_for(state="attached")
        page.evaluate(_SCROLL, "#order summary" if name == "wide" else "#order figure")
        page.screenshot(path=folder / f"leaderboard-{name}-{scheme}.png")
        page.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="how often each page is opened")
    parser.add_argument("--sizes", choices=SIZES, default="full", help="how much is made up")
    parser.add_argument("--keep", type=Path, help="leave the pages in this folder")
    parser.add_argument("--images", type=Path, help="write the pictures of the documentation to this folder")
    options = parser.parse_args()
    data = os.environ.get("LSP_EVALPLUS_DATA")
    if not data:
        sys.exit("set LSP_EVALPLUS_DATA to the folder with the development data")
    from playwright.sync_api import sync_playwright

    print("| page | MB | made in (processor) | open | all | axe |\n| --- | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory(prefix="pages-") as scratch, sync_playwright() as playwright:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for number, (name, make) in enumerate(pages(Path(data), SIZES[options.sizes])):
            started = time.process_time()
            content = to_page(make())
            made = time.process_time() - started
            path = folder / f"{number}.html"
            path.write_bytes(content)
            if options.images is not None and PICTURED in name:
                picture(browser, path, options.images)
            readings = [read(browser, path) for _ in range(options.times)]
            opened, drawn = min(one.opened for one in readings), min(one.drawn for one in readings)
            processor = [min(one.opened_processor for one in readings), min(one.drawn_processor for one in readings)]
            wrong = [text for one in readings for text in one.complaints] + audit(browser, path)
            print(
                f"| {name} | {len(content) / 1e6:.2f} | {made:.1f} s | {opened:.2f} ({processor[0]:.2f}) s "
                f"| {drawn:.2f} ({processor[1]:.2f}) s | {'; '.join(wrong) or 'nothing'} |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
