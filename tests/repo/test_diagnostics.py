"""Every diagnostic that a user can meet has its page, and every page its diagnostic."""

from __future__ import annotations

from pathlib import Path

from lsp_evalplus.fuzz.config.codes import DOCUMENTATION, all_codes


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
