"""What the documents say is true: commands and options exist, links lead somewhere, versions agree."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

FENCE = re.compile(r"^```(?:sh|console|bash|shell)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:img|source)[^>]+src(?:set)?=\"([^\"]+)\"")
MAKE_TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def documents(tracked: list[Path]) -> list[Path]:
    """Return every Markdown file that belongs to the repository."""
    found = [path for path in tracked if path.suffix == ".md"]
    assert len(found) > 5
    return found


def shell_lines(text: str) -> list[str]:
    """Return the commands of the fenced shell blocks, continued lines joined, prompts taken off."""
    lines = [line for block in FENCE.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    return [line.strip().removeprefix("$ ") for line in lines if line.strip() and not line.lstrip().startswith("#")]


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return kept.replace(" ", "-")


def anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings."""
    return {slug(heading) for heading in HEADING.findall(FENCED.sub("", document.read_text(encoding="utf-8")))}


def broken(document: Path, target: str) -> bool:
    """Tell whether a relative link leads nowhere."""
    name, _, anchor = unquote(target).partition("#")
    path = (document.parent / name).resolve() if name else document
    if not path.exists():
        return True
    return bool(anchor) and path.suffix == ".md" and anchor not in anchors(path)


def test_relative_links_lead_somewhere(documents: list[Path], repository: Path) -> None:
    dead = [
        f"{document.relative_to(repository)}: {target}"
        for document in documents
        for link in LINK.findall(FENCED.sub("", document.read_text(encoding="utf-8")))
        if (target := link[0] or link[1]) and not re.match(r"[a-z]+:", target) and broken(document, target)
    ]

    assert dead == []


def test_make_targets_in_documents_exist(documents: list[Path], repository: Path) -> None:
    targets = set(MAKE_TARGET.findall((repository / "Makefile").read_text()))
    used = {
        word
        for document in documents
        for line in shell_lines(document.read_text(encoding="utf-8"))
        if line.startswith("make ")
        for word in shlex.split(line, comments=True)[1:]
        if "=" not in word and not word.startswith("-")
    }

    assert used
    assert used - targets == set()


def option_named(command: click.Command, context: click.Context, name: str) -> click.Option | None:
    """Return the option of a command that is written so."""
    for option in command.get_params(context):
        if isinstance(option, click.Option) and name in (*option.opts, *option.secondary_opts):
            return option
    return None


def unknown_parts(line: str) -> list[str]:
    """Return what a command line of ours names and the program does not have."""
    from lsp_evalplus.cli import COMMANDS
    from lsp_evalplus.commands.group import LazyGroup

    words = shlex.split(line, comments=True)
    place = next(index for index, word in enumerate(words) if word.split("/")[-1] == "lsp-evalplus")
    command: click.Command = LazyGroup(COMMANDS)
    parents = click.Context(command)
    unknown: list[str] = []
    rest = iter(words[place + 1 :])
    for word in rest:
        if word in {"|", ">", "&&", ";", "--", ":::"}:
            break
        if word.startswith("-"):
            option = option_named(command, parents, word.partition("=")[0])
            if option is None:
                unknown.append(word)
            elif not option.is_flag and "=" not in word:
                next(rest, None)
        elif isinstance(command, click.Group):
            found = command.get_command(parents, word)
            if found is None:
                return [*unknown, word]
            command, parents = found, click.Context(found, parent=parents)
    return unknown


def quoted_commands(text: str) -> list[str]:
    """Return our commands that others are handed: in quotes, after options, as lists of YAML or with commas."""
    lines = [line.partition(" #")[0] for line in shell_lines(text)]
    found = [words for line in lines for words in re.findall(r"'(lsp-evalplus [^']+)'", line)]
    found += [words for line in lines for words in re.findall(r"^(?!lsp-evalplus).* (lsp-evalplus [a-z][^'|]+)$", line)]
    found += [
        f"lsp-evalplus {words.replace(',', ' ')}" for line in lines for words in re.findall(r" command=(\S+)", line)
    ]
    found += [
        f"lsp-evalplus {words.replace(', ', ' ')}" for words in re.findall(r"^ +args: \[(.+)\]$", text, re.MULTILINE)
    ]
    return found


def test_commands_that_others_are_handed_exist(documents: list[Path], repository: Path) -> None:
    """Schedulers, containers and hooks get a command of ours as their own argument."""
    found = [
        (document, line) for document in documents for line in quoted_commands(document.read_text(encoding="utf-8"))
    ]

    machines = [line for document, line in found if document == repository / "docs/bench-machines.md"]
    assert len(machines) >= 4  # Slurm, Kubernetes, AWS Batch, GNU parallel
    unknown = [
        f"{document.relative_to(repository)}: {line} ({', '.join(words)})"
        for document, line in found
        if (words := unknown_parts(line))
    ]
    assert unknown == []


def test_commands_in_documents_exist(documents: list[Path], repository: Path) -> None:
    lines = [
        (document, line)
        for document in documents
        for line in shell_lines(document.read_text(encoding="utf-8"))
        if re.search(r"(?:^|/)lsp-evalplus ", line)
    ]

    assert lines
    unknown = [
        f"{document.relative_to(repository)}: {line} ({', '.join(words)})"
        for document, line in lines
        if (words := unknown_parts(line))
    ]
    assert unknown == []


def code_map(repository: Path) -> list[str]:
    """Return the paths that the code map of ARCHITECTURE.md names; an indented line is below the last that is not."""
    section = (repository / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Code map")[1]
    names: list[str] = []
    folder = ""
    for line in section.split("```")[1].splitlines():
        if line.startswith("    "):
            continue  # the explanation of the line above goes on
        paths = re.split(r"\s{2,}", line.strip())[0].split()
        if paths and not line.startswith(" "):
            folder = paths[0]
        names += [f"{folder}{path}" if line.startswith(" ") else path for path in paths]
    return names


def test_code_map_names_what_exists(repository: Path) -> None:
    names = code_map(repository)

    assert len(names) > 10
    assert [name for name in names if not any(repository.glob(name.rstrip("/")))] == []


def test_versions_agree(repository: Path) -> None:
    declared = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["version"]
    manifest = json.loads((repository / "editor-client/package.json").read_text())
    changelog = (repository / "CHANGELOG.md").read_text()

    assert manifest["version"] == declared
    assert f"## [{declared}]" in changelog
    assert "## [Unreleased]" in changelog


def test_no_path_of_a_machine_is_tracked(tracked: list[Path], repository: Path) -> None:
    """A file that names the place where it was written works nowhere else."""
    places = [str(repository), str(Path.home() / repository.name)]
    found = [
        str(path.relative_to(repository))
        for path in tracked
        for text in [path.read_bytes()]
        if any(re.search(re.escape(place).encode() + rb"(?![\w-])", text) for place in places if place.count("/") > 1)
    ]

    assert found == []


def test_every_page_is_in_the_index(repository: Path) -> None:
    index = (repository / "docs/README.md").read_text()
    pages = [*(repository / "docs").glob("*.md"), *(repository / "docs").glob("*/README.md")]

    names = {page.relative_to(repository / "docs").as_posix() for page in pages} - {"README.md"}
    assert {name for name in names if f"({name})" not in index} == set()


def test_every_decision_is_listed(repository: Path) -> None:
    decisions = sorted((repository / "docs/decisions").glob("[0-9]*.md"))
    index = (repository / "docs/decisions/README.md").read_text()

    assert decisions
    assert [path.name for path in decisions if f"({path.name})" not in index] == []
    assert [int(path.name[:3]) for path in decisions] == list(range(1, len(decisions) + 1))
