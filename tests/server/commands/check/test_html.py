"""``check --format html``: the page says what the JSON says, of hostile programs too, and shows a trend."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from ..conftest import Run
from .test_reviews import HOSTILE


def test_page_has_findings_files_and_reasons(project: Path, run: Run) -> None:
    ran = run("check", "stats.py", "--format", "html")
    text = html.unescape(re.sub(r"<script.*?</script>|<[^>]+>", " ", ran.out, flags=re.DOTALL))
    words = " ".join(text.split())

    assert ran.code == 1
    assert "4 functions: 1 finding, 1 without a difference, 2 not checked." in words
    assert re.search(r"median stats\.py:2 median\(\[.*\]\) returns", words)
    assert "3: " not in words
    assert "1: no reference, examples or contract to judge it against" in words
    assert "no difference from trusted.py::same" in words


def test_hostile_output_is_text(project: Path, run: Run) -> None:
    (project / "hostile.py").write_text(HOSTILE, encoding="utf-8")

    page = run("check", "hostile.py", "--format", "html").out
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page


def test_trend_names_what_is_new_and_what_is_gone(project: Path, run: Run) -> None:
    (project / "before.json").write_text(run("check", "stats.py", "--format", "json").out)
    (project / "stats.py").write_text((project / "stats.py").read_text().replace("x + 0", "x + 1"))

    page = run("check", "stats.py", "--format", "html", "--earlier", "before.json").out
    assert "Since the last report: 1 new finding, 0 gone." in page
    rows = re.findall(r"<tr><th scope=\"row\">(before\.json|now)</th>((?:<td>\d+</td>)+)", page)
    assert [(name, re.findall(r"\d+", cells)) for name, cells in rows] == [
        ("before.json", ["1", "1", "2", "50"]),
        ("now", ["2", "0", "2", "50"]),
    ]


@pytest.mark.parametrize("content", ["", "[]", '{"targets": 1}', '{"targets": [{"verdict": "maybe"}]}'])
def test_what_is_no_earlier_report_is_refused_before_anything_runs(project: Path, run: Run, content: str) -> None:
    (project / "before.json").write_text(content)

    ran = run("check", "stats.py", "--format", "html", "--earlier", "before.json")
    assert ran.code == 2
    assert "--earlier: before.json" in ran.err
    assert ran.out == ""


def test_a_trend_needs_a_page(project: Path, run: Run) -> None:
    ran = run("check", "stats.py", "--earlier", "before.json")

    assert ran.code == 2
    assert "--format html" in ran.err


def test_page_of_nothing(project: Path, run: Run) -> None:
    (project / "empty.py").write_text("")

    ran = run("check", "empty.py", "--format", "html")
    assert ran.code == 0
    assert "0 functions" in ran.out
