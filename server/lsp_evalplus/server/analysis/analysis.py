"""Analyse files: their functions, what changed, which oracles apply. Runs in the analysis process.

Parsing a large file takes longer than an editor may be kept waiting, and holds the interpreter's lock while it does;
so none of it runs in the server's own process. `analysis.client` is the other side.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from lsp_evalplus.fuzz.config.settings import RUN, Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.index.indexes import ProjectIndexes
from lsp_evalplus.fuzz.model import Caller, FunctionTarget, Oracle, OracleKind, Span
from lsp_evalplus.fuzz.oracle.carving import carved
from lsp_evalplus.fuzz.oracle.ladder import callers_for, oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.oracle.reference import find_designation
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.seeds.corpus import memory_key, open_memory
from lsp_evalplus.fuzz.source.definitions import Definition
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import Module, read_module
from lsp_evalplus.server.documents.unsaved import Unsaved, current_text, is_saved

from . import history, worktree
from .dependencies import ModuleDependencies, files_signature, imported_files
from .facts import JUST_REPLACED, FileText, FunctionFacts, PreparedFunction, PreviousText, Survey

_MAX_MODULES: Final = 12
_MAX_CHARACTERS: Final = 2_000_000
"""Syntax trees take fifty times as much memory as their source."""
_EXAMPLE_SIGNS: Final = (">>>", "==", "->", "=>", "→", "returns", "Example", "example")


@dataclass(frozen=True, slots=True)
class _Read:
    """A parsed source text."""

    module: Module
    needs: ModuleDependencies


class Analysis:
    """Answers requests about source text; caches what it parsed last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Read] = OrderedDict()
        self._head = history.Head()
        self._tests = ProjectTests()
        self._indexes = ProjectIndexes(is_fixed=False)

    def questions(self) -> dict[str, Callable[..., Any]]:
        """The requests, by name."""
        return {
            "survey": self.survey,
            "prepare": self.prepare,
            "callers": self.callers,
            "in_tests": self.in_tests,
            "previous": self.previous,
            "changed_files": self.changed_files,
            "own_files": worktree.own_files,
            "stands_elsewhere": worktree.stands_elsewhere,
            "tree_state": worktree.tree_state,
            "forget_head": self._head.forget,
            "keep": self.keep,
            "recall": self.recall,
            "warm_memory": self.warm_memory,
        }

    def survey(self, file: FileText, references: tuple[str, ...]) -> Survey:
        """Every function of a file. `references` are the names of those with a designated reference by setting."""
        started = time.perf_counter()
        read = self._read(file)
        before = self._read_previous(file)
        bases = [before, *self._read_under_way(file)] if before is not None else []
        stashed = self._read_stashed(file)
        facts = [_facts(read, one, bases, stashed, references) for one in read.module.definitions.values()]
        shown = [_shifted(one, -file.first_line) for one in facts if one.span.start_line >= file.first_line]
        seconds = time.perf_counter() - started
        return Survey.of(shown, read.module.parsed.problem, seconds, is_saved=is_saved(file.path, file.text))

    def prepare(
        self, file: FileText, name: str, settings: Settings, open_texts: Mapping[str, str], replaced: str | None
    ) -> PreparedFunction | None:
        """The target and its oracles; None when the source has no such function.

        `open_texts` are unsaved documents by path; `replaced` is the source text before accepted code
        replaced another version of the function.
        """
        read = self._read(file)
        if name not in read.module.definitions:
            return None
        target = read.module.target(name)
        problem, oracles, directives = None, list[Oracle](), dict[str, str]()
        try:
            directives = read_directives(target, read.module.parsed.lines)
            if target.obstacle is None:
                oracles = self._oracles(read.module, target, file, settings, open_texts, replaced)
        except UserError as error:
            problem = _as_reason(str(error))
        if "off" in directives:
            problem = "switched off by a comment"
        unsaved = Unsaved(open_texts, file.path)
        target = replace(target, program=unsaved.program(target.program)).beside(oracles)
        oracles = [unsaved.oracle(one) for one in oracles]
        lines = _reference_lines(oracles, open_texts)
        references = {one.reference_path for one in oracles if one.reference_path is not None}
        references.update(_designated(target, directives, settings))
        files = _files(read.needs, target, references, file, open_texts)
        key = _key(read.needs, target, oracles, files)
        if file.first_line:
            target = replace(
                target,
                span=_by(target.span, -file.first_line),
                name_span=_by(target.name_span, -file.first_line),
            )
        return PreparedFunction(target, tuple(oracles), key, directives, lines, files, problem)

    def callers(
        self, file: FileText, name: str, settings: Settings, open_texts: Mapping[str, str], replaced: str | None
    ) -> list[Caller]:
        """The functions of the file that may call another one, with their versions in `replaced`, None: at HEAD."""
        module = self._read(file).module
        version = self._version(file, replaced)
        if name not in module.definitions or version is None:
            return []
        unsaved, knowledge = Unsaved(open_texts, file.path), partial(self._indexes.knowledge, module, settings)
        found = callers_for(module.target(name), module, version, settings, tests=self._tests, project=knowledge)
        return [
            Caller(replace(one.target, program=unsaved.program(one.target.program)), unsaved.oracle(one.oracle))
            for one in found
        ]

    def in_tests(
        self,
        file: FileText,
        name: str,
        settings: Settings,
        open_texts: Mapping[str, str],
        replaced: str | None,
        oracle: Oracle,
    ) -> tuple[FunctionTarget, Oracle] | None:
        """A function and its version in `replaced`, None: at HEAD, as programs whose tests are run; see `carved`."""
        module = self._read(file).module
        version = self._version(file, replaced)
        if name not in module.definitions or version is None or settings.tests != RUN:
            return None
        found = carved(module.target(name), oracle, module, version, self._tests, history.FilesAtHead(self._head))
        if found is None:
            return None
        unsaved, (target, older) = Unsaved(open_texts, file.path), found
        return replace(target, program=unsaved.program(target.program)), unsaved.oracle(older)

    def _version(self, file: FileText, replaced: str | None) -> PreviousVersion | None:
        """The text that was replaced, None: that at HEAD, if there is one."""
        if replaced is not None:
            return PreviousVersion(replaced, JUST_REPLACED)
        found = self._head.version_of(file.path) if file.path is not None else None
        return None if found is history.NEW_FILE else found

    def previous(self, file: FileText, name: str, replaced: str | None) -> PreviousText | None:
        """The function's definition in the source that was replaced, where that is given, else at HEAD."""
        before = self._read(FileText(replaced, file.path)) if replaced is not None else self._read_previous(file)
        definition = before.module.definitions.get(name) if before is not None else None
        if before is None or definition is None:
            return None
        return PreviousText(tuple(before.module.parsed.lines), definition.span)

    def changed_files(self, folder: str) -> list[str] | None:
        """Python files of a work tree that differ from HEAD."""
        return history.changed_files(Path(folder))

    def keep(self, path: str, name: str, settings: Settings, found: Sequence[str], corpus: Sequence[str]) -> None:
        """Remember inputs for the next session."""
        memory = open_memory(settings)
        if memory is not None:
            memory.keep(memory_key(path, name), found=found, corpus=corpus)

    def recall(self, path: str, name: str, settings: Settings) -> list[str]:
        """Inputs remembered from earlier sessions, counterexamples first."""
        memory = open_memory(settings)
        return memory.recall(memory_key(path, name)) if memory is not None else []

    def warm_memory(self) -> None:
        """Import what the stored corpus needs."""
        importlib.import_module("sqlite3")

    def _oracles(
        self,
        module: Module,
        target: FunctionTarget,
        file: FileText,
        settings: Settings,
        open_texts: Mapping[str, str],
        replaced: str | None,
    ) -> list[Oracle]:
        def read(path: Path) -> str:
            return current_text(path, open_texts)

        path = Path(file.path) if file.path is not None else None
        version = self._head.version_of(file.path) if file.path is not None else None
        previous = None if version is None or version is history.NEW_FILE else version
        if version is not None and target.name not in version.read(path).definitions:
            previous = self._head.version_elsewhere(module, target.name, read)
        between = PreviousVersion(replaced, JUST_REPLACED) if replaced is not None else None
        return oracles_for(
            target,
            module,
            path,
            settings,
            previous=previous,
            replaced=between,
            read=read,
            tests=self._tests,
            project=lambda: self._indexes.knowledge(module, settings),
        )

    def _read_previous(self, file: FileText) -> _Read | None:
        version = self._head.version_of(file.path) if file.path is not None else None
        return None if version is None else self._read(FileText(version.text, file.path))

    def _read_under_way(self, file: FileText) -> list[_Read]:
        versions = self._head.versions_under_way(file.path) if file.path is not None else []
        return [self._read(FileText(version.text, file.path)) for version in versions]

    def _read_stashed(self, file: FileText) -> list[_Read]:
        versions = self._head.stashed_versions(file.path) if file.path is not None else []
        return [self._read(FileText(version.text, file.path)) for version in versions]

    def _read(self, file: FileText) -> _Read:
        digest = hashlib.sha256(f"{file.path}\0{file.text}".encode("utf-8", "surrogatepass")).hexdigest()
        known = self._kept.pop(digest, None)
        if known is None:
            module = read_module(file.text, Path(file.path) if file.path is not None else None)
            known = _Read(module, ModuleDependencies(module))
        self._kept[digest] = known
        self._forget_old()
        return known

    def _forget_old(self) -> None:
        """Keep the modules used last; always two, because a file is compared with its version at HEAD."""
        size = sum(len(one.module.parsed.text) for one in self._kept.values())
        while len(self._kept) > _MAX_MODULES or (len(self._kept) > 2 and size > _MAX_CHARACTERS):
            _, dropped = self._kept.popitem(last=False)
            size -= len(dropped.module.parsed.text)


def _facts(
    read: _Read,
    definition: Definition,
    bases: Sequence[_Read],
    stashed: Sequence[_Read],
    references: tuple[str, ...],
) -> FunctionFacts:
    """What is known of a function.

    Args:
        bases: the file at HEAD, where there is one, and in commits under way.
        stashed: the file in stashes.
    """
    text = _text(read.module, definition)
    key = read.needs.key(definition.name)
    is_new = bool(bases) and definition.name not in bases[0].module.definitions
    is_changed = all(_differs(base, definition.name, key) for base in bases) if bases else None
    return FunctionFacts(
        name=definition.name,
        span=definition.span,
        name_span=definition.name_span,
        key=key,
        text_hash=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24],
        is_changed=is_changed,
        has_reference=definition.name in references or _has_directive(read.module, definition),
        has_examples=any(sign in _docstring(definition) for sign in _EXAMPLE_SIGNS),
        is_new=is_new,
        is_stashed=any(_has_text(one.module, definition.name, text) for one in stashed),
        other_parts=read.module.other_parts.get(definition.name, ()),
    )


def _has_text(module: Module, name: str, text: str) -> bool:
    """Whether a function has this source in a module, whatever became of what it uses: that is how text is moved."""
    return name in module.definitions and _text(module, module.definitions[name]) == text


def _differs(base: _Read, name: str, key: str) -> bool:
    return name not in base.module.definitions or base.needs.key(name) != key


def _text(module: Module, definition: Definition) -> str:
    lines = module.parsed.lines[definition.span.start_line : definition.span.end_line + 1]
    return "\n".join(line.rstrip() for line in lines)


def _as_reason(sentence: str) -> str:
    """A sentence as the end of the message "not checked: …"."""
    return ("t" + sentence[1:] if sentence.startswith("The ") else sentence).rstrip(".")


def _docstring(definition: Definition) -> str:
    """Only the docstring: an annotated signature has an arrow as well."""
    first = definition.node.body[0] if definition.node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _has_directive(module: Module, definition: Definition) -> bool:
    """Whether the comments right above the function, or those in its header, designate a reference."""
    lines, first = module.parsed.lines, definition.span.start_line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    header = lines[first : definition.name_span.end_line + 1]
    return any("lsp-evalplus:" in line and "reference" in line for line in header)


def _designated(target: FunctionTarget, directives: dict[str, str], settings: Settings) -> list[str]:
    """The file of the designated reference, even if it is missing: the verdict changes once it exists."""
    try:
        designation = find_designation(target, directives, settings)
    except UserError:
        return []
    if designation is None or designation.path is None or not designation.is_followed:
        return []
    return [str(designation.path)]


def _files(
    needs: ModuleDependencies,
    target: FunctionTarget,
    references: set[str],
    file: FileText,
    open_texts: Mapping[str, str],
) -> tuple[str, ...]:
    """Files that the verdict depends on, besides the function's own."""
    # A reference's path may contain dots; notifications of changes give it normalised.
    files = {os.path.normpath(path) for path in references}
    if file.path is not None:
        files.update(imported_files(needs.closure(target.name), file.path, target.program.search_path, open_texts))
    return tuple(sorted(files - {file.path}))


def _key(needs: ModuleDependencies, target: FunctionTarget, oracles: list[Oracle], files: Sequence[str]) -> str:
    oracle_ids = repr([_identity(one) for one in oracles])
    parts = (needs.key(target.name), files_signature(files), repr(target.program.modules), oracle_ids)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _identity(oracle: Oracle) -> tuple[object, ...]:
    """The parts of an oracle that decide its verdict, which its position is not."""
    examples = tuple((one.arguments, one.expected, one.raises) for one in oracle.examples)
    sessions = tuple(tuple((step.source, step.want) for step in session) for session in oracle.sessions)
    return oracle.kind.value, oracle.source, oracle.reference, examples, sessions, oracle.contract, oracle.equality


def _reference_lines(oracles: list[Oracle], open_texts: Mapping[str, str]) -> dict[OracleKind, str]:
    """The line that holds each reference's name."""
    lines: dict[OracleKind, str] = {}
    for oracle in oracles:
        if oracle.reference_path is None or oracle.reference_span is None:
            continue
        try:
            text = current_text(Path(oracle.reference_path), open_texts)
        except UserError:
            continue
        number = oracle.reference_span.start_line
        lines[oracle.kind] = "".join(text.split("\n")[number : number + 1])
    return lines


def _shifted(facts: FunctionFacts, lines: int) -> FunctionFacts:
    return facts.moved(lambda span: _by(span, lines)) if lines else facts


def _by(span: Span, lines: int) -> Span:
    return replace(span, start_line=span.start_line + lines, end_line=span.end_line + lines)
