"""Measure how hard the texts that users read are to read: pages, command help, messages of the editor.

Run in a clone: ``.venv/bin/pip install textstat==0.7.4`` and ``.venv/bin/python docs/measure_readability.py``.
Measurements, decisions and what only contributors read are left out.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import click
import textstat  # pyright: ignore[reportMissingImports]

from lsp_evalplus.cli import COMMANDS
from lsp_evalplus.commands.group import LazyGroup

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = {"docs/bench-measured.md", "docs/history.md", "docs/finder.md"}
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
            found += re.split(r"(?<=[.!?:;])\s+(?=[A-Z\"“(])", plain)
    return [one for one in found if len(one.split()) >= _SHORTEST]


def pages() -> list[str]:
    """Return the sentences of all pages that users read."""
    names = ["README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
    names = [name for name in names if name not in LEFT_OUT and "/decisions/" not in name]
    return [one for name in names for one in prose_of((ROOT / name).read_text(encoding="utf-8"))]


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
    found: list[str] = []
    for node in ast.walk(ast.parse(MESSAGES.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [str(one.value) if isinstance(one, ast.Constant) else "code" for one in node.values]
            found += prose_of("".join(parts))
    return found


def main() -> int:
    """Print one row for each kind of text."""
    print("| texts | words | words a sentence | Flesch reading ease | Flesch-Kincaid grade | sentences over 30 words |")
    print("|---|---|---|---|---|---|")
    for name, sentences in (("pages", pages()), ("command help", help_texts()), ("editor messages", messages())):
        text = " ".join(one if one.endswith((".", "!", "?")) else f"{one.rstrip(':;,')}." for one in sentences)
        words = [len(one.split()) for one in sentences]
        print(
            f"| {name} | {sum(words):,} | {sum(words) / len(words):.1f} | {textstat.flesch_reading_ease(text):.1f} | "
            f"{textstat.flesch_kincaid_grade(text):.1f} | {sum(one > 30 for one in words)} of {len(words)} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
