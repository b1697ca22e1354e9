"""Prompt: "how many pages does a listing need"."""


# lsp-evalplus: reference=references/pages.py::page_count
def page_count(items: int, per_page: int) -> int:
    """Return the number of pages that show all items; an empty listing has one (empty) page."""
    return items // per_page + 1
