"""Build the documentation site: the Markdown pages of the repository, and references that are made from the code.

``python docs/make_site.py FOLDER [--serve]``. The pages stay where they are read in the repository; this copies them,
turns their links into those of the site (or to the repository, for files that are no pages), adds the pages that
``make_reference.py`` makes from the code, and lets Zensical make HTML of it. Links and anchors that lead nowhere end it
with exit code 1. Each page is also there as plain Markdown, and ``llms.txt`` lists them (https://llmstxt.org).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from make_reference import PAGES as MADE

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/lsp-evalplus/lsp-evalplus"
NAVIGATION: dict[str, dict[str, str]] = {
    "Start": {
        "What it does": "README.md",
        "Install": "docs/install.md",
        "The first ten minutes": "docs/first-ten-minutes.md",
        "What a finding means": "docs/diagnostics/",
        "Questions": "docs/faq.md",
        "Glossary": "docs/glossary.md",
    },
    "How to": {
        "All of them": "docs/how-to/README.md",
        "Name a function that is right": "docs/how-to/name-a-reference.md",
        "Prove a refactoring": "docs/how-to/prove-a-refactoring.md",
        "Check in CI and before commits": "docs/how-to/continuous-integration.md",
        "Begin in an old project": "docs/how-to/begin-in-an-old-project.md",
        "Check what agents write": "docs/how-to/check-what-agents-write.md",
        "Nothing is checked": "docs/how-to/nothing-is-checked.md",
        "Too many findings": "docs/how-to/too-many-findings.md",
        "Work offline": "docs/how-to/work-offline.md",
        "Score a model": "docs/how-to/score-a-model.md",
        "Tasks of your own": "docs/how-to/own-tasks.md",
        "Compare models": "docs/how-to/compare-models.md",
        "Come from other tools": "docs/how-to/come-from-other-tools.md",
    },
    "In detail": {
        "The command check": "docs/check.md",
        "The command cover": "docs/cover.md",
        "Editors": "docs/editors.md",
        "Tools for agents (MCP)": "docs/mcp.md",
        "Python and pytest": "docs/api.md",
        "Language models": "docs/llm.md",
        "The command bench": "docs/bench.md",
        "How a sample is judged": "docs/bench-judging.md",
        "Many runs and machines": "docs/bench-machines.md",
        "Smaller and larger suites": "docs/bench-suites.md",
        "Samples: generate and sanitize": "docs/generate.md",
        "Examples": "examples/README.md",
    },
    "Reference": {
        "Commands": "commands.md",
        "Settings": "docs/settings.md",
        "Codes of findings": "codes.md",
        "JSON of check": "check-json.md",
        "Python API": "api-reference.md",
        "LSP extensions": "docs/lsp-extensions.md",
        "Methods of the server": "methods.md",
        "VS Code extension": "editor-client/README.md",
        "Changes": "CHANGELOG.md",
    },
    "Explanation": {
        "How it works": "docs/how-it-works.md",
        "How it searches": "docs/finder.md",
        "What confines the code": "docs/security.md",
        "Architecture": "ARCHITECTURE.md",
        "Decisions": "docs/decisions/",
    },
    "Measurements": {
        "The search": "docs/finder-measured.md",
        "Releases of public packages": "docs/history.md",
        "Benchmarks": "docs/bench-measured.md",
        "Pages of results": "docs/pages-measured.md",
        "Editors": "docs/editors-measured.md",
    },
    "Project": {"Contributing": "CONTRIBUTING.md", "Reporting a hole": "SECURITY.md", "All pages": "docs/README.md"},
}
"""Group -> title -> page; a folder stands for its README.md and, below that, its other pages."""
FEATURES = [
    "navigation.tabs",
    "navigation.tabs.sticky",
    "navigation.footer",
    "navigation.top",
    "toc.follow",
    "content.code.copy",
    "search.highlight",
]
STYLE = """.md-typeset table td:first-child code { white-space: nowrap; word-break: normal; }
"""
"""The names of settings and options stay on one line."""
_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s]+)(\))|((?:src|srcset)=\")([^\"]+)(\")")
_HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)
_ROW = re.compile(r"^\| \[[^\]]+\]\(([^)]+)\) \| (.+) \|$", re.MULTILINE)
_TEXT_OF_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class BrokenLinkError(Exception):
    """A page has links that lead nowhere."""


def pages() -> dict[Path, Path]:
    """Map page in the repository -> page of the site: ``docs/x.md`` is ``x.md``, the front page ``index.md``."""
    outside = [ROOT / name for group in NAVIGATION.values() for name in group.values() if name not in MADE]
    outside = [path for path in outside if not path.is_dir()]
    found = {path: path.relative_to(ROOT / "docs") for path in sorted((ROOT / "docs").rglob("*.md"))}
    for path in outside:
        if path not in found:
            name = str(path.relative_to(ROOT)).replace("/README", "").lower()
            found[path] = Path("index.md") if name == "readme.md" else Path("project", name)
    found[ROOT / "docs" / "README.md"] = Path("pages.md")
    return found


def with_links_of_site(text: str, page: Path, targets: dict[Path, Path]) -> str:
    """Return a page with links to other pages of the site, and to the repository for what is no page.

    Raises:
        BrokenLinkError: a link leads to no file of the repository.
    """

    def resolve(match: re.Match[str]) -> str:
        before, link, after = (match[1], match[2], match[3]) if match[2] else (match[4], match[5], match[6])
        parts = urlsplit(link)
        if parts.scheme or not parts.path:
            return match[0]
        path = (page.parent / unquote(parts.path)).resolve()
        anchor = f"#{parts.fragment}" if parts.fragment else ""
        if path.is_dir() and path / "README.md" in targets:
            path /= "README.md"
        if path in targets:
            return f"{before}{os.path.relpath(targets[path], targets[page].parent)}{anchor}{after}"
        if not path.exists():
            raise BrokenLinkError(f"{page.relative_to(ROOT)}: {link} leads nowhere")
        if path.suffix in {".svg", ".png", ".json"} and path.is_relative_to(ROOT / "docs"):
            return f"{before}{os.path.relpath(path.relative_to(ROOT / 'docs'), targets[page].parent)}{after}"
        return f"{before}{REPOSITORY}/blob/main/{path.relative_to(ROOT)}{anchor}{after}"

    parts = _FENCE.split(text)
    return "".join(part if place % 2 else _LINK.sub(resolve, part) for place, part in enumerate(parts))


def write_sources(folder: Path) -> None:
    """Write the pages of the site, images and Zensical's configuration below a folder.

    Raises:
        BrokenLinkError: a link leads to no file.
    """
    targets, content = pages(), folder / "pages"
    for page, target in targets.items():
        path = content / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(with_links_of_site(page.read_text(encoding="utf-8"), page, targets), encoding="utf-8")
    for name, describe in MADE.items():
        (content / name).write_text(describe(), encoding="utf-8")
    for image in (ROOT / "docs").rglob("*"):
        if image.suffix in {".svg", ".png", ".json"}:
            (content / image.relative_to(ROOT / "docs")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(image, content / image.relative_to(ROOT / "docs"))
    (content / "style.css").write_text(STYLE, encoding="utf-8")
    (folder / "zensical.toml").write_text(_configuration(targets), encoding="utf-8")


def _configuration(targets: dict[Path, Path]) -> str:
    groups: list[str] = []
    for name, group in NAVIGATION.items():
        groups.append(f'  {{ "{name}" = [')
        for title, place in group.items():
            named = [f'"{page.as_posix()}"' for page in pages_at(place, targets)]
            groups.append(f'    {{ "{title}" = {named[0] if len(named) == 1 else "[" + ", ".join(named) + "]"} }},')
        groups.append("  ] },")
    return "\n".join(
        [
            "[project]",
            'site_name = "lsp-evalplus"',
            'site_description = "Is the code you just accepted really correct?"',
            'docs_dir = "pages"',
            'site_dir = "site"',
            f'repo_url = "{REPOSITORY}"',
            "use_directory_urls = false",
            'extra_css = ["style.css"]',
            "nav = [",
            *groups,
            "]",
            "[project.theme]",
            f"features = {json.dumps(FEATURES)}",
            "font = false",
            "[[project.theme.palette]]",
            'media = "(prefers-color-scheme: light)"',
            'scheme = "default"',
            'toggle = { icon = "lucide/sun", name = "Switch to dark mode" }',
            "[[project.theme.palette]]",
            'media = "(prefers-color-scheme: dark)"',
            'scheme = "slate"',
            'toggle = { icon = "lucide/moon", name = "Switch to light mode" }',
            "[project.markdown_extensions.toc]",
            "permalink = true",
            "[project.markdown_extensions.tables]",
            "[project.markdown_extensions.pymdownx.superfences]",
            "[project.markdown_extensions.pymdownx.highlight]",
            "",
        ]
    )


def pages_at(place: str, targets: dict[Path, Path]) -> list[Path]:
    """Return the pages of the site that an entry of the navigation stands for, of a folder its README.md first."""
    if place in MADE:
        return [Path(place)]
    path = ROOT / place
    inside = (
        sorted(path.glob("*.md"), key=lambda page: (page.name != "README.md", page.name)) if path.is_dir() else [path]
    )
    return [targets[page] for page in inside]


def write_plain(folder: Path) -> None:
    """Put the plain Markdown of each page beside its HTML, and ``llms.txt``, which lists them."""
    content, site = folder / "pages", folder / "site"
    for page in sorted(content.rglob("*.md")):
        name = page.relative_to(content)
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, site / name)
    (site / "llms.txt").write_text(describe_pages(content), encoding="utf-8")


def describe_pages(content: Path) -> str:
    """Return the text of ``llms.txt``: the pages by groups of the navigation, described as docs/README.md does."""
    targets, index = pages(), ROOT / "docs" / "README.md"
    rows = _ROW.findall(index.read_text(encoding="utf-8"))
    notes = {targets[(index.parent / link).resolve()]: _TEXT_OF_LINK.sub(r"\1", text) for link, text in rows}
    groups = {
        name: [page for place in group.values() for page in pages_at(place, targets)]
        for name, group in NAVIGATION.items()
    }
    named = {page for group in groups.values() for page in group}
    groups["Optional"] = [page for page in sorted(targets.values()) if page not in named]
    lines = ["# lsp-evalplus", "", "> Finds the smallest input that proves accepted Python code wrong."]
    for name, group in groups.items():
        lines += ["", f"## {name}", ""]
        for page in group:
            title = _HEADING.search((content / page).read_text(encoding="utf-8"))
            note = f": {notes[page]}" if page in notes else ""
            lines.append(f"- [{title[1] if title else page.stem}]({page.as_posix()}){note}")
    return "\n".join(lines) + "\n"


class _Links(HTMLParser):
    """Collects what a page links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links, images and ids."""
        for name, value in attrs:
            if value and name in {"href", "src"} and tag != "link":
                self.links.append(value)
            elif value and name in {"id", "name"}:
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Return the links between pages of a built site that lead to no file or no anchor."""
    read: dict[Path, _Links] = {}
    for page in sorted(site.rglob("*.html")):
        read[page.resolve()] = links = _Links()
        links.feed(page.read_text(encoding="utf-8"))
    found: list[str] = []
    for page, links in read.items():
        for link in links.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            is_anchor = target not in read or unquote(parts.fragment) in read[target].anchors
            if not target.exists() or not is_anchor:
                found.append(f"{page.relative_to(site.resolve())}: {link}")
    return sorted(set(found))


def main() -> int:
    """Build the site; with --serve, show it on this machine until it is interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="where the site is built; what is there is replaced")
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args()
    folder: Path = options.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        write_sources(folder)
    except BrokenLinkError as error:
        print(error, file=sys.stderr)
        return 1
    zensical = [sys.executable, "-m", "zensical"]
    subprocess.run([*zensical, "build", "--clean"], cwd=folder, check=True, env={**os.environ, "NO_COLOR": "1"})
    write_plain(folder)
    broken = broken_links(folder / "site")
    for line in broken:
        print(f"broken link in {line}", file=sys.stderr)
    if options.serve and not broken:
        subprocess.run([*zensical, "serve"], cwd=folder, check=False)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
