"""The documentation site: its sources, what its navigation holds, and that links which lead nowhere are found."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def site(repository: Path) -> Iterator[Any]:
    sys.path.insert(0, str(repository / "docs"))
    spec = importlib.util.spec_from_file_location("make_site", repository / "docs" / "make_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(repository / "docs"))


def test_the_sources_hold_every_page_and_command(site: Any, repository: Path, tmp_path: Path) -> None:
    site.write_sources(tmp_path)

    configuration = tomllib.loads((tmp_path / "zensical.toml").read_text())
    named = [
        place
        for group in configuration["project"]["nav"]
        for pages in group.values()
        for one in pages
        for places in one.values()
        for place in ([places] if isinstance(places, str) else places)
    ]
    assert [name for name in named if not (tmp_path / "pages" / name).is_file()] == []
    assert "diagnostics/crashes.md" in named  # Where an editor leads to has a menu.
    written = {path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.md")}
    originals = [path.relative_to(repository / "docs").as_posix() for path in (repository / "docs").rglob("*.md")]
    assert set(originals) - written == {"README.md"}
    commands = (tmp_path / "pages" / "commands.md").read_text()
    assert "## lsp-evalplus check" in commands
    assert "### lsp-evalplus bench leaderboard" in commands


def test_commands_are_described_as_they_describe_themselves(repository: Path) -> None:
    """In a process of its own: click keeps the first help option that it makes for a command, whoever asks."""
    code = "import make_reference; print(make_reference.describe_commands())"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(repository / "docs")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280, check=True)

    assert ran.stdout.count("\nUsage: ") > 20
    assert ran.stdout.count("-h, --help") == ran.stdout.count("\nUsage: ")


def test_llms_txt_lists_every_page_once_with_what_it_is_for(site: Any, tmp_path: Path) -> None:
    site.write_sources(tmp_path)

    lines = site.describe_pages(tmp_path / "pages").splitlines()

    listed = [line.partition("](")[2].partition(")")[0] for line in lines if line.startswith("- [")]
    pages = [path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.md")]
    assert sorted(listed) == sorted(pages)
    assert lines[0] == "# lsp-evalplus"
    assert "- [Install](install.md): the command line, its extras, your editor, your shell" in lines


def test_links_are_those_of_the_site(site: Any, repository: Path) -> None:
    page = repository / "docs" / "check.md"
    text = (
        "[a](bench.md#data) [b](../ARCHITECTURE.md) [c](../pyproject.toml) [d](https://x.org)\n```\n[e](none.md)\n```\n"
    )

    found = site.with_links_of_site(text, page, site.pages())

    assert found == (
        "[a](bench.md#data) [b](project/architecture.md) "
        f"[c]({site.REPOSITORY}/blob/main/pyproject.toml) [d](https://x.org)\n```\n[e](none.md)\n```\n"
    )
    with pytest.raises(site.BrokenLinkError, match=r"docs/check\.md: none\.md leads nowhere"):
        site.with_links_of_site("[e](none.md)", page, site.pages())


def test_links_that_lead_nowhere_are_found_in_a_built_site(site: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#x">1</a><a href="#top">2</a><img src="c.png">')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#top">3</a><a href="a.html#bottom">4</a><a href="https://x.org">5</a>'
    )

    assert site.broken_links(tmp_path) == ["a.html: b.html#x", "a.html: c.png", "b.html: a.html#bottom"]


@pytest.mark.parametrize(
    ("page", "row"),
    [
        (
            "codes.md",
            "| [crashes](diagnostics/crashes.md) | The function fails on an input that its annotations allow. |",
        ),
        ("check-json.md", '| `verdict` | `"differs"`, `"agrees"`, `"not_checked"` | always |'),
        ("methods.md", "| `lspEvalplus.checkFile` | `{uri}`: check every function of a file now. |"),
        ("api-reference.md", "| `inputs` | `int` | Inputs on which both were compared. |"),
    ],
)
def test_references_are_made_from_the_code(site: Any, page: str, row: str) -> None:
    assert f"\n{row}" in site.MADE[page]()


@pytest.mark.parametrize("page", ["codes.md", "check-json.md", "methods.md", "api-reference.md"])
def test_no_cell_of_a_reference_is_empty(site: Any, page: str) -> None:
    assert [line for line in site.MADE[page]().splitlines() if re.search(r"\|\s*\|", line)] == []
