"""Hides names from a program before it is loaded, for a benchmark whose own harness does so.

This is no protection, which is the sandbox's task: a program that needs such a name has to fail here as it does there.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Sequence

from .environment import NoInput


def hide(names: Sequence[str], loaded_before: Sequence[str]) -> None:
    """Replace `names` by None for the rest of this process.

    Args:
        names: an attribute of a module, as in ``os.remove``, whether it exists or not; or a module, which then cannot
            be imported any more.
        loaded_before: modules that are imported first, if possible, while nothing is hidden yet.
    """
    for name in loaded_before:
        with contextlib.suppress(Exception):
            module = importlib.import_module(name)
            if name == "tempfile":
                module.gettempdir()  # Its result is cached.
    owners = {owner: importlib.import_module(owner) for owner in {name.rpartition(".")[0] for name in names} - {""}}
    for name in names:
        owner, _, attribute = name.rpartition(".")
        if owner:
            setattr(owners[owner], attribute, None)
        else:
            sys.modules[name] = None  # type: ignore[assignment]


class TextOutput(NoInput):
    """A standard output without a binary ``buffer``; it discards what is written and cannot be read."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str, /) -> int:
        """Discard a string; raise `TypeError` for anything else."""
        return super().write(text[:0]) + len(text)
