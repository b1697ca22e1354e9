"""Run git on the command line, with hooks, filters and external programs of the repository disabled."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError

_TIMEOUT_SECONDS = 20
INDEX = ":"
"""Stands for the git index in place of a revision."""
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_OF_ONE_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables git sets for hooks; with these it would treat any folder as the top of that repository."""


@dataclass(frozen=True, slots=True)
class Base:
    """The base a work tree is compared with."""

    commit: str
    """As passed to git; may also be the `INDEX`, or the empty tree of a repository without commits."""
    label: str
    """As shown to the user: ``git HEAD``."""


def find_work_tree(folder: Path) -> Path | None:
    """Return the top of the git work tree that contains a folder, links resolved, or None."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def commits_under_way(folder: Path) -> list[str]:
    """The names of commits that a merge, a cherry-pick or a rebase which has stopped is bringing into the work tree."""
    place = _git_folder(folder)
    return [] if place is None else [name for name in _UNDER_WAY if (place / name).is_file()]


def stashes(folder: Path) -> list[str]:
    """The commits that `git stash` keeps for the repository around a folder, the latest first; git is not run."""
    place = _git_folder(folder)
    if place is None:
        return []
    try:
        common = place / "commondir"  # Of a linked work tree.
        shared = place / common.read_text(encoding="utf-8").strip() if common.is_file() else place
        lines = (shared / "logs" / "refs" / "stash").read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return []
    found = [line.split(" ", 2)[1] for line in lines if line.count(" ") > 1]
    return [commit for commit in reversed(found) if _COMMIT.fullmatch(commit)]


def _git_folder(folder: Path) -> Path | None:
    """Return the folder in which git keeps the state of the work tree around `folder`; None outside of work trees."""
    top = find_work_tree(folder)
    place = None if top is None else top / ".git"
    if top is None or place is None or not place.is_file():
        return place
    # A linked work tree or a submodule: the file names the folder.
    try:
        return top / place.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    except (OSError, ValueError):
        return None


def check_revision(folder: Path, revision: str) -> None:
    """Check that `folder` is in a git repository that has `revision`.

    Raises:
        UserError: otherwise; the message says which of them is missing.
    """
    if revision == INDEX or _resolve(folder, revision, "tree") is None:
        check_work_tree(folder)
        if revision != INDEX:
            raise _unknown(folder, revision)


def check_work_tree(folder: Path) -> None:
    """Check that `folder` is in a git work tree.

    Raises:
        UserError: it is not.
    """
    if run_git(folder, "rev-parse", "--show-toplevel") is None:
        message = f"{folder.absolute()} is not in a git work tree, so there is no previous version to compare with."
        raise UserError(message)


def find_base(folder: Path, revision: str) -> Base:
    """Return the base of the work tree around `folder`: the merge base of HEAD and `revision`.

    ``A...`` means the same as ``A``, and ``A..`` means A itself; both may be followed by HEAD. In a repository without
    commits, HEAD is the empty tree.

    Raises:
        UserError: there is no git, no repository, or no such revision, or anything but HEAD follows the dots.
    """
    check_work_tree(folder)
    name, dots, end = _split_range(revision)
    head = _resolve(folder, "HEAD", "commit")
    if dots and end != "HEAD" and (head is None or _resolve(folder, end, "commit") != head):
        raise UserError(f"the files of the work tree are what is checked, not those of {end!r}; write {name}{dots}.")
    if head is None and name == "HEAD":
        empty = run_git(folder, "hash-object", "-t", "tree", "--stdin") or b""
        return Base(empty.decode("ascii").strip(), "git HEAD")
    commit = head if name == "HEAD" else _resolve(folder, name, "commit")
    if commit is None:
        raise _unknown(folder, name)
    shared = _merge_base(folder, commit) if head not in {None, commit} and dots != ".." else None
    if shared is None or shared == commit:
        return Base(commit, f"git {name}")
    return Base(shared, f"the merge base of HEAD and {name}")


def tracks(place: Path) -> bool:
    """Whether a file or folder, or anything in it, is part of the git repository around it.

    False where git is missing or does not say.
    """
    if find_work_tree(place.parent) is None:
        return False
    try:
        return bool(run_git(place.parent, "ls-files", "-z", "--", f":(literal){place.name}"))
    except UserError:
        return False


def _split_range(revision: str) -> tuple[str, str, str]:
    """Split ``main...`` or ``main..HEAD`` into name, dots and the rest, which defaults to HEAD."""
    for dots in ("...", ".."):
        name, found, end = revision.partition(dots)
        if found:
            return name or "HEAD", dots, end or "HEAD"
    return revision, "", ""


def _merge_base(folder: Path, commit: str) -> str | None:
    """Return the merge base; None if the histories are unrelated, or the clone is too shallow."""
    found = run_git(folder, "merge-base", commit, "HEAD")
    return found.decode("ascii").strip() if found else None


def _resolve(folder: Path, revision: str, kind: str) -> str | None:
    if revision.startswith("-"):
        return None
    found = run_git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{{kind}}}")
    return found.decode("ascii").strip() if found else None


def _unknown(folder: Path, revision: str) -> UserError:
    said = f"git knows no revision {revision!r} in {folder.absolute()}"
    if run_git(folder, "rev-parse", "--is-shallow-repository") == b"true\n":
        said += "; the clone is shallow: fetch the whole history, in CI by `fetch-depth: 0` or `GIT_DEPTH: 0`"
    return UserError(f"{said}.")


_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "core.gitProxy=",
    "core.editor=false",
    "credential.helper=",
    "diff.ignoreSubmodules=all",
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
"""Settings of a repository that could start a program or use the network, for any command."""
_NAMED_PROGRAMS = re.compile(
    rb"^((?:filter|diff|merge|remote|credential)\..*)\.(clean|smudge|process|required|command|textconv|cachetextconv|driver"
    rb"|uploadpack|receivepack|vcs|promisor|partialclonefilter|helper)$",
    re.DOTALL,
)
"""Settings with repository-defined names, which have to be listed first; listing runs no program."""
_OFF = {b"required": "false", b"promisor": "false", b"cachetextconv": "false"}


def _ask_settings(folder: Path) -> list[tuple[str, str]]:
    """Return the overrides that disable each program with a repository-defined name."""
    listed = _run(folder, (), ("config", "--includes", "--name-only", "-z", "--list"), b"", _TIMEOUT_SECONDS) or b""
    found = [match for match in map(_NAMED_PROGRAMS.fullmatch, set(listed.split(b"\0"))) if match is not None]
    return sorted((os.fsdecode(match[0]), _OFF.get(match[2].lower(), "")) for match in found)


def run_git(folder: Path, *arguments: str, stdin: bytes = b"", seconds: float = _TIMEOUT_SECONDS) -> bytes | None:
    """Run a git command in the repository that contains `folder`; return its output, or None if it failed.

    Raises:
        UserError: there is no git, or it did not finish within `seconds`.
    """
    own = () if arguments[0] in _HARMLESS else _ask_settings(folder)
    return _run(folder, own, arguments, stdin, seconds)


_HARMLESS = frozenset(("rev-parse", "hash-object", "check-ignore", "ls-files"))
"""Commands that neither compare work tree files nor need objects that may be missing."""


def _run(
    folder: Path, own: Sequence[tuple[str, str]], arguments: tuple[str, ...], stdin: bytes, seconds: float
) -> bytes | None:
    options = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = ["git", "--no-pager", *options, "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=_environment(folder) | _as_variables(own),
            input=stdin,
        )
    except FileNotFoundError:
        raise UserError("git was not found; install it, or do not ask for the previous version.") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"git did not answer within {seconds} seconds in {folder}.") from None
    return done.stdout if done.returncode == 0 else None


def _as_variables(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Encode settings as environment variables for git, which allows any character in a name."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables if settings else {}


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of git, without variables of a repository, except the index of a commit in progress."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    kept |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_PROTOCOL_FROM_USER": "0"}
    index = kept.pop("GIT_INDEX_FILE", None)
    top = find_work_tree(Path()) if index else None
    if index and top is not None and top == find_work_tree(folder):
        kept["GIT_INDEX_FILE"] = str(top / index)
    return kept
