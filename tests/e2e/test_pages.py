"""Pages of results in a real browser: drawn, readable, reachable by keyboard and screen reader, and never tricked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, require
from lsp_evalplus.bench.ranking.board import Bootstrap, rank
from lsp_evalplus.bench.ranking.sources import read_runs
from lsp_evalplus.bench.reporting.many_runs import page_of_runs
from lsp_evalplus.bench.reporting.one_run import page_of_run
from lsp_evalplus.bench.results.results import read_results
from lsp_evalplus.pages.page import to_page

AXE = ROOT / "pages-client" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = {"phone": 360, "tablet": 820, "desktop": 1400}
HOSTILE = (
    "</script><script>document.title='stolen'</script><img src=x onerror=\"document.title='stolen'\">\u202e\x00\x1b[31m"
)


def write(path: Path, tasks: dict[str, list[dict[str, Any]]]) -> Path:
    path.write_text(json.dumps({"hash": "0", "eval": tasks}))
    return path


def samples(task: int, strength: int, count: int, program: str) -> list[dict[str, Any]]:
    """Samples of which fewer pass the higher the task's number is, and fewer still all tests."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        luck = (number * 37 + task * 11) % 100
        base, plus = luck < strength + 40 - task, luck < strength + 25 - task
        made.append(
            {
                "solution": f"{program}  # {number}",
                "base_status": "pass" if base else "fail",
                "plus_status": "pass" if plus else "fail",
                "base_fail_tests": [[task]],
                "plus_details": [
                    {"index": 1, "call": f"f({program[:40]!r})", "expected": HOSTILE, "actual": "x" * 1000}
                ],
            }
        )
    return made


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of one run, one of several, and both made of hostile names and programs."""
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, Path] = {}
    program = "def f(xs):\n    '''Sum.'''\n    return sum(xs) or None"
    for kind, name, text in (
        ("plain", "model", program),
        ("hostile", "<b>model\u202e", f"{HOSTILE}\n{'y' * 1_000_000}"),
    ):
        runs: list[Path] = []
        for place, strength in enumerate((30, 60, 90)):
            tasks = {
                f"{HOSTILE if kind == 'hostile' else 'Task'}/{task}": samples(
                    task, strength, 12, text if task < 3 else program
                )
                for task in range(40)
            }
            runs.append(write(folder / f"{name}-{place}.json", tasks))
        made[f"one-{kind}"] = folder / f"one-{kind}.html"
        made[f"one-{kind}"].write_bytes(to_page(page_of_run(runs[0], read_results(runs[0]), name)))
        board = rank(*read_runs(runs), Bootstrap(20, 0))
        costs = {one.name: 0.5 + place for place, one in enumerate(board.standings)}
        made[f"many-{kind}"] = folder / f"many-{kind}.html"
        made[f"many-{kind}"].write_bytes(to_page(page_of_runs(board, f"Runs of {name}", costs)))
    return made


@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Iterator[Any]:
    browser = playwright.chromium.launch(executable_path=require("chromium"), args=["--no-sandbox", "--disable-gpu"])
    yield browser
    browser.close()


_AS_GIVEN = """for (const one of document.querySelectorAll('details'))
  one.open = one.closest('#order') !== null"""


class Reader:
    """A page, open, with what its browser complained of."""

    def __init__(self, browser: Any, path: Path, width: int, scheme: str) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def draw_all(self) -> None:
        """Scroll to each figure, and wait until it is drawn."""
        figures = self.page.locator("figure[data-label]")  # Legends are figures too.
        for place in range(figures.count()):
            figure = figures.nth(place)
            figure.scroll_into_view_if_needed()
            figure.locator("svg").first.wait_for(state="attached")


# Colours are the same at every width.
@pytest.mark.parametrize(("width", "scheme"), [*((width, "light") for width in WIDTHS), ("desktop", "dark")])
@pytest.mark.parametrize("name", ["one-plain", "one-hostile", "many-plain", "many-hostile"])
def test_pages_are_drawn_and_can_be_used_by_everybody(
    pages: dict[str, Path], chromium: Any, name: str, width: str, scheme: str
) -> None:
    reader = Reader(chromium, pages[name], WIDTHS[width], scheme)
    reader.draw_all()

    assert reader.complaints == []
    assert [url for url in reader.requests if not url.startswith(("file:", "data:"))] == []
    assert reader.page.title() != "stolen"
    assert reader.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
        "the page scrolls sideways"
    )
    reader.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    reader.page.evaluate(AXE.read_text())
    found = reader.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(item["id"], [node["html"][:200] for node in item["nodes"]][:3]) for item in found["violations"]] == []
    keep = os.environ.get("LSP_EVALPLUS_UPDATE_IMAGES")
    if keep and name.endswith("plain") and width == "desktop":
        reader.page.evaluate(_AS_GIVEN)
        reader.page.evaluate("scrollTo(0, 0)")
        reader.page.screenshot(path=ROOT / "docs" / "images" / f"report-{name.split('-')[0]}-{scheme}.png")
    reader.page.close()


def test_a_task_leads_to_its_wrong_programs(pages: dict[str, Path], chromium: Any) -> None:
    page = Reader(chromium, pages["one-plain"], 1200, "light").page
    page.locator("#rates summary").click()
    page.locator("#rates a[data-task='Task/4']").click()

    shown = page.locator("#failures details")
    assert set(shown.locator("strong").all_inner_texts()) == {"Task/4"}
    shown.first.locator("summary").click()
    program = shown.first.locator("pre")
    assert program.inner_text().startswith("def f(xs):\n    '''Sum.'''\n    return sum(xs) or None  # ")
    assert program.locator(".k").first.inner_text() == "def"

    page.locator("#failure-filter").fill("passes base")
    assert page.locator("#failures .kind:not(.plus)").count() == 0
    assert page.locator("#failures .kind.plus").count() > 0
    page.close()


def test_keys_alone_open_a_program(pages: dict[str, Path], chromium: Any) -> None:
    page = Reader(chromium, pages["one-plain"], 1200, "light").page
    page.locator("#failure-filter").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.locator("#failures details[open] pre").wait_for()
    page.close()


def test_the_heat_map_is_sorted_both_ways(pages: dict[str, Path], chromium: Any) -> None:
    reader = Reader(chromium, pages["many-plain"], 1200, "light")
    reader.draw_all()
    figure = reader.page.locator("#chart-tasks")
    before = figure.locator("image[image-rendering]").get_attribute("href")
    figure.locator("select").select_option("name")

    assert figure.locator("image[image-rendering]").get_attribute("href") != before
    reader.page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_names_of_runs_are_whole(tmp_path: Path, chromium: Any, width: str) -> None:
    """What tells runs apart is at the end of their names."""
    names = [f"organisation--Qwen2.5-Coder-32B-Instruct_bf16_chat_{number}" for number in range(12)]
    runs = [
        write(tmp_path / f"{name}.json", {f"T/{task}": samples(task, 50, 4, "") for task in range(9)}) for name in names
    ]
    path = tmp_path / "names.html"
    path.write_bytes(to_page(page_of_runs(rank(*read_runs(runs), Bootstrap(20, 0)), "Runs")))
    reader = Reader(chromium, path, WIDTHS[width], "light")
    reader.draw_all()

    for chart in ("order", "elo", "drop", "tasks"):
        texts = reader.page.locator(f"#chart-{chart} [aria-label=text] text, #chart-{chart} svg g > text")
        shown = {"".join(lines) for lines in texts.evaluate_all(_LINES)}
        assert set(names) <= shown, chart
        edges = texts.evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(one => [one.left, one.right])"
        )
        assert all(left >= 0 and right <= WIDTHS[width] for left, right in edges), chart
    reader.page.close()


_LINES = """all => all.map(one =>
  one.querySelector('tspan') ? [...one.querySelectorAll('tspan')].map(line => line.textContent) : [one.textContent])"""


def test_tables_are_sorted_and_filtered(pages: dict[str, Path], chromium: Any) -> None:
    page = Reader(chromium, pages["one-plain"], 1200, "light").page
    page.locator("#rates summary").click()
    table = page.locator("#rates table")

    def column() -> list[str]:
        return table.locator("tbody tr:visible td:nth-child(3)").all_inner_texts()

    given = column()
    heading = table.locator("thead th").nth(2)
    for order, shares in (
        ("descending", sorted(given, key=share, reverse=True)),
        ("ascending", sorted(given, key=share)),
    ):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == order
        assert list(map(share, column())) == list(map(share, shares))
    heading.locator("button").click()
    assert (heading.get_attribute("aria-sort"), column()) == (None, given)

    page.locator("#rates .filter input").fill("task/3")
    assert len(column()) == 11  # Task/3 and Task/30 to Task/39.
    assert page.locator("#rates .filter output").inner_text() == "11 of 40"
    page.close()


def share(cell: str) -> int:
    """The passing samples that a cell such as ``3/12`` begins with."""
    return int(cell.partition("/")[0])


def test_a_cell_of_the_map_is_told(pages: dict[str, Path], chromium: Any) -> None:
    reader = Reader(chromium, pages["many-plain"], 1200, "light")
    reader.draw_all()
    figure = reader.page.locator("#chart-tasks")
    figure.locator("image[image-rendering]").hover(position={"x": 3, "y": 3})

    assert re.fullmatch(r"model-2, Task/\d+: \d+ %", figure.locator("output").inner_text())
    reader.page.close()


def test_nothing_turns_the_text_beside_it(pages: dict[str, Path], chromium: Any) -> None:
    for name in ("one-hostile", "many-hostile"):
        reader = Reader(chromium, pages[name], 1200, "light")
        reader.draw_all()
        shown = reader.page.locator("body").inner_text()
        assert "\\u202e" in shown
        assert not set("\u202e\x00\x1b") & set(shown)
        reader.page.close()


def test_many_runs_make_a_page_that_is_small_and_drawn(tmp_path: Path, chromium: Any) -> None:
    runs = [
        write(
            tmp_path / f"model-{run}.json",
            {
                f"Task/{task}": [{"solution": "", "status": "pass" if (task * 7 + run * 13) % 200 > run else "fail"}]
                for task in range(1140)
            },
        )
        for run in range(200)
    ]
    path = tmp_path / "many.html"
    path.write_bytes(to_page(page_of_runs(rank(*read_runs(runs), None), "Runs")))
    assert path.stat().st_size <= 15_000_000

    reader = Reader(chromium, path, 1200, "light")
    reader.draw_all()
    assert reader.complaints == []
    reader.page.close()
