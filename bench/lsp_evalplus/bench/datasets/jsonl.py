"""Files of JSON lines, plain or compressed."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from lsp_evalplus.fuzz.errors import UserError

_PACKED = {
    b"PK\x03\x04": "a zip archive; unpack it, or give it a name that ends in .zip where archives are read",
    b"\x1f\x8b": "packed by gzip; give it a name that ends in .gz",
}
"""Signatures of file types that a file name may not reveal."""


def read_bytes(path: Path) -> bytes:
    """Read a file, decompressed if its name ends in ``.gz``. Raises `UserError` when it cannot be read."""
    return unpack(path, read_packed(path))


@contextmanager
def open_text(path: Path) -> Generator[TextIO]:
    """A file as text, decompressed if its name ends in ``.gz``. Raises `UserError` when it cannot be read."""
    with _tells_faults(path), gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        yield io.TextIOWrapper(cast("BinaryIO", file), encoding="utf-8-sig", errors="surrogatepass")


def read_packed(path: Path) -> bytes:
    """Read a file as it is. Raises `UserError` when it cannot be read."""
    with _tells_faults(path):
        return path.read_bytes()


def unpack(path: Path, packed: bytes) -> bytes:
    """The content of a file, decompressed if its name ends in ``.gz``. Raises `UserError` when it is damaged."""
    with _tells_faults(path):
        return gzip.decompress(packed) if path.name.endswith(".gz") else packed


@contextmanager
def _tells_faults(path: Path) -> Generator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each JSON object of a file, as `parse_jsonl` does, with one line of it in memory at a time.

    Raises `UserError` when it cannot be read, is damaged, or has a line that is no object.
    """
    with _tells_faults(path), gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        yield from _parse_lines((line.removesuffix(b"\n") for line in file), str(path))


def parse_jsonl(content: bytes, where: str) -> Iterable[tuple[int, dict[str, Any]]]:
    """Yield each JSON object with its line number (from 1); blank lines are skipped.

    Raises `UserError` naming the first line that is not UTF-8, not JSON or not an object, and for packed files.
    """
    return _parse_lines(content.split(b"\n"), where)


def _parse_lines(lines: Iterable[bytes], where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        for beginning, what in _PACKED.items():
            if number == 1 and line.startswith(beginning):
                raise UserError(f"{where} is {what}.")
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except RecursionError as error:
            raise UserError(f"{where}, line {number}: nested too deeply to be read.") from error
        except ValueError as error:
            raise UserError(
                f"{where}, line {number}: not valid JSON ({error}); each line must be one object."
            ) from error
        if not isinstance(record, dict):
            raise UserError(f"{where}, line {number}: is not a JSON object; each line must be one object.")
        yield number, cast("dict[str, Any]", record)
