"""The items of a check: targets on the command line -> functions with their oracles."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol

from lsp_evalplus.fuzz.config.exclusion import is_excluded
from lsp_evalplus.fuzz.config.settings import RUN, Layer, Settings, apply_layer, load_settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.values.source_text import SETTER
from lsp_evalplus.fuzz.index.indexes import ProjectIndexes
from lsp_evalplus.fuzz.model import ArgumentsText, Caller, FunctionTarget, Oracle, OracleKind, SourceModule
from lsp_evalplus.fuzz.oracle.annotation import judges_results
from lsp_evalplus.fuzz.oracle.carving import carved, have_changed
from lsp_evalplus.fuzz.oracle.git import INDEX, Base, find_base, find_work_tree
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE, callers_for, oracles_for
from lsp_evalplus.fuzz.oracle.moved import Moves
from lsp_evalplus.fuzz.oracle.previous import (
    FilesAt,
    OlderFiles,
    PreviousVersion,
    changed_names,
    find_older_siblings,
    list_changed_files,
    read_previous,
    read_staged,
    with_siblings,
)
from lsp_evalplus.fuzz.oracle.project_tests import TestedFile, find_tested_file
from lsp_evalplus.fuzz.oracle.reference import find_refusal, read_source
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import Module, describe_grammar, read_module
from lsp_evalplus.fuzz.source.notebook import Notebook
from lsp_evalplus.fuzz.source.project import find_project_root

from .files import NOTEBOOK, chosen_files, names_function, parse_target, read_python


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
    exclude: tuple[str, ...] = ()
    """``--exclude``: patterns, relative to the current folder, of files left out beside those of the settings."""
    respects_gitignore: bool = True
    """Leave out files below a folder that git ignores."""
    flags: dict[str, object] = field(default_factory=dict[str, object])
    """Settings given as options."""


class InTests(Protocol):
    """Finds tests: programs that tests import whole, the candidate and its oracle; None where no test may call it."""

    def __call__(self, oracle: Oracle, *, only_changed: bool) -> tuple[FunctionTarget, Oracle] | None:
        """Find them; `only_changed`: nothing where no file of tests has changed since the previous version."""
        ...


def _no_tests(oracle: Oracle, *, only_changed: bool) -> None:
    del oracle, only_changed


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
    refusal: str = ""
    """A sentence about a designated reference that is not followed, or empty."""
    root: Path = Path()
    """The project's folder, where interpreter and settings are looked up."""
    settings: Settings = field(default_factory=Settings)
    is_refactoring: bool = False
    """A comment requires the same behaviour as in the previous version."""
    ignored: str | None = None
    """From a comment: the fingerprint of the finding to suppress, empty for all of them."""
    listed: tuple[str, int] | None = None
    """For a pair: its file and line."""
    notebook: Notebook | None = None
    """The notebook that it is in."""
    text: str = field(default="", repr=False)
    """The text of its file as it was read; that of a notebook's code cells."""
    seeds: tuple[ArgumentsText, ...] = ()
    """Inputs to try first, before those that are remembered."""
    callers: Callable[[], Iterable[Caller]] = field(default=tuple, repr=False, compare=False)
    """Finds functions through which the target can be compared with its previous version."""
    in_tests: InTests = field(default=_no_tests, repr=False, compare=False)
    """Finds the tests on whose calls the target can be compared with its previous version."""
    tested_file: Callable[[], TestedFile | None] = field(default=lambda: None, repr=False, compare=False)
    """Finds the tests of its file, where these may judge it."""

    @property
    def lacks_oracle(self) -> bool:
        """Whether nothing says what the function should return, but at most that it should return something."""
        return self.reason == NO_ORACLE or (not self.reason and bool(self.oracles) and not judges_results(self.oracles))

    @property
    def line(self) -> int | None:
        """The line of the function's name, from 1; in a notebook, that in its cell."""
        if self.target is None:
            return None
        line = self.target.name_span.start_line
        return line + 1 if self.notebook is None else self.notebook.place_of(line)[1]

    @property
    def column(self) -> int | None:
        """The column of the function's name, from 1; None for a pair, whose lines are in no file."""
        return self.target.name_span.start_column + 1 if self.target is not None and self.path is not None else None

    @property
    def cell(self) -> int | None:
        """The cell of a notebook that it is in, from 1."""
        if self.target is None or self.notebook is None:
            return None
        return self.notebook.place_of(self.target.name_span.start_line)[0]

    @property
    def place(self) -> str:
        """Its location as ``path:line``, or ``path:cell 3:line`` in a notebook; for a pair, its identifier."""
        if self.path is None or self.line is None:
            return self.path or self.identifier or ""
        return f"{self.path}:{'' if self.cell is None else f'cell {self.cell}:'}{self.line}"


def collect_items(request: Request, problems: list[str], left_out: list[str] | None = None) -> Iterator[Item]:
    """Find all items of a request, in order; files are read lazily.

    An invalid file, function, reference or revision is skipped and reported as a sentence in `problems`. The paths of
    excluded files are appended to `left_out`.

    Raises:
        UserError: the request as a whole is invalid.
    """
    bases, project = _Bases(request.revision or "HEAD"), _Project(ProjectTests(), ProjectIndexes(is_fixed=True))
    wanted = list(_wanted_files(request, bases, problems))
    if request.reference and "::" in request.reference and any(not names for _, _, names in wanted):
        raise UserError("--reference names one function; name the TARGET as path.py::name too.")
    for shown, path, names in wanted:
        with _noted(problems):
            left_out = [] if left_out is None else left_out
            yield from _read_file(request, shown, path, names, bases, project, problems, left_out)


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
        self._files = dict[Path, FilesAt]()

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

    def files(self, folder: Path, *, staged: bool) -> FilesAt:
        """The files of the same work tree at the base.

        Raises:
            UserError: as `get`.
        """
        top = find_work_tree(folder) or folder
        if top not in self._files:
            self._files[top] = FilesAt(self.get(folder).commit, staged=staged)
        return self._files[top]


def _wanted_files(request: Request, bases: _Bases, problems: list[str]) -> Iterator[tuple[str, Path, list[str]]]:
    """Yield (path as shown, path, names); no names stand for all functions."""
    chosen = chosen_files(request.targets, respects_gitignore=request.respects_gitignore)
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


def _work_trees(request: Request, chosen: Iterable[Path]) -> Iterable[Path]:
    """The roots of the work trees of the targets or the current folder; folders outside any work tree are kept."""
    paths = [parse_target(text)[0] for text in request.targets]
    folders = [path if path.is_dir() else path.parent for path in paths] or [Path()]
    folders += [file.parent for file in chosen]
    return dict.fromkeys(find_work_tree(folder) or folder for folder in dict.fromkeys(folders))


def _read_file(
    request: Request,
    shown: str,
    path: Path,
    names: list[str],
    bases: _Bases,
    project: _Project,
    problems: list[str],
    left_out: list[str],
) -> Iterator[Item]:
    settings = _settings_for(request, path)
    if not names and _is_excluded(request, path, settings):
        left_out.append(shown)
        return
    text, notebook = (read_staged(path), None) if request.staged else read_python(path)
    module = read_module(text, path.absolute())
    if module.parsed.problem and not module.definitions:
        raise UserError(f"{shown} does not parse as Python {describe_grammar()}: {module.parsed.problem}.")
    older = _find_older(request, module, path, bases)
    previous = older.version
    if request.reference is None:
        names = [one for name in names for one in (name, name + SETTER) if one == name or one in module.definitions]
    asked = names
    root = find_project_root(path.absolute().parent)
    item = Item(path=shown, name="", root=root, settings=settings, notebook=notebook, text=text)
    if request.revision or request.staged:
        changed = changed_names(module, previous)
        names = [name for name in names or changed if name in changed]
    elif not names:
        names = list(module.definitions)
    if request.reference and "::" not in request.reference and not request_names_one(request):
        request = replace(request, only=_read_usable(Path(request.reference), names))
    siblings = find_older_siblings(text, path, INDEX) if request.staged and names else ()
    tested_file = lru_cache(1)(partial(find_tested_file, module, project.tests))
    judge = _Judge(request, module, older, siblings, project, (lambda: None) if notebook else tested_file)
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


@dataclass(frozen=True, slots=True)
class _Older:
    """The older version that a file is compared with."""

    version: PreviousVersion | None = None
    """The file's older source code, if relevant and available."""
    label: str = "git HEAD"
    """Display name of the revision."""
    moves: Moves | None = None
    """Finds definitions that were in other files."""
    files: OlderFiles | None = None
    """The other files of the project as they were."""

    def of(self, module: Module, name: str) -> PreviousVersion | None:
        """The older version of a function, from whichever file contained it."""
        is_here = self.version is not None and name in self.version.read(module.path).definitions
        moved = self.moves.find(module, name) if self.moves is not None and not is_here else None
        return moved or self.version


def _find_older(request: Request, module: Module, path: Path, bases: _Bases) -> _Older:
    is_marked = any("lsp-evalplus:" in line and _REFACTORING in line for line in module.parsed.lines)
    is_asked = bool(request.revision or request.staged or request.uses_git)
    if path.suffix == NOTEBOOK and is_asked:
        raise UserError(f"{path} is a notebook, whose previous versions are not read; leave out --oracle git.")
    if path.suffix == NOTEBOOK or (not is_asked and not is_marked):
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
    if not is_compared:
        return _Older(previous, base.label)
    files = bases.files(folder, staged=request.staged)
    return _Older(previous, base.label, bases.moves(folder, staged=request.staged), files)


@dataclass(frozen=True, slots=True)
class _Project:
    """What is read of the project around a file."""

    tests: ProjectTests
    indexes: ProjectIndexes


@dataclass(frozen=True, slots=True)
class _Judge:
    """Finds the oracles of the functions of one file."""

    request: Request
    module: Module
    older: _Older
    siblings: tuple[SourceModule, ...]
    """Imported modules of the project whose staged source code differs from the file on disk."""
    project: _Project
    tested_file: Callable[[], TestedFile | None]
    """Finds the tests of the file."""

    def item(self, base: Item, name: str) -> Item:
        target = self._with_siblings(self.module.target(name))
        base = replace(base, name=name, target=target)
        directives = read_directives(target, self.module.parsed.lines)
        base = _apply_directives(base, directives)
        if "off" in directives:
            return replace(base, reason="switched off by a comment")
        previous = self.older.of(self.module, name) if self.request.uses_git or base.is_refactoring else None
        reference = self.request.reference if self.request.only is None or name in self.request.only else None
        oracles = oracles_for(
            target,
            self.module,
            settings=base.settings,
            reference=reference,
            previous=previous,
            tests=self.project.tests,
            project=lambda: self.project.indexes.knowledge(self.module, base.settings),
        )
        target = target.beside(oracles)
        reason = "" if oracles else self._why_nobody_speaks(base, previous)
        base = replace(base, refusal=find_refusal(target, directives, base.settings) if not reference else "")
        return replace(
            base,
            target=target,
            oracles=tuple(oracles),
            reason=target.obstacle or reason,
            callers=lambda: self._callers(base, target, previous),
            in_tests=partial(self._in_tests, target, previous, base.settings),
            tested_file=self.tested_file if _may_run_tests(base.settings, target) else base.tested_file,
        )

    def _in_tests(
        self,
        target: FunctionTarget,
        previous: PreviousVersion | None,
        settings: Settings,
        oracle: Oracle,
        *,
        only_changed: bool,
    ) -> tuple[FunctionTarget, Oracle] | None:
        if previous is None or oracle.kind is not OracleKind.PREVIOUS or settings.tests != RUN:
            return None
        files = self.older.files
        if only_changed and files is not None and not have_changed(self.project.tests, self.module, files):
            return None
        return carved(target, oracle, self.module, previous, self.project.tests, self.older.files)

    def _callers(self, base: Item, target: FunctionTarget, previous: PreviousVersion | None) -> Iterator[Caller]:
        if previous is None:
            return
        knowledge = partial(self.project.indexes.knowledge, self.module, base.settings)
        for one in callers_for(
            target, self.module, previous, base.settings, tests=self.project.tests, project=knowledge
        ):
            yield replace(one, target=self._with_siblings(one.target))

    def _with_siblings(self, target: FunctionTarget) -> FunctionTarget:
        return replace(target, program=replace(target.program, modules=self.siblings))

    def _why_nobody_speaks(self, item: Item, previous: PreviousVersion | None) -> str:
        if set(item.settings.oracles) - {OracleKind.MODEL.value} != {OracleKind.PREVIOUS.value}:
            return NO_ORACLE
        if previous is None:
            return f"the file is not in {self.older.label}"
        old = previous.read(self.module.path)
        if item.name not in old.definitions:
            return f"it is not in {previous.label}"
        if self.module.is_as_in(old, item.name):
            return f"it has not changed since {self.older.label}"
        return f"its version in {previous.label} cannot be run: {old.target(item.name).lack_as_older}"


def _may_run_tests(settings: Settings, target: FunctionTarget) -> bool:
    """Whether tests that call a function may be run to judge it."""
    return settings.tests == RUN and OracleKind.EXAMPLES.value in settings.oracles and not target.is_stub


_REFACTORING = "refactoring"
"""The directive of functions that are compared with their previous version without ``--oracle git``."""


def request_names_one(request: Request) -> bool:
    """Whether every target names a function."""
    return bool(request.targets) and all(map(names_function, request.targets))


def _read_usable(path: Path, names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that a file defines and that can run alone; the others were not requested explicitly."""
    module = read_module(read_source(path), path)
    return frozenset(name for name in names if name in module.definitions and module.target(name).lack is None)


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


def _is_excluded(request: Request, path: Path, settings: Settings) -> bool:
    """Whether the setting ``exclude``, relative to pyproject.toml, or ``--exclude`` names a file."""
    root = settings.root or Path()
    return is_excluded(settings.exclude, root, path) or is_excluded(request.exclude, Path(), path)
