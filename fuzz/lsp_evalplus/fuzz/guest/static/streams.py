"""Parameters that a function hands to what of the standard library reads or writes streams.

``json.dump(rows, out)`` and ``print(text, file=out)`` say what ``out`` is, though the function uses no member of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple


class _Use(NamedTuple):
    """How a function of a library uses a stream."""

    place: int | None
    """Of the argument; None where it is only taken by its name."""
    name: str
    """Of the argument."""
    kind: str
    """``w`` or ``r``, with ``b`` for bytes, or ``json`` or ``csv`` for what is read."""


_USES: Mapping[str, _Use] = {
    "print": _Use(None, "file", "w"),
    "json.dump": _Use(1, "fp", "w"),
    "json.load": _Use(0, "fp", "json"),
    "csv.writer": _Use(0, "csvfile", "w"),
    "csv.DictWriter": _Use(0, "f", "w"),
    "csv.reader": _Use(0, "csvfile", "csv"),
    "csv.DictReader": _Use(0, "f", "csv"),
    "pickle.dump": _Use(1, "file", "wb"),
    "marshal.dump": _Use(1, "file", "wb"),
    "plistlib.dump": _Use(1, "fp", "wb"),
    "pprint.pprint": _Use(1, "stream", "w"),
    "traceback.print_exc": _Use(None, "file", "w"),
    "traceback.print_exception": _Use(None, "file", "w"),
    "logging.StreamHandler": _Use(0, "stream", "w"),
}
"""By the name of the function with its module."""
_BY_LAST_NAME: Mapping[str, _Use] = {
    one.rpartition(".")[2]: use
    for one, use in _USES.items()
    if one.rpartition(".")[2] not in ("dump", "load", "writer", "reader")
}
"""The same, by names that are hardly used for anything else: ``from csv import DictReader``."""


def handed_to_streams(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the names of values that are used as streams, with how: `w` or `r`, with `b` for bytes, `json` or `csv`.

    Of ``file=out or sys.stderr`` it is ``out``.

    Args:
        nodes: all nodes of a function.
    """
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        use = _use_by(node.func)
        if use is None:
            continue
        given = [one.value for one in node.keywords if one.arg == use.name]
        given += [] if use.place is None else node.args[use.place : use.place + 1]
        for one in given:
            parts = one.values if isinstance(one, ast.BoolOp) else [one]
            yield from [(part.id, use.kind) for part in parts if isinstance(part, ast.Name)]


def _use_by(function: ast.expr) -> _Use | None:
    if isinstance(function, ast.Name):
        return _BY_LAST_NAME.get(function.id)
    is_of_module = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return _USES.get(ast.unparse(function)) if is_of_module else None
