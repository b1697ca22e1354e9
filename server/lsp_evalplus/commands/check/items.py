"""The items of a check: targets on the command line -> functions with their oracles."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Layer, Settings, apply_layer, load_settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, SourceModule
from lsp_evalplus.fuzz.oracle.git import INDEX, Base, find_base, find_work_tree
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE, oracles_for
from lsp_evalplus.fuzz.oracle.moved import Moves
from lsp_evalplus.fuzz.oracle.previous import (
    PreviousVersion,
    changed_names,
    find_older_siblings,
    list_changed_files,
    read_previous,
    read_staged,
    with_siblings,
)
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import Module, describe_grammar, read_module
from lsp_evalplus.fuzz.source.project import find_project_root

_SKIPPED_FOLDERS = frozenset(
    {"venv", "env", "node_modules", "site-packages", "build", "dist", "__pycache__", "__pypackages__"}
)
_PYTHON = frozenset({".py", ".pyw", ".pyi"})


@dataclass(frozen=True, slots=True)
class Request:
    """The request on the command line, without its output options."""

    targets: tuple[str, ...] = ()
    reference: str | None = None
    revision: str | None = None
    """``--diff``: only functions changed since this revision."""
    staged: bool = False
    """Only functions changed in the index, with their staged source code."""
    uses_git: bool = False
    """``--oracle git``: judge by the previous version."""
    only: frozenset[str] | None = None
    """Functions that the file of ``--reference`` defines, where whole files are compared with a whole file."""
    llm_oracle: bool = False
    """Ask a language model for implementations where no other oracle exists."""
    flags: dict[str, object] = field(default_factory=dict[str, object])
    """Settings given as options."""


@dataclass(frozen=True, slots=True)
class Item:
    """A function to check, or the reason why it cannot be checked."""

    path: str | None
    """As given by the user."""
    name: str
    identifier: str | None = None
    """Identifier of a pair."""
    target: FunctionTarget | None = None
    oracles: tuple[Oracle, ...] = ()
    reason: str = ""
    """Why it is not checked; empty if it can be."""
    root: Path = Path()
    """The project's folder, where interpreter and settings are looked up."""
    settings: Settings = field(default_factory=Settings)
    is_refactoring: bool = False
    """A comment requires the same behaviour as in the previous version."""
    ignored: str | None = None
    """From a comment: the fingerprint of the finding to suppress, empty for all of them."""
    listed: tuple[str, int] | None = None
    """For a pair: its file and line."""

    @property
    def line(self) -> int | None:
        """The line of the function's name, from 1."""
        return self.target.name_span.start_line + 1 if self.target is not None else None


def collect_items(request: Request, problems: list[str]) -> Iterator[Item]:
    """Find all items of a request, in order; files are read lazily.

    An invalid file, function, reference or revision is skipped and reported as a sentence in `problems`.

    Raises:
        UserError: the request as a whole is invalid.
    """
    bases = _Bases(request.revision or "HEAD")
    wanted = list(_wanted_files(request, bases, problems))
    if request.reference and "::" in request.reference and any(not names for _, _, names in wanted):
        raise UserError("--reference names one function; name the TARGET as path.py::name too.")
    for shown, path, names in wanted:
        with _noted(problems):
            yield from _read_file(request, shown, path, names, bases, problems)


@contextmanager
def _noted(problems: list[str]) -> Generator[None]:
    """Collect a `UserError` of the block in `problems`, once, and continue."""
    try:
        yield
    except UserError as error:
        if str(error) not in problems:
            problems.append(str(error))


class _Bases:
    """The base revision of each work tree."""

    def __init__(self, revision: str) -> None:
        self._revision = revision
        self._known = dict[Path, Base]()
        self._moves = dict[Path, Moves]()

    def get(self, folder: Path) -> Base:
        """The base of the work tree that contains a folder.

        Raises:
            UserError: there is no work tree, or no such revision.
        """
        top = find_work_tree(folder) or folder
        if top not in self._known:
            self._known[top] = find_base(top, self._revision)
        return self._known[top]

    def moves(self, folder: Path, *, staged: bool) -> Moves:
        """The definitions removed from files of the same work tree since the base.

        Raises:
            UserError: as `get`.
        """
        top = find_work_tree(folder) or folder
        if top not in self._moves:
            self._moves[top] = Moves(top, self.get(folder), staged=staged)
        return self._moves[top]


def parse_target(text: str) -> tuple[Path, str | None]:
    """Split ``path.py::name`` into path and name.

    Raises:
        UserError: one side of ``::`` is empty.
    """
    path, separator, name = text.partition("::")
    if not path or (separator and not name):
        raise UserError(f"{text!r} is no target; write path.py, path.py::name or path.py::Class.method.")
    return Path(path), name or None


def _wanted_files(request: Request, bases: _Bases, problems: list[str]) -> Iterator[tuple[str, Path, list[str]]]:
    """Yield (path as shown, path, names); no names stand for all functions."""
    chosen = _chosen_files(request)
    if not request.revision and not request.staged:
        yield from ((str(path), path, names) for path, names in chosen.items())
        return
    names_of = {path.resolve(): names for path, names in chosen.items()}
    for folder in _work_trees(request, chosen):
        with _noted(problems):
            for path in list_changed_files(folder, bases.get(folder).commit, staged=request.staged):
                names = names_of.get(path.resolve()) if request.targets else []
                if names is not None:
                    yield os.path.relpath(path), path, names


def _chosen_files(request: Request) -> dict[Path, list[str]]:
    """The files of the targets, with the requested names in each."""
    chosen = dict[Path, list[str]]()
    whole = set[Path]()
    for text in request.targets:
        path, name = parse_target(text)
        files = [path] if name or not path.is_dir() else list(python_files(path))
        for file in files:
            chosen.setdefault(file, []).extend([name] if name else [])
        whole.update(() if name else files)
    return {file: [] if file in whole else list(dict.fromkeys(names)) for file, names in chosen.items()}


def _work_trees(request: Request, chosen: Iterable[Path]) -> Iterable[Path]:
    """The roots of the work trees of the targets or the current folder; folders outside any work tree are kept."""
    paths = [parse_target(text)[0] for text in request.targets]
    folders = [path if path.is_dir() else path.parent for path in paths] or [Path()]
    folders += [file.parent for file in chosen]
    return dict.fromkeys(find_work_tree(folder) or folder for folder in dict.fromkeys(folders))


def python_files(folder: Path) -> Iterator[Path]:
    """Yield the Python files below a folder, in order, without environments, build folders and hidden ones."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        found = (Path(place) / name for name in sorted(files) if name.endswith(".py") and not name.startswith("."))
        yield from (file for file in found if file.is_file())


def _read_file(
    request: Request, shown: str, path: Path, names: list[str], bases: _Bases, problems: list[str]
) -> Iterator[Item]:
    settings = _settings_for(request, path)
    if not names and _is_excluded(path, settings):
        return
    _check_kind(path)
    text = read_staged(path) if request.staged else read_source(path)
    module = read_module(text, path.absolute())
    if module.parsed.problem and not module.definitions:
        raise UserError(f"{shown} does not parse as Python {describe_grammar()}: {module.parsed.problem}.")
    older = _find_older(request, module, path, bases)
    previous = older.version
    asked = names
    item = Item(path=shown, name="", root=find_project_root(path.absolute().parent), settings=settings)
    if request.revision or request.staged:
        changed = changed_names(module, previous)
        names = [name for name in names or changed if name in changed]
    elif not names:
        names = list(module.definitions)
    if request.reference and "::" not in request.reference and not request_names_one(request):
        request = replace(request, only=_read_usable(Path(request.reference), names))
    siblings = find_older_siblings(text, path, INDEX) if request.staged and names else ()
    judge = _Judge(request, module, older, siblings)
    for name in names:
        with _noted(problems):
            yield judge.item(item, name)
    is_all_found = asked and all(name in module.definitions for name in asked)
    has_told = any(name not in module.definitions for name in names)
    problem = module.parsed.problem
    if problem and not is_all_found and not has_told:
        problems.append(
            f"part of {shown} does not parse as Python {describe_grammar()}, so it is not checked: {problem}."
        )


def _check_kind(path: Path) -> None:
    """Check that a file may hold Python; a file without a suffix may be a script.

    Raises:
        UserError: its suffix is that of something else.
    """
    if path.suffix and path.suffix not in _PYTHON and path.is_file():
        raise UserError(f"{path} is no Python file; name a .py file or a folder.")


@dataclass(frozen=True, slots=True)
class _Older:
    """The older version that a file is compared with."""

    version: PreviousVersion | None = None
    """The file's older source code, if relevant and available."""
    label: str = "git HEAD"
    """Display name of the revision."""
    moves: Moves | None = None
    """Finds definitions that were in other files."""

    def of(self, module: Module, name: str) -> PreviousVersion | None:
        """The older version of a function, from whichever file contained it."""
        is_here = self.version is not None and name in self.version.read(module.path).definitions
        moved = self.moves.find(module, name) if self.moves is not None and not is_here else None
        return moved or self.version


def _find_older(request: Request, module: Module, path: Path, bases: _Bases) -> _Older:
    is_marked = any("lsp-evalplus:" in line and _REFACTORING in line for line in module.parsed.lines)
    is_asked = bool(request.revision or request.staged or request.uses_git)
    if not is_asked and not is_marked:
        return _Older()
    folder = path.absolute().parent
    try:
        base = bases.get(folder)
    except UserError:
        if is_asked:
            raise
        return _Older()  # Without a repository, the mark of a refactoring has no effect.
    previous = read_previous(path, base.commit, base.label)
    is_compared = request.uses_git or is_marked
    if previous is not None and is_compared:
        previous = with_siblings(previous, path, base.commit)
    return _Older(previous, base.label, bases.moves(folder, staged=request.staged) if is_compared else None)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Finds the oracles of the functions of one file."""

    request: Request
    module: Module
    older: _Older
    siblings: tuple[SourceModule, ...]
    """Imported modules of the project whose staged source code differs from the file on disk."""

    def item(self, base: Item, name: str) -> Item:
        target = self.module.target(name)
        target = replace(target, program=replace(target.program, modules=self.siblings))
        base = replace(base, name=name, target=target)
        directives = read_directives(target, self.module.parsed.lines)
        base = _apply_directives(base, directives)
        if "off" in directives:
            return replace(base, reason="switched off by a comment")
        previous = self.older.of(self.module, name) if self.request.uses_git or base.is_refactoring else None
        oracles = oracles_for(
            target,
            self.module,
            settings=base.settings,
            reference=self.request.reference if self.request.only is None or name in self.request.only else None,
            previous=previous,
        )
        reason = "" if oracles else self._why_nobody_speaks(base, previous)
        return replace(base, oracles=tuple(oracles), reason=target.obstacle or reason)

    def _why_nobody_speaks(self, item: Item, previous: PreviousVersion | None) -> str:
        if set(item.settings.oracles) - {OracleKind.MODEL.value} != {OracleKind.PREVIOUS.value}:
            return NO_ORACLE
        if previous is None:
            return f"the file is not in {self.older.label}"
        old = previous.read(self.module.path)
        if item.name not in old.definitions:
            return f"it is not in {previous.label}"
        if old.fingerprint(item.name) == self.module.fingerprint(item.name):
            return f"it has not changed since {self.older.label}"
        return f"its version in {previous.label} cannot be run: {old.target(item.name).obstacle}"


_REFACTORING = "refactoring"
"""The directive of functions that are compared with their previous version without ``--oracle git``."""


def request_names_one(request: Request) -> bool:
    """Whether every target names a function."""
    return bool(request.targets) and all("::" in text for text in request.targets)


def _read_usable(path: Path, names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that a file defines and that can run alone; the others were not requested explicitly."""
    module = read_module(read_source(path), path)
    return frozenset(name for name in names if name in module.definitions and module.target(name).obstacle is None)


def _apply_directives(item: Item, directives: dict[str, str]) -> Item:
    """Apply the settings in a function's comments.

    Raises:
        UserError: its budget is not a valid number.
    """
    item = replace(item, ignored=directives.get("ignore"), is_refactoring=_REFACTORING in directives)
    if "budget" not in directives:
        return item
    try:
        seconds: object = float(directives["budget"])
    except ValueError:
        seconds = directives["budget"]
    layer = Layer(f"{item.path}:{item.line}", {"budget": seconds})
    return replace(item, settings=apply_layer(item.settings, layer))


def _settings_for(request: Request, path: Path) -> Settings:
    layers = [Layer("command line", request.flags)] if request.flags else []
    settings = load_settings(path.absolute().parent, *layers)
    if request.uses_git and "oracles" not in request.flags:
        settings = replace(settings, oracles=(OracleKind.PREVIOUS.value,))
    if request.llm_oracle:
        settings = replace(settings, oracles=(*settings.oracles, OracleKind.MODEL.value))
    return settings


def _is_excluded(path: Path, settings: Settings) -> bool:
    root = settings.root
    if root is None or root not in path.absolute().parents:
        return False
    relative = path.absolute().relative_to(root).as_posix()
    return _matches(relative, settings.exclude)


def _matches(relative: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(relative, pattern) for pattern in patterns)
