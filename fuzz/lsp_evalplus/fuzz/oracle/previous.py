"""Regression oracle: the previous version of a function, from git."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, SourceModule
from lsp_evalplus.fuzz.source.discover import Module, read_module

from .git import INDEX, check_revision, run_git
from .reference import decode_source, oracle_of
from .siblings import find_siblings


@dataclass(frozen=True, slots=True)
class PreviousVersion:
    """An older version of a file, with its label: ``git HEAD``, ``the text before the edit``."""

    text: str
    label: str
    siblings: tuple[SourceModule, ...] = ()
    """Modules it imports from its project that have changed since."""
    path: Path | None = None
    """The file it was read from, if that is another one."""

    def read(self, path: Path | None) -> Module:
        """Parse the older version; `path` is the file compared with it."""
        return _read_older(self.text, self.path or path)


class OlderFiles(Protocol):
    """The other files of a project as they were in an older version of it."""

    def texts(self, paths: Sequence[Path]) -> Mapping[Path, str]:
        """Return the older texts of files, of those that existed."""
        ...

    def changed(self, folder: Path) -> Collection[Path]:
        """Return the resolved paths of the files around a folder that are new or not as they were."""
        ...


@lru_cache(4)
def _read_older(text: str, path: Path | None) -> Module:
    """Parse older source, cached because every function of a file needs it."""
    return read_module(text, path)


def previous_oracle(target: FunctionTarget, module: Module, previous: PreviousVersion) -> Oracle | None:
    """Return the oracle that runs the older version of the function; None if it is new or unchanged."""
    old = previous.read(module.path)
    if target.name not in old.definitions or target.name not in module.definitions:
        return None
    if module.is_as_in(old, target.name):
        return None
    reference = old.target(target.name)
    if reference.lack_as_older is not None:
        return None
    reference = replace(reference, program=replace(reference.program, modules=previous.siblings))
    oracle = oracle_of(old, reference, OracleKind.PREVIOUS, previous.label)
    return replace(oracle, reference_path=None, reference_span=None)  # No current file has that source.


def changed_names(module: Module, previous: PreviousVersion | None) -> list[str]:
    """Return functions that are new or whose code or dependencies in the module changed; all of a new file."""
    if previous is None:
        return list(module.definitions)
    old = previous.read(module.path)
    return [name for name in module.definitions if name not in old.definitions or not module.is_as_in(old, name)]


def read_previous(path: Path, revision: str = "HEAD", label: str = "") -> PreviousVersion | None:
    """Read `path` at a git revision; None if it did not exist there, or was not Python source.

    Raises:
        UserError: there is no git, no repository, or no such revision.
    """
    folder = path.absolute().parent
    check_revision(folder, revision)
    found = run_git(folder, "cat-file", "blob", f"{revision}:./{path.name}")
    text = _decode_if_source(found) if found is not None else None
    return PreviousVersion(text, label or f"git {revision}") if text is not None else None


def read_staged(path: Path) -> str:
    """Return the source of `path` in the git index.

    Raises:
        UserError: there is no git, no repository, it is not staged, or it is not Python source.
    """
    folder = path.absolute().parent
    check_revision(folder, INDEX)
    found = run_git(folder, "cat-file", "blob", f":./{path.name}")
    if found is None:
        raise UserError(f"{path} is not staged.")
    try:
        return decode_source(found)
    except ValueError as error:
        raise UserError(f"the staged {path} is not Python source text: {error}.") from None


def with_siblings(previous: PreviousVersion, path: Path, revision: str) -> PreviousVersion:
    """Add to `previous`, which is `path` at `revision`, the project modules that it imports, at that revision.

    If git fails, `previous` is returned unchanged.
    """
    return replace(previous, siblings=find_older_siblings(previous.text, path, revision))


def find_older_siblings(text: str, path: Path, revision: str) -> tuple[SourceModule, ...]:
    """Return the changed project modules that `text` imports; it is `path` at `revision` or in the `INDEX`."""
    place = read_module(text, path.absolute()).place
    if place is None or not place.search_path:
        return ()
    older = read_changed(Path(place.search_path[0]), revision)
    return find_siblings(text, place, older) if older else ()


def read_changed(root: Path, revision: str, *, staged: bool = False) -> dict[Path, str]:
    """Read, at `revision`, the Python files below a folder that have since been changed or deleted."""
    options = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--diff-filter=MDT", "--relative"]
    since, prefix = ([], b"") if revision == INDEX else ([revision], revision.encode())
    options += ["--cached"] if staged else []
    listed = run_git(root, "diff", *options, *since, "--", ".") or b""
    names = [name for name in listed.split(b"\0") if name.endswith(b".py") and b"\n" not in name][:_MOST_FILES]
    texts = _read_batch(root, prefix, names)
    return {root / os.fsdecode(name): text for name, text in zip(names, texts, strict=False) if text is not None}


_MOST_FILES = 500


def read_files(paths: Sequence[Path], revision: str) -> dict[Path, str]:
    """Read files of one repository at a revision, all at once; those that it does not have there are left out.

    If git fails, none is returned.
    """
    known = [path for path in paths if "\n" not in path.name][:_MOST_FILES]
    if not known:
        return {}
    folder = known[0].parent
    names = [os.fsencode(os.path.relpath(path, folder)) for path in known]
    try:
        texts = list(_read_batch(folder, revision.encode(), names))
    except UserError:
        return {}
    return {path: text for path, text in zip(known, texts, strict=False) if text is not None}


class FilesAt:
    """The files of a project at a revision; git is asked once for those that differ from it.

    Args:
        revision: as git knows it.
        staged: whether the index counts in place of the work tree.
    """

    def __init__(self, revision: str, *, staged: bool = False) -> None:
        self._revision = revision
        self._staged = staged
        self._changed: dict[Path, frozenset[Path]] = {}

    def texts(self, paths: Sequence[Path]) -> Mapping[Path, str]:
        """As `OlderFiles.texts`."""
        return read_files(paths, self._revision)

    def changed(self, folder: Path) -> Collection[Path]:
        """As `OlderFiles.changed`; none where git fails."""
        if folder not in self._changed:
            try:
                found = list_changed_files(folder, self._revision, staged=self._staged)
            except UserError:
                found = []
            self._changed[folder] = frozenset(path.resolve() for path in found)
        return self._changed[folder]


def _read_batch(folder: Path, prefix: bytes, names: Sequence[bytes]) -> Iterator[str | None]:
    """Yield the source of files of a folder at the revision `prefix`, in their order; None for what is no source."""
    asked = b"".join(prefix + b":./" + name + b"\n" for name in names)
    answer = run_git(folder, "cat-file", "--batch", stdin=asked) if names else b""
    return _split_batch(answer or b"")


def _split_batch(answer: bytes) -> Iterator[str | None]:
    """Parse the output of ``git cat-file --batch``: for each object a line with its size, then its content."""
    position = 0
    while position < len(answer):
        end = answer.index(b"\n", position)
        fields = answer[position:end].split()
        position = end + 1
        if len(fields) != 3 or not fields[2].isdigit():
            yield None
            continue
        size = int(fields[2])
        yield _decode_if_source(answer[position : position + size])
        position += size + 1


def _decode_if_source(content: bytes) -> str | None:
    try:
        return decode_source(content)
    except ValueError:
        return None


def list_changed_files(folder: Path, revision: str, *, staged: bool = False) -> list[Path]:
    """List Python files that differ between `revision` and the work tree (including untracked files) or the index.

    Includes regular files only, and no hidden untracked ones.

    Raises:
        UserError: there is no git, no repository, or no such revision.
    """
    check_revision(folder, revision)
    top = Path(os.fsdecode((run_git(folder, "rev-parse", "--show-toplevel") or b"").rstrip(b"\n")))
    options = ["--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--diff-filter=d"]
    listed = run_git(top, "diff", *options, *(["--cached"] if staged else []), revision, "--") or b""
    found = {top / name for name in _regular_files(listed)}
    if not staged:
        others = run_git(top, "ls-files", "-z", "--others", "--exclude-standard") or b""
        unknown = {top / os.fsdecode(name) for name in others.split(b"\0") if name}
        found |= {path for path in unknown if not path.name.startswith(".") and path.is_file()}
    return sorted(path for path in found if path.name.endswith(".py"))


def _regular_files(listed: bytes) -> Iterator[str]:
    """Yield file names from ``git diff --raw -z``: a field with both modes, then the name; skips symbolic links."""
    fields = listed.split(b"\0")
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        if about.split()[1].startswith(b"100"):
            yield os.fsdecode(name)
