"""Every diagnostic that a user can meet has its page, and every page its diagnostic."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from lsp_evalplus.commands.explain import explain
from lsp_evalplus.fuzz.config.codes import DOCUMENTATION, all_codes, installed_page


def test_codes_and_pages_are_the_same(repository: Path) -> None:
    pages = {path.stem for path in (repository / "docs/diagnostics").glob("*.md")} - {"README"}

    assert pages == set(all_codes())


def test_link_of_a_code_is_the_folder_of_the_pages() -> None:
    assert DOCUMENTATION.endswith("/docs/diagnostics/")


def test_page_names_its_code_and_promises_nothing(repository: Path) -> None:
    for path in (repository / "docs/diagnostics").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert path.stem == "README" or path.stem in text.splitlines()[0]
        assert "verified" not in text.lower()


def test_pages_lead_to_nothing_outside_of_their_folder(repository: Path) -> None:
    """They are installed without the rest of the documentation."""
    for path in (repository / "docs/diagnostics").glob("*.md"):
        for link in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
            assert link.startswith("https://") or (path.parent / link).parent == path.parent, path.name


def test_explain_prints_the_page_of_a_code(repository: Path) -> None:
    for code in all_codes():
        page = installed_page(code)
        assert page is not None
        assert CliRunner().invoke(explain, [code]).output.strip() == page.read_text(encoding="utf-8").strip()
    assert all(code in CliRunner().invoke(explain, []).output for code in all_codes())
    assert CliRunner().invoke(explain, ["no-such-code"]).exit_code == 2
