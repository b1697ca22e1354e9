"""Differential oracle: a reference designated on the command line, in a comment, or in pyproject.toml."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.config.trust import HOW_TO_TRUST, find_project, is_within_project
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.source.discover import Module, read_module

from .examples import read_examples

TextReader: TypeAlias = Callable[[Path], str]
"""Returns the source of a file, from disk or from an editor's buffer."""


@dataclass(frozen=True, slots=True)
class Designation:
    """A designated reference and where it was designated."""

    path: Path | None
    """None: the designating source itself, which has no file."""
    name: str
    said_by: str
    shown: str
    """The path as written."""
    is_followed: bool = True
    """False: a file of the project names a path outside of it, and the user does not trust the project."""
    project: Path | None = None
    """The project that the designating file belongs to, where that decides."""

    @property
    def refusal(self) -> str:
        """A sentence about a reference that is not followed."""
        return (
            f"the reference {self.shown}::{self.name} was not used: {self.said_by} names it, and it is outside of the "
            f"project {self.project}. Name it with --reference, or trust the project: {HOW_TO_TRUST}."
        )


def read_source(path: Path) -> str:
    """Read the source of a Python file, decoded as Python does (PEP 263).

    Raises:
        UserError: it is missing, not a regular file, unreadable, or not text.
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
    """Decode Python source as Python does (PEP 263) and normalise line ends.

    Raises:
        ValueError: its encoding is unknown or wrong, or it holds characters not allowed in Python source.
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
    """Return the designated reference of `target`: from the flag, else the comment, else pyproject.toml, or None."""
    path = Path(target.program.path) if target.program.path else None
    if flag:
        return _designate(flag, Path(), target, "--reference")
    if "reference" in directives:
        said_by = f"the comment above {target.name!r}"
        found = _designate(directives["reference"], path.parent if path else Path(), target, said_by)
        return _confined(found, path, settings)
    if path is None or settings.root is None:
        return None
    for key, value in settings.references:
        file, _, name = key.partition("::")
        if name == target.name and (settings.root / file).resolve() == path.resolve():
            found = _designate(value, settings.root, target, f"{settings.root / 'pyproject.toml'}")
            return _confined(found, path, settings)
    return None


def find_refusal(target: FunctionTarget, directives: dict[str, str], settings: Settings) -> str:
    """Return a sentence about a designated reference of `target` that is not followed, or an empty string."""
    if OracleKind.REFERENCE.value not in settings.oracles:
        return ""
    designation = find_designation(target, directives, settings)
    return designation.refusal if designation is not None and not designation.is_followed else ""


def _confined(found: Designation, own: Path | None, settings: Settings) -> Designation:
    """Mark a designation that leads out of the project: what it names would be read into the candidate's guest."""
    if found.path is None or found.path == own or settings.trusts_project:
        return found
    folder = own.parent if own is not None else Path()
    return replace(found, is_followed=is_within_project(found.path.resolve(), folder), project=find_project(folder))


def reference_oracle(designation: Designation, own: Module, read: TextReader = read_source) -> Oracle:
    """Load the designated reference; `own` is the candidate's module, already parsed.

    Raises:
        UserError: its file cannot be read, has no such function, or the function cannot be called in isolation.
    """
    try:
        path = designation.path
        module = own if path is None or path == own.path else read_module(read(path), path)
        reference = module.target(designation.name)
    except UserError as error:
        hint = _relative_to_file(designation, own)
        raise UserError(f"The reference named by {designation.said_by} cannot be used: {error}{hint}") from error
    if reference.lack is not None:
        where = f"{designation.path or ''}::{designation.name}"
        raise UserError(f"The reference {where} (named by {designation.said_by}) cannot be used: {reference.lack}.")
    return oracle_of(module, reference, OracleKind.REFERENCE, f"{designation.shown}::{designation.name}")


def _relative_to_file(designation: Designation, own: Module) -> str:
    """Say how a comment names a file that it names as if it stood in the project's top folder; else say nothing."""
    missing, folder = designation.path, own.path.parent if own.path is not None else None
    if folder is None or missing is None or designation.project is None or missing != folder / designation.shown:
        return ""
    meant = designation.project / designation.shown
    if missing.exists() or not meant.is_file():
        return ""
    return f" Its path is relative to the file of the comment: {Path(os.path.relpath(meant, folder)).as_posix()}."


def oracle_of(module: Module, reference: FunctionTarget, kind: OracleKind, source: str) -> Oracle:
    """Build an oracle that runs `reference`."""
    return Oracle(
        kind=kind,
        source=source,
        # Of several conditional definitions, the reference is the one the interpreter binds.
        reference=replace(reference.program, first_line=0),
        reference_path=str(module.path) if module.path is not None else None,
        reference_span=reference.name_span,
        examples=read_examples(reference, module),
    )


def _designate(text: str, folder: Path, target: FunctionTarget, said_by: str) -> Designation:
    """Parse ``path.py::name``, ``path.py`` (function of the same name) or ``::name`` (function in the same file)."""
    file, _, name = text.partition("::")
    if not file and not name:
        raise UserError(f"{said_by} names no reference; write it as path.py::name.")
    own = Path(target.program.path) if target.program.path is not None else None
    path = folder / file if file else own
    return Designation(path, name or target.name, said_by, file or (own.name if own is not None else ""))
