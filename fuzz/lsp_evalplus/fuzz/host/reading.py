"""Files a guest may read: the interpreter, its packages, system libraries, the program's import roots."""

from __future__ import annotations

import contextlib
import functools
import glob
import importlib.machinery
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.model import Plain

_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/kernel/random",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup/cpu.max",
    "/nix/store",
)
_MAX_ENTRIES = 2_000
_MAX_FOLDERS = 5_000
_INSTALLED = ("site-packages", "dist-packages")
"""Names of folders that hold installed distributions."""
_METADATA = (".egg-info", ".dist-info", ".egg-link")


class Readable(NamedTuple):
    """Read permissions of a guest."""

    paths: list[str]
    """Files, and folders with all their content."""
    listed: list[str]
    """Import roots: folders that may be listed recursively, without access to their files."""


def find_readable(interpreter: Interpreter, extra: tuple[str, ...], request: Plain) -> Readable:
    """Return the read permissions of a guest for one request.

    Everything in an import root of the program is readable except hidden entries such as ``.env`` and ``.git``. Of
    other folders on the interpreter's search path (editable installs, ``.pth`` files, ``PYTHONPATH``), only modules and
    packages are, unless they belong to the interpreter's prefixes or are folders of installed packages. A folder that
    contains the user's home is never readable as a whole: of such an import root only its top-level modules and
    packages, of such a prefix only its libraries.
    """
    roots = tuple(root for root in search_paths_in(request) if os.path.isabs(root))
    return _find_readable(interpreter, extra, roots, tuple(_changed(root) for root in roots))


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


@functools.lru_cache(maxsize=64)
def _find_readable(
    interpreter: Interpreter, extra: tuple[str, ...], roots: tuple[str, ...], _changes: tuple[int, ...]
) -> Readable:
    home = os.path.realpath(os.path.expanduser("~"))
    paths = [*_of_interpreter(interpreter, home), guest_folder(), *extra]
    if sys.platform == "linux":
        paths += [*_SYSTEM, *_library_folders()]
    for root in roots:
        paths += _entries_of(root, home)
    return Readable(_without_nested(path for path in paths if os.path.isabs(path)), list(roots))


def _of_interpreter(interpreter: Interpreter, home: str) -> list[str]:
    paths = [interpreter.executable]
    prefixes = {interpreter.prefix, interpreter.base_prefix, interpreter.exec_prefix}
    for prefix in prefixes:
        paths += [os.path.join(prefix, "lib"), os.path.join(prefix, "pyvenv.cfg")]
        if not _holds(prefix, home):
            paths.append(prefix)
    for folder in (*interpreter.search_path, *interpreter.mapped):
        is_own = any(_lies_in(folder, prefix) for prefix in prefixes)
        if is_own or os.path.basename(folder) in _INSTALLED or not os.path.isdir(folder):
            paths.append(folder)
        else:
            paths += _entries_of(folder, home, modules_only=True)
    return [path for path in paths if not _holds(path, home)]


def _lies_in(folder: str, prefix: str) -> bool:
    real, inside = os.path.realpath(folder), os.path.realpath(prefix)
    return real == inside or real.startswith(inside.rstrip(os.sep) + os.sep)


def _holds(folder: str, home: str) -> bool:
    """Whether `folder` is, or contains, the user's home."""
    real = os.path.realpath(folder)
    return home == real or home.startswith(real.rstrip(os.sep) + os.sep)


def _entries_of(root: str, home: str, *, modules_only: bool = False) -> list[str]:
    """Return the readable entries of an import root: all but hidden ones, or only modules and packages.

    A link out of the root grants access to its target, so the target has to be a module or a package.
    """
    found: list[str] = []
    modules_only = modules_only or _holds(root, home)
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                if entry.name.startswith(".") or (modules_only and not _is_module(entry.path)):
                    continue
                if _holds(entry.path, home):
                    continue
                if entry.is_symlink():
                    target = os.path.realpath(entry.path)
                    leads_out = not target.startswith(inside) or _is_hidden(target[len(inside) :])
                    if _holds(target, home) or (leads_out and not _is_module(target)):
                        continue
                found += _without_hidden(entry.path)
                if len(found) >= _MAX_ENTRIES:
                    break
    except OSError:
        return []
    return found


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split(os.sep))


def _is_module(path: str) -> bool:
    """Whether a path is a module, a package, a namespace package, or the metadata of a distribution."""
    name = os.path.basename(path)
    if name.endswith((*importlib.machinery.all_suffixes(), *_METADATA)):
        return True
    if not name.isidentifier() or not os.path.isdir(path):
        return False
    if os.path.exists(os.path.join(path, "__init__.py")):
        return True
    # A namespace package: a folder without files of its own but modules, or with packages inside.
    try:
        with os.scandir(path) as entries:
            inner = [entry for entry in entries if not entry.name.startswith((".", "__"))]
    except OSError:
        return False
    return any(
        entry.name.endswith(".py") if entry.is_file() else os.path.exists(os.path.join(entry.path, "__init__.py"))
        for entry in inner
    )


def _without_hidden(path: str) -> list[str]:
    """Return a path, or, for a folder that holds hidden entries anywhere, the parts of it that are not hidden."""
    if os.path.islink(path) or not os.path.isdir(path):
        return [path]
    hiding = [here for here, folders, files in _walk(path) if any(name.startswith(".") for name in (*folders, *files))]
    if not hiding:
        return [path]
    holders = {path, *hiding, *(above for here in hiding for above in _between(path, here))}
    found: list[str] = []
    for here in sorted(holders):
        with contextlib.suppress(OSError), os.scandir(here) as entries:
            names = [entry.name for entry in entries]
            inner = [os.path.join(here, name) for name in names if not name.startswith(".")]
            found += [one for one in inner if one not in holders]
        if len(found) > _MAX_ENTRIES:
            break
    return found


def _walk(path: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk a folder, at most `_MAX_FOLDERS` of its folders, without entering hidden ones."""
    for number, (here, folders, files) in enumerate(os.walk(path)):
        yield here, list(folders), files
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        if number > _MAX_FOLDERS:
            return


def _between(top: str, inner: str) -> list[str]:
    """Return the folders between two, one of which lies in the other, without `inner` itself."""
    found: list[str] = []
    here = os.path.dirname(inner)
    while len(here) > len(top):
        found.append(here)
        here = os.path.dirname(here)
    return found


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    """Return the dynamic linker's search folders for shared libraries."""
    found: list[str] = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for path in sorted(glob.glob("/etc/ld.so.conf.d/*.conf")):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                found += [line.strip() for line in file if line.startswith("/")]
        except OSError:
            continue
    return tuple(found)


def _without_nested(paths: Iterable[str]) -> list[str]:
    """Drop paths that do not exist, are duplicates, or lie in another one."""
    kept: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths if os.path.exists(path)}):
        if not kept or not (path + os.sep).startswith(kept[-1].rstrip(os.sep) + os.sep):
            kept.append(path)
    return kept


def search_paths_in(request: Plain) -> list[str]:
    """Return the import roots of all programs in a request."""
    return [root for program in _programs_in(request) for root in program.get("search_path") or ()]


def sources_in(request: Plain) -> list[tuple[str, list[str]]]:
    """Return path and import roots of the programs in a request that are files of a project."""
    programs = [one for one in _programs_in(request) if one.get("path") and one.get("search_path")]
    return list({one["path"]: list(one["search_path"]) for one in programs}.items())


def _programs_in(request: Plain) -> list[Plain]:
    values: list[Any] = list(request.values())
    return [cast(Plain, value) for value in values if isinstance(value, dict)]
