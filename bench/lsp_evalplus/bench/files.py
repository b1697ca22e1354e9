"""Output files for the user, and errors of damaged archives."""

from __future__ import annotations

import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically

ARCHIVE_DAMAGE = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RuntimeError,
)
"""Exceptions raised on reading a damaged zip archive of JSON."""


def write_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file, given whole or in pieces, atomically and durably. Raises `UserError` when it cannot be written."""
    try:
        write_atomically(path, content, is_private=False, is_durable=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_object(path: Path, named: str) -> dict[str, Any]:
    """Read the JSON object of a file; empty where it is other JSON.

    Raises:
        UserError: it cannot be read, or is no JSON; `named` is what the message calls it.
    """
    try:
        content: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{named} cannot be read as JSON: {error}.") from error
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}


def check_writable(path: Path) -> None:
    """Raise `UserError` unless a file can be created at `path`: to be called before hours of work, not after."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written ({error.strerror or error}); name another place with --output-file."
        ) from error
    if path.is_dir():
        raise UserError(f"--output-file {path} is a folder; name a file.")
