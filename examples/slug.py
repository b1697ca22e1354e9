"""Prompt: "turn the title of a blog post into a URL slug"."""

import re


# lsp-evalplus: reference=references/slug.py::slug
def slug(title: str) -> str:
    """Return the title in lower case, words joined by single hyphens, accents removed."""
    plain = title.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
