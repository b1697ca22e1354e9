"""Compare what two programs left in the databases that objects among their arguments hold.

Who made an object with a connection has it still: what its methods write there is what they are called for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ..calling.invocation import CallResult
from ..comparison.equality import same
from ..comparison.passed_values import Scopes
from ..values.databases import given_database, is_path
from ..values.held_values import Path, held_values
from ..values.makers.sqlite_database import LIBRARY
from ..values.rendering import value_text
from .judge import Promise
from .recorded_calls import differing_calls, name_of


def differing_effects(
    expected: CallResult, actual: CallResult, names: Sequence[str], scopes: Scopes
) -> tuple[Promise, Promise] | None:
    """Return what each of two calls returned, with the calls that it made of a recorder, or with what it left in a
    database, where these differ; None where they do not.

    Args:
        names: those of the parameters, by which what they hold is named.
        scopes: the globals of both programs.
    """
    found = differing_calls(expected, actual, names, scopes)
    return found if found is not None else _differing_databases(expected, actual, names)


def _differing_databases(
    expected: CallResult, actual: CallResult, names: Sequence[str]
) -> tuple[Promise, Promise] | None:
    ours, theirs = _databases(expected), _databases(actual)
    for path, content in ours.items():
        if path in theirs and not same(content, theirs[path]):
            part = next(name for name in content if not same(content[name], theirs[path].get(name)))
            name = f"{name_of(path, names)}.{part}"
            told, did = (
                Promise(f"{value_text(result.value)} with {name} = {value_text(one.get(part))}")
                for result, one in ((expected, content), (actual, theirs[path]))
            )
            return told, did
    return None


def _databases(result: CallResult) -> dict[Path, dict[str, Any]]:
    """Return the content of databases inside of arguments, and of those whose paths are arguments: a connection that is
    one itself is compared like any other."""
    if LIBRARY not in sys.modules:
        return {}
    inside = [(path, value) for path, value in held_values(result.arguments or ()) if len(path) > 1 or is_path(value)]
    held = {path: given_database(value) for path, value in inside}
    return {path: content for path, content in held.items() if content is not None}
