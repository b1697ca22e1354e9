"""Whether values tell where code stands: texts of tracebacks name lines, which any edit of a file moves."""

from __future__ import annotations

import re
import types
from typing import Any

from .dynamic import type_of
from .equality import attributes_of
from .library_objects import content_of
from .recipe import IMMUTABLE

MOST_PARTS = 2_000
"""Maximum number of parts of values that are looked at."""
_LINE = re.compile(r'File "[^"\n]+", line \d+')
_POSITIONS = (types.TracebackType, types.FrameType, types.CodeType)


def tell_positions(*values: Any) -> bool:
    """Return whether values hold the text of a traceback, or an object that knows lines of code."""
    waiting, met = list(values), set[int]()
    while waiting and len(met) < MOST_PARTS:
        value = waiting.pop()
        kind = type_of(value)
        if kind is str and _LINE.search(value):
            return True
        if kind in _POSITIONS:
            return True
        if kind in IMMUTABLE or id(value) in met:
            continue
        met.add(id(value))
        if kind is dict:
            waiting += [*value.keys(), *value.values()]
        elif kind in (list, tuple, set, frozenset):
            waiting += value
        else:
            waiting += (attributes_of(value) or {}).values()
            waiting += (content_of(value) or {}).values()
    return False
