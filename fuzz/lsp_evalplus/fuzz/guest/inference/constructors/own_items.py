"""Parameters of a constructor whose items are objects of the class itself: the replies to a comment, say."""

from __future__ import annotations

import functools
from collections.abc import Set

from ..callees import Home
from ..handed_on import ProjectCallees
from ..members import own_classes_having
from ..records.reader import Reader
from ..records.value_usage import Use
from ..stored_parameters import constructor_of


@functools.lru_cache(maxsize=256)
def with_own_items(kind: type) -> Set[str]:
    """Return the parameters without annotation whose items have, as far as methods use them, what the class has."""
    found = constructor_of(kind)
    if found is None:
        return frozenset()
    uses = {name: Use() for name in sorted(found.untold)}
    for method in found.users:
        if method is not None:
            named = {"." + name: use for name, use in uses.items()}
            Reader(method, named, demands=True, callees=ProjectCallees(Home(found.scope, kind)))
    items = {name: use.element for name, use in uses.items() if use.element is not None and use.element.is_object()}
    return {name for name, item in items.items() if kind in own_classes_having(found.scope, item.attributes)}
