"""The visible content of objects of the standard library that are implemented in C and store no attributes:
compiled patterns, matches, hashes, streams in memory, arrays, buffers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable, Optional

from .dynamic import type_of
from .program_errors import PROGRAM_ERRORS

Reader = Callable[[Any], Optional[dict[str, Any]]]
_HASHES = frozenset("_hashlib _blake2 _md5 _sha1 _sha2 _sha256 _sha512 _sha3".split())
"""Modules whose classes are hash functions in progress."""
_DIGEST_LENGTH = 32
"""Bytes that are asked of a function with a digest of any length."""
_MOST_ROWS = 20
CLOSED = "closed"
"""The content of a stream that has none any more."""


def content_of(value: Any) -> dict[str, Any] | None:
    """Return the content of such an object by name; None for all others. No code of a user's class is run."""
    kind = type_of(value)
    module = type.__getattribute__(kind, "__module__")
    reader = _READERS.get((module, type.__getattribute__(kind, "__name__"))) if type(module) is str else None
    if reader is None and module in _HASHES:
        reader = _hash
    if reader is None or not _is_defined_in(module, kind):
        return None
    try:
        return reader(value)
    except PROGRAM_ERRORS:  # a released buffer has no content.
        return None


def rows_of(value: Any) -> dict[str, list[Any]] | None:
    """Return the first rows of each table of an SQLite database; None for what is no connection to one."""
    kind = type_of(value)
    name = (type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__name__"))
    if name != ("sqlite3", "Connection") or not _is_defined_in("sqlite3", kind):
        return None
    try:
        cursor = value.cursor()
        cursor.row_factory = None  # The user's would run their code.
        tables = cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        return {table: cursor.execute(_statement(table)).fetchall() for (table,) in tables}
    except PROGRAM_ERRORS:  # a closed connection has no rows.
        return None


def _statement(table: str) -> str:
    quoted = table.replace('"', '""')
    return f'SELECT * FROM "{quoted}" LIMIT {_MOST_ROWS}'  # noqa: S608 - a name of the database itself, quoted.


def _is_defined_in(module: str, kind: type) -> bool:
    """Whether the class is one of the module, and does not merely claim to be."""
    return any([one is kind for one in vars(sys.modules.get(module, sys)).values()])


def _hash(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "hexdigest"):
        return None
    has_any_length = value.digest_size == 0
    digest = value.hexdigest(_DIGEST_LENGTH) if has_any_length else value.hexdigest()
    return {"name": value.name, "digest": digest, "block_size": value.block_size}


def _pattern(value: Any) -> dict[str, Any]:
    return {"pattern": value.pattern, "flags": value.flags}


def _match(value: Any) -> dict[str, Any]:
    return {"string": value.string, "spans": value.regs, "groups": value.groupdict(), "last": value.lastindex}


def _stream(value: Any) -> dict[str, Any]:
    if value.closed:
        return {CLOSED: True}
    return {"value": value.getvalue(), "position": value.tell()}


def _buffer(value: Any) -> dict[str, Any]:
    return {"format": value.format, "shape": value.shape, "bytes": value.tobytes()}


def _array(value: Any) -> dict[str, Any]:
    return {"typecode": value.typecode, "items": value.tolist()}


def _structure(value: Any) -> dict[str, Any]:
    return {"format": value.format}


def _zone(value: Any) -> dict[str, Any]:
    return {"key": value.key}


_READERS: Mapping[tuple[str, str], Reader] = MappingProxyType(
    {
        ("re", "Pattern"): _pattern,
        ("re", "Match"): _match,
        ("_io", "StringIO"): _stream,
        ("_io", "BytesIO"): _stream,
        ("builtins", "memoryview"): _buffer,
        ("array", "array"): _array,
        ("_struct", "Struct"): _structure,
        ("zoneinfo", "ZoneInfo"): _zone,
    }
)
