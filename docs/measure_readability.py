"""Measure how hard the texts that users read are to read: pages, help, settings, messages, errors, docstrings.

Run in a clone: ``.venv/bin/pip install textstat==0.7.4`` and ``.venv/bin/python docs/measure_readability.py``.
``--by-page`` has a row for each page, ``--longest N`` the longest sentences. Pages of measurements, decisions and what
only contributors read are left out.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lsp_evalplus import api
from lsp_evalplus.cli import COMMANDS
from lsp_evalplus.commands.group import LazyGroup
from lsp_evalplus.fuzz.config.settings import describe_settings

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = {
    "docs/bench-measured.md",
    "docs/editors-measured.md",
    "docs/finder-measured.md",
    "docs/history.md",
    "docs/pages-measured.md",
}
"""Pages of measurements."""
SOURCES = ("server", "fuzz", "bench")
MESSAGES = ROOT / "server" / "lsp_evalplus" / "server" / "lsp" / "messages.py"
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"<[^>]+>")
_MARK = re.compile(r"^(#+ |[-*>] |\d+\. )|[*_]{1,2}", re.MULTILINE)
_SHORTEST = 3


def prose_of(markdown: str) -> list[str]:
    """Return the sentences of a page: without code, tables, links and marks; each code word counts as one word."""
    text = _TAG.sub("", _LINK.sub(r"\1", _CODE.sub("code", _FENCE.sub("\n", markdown))))
    found: list[str] = []
    for block in re.split(r"\n\s*\n|\n(?=[-*] |\d+\. |#)", text):
        if not block.lstrip().startswith(("|", "#")):
            plain = " ".join(_MARK.sub("", block).split())
            found += re.split(r"(?<=[.!?:;])\s+(?=[A-Z\"“(]|code\b)", plain)
    return [one for one in found if len(one.split()) >= _SHORTEST]


def pages() -> dict[str, list[str]]:
    """Return the sentences of each page that users read."""
    outside = ["README.md", "SECURITY.md", "editor-client/README.md", "examples/README.md"]
    names = [*outside, *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
    names = [name for name in names if name not in LEFT_OUT and "/decisions/" not in name]
    return {name: prose_of((ROOT / name).read_text(encoding="utf-8")) for name in names}


def help_texts() -> list[str]:
    """Return what ``--help`` says, without its frame."""
    return [text for command in _walk(LazyGroup(COMMANDS)) for text in _help_of(command)]


def _walk(command: click.Command) -> list[click.Command]:
    found = [command]
    if isinstance(command, click.Group):
        context = click.Context(command)
        inner = (command.get_command(context, name) for name in command.list_commands(context))
        found += [one for each in inner if each is not None for one in _walk(each)]
    return found


def _help_of(command: click.Command) -> list[str]:
    options = [one.help for one in command.params if isinstance(one, click.Option) and one.help]
    text = (command.help or "").partition("\f")[0].replace("\b\n", "```\n")
    return [one for each in (text, *options) for one in prose_of(each)]


def messages() -> list[str]:
    """Return the sentences that the editor shows: literals of one module, a value counts as one word."""
    tree = ast.parse(MESSAGES.read_text(encoding="utf-8"))
    return [one for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in prose_of(_text_of(node))]


def errors() -> list[str]:
    """Return the sentences of errors that users are told: first arguments of ``UserError``, a value is one word."""
    return [one for text in _raised() for one in prose_of(text)]


def _raised() -> Iterator[str]:
    for path in (path for root in SOURCES for path in sorted((ROOT / root).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "UserError":
                yield from (_text_of(one) for one in node.args[:1])


def _text_of(node: ast.expr) -> str:
    """The text of a literal; what is put into it counts as one word."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(one) if isinstance(one, ast.Constant) else "code" for one in node.values)
    return ""


def settings() -> list[str]:
    """Return what the settings' definitions say of each."""
    return [one for *_, about in describe_settings() for one in prose_of(about)]


def manifest() -> list[str]:
    """Return the texts of the VS Code extension's manifest but those of settings, which are the definitions'."""
    read = json.loads((ROOT / "editor-client" / "package.json").read_text(encoding="utf-8"))
    read["contributes"].pop("configuration")
    keys = {"title", "description", "displayName", "modelDescription", "userDescription"}
    return [one for text in _texts_below(read, keys) for one in prose_of(text)]


def _texts_below(value: Any, keys: set[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in keys:
                yield inner
            else:
                yield from _texts_below(inner, keys)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_below(inner, keys)


def docstrings() -> list[str]:
    """Return the sentences of the public API's docstrings."""
    texts = [inspect.getdoc(value) or "" for value in (api, *(getattr(api, name) for name in api.__all__))]
    return [one for text in texts for one in prose_of(re.sub(r"(?m)^ *(\w+): ", "\n\n", text.replace("``", "`")))]


def kinds() -> dict[str, list[str]]:
    """Return the sentences of each kind of text."""
    return {
        "pages": [one for sentences in pages().values() for one in sentences],
        "command help": help_texts(),
        "settings": settings(),
        "editor messages": messages(),
        "VS Code's manifest": manifest(),
        "errors": errors(),
        "docstrings of the API": docstrings(),
    }


def row(name: str, sentences: list[str]) -> str:
    """Return a row of the table."""
    import textstat  # pyright: ignore[reportMissingImports]

    text = " ".join(one if one.endswith((".", "!", "?")) else f"{one.rstrip(':;,')}." for one in sentences)
    words = [len(one.split()) for one in sentences]
    return (
        f"| {name} | {sum(words):,} | {sum(words) / len(words):.1f} | {textstat.flesch_reading_ease(text):.1f} | "
        f"{textstat.flesch_kincaid_grade(text):.1f} | {sum(one > 30 for one in words)} of {len(words)} |"
    )


def main() -> int:
    """Print one row for each kind of text, or for each page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--by-page", action="store_true")
    parser.add_argument("--longest", type=int, default=0, metavar="N")
    options = parser.parse_args()
    print("| texts | words | words a sentence | Flesch reading ease | Flesch-Kincaid grade | sentences over 30 words |")
    print("|---|---|---|---|---|---|")
    for name, sentences in (pages() if options.by_page else kinds()).items():
        if sentences:
            print(row(name, sentences))
    found = [(len(one.split()), name, one) for name, sentences in {**kinds(), **pages()}.items() for one in sentences]
    for length, name, one in sorted(found, reverse=True)[: options.longest]:
        if name != "pages":
            print(f"{length} words, {name}: {one}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
