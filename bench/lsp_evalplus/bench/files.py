"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError

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
"""What is raised where a zip archive of JSON is read that is not as it was written."""


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file beside its place and moves it there. Raises `UserError` when the folder cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error


def check_writable(path: Path) -> None:
    """Raises `UserError` unless a file can be made at `path`; better before an hour's work than after it."""
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
