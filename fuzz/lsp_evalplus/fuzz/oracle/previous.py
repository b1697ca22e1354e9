"""The previous version of a function, from git: what did this function do before it was changed?

git is asked by its command line, with hooks, filters and external programs of the repository switched off.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lsp_evalplus.fuzz.discover import Module, read_module
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, SourceModule
from lsp_evalplus.fuzz.project import Place

from .reference import oracle_of
from .siblings import find_siblings

_TIMEOUT_SECONDS = 20
INDEX = ":"
"""In place of a revision: what is staged for the next commit."""


@dataclass(frozen=True, slots=True)
class PreviousVersion:
    """An older text of a file and what to call it: ``git HEAD``, ``the text before the edit``."""

    text: str
    label: str
    siblings: tuple[SourceModule, ...] = ()
    """What it imports from its project, where that was another text then too."""


def previous_oracle(target: FunctionTarget, module: Module, previous: PreviousVersion) -> Oracle | None:
    """The oracle that runs the same function of an older text; None where it is new or unchanged."""
    old = read_module(previous.text, module.path)
    if target.name not in old.definitions or target.name not in module.definitions:
        return None
    if old.fingerprint(target.name) == module.fingerprint(target.name):
        return None
    reference = old.target(target.name)
    if reference.obstacle is not None:
        return None
    reference = replace(reference, program=replace(reference.program, modules=previous.siblings))
    return oracle_of(old, reference, OracleKind.PREVIOUS, previous.label)


def changed_names(module: Module, previous: PreviousVersion | None) -> list[str]:
    """Functions that are new or differ, with what they need of their module, from an older text; all of a new file."""
    if previous is None:
        return list(module.definitions)
    old = read_module(previous.text, module.path)
    return [
        name
        for name in module.definitions
        if name not in old.definitions or old.fingerprint(name) != module.fingerprint(name)
    ]


def read_previous(path: Path, revision: str = "HEAD") -> PreviousVersion | None:
    """The text of `path` at a git revision (or in the `INDEX`); None where the file did not exist there.

    Raises:
        UserError: there is no git, no repository, or no such revision.
    """
    folder = path.absolute().parent
    check_revision(folder, revision)
    found = run_git(folder, "cat-file", "blob", f"{revision.rstrip(':')}:./{path.name}")
    if found is None:
        return None
    return PreviousVersion(found.decode("utf-8", "replace"), f"git {'index' if revision == INDEX else revision}")


def with_siblings(previous: PreviousVersion, path: Path, revision: str) -> PreviousVersion:
    """`previous`, which is `path` at `revision`, with the modules of its project that it imports, as they were then.

    Where git cannot tell, it is left as it is.
    """
    place = read_module(previous.text, path.absolute()).place
    if place is None or revision == INDEX or not place.search_path:
        return previous
    older = _read_older(place, revision)
    return replace(previous, siblings=find_siblings(previous.text, place, older)) if older else previous


def _read_older(place: Place, revision: str) -> dict[Path, str]:
    """The texts at `revision` of Python files below the import root that have changed or gone since."""
    root = Path(place.search_path[0])
    options = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--diff-filter=MDT", "--relative"]
    listed = run_git(root, "diff", *options, revision, "--", ".") or b""
    names = [name for name in listed.split(b"\0") if name.endswith(b".py") and b"\n" not in name][:_MOST_FILES]
    asked = b"".join(revision.encode() + b":./" + name + b"\n" for name in names)
    answer = run_git(root, "cat-file", "--batch", stdin=asked) if names else b""
    texts = _split_batch(answer or b"")
    return {root / os.fsdecode(name): text for name, text in zip(names, texts, strict=False) if text is not None}


_MOST_FILES = 500


def _split_batch(answer: bytes) -> Iterator[str | None]:
    """The contents that ``git cat-file --batch`` tells one after another: a line with the size, then so many bytes."""
    position = 0
    while position < len(answer):
        end = answer.index(b"\n", position)
        fields = answer[position:end].split()
        position = end + 1
        if len(fields) != 3 or not fields[2].isdigit():
            yield None
            continue
        size = int(fields[2])
        yield answer[position : position + size].decode("utf-8", "replace")
        position += size + 1


def check_revision(folder: Path, revision: str) -> None:
    """Make sure that `folder` is in a git repository which knows `revision`.

    Raises:
        UserError: otherwise; the sentence says which of them is missing.
    """
    if run_git(folder, "rev-parse", "--is-inside-work-tree") is None:
        raise UserError(f"{folder} is not in a git work tree, so there is no previous version to compare with.")
    if revision == INDEX:
        return
    if revision.startswith("-") or run_git(folder, "rev-parse", "--verify", "--quiet", revision + "^{commit}") is None:
        raise UserError(f"git knows no revision {revision!r} in {folder}.")


def list_changed_files(folder: Path, revision: str, *, staged: bool = False) -> list[Path]:
    """Python files that differ between `revision` and the work tree, untracked ones included, or the index.

    Raises:
        UserError: there is no git, no repository, or no such revision.
    """
    check_revision(folder, revision)
    options = ["--cached"] if staged else []
    listed = run_git(
        folder,
        "diff",
        "--name-only",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-filter=d",
        *options,
        revision,
        "--",
    )
    names = (listed or b"").split(b"\0")
    top = Path(os.fsdecode((run_git(folder, "rev-parse", "--show-toplevel") or b"").strip()))
    if not staged:
        names += (run_git(top, "ls-files", "-z", "--others", "--exclude-standard") or b"").split(b"\0")
    return sorted(top / os.fsdecode(name) for name in set(names) if name.endswith(b".py"))


def run_git(folder: Path, *arguments: str, stdin: bytes = b"", seconds: float = _TIMEOUT_SECONDS) -> bytes | None:
    """The output of a git command, or None where it failed.

    Raises:
        UserError: there is no git, or it did not answer in so many seconds.
    """
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=environment,
            input=stdin,
        )
    except FileNotFoundError:
        raise UserError("git was not found; install it, or do not ask for the previous version.") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"git did not answer within {seconds} seconds in {folder}.") from None
    return done.stdout if done.returncode == 0 else None
