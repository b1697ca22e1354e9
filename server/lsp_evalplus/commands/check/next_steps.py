"""What to do where no function has an oracle: the ways to give these functions one, each as a command or an edit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Binding, FunctionTarget
from lsp_evalplus.fuzz.oracle.annotation import robustness_oracle
from lsp_evalplus.fuzz.oracle.git import find_work_tree
from lsp_evalplus.fuzz.oracle.previous import list_changed_files
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.source.discover import read_module

from .files import python_files
from .items import Item
from .sample_calls import sample_call

_MOST_FILES = 300
"""Files of the project in which a second implementation is looked for."""
_DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_AFFIXES = frozenset("reference ref naive slow simple brute force bruteforce old legacy original expected v1".split())
"""Parts of a name that mark a second implementation: ``median_naive`` of ``median``."""

_CONSTRUCTORS = ("__init__", "__new__")


def describe_next_steps(items: Sequence[Item], request: Sequence[str]) -> Iterator[str]:
    """Yield the lines of advice for functions that nothing says the right results of.

    `request` are the targets of the command, and the options that select functions, as given.
    """
    if not items:
        return
    what = "this function should" if len(items) == 1 else f"these {len(items):,} functions should"
    steps = [*_example(items), *_git(items, request), *_second_implementation(items), *_robustness(items, request)]
    yield f"Nothing says what {what} return. Add one of these:"
    width = max(len(name) for name, _ in steps)
    for name, text in steps:
        yield f"  {name.ljust(width)}  {text}"


def _example(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """An example to write: of the function for which most is known, a documented one before others."""
    calls = [(item, call) for item in items if item.target and (call := sample_call(item.target)) is not None]
    if not calls:
        # In an example nobody calls a special method by its name, nor a private function if there is another.
        plain = [item for item in items if not item.name.rpartition(".")[2].startswith("_")]
        item = (plain or items)[0]
        owner, _, name = item.name.rpartition(".")
        call = f"{owner or name}(...)" if name in _CONSTRUCTORS else f"{name}(...)"
        yield "an example", f"`>>> {call}` with its result below it, in the docstring of {_place(item)}"
        return
    item, call = max(calls, key=lambda pair: bool(pair[0].target and pair[0].target.docstring))
    yield "an example", f"`>>> {call}` with its result below it, in the docstring of {_place(item)}"


def _git(items: Sequence[Item], request: Sequence[str]) -> Iterator[tuple[str, str]]:
    paths = {Path(item.path).resolve() for item in items if item.path is not None}
    top = next((top for path in paths if (top := find_work_tree(path.parent)) is not None), None)
    if top is None:
        return
    try:
        changed = paths & {path.resolve() for path in list_changed_files(top, "HEAD")}
    except UserError:
        return
    command = _command("--oracle", "git", *request)
    if changed:
        yield "git", f"{command}  (compares {count(len(changed), 'changed file')} with git HEAD)"
    else:
        yield "git", f"{command}  (after your next change: compares with git HEAD)"


def _second_implementation(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    found = find_second_implementation(items)
    if found is not None:
        item, path, name = found
        command = _command(f"{item.path}::{item.name}", "--reference", f"{path}::{name}")
        yield "a reference", f"{command}  (has the same parameters)"


def _robustness(items: Sequence[Item], request: Sequence[str]) -> Iterator[tuple[str, str]]:
    able = sum(item.target is not None and robustness_oracle(item.target) is not None for item in items)
    if able:
        reason = f"looks for crashes; {count(able, 'function')} with annotated parameters"
        yield "robustness", f"{_command('--oracle', 'robustness', *request)}  ({reason})"


def find_second_implementation(items: Sequence[Item]) -> tuple[Item, str, str] | None:
    """Return a function with another definition in its project: of the same name in another file, or of its name with
    an affix such as ``_naive``; and that definition's path and name. Both have the same parameters."""
    wanted = dict[str, list[tuple[Item, FunctionTarget]]]()
    for item in items:
        target = item.target
        if target is not None and target.binding is Binding.FREE and target.parameters and item.name.isidentifier():
            wanted.setdefault(item.name, []).append((item, target))
    files = dict.fromkeys(Path(item.path) for item in items if item.path is not None)
    for root in dict.fromkeys(item.root for item in items) if wanted else ():
        files |= dict.fromkeys(map(_relative, islice(python_files(root), _MOST_FILES)))
    for path in files:
        for item, name in _implementations_in(path, wanted):
            return item, path.as_posix(), name
    return None


def _implementations_in(path: Path, wanted: dict[str, list[tuple[Item, FunctionTarget]]]) -> Iterator[tuple[Item, str]]:
    try:
        text = read_source(path)
    except UserError:
        return
    names = [name for name in dict.fromkeys(_DEFINED.findall(text)) if _without_affixes(name) in wanted]
    module = read_module(text, path) if names else None
    for name in names:
        for item, target in wanted[_without_affixes(name)]:
            is_itself = item.name == name and Path(item.path or "").resolve() == path.resolve()
            if module is None or is_itself or name not in module.definitions:
                continue
            other = module.target(name)
            if other.lack is None and _parameter_names(other) == _parameter_names(target):
                yield item, name


def _without_affixes(name: str) -> str:
    parts = name.split("_")
    return "_".join(part for part in parts if part not in _AFFIXES) or name


def _parameter_names(target: FunctionTarget) -> list[tuple[str, str]]:
    return [(parameter.name, parameter.kind) for parameter in target.parameters]


def _relative(path: Path) -> Path:
    """The path as the user would write it."""
    absolute, folder = path.absolute(), Path.cwd()
    return absolute.relative_to(folder) if absolute.is_relative_to(folder) else path


def _place(item: Item) -> str:
    return f"{item.name} ({item.place})"


def _command(*arguments: str) -> str:
    return shlex.join(["lsp-evalplus", "check", *arguments])


def to_request(targets: Iterable[str], revision: str | None, staged: bool) -> list[str]:
    """The part of a command line that selects functions."""
    return [*(["--diff", revision] if revision else []), *(["--staged"] if staged else []), *targets]
