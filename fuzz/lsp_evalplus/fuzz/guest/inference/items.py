"""Finds what code asks of the items of a parameter in its loops: ``for one in terms: if isinstance(one, Weight)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..program.source_facts import Function
from .callees import Home, hints_asked, receivers_of
from .usage import loops_over


def asked_of_items(function: Function | None, home: Home, parameters: Iterable[str]) -> dict[str, list[Any]]:
    """Return, by parameter, the types that are asked of its items.

    Args:
        function: the definition.
        home: where it stands.
        parameters: names of those that may be containers.
    """
    if function is None:
        return {}
    names = set(parameters)
    loops = [(item, name) for name, item in loops_over(function) if name in names]
    receivers = receivers_of(function, home, {item for item, _ in loops}) if loops else {}
    found: dict[str, list[Any]] = {}
    for item, name in dict.fromkeys(loops):
        listed = found.setdefault(name, [])
        listed += [hint for hint in hints_asked(receivers.get(item, ())) if hint not in listed]
    return found
