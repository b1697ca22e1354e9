"""The designated reference: named on the command line, in a comment above the function, or in pyproject.toml."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.source.discover import Module, read_module

from .examples import read_examples

TextReader: TypeAlias = Callable[[Path], str]
"""Gives the text of a file: from disk, or from an editor's buffer."""


@dataclass(frozen=True, slots=True)
class Designation:
    """Where a reference is said to be, and who says so."""

    path: Path | None
    """None: the text that says so, which is in no file."""
    name: str
    said_by: str
    shown: str
    """The path as it was written."""


def read_source(path: Path) -> str:
    """The text of a Python file, decoded as Python would (PEP 263).

    Raises:
        UserError: it is missing, no ordinary file, not readable, or not text; one sentence.
    """
    try:
        return decode_source(read_ordinary(path))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder; name a Python file.") from None
    except ValueError as error:
        raise UserError(f"{path} is not Python source text: {error}.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from None


def decode_source(content: bytes) -> str:
    """The text of a Python file, decoded as Python would (PEP 263), with one kind of line ends.

    Raises:
        ValueError: its coding is unknown, it is not text of that coding, or it holds what no program may.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = io.TextIOWrapper(io.BytesIO(content), encoding).read()
        if "\0" in text:
            raise ValueError("it holds null bytes")
        return text
    except (SyntaxError, LookupError) as error:
        raise ValueError(str(error)) from None


def find_designation(
    target: FunctionTarget, directives: dict[str, str], settings: Settings, flag: str | None = None
) -> Designation | None:
    """Who is the reference of `target`: the flag, else the comment, else pyproject.toml; None where nobody says."""
    path = Path(target.program.path) if target.program.path else None
    if flag:
        return _designate(flag, Path(), target, "--reference")
    if "reference" in directives:
        said_by = f"the comment above {target.name!r}"
        return _designate(directives["reference"], path.parent if path else Path(), target, said_by)
    if path is None or settings.root is None:
        return None
    for key, value in settings.references:
        file, _, name = key.partition("::")
        if name == target.name and (settings.root / file).resolve() == path.resolve():
            return _designate(value, settings.root, target, f"{settings.root / 'pyproject.toml'}")
    return None


def reference_oracle(designation: Designation, own: Module, read: TextReader = read_source) -> Oracle:
    """Load the reference that is designated; `own` is the candidate's module, which is read already.

    Raises:
        UserError: its file cannot be read, has no such function, or the function cannot be called alone.
    """
    try:
        path = designation.path
        module = own if path is None or path == own.path else read_module(read(path), path)
        reference = module.target(designation.name)
    except UserError as error:
        raise UserError(f"The reference named by {designation.said_by} cannot be used: {error}") from error
    if reference.obstacle is not None:
        where = f"{designation.path or ''}::{designation.name}"
        raise UserError(f"The reference {where} (named by {designation.said_by}) cannot be used: {reference.obstacle}.")
    return oracle_of(module, reference, OracleKind.REFERENCE, f"{designation.shown}::{designation.name}")


def oracle_of(module: Module, reference: FunctionTarget, kind: OracleKind, source: str) -> Oracle:
    """An oracle that runs `reference`."""
    return Oracle(
        kind=kind,
        source=source,
        # Of several definitions under conditions, the one that counts is the reference.
        reference=replace(reference.program, first_line=0),
        reference_path=str(module.path) if module.path is not None else None,
        reference_span=reference.name_span,
        examples=read_examples(reference, module),
    )


def _designate(text: str, folder: Path, target: FunctionTarget, said_by: str) -> Designation:
    """``path.py::name``, or ``path.py`` for the function of the same name, or ``::name`` for one in the same file."""
    file, _, name = text.partition("::")
    if not file and not name:
        raise UserError(f"{said_by} names no reference; write it as path.py::name.")
    own = Path(target.program.path) if target.program.path is not None else None
    path = folder / file if file else own
    return Designation(path, name or target.name, said_by, file or (own.name if own is not None else ""))
