"""What pages show comes out: the files of the how-to pages and of the first finding are written, their commands run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
FIRST = PAGES.parent / "first-ten-minutes.md"
_END = "## On a package"
"""Where pages begin to show a package of PyPI, which is not fetched here."""
RUN = [FIRST, *[page for page in sorted(PAGES.glob("*.md")) if "```console" in page.read_text(encoding="utf-8")]]


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """The fenced blocks of a page: language, title, text."""
    text = page.read_text(encoding="utf-8").partition(_END)[0]
    return [(one[1], one[2] or "", one[3]) for one in _FENCE.finditer(text)]


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line:
            found[-1][1].append(line)
    return found


def run(command: str, folder: Path) -> str:
    """What a line of commands prints, on both streams."""
    said = ""
    for part in command.split(" && "):
        words = shlex.split(part)
        program = [sys.executable, "-m", "lsp_evalplus"] if words[0] == "lsp-evalplus" else [words[0]]
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache"), "NO_COLOR": "1"}
        done = subprocess.run(
            [*program, *words[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        said += done.stdout + done.stderr
    return said


def fits(line: str, said: str) -> bool:
    """Whether a line begins as one that was printed; three dots stand for anything."""
    pattern = ".*".join(map(re.escape, line.split("...")))
    return re.search(f"^{pattern}", said, re.MULTILINE) is not None


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_what_a_page_shows_comes_out(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for arguments in (["init", "-q"], ["config", "user.name", "t"], ["config", "user.email", "t@example.org"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True, timeout=280)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=folder, check=True, timeout=280)

    for language, title, text in blocks(page):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        for command, lines in commands(text) if language == "console" else ():
            said = run(command, folder)
            assert [line for line in lines if not fits(line, said)] == [], said


def test_pages_and_their_list_are_the_same() -> None:
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (PAGES / "README.md").read_text(encoding="utf-8"))

    assert sorted(listed) == sorted(page.name for page in PAGES.glob("*.md") if page.name != "README.md")
    assert len(RUN) >= 7
