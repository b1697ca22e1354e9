"""Code objects of source files that are compiled once and executed several times.

Two versions of a package share most of its modules. What a zygote compiled before it forked, its guests find here.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import types
from collections.abc import Generator, Mapping
from typing import Any

_codes: dict[tuple[str, Any], types.CodeType] = {}
"""Path and source -> the code that it compiles to."""


def compile_once(source: str | bytes, path: str) -> types.CodeType:
    """Return the code of a module's source, which is compiled the first time."""
    key = (path, source)
    if key not in _codes:
        _codes[key] = compile(source, path, "exec", dont_inherit=True)
    return _codes[key]


@contextlib.contextmanager
def sharing_code() -> Generator[None]:
    """Compile each file that is imported meanwhile once, however often it is imported."""
    loader: Any = importlib.machinery.SourceFileLoader
    own = dict(vars(importlib.machinery.SourceFileLoader))
    before = own.get("source_to_code")
    loader.source_to_code = shared = _source_to_code
    try:
        yield
    finally:
        if loader.source_to_code is shared:
            _restore(loader, before)


def _restore(loader: Any, before: Any) -> None:
    if before is None:
        del loader.source_to_code
    else:
        loader.source_to_code = before


def start_with(codes: Mapping[tuple[str, bytes], types.CodeType]) -> None:
    """Use code that was compiled before, wherever a file with the same source is imported in this process."""
    if codes:
        _codes.update(codes)
        loader: Any = importlib.machinery.SourceFileLoader
        loader.source_to_code = _known_or_compiled


def _source_to_code(_loader: Any, data: bytes, path: str, **_options: Any) -> types.CodeType:
    return compile_once(data, path)


def _known_or_compiled(loader: Any, data: Any, path: Any, **options: Any) -> Any:
    known = _codes.get((path, data)) if type(path) is str and type(data) is bytes else None
    if known is not None:
        return known
    usual: Any = super(importlib.machinery.SourceFileLoader, loader)
    return usual.source_to_code(data, path, **options)
