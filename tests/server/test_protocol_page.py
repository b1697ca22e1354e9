"""docs/lsp-extensions.md and docs/diagnostics say what the code does."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.codes import all_codes
from lsp_evalplus.server import app
from lsp_evalplus.server.features import accepted, finding, trust
from lsp_evalplus.server.lsp.extension_types import TYPES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "lsp-extensions.md"
DESCRIBED = (
    "features/accepted.py",
    "features/commands.py",
    "features/finding.py",
    "features/trust.py",
    "workspace/settings.py",
    "checking/triggers.py",
)
"""Modules under server/lsp_evalplus/server that define what the page describes."""


def test_the_page_was_read_again_after_the_last_change() -> None:
    digest = hashlib.sha256()
    for name in DESCRIBED:
        digest.update((ROOT / "server/lsp_evalplus/server" / name).read_bytes().replace(b"\r\n", b"\n"))

    assert f"hash: {digest.hexdigest()[:16]}\n" in PAGE.read_text(encoding="utf-8")


def test_types_of_the_page_have_the_keys_of_the_code() -> None:
    blocks = re.findall(r"```typescript\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", "".join(blocks), flags=re.DOTALL)
    shown = set(re.findall(r"\b(\w+)\??:", code))
    in_sentences = {"trusted"}
    of_lsp = {"uri", "version"}

    assert shown - of_lsp == {key for kind in TYPES for key in kind.__annotations__} - in_sentences


def test_every_command_and_message_is_described() -> None:
    page = PAGE.read_text(encoding="utf-8")

    for name in [
        *app.all_commands(),
        accepted.METHOD,
        finding.METHOD,
        trust.METHOD,
        *(kind.value for kind in accepted.AcceptanceKind),
    ]:
        assert name in page


@pytest.mark.parametrize("code", all_codes())
def test_every_code_has_a_page(code: str) -> None:
    page = ROOT / "docs" / "diagnostics" / f"{code}.md"

    assert page.read_text(encoding="utf-8").startswith(f"# {code}\n")
    assert f"[{code}]({code}.md)" in (page.parent / "README.md").read_text(encoding="utf-8")


def test_no_page_is_of_a_code_that_does_not_exist() -> None:
    pages = {page.stem for page in (ROOT / "docs" / "diagnostics").glob("*.md")} - {"README"}

    assert pages == set(all_codes())


def test_the_rule_table_names_every_trigger() -> None:
    header = re.search(r"^\| what happens \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert header is not None
    assert re.findall(r"`(\w+)`", header[1]) == ["accepted", "changed", "save", "manual"]
