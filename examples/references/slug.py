"""Trusted: an accent is taken off its letter; the letter stays."""

import re
import unicodedata


def slug(title: str) -> str:
    """Return the title in lower case, words joined by single hyphens, accents removed.

    >>> slug("Hello, World!")
    'hello-world'
    >>> slug("Crème brûlée at home")
    'creme-brulee-at-home'
    """
    decomposed = unicodedata.normalize("NFKD", title)
    plain = decomposed.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
