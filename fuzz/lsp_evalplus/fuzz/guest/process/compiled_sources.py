"""The code of a project's modules, compiled once by a zygote for all of its guests.

Python keeps the code of what it imports in files beside the sources. A fresh checkout has none, some containers never
write any, and a guest may not: each would compile the same modules again. Here a child of the zygote compiles them and
hands over their code; nothing of it is executed, and what a source does to the compiler ends that child alone.

What a program imports is estimated by the imports at the left margin of its file and, in turn, of the files that these
name. Files with valid bytecode are left to Python, with what they import.
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import re
import resource
import select
import time
import types
from collections.abc import Iterator, Sequence
from typing import Any

from ..program.shared_code import start_with

_MOST_FILES, _MOST_BYTES = 400, 4 << 20
"""Of the files of one project that are compiled here."""
_SECONDS = 5
"""Processor seconds of the child that compiles."""
_PATIENCE = 10.0
"""Seconds for which its zygote waits for it."""
_IMPORT = re.compile(
    rb"^(?:from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n#;]*)"
    rb"|import[ \t]+(?P<modules>[^\n#;]*))",
    re.MULTILINE,
)
_NAME = re.compile(rb"(?<![\w.])(?<!as )[\w.]+")
_HEADER = 16
"""Bytes of a bytecode file before the code: its version, flags, and of the source the time and the size."""
_Stamp = tuple[int, int]
"""Time of modification, in nanoseconds, and size of a file."""
_Codes = dict[tuple[str, bytes], types.CodeType]


class CompiledSources:
    """The code of the modules of one project at a time: no guest has that of another project in its memory."""

    def __init__(self) -> None:
        self._roots: frozenset[str] = frozenset()
        self._stamps: dict[str, _Stamp] = {}
        """The files that were looked at, as they were then."""
        self._starts: set[str] = set()
        self._codes: _Codes = {}

    def prepare(self, sources: Sequence[Any], readable: Sequence[str]) -> None:
        """Compile what programs import, unless that was done and the files are as they were.

        Args:
            sources: path and import roots of each program.
            readable: files, and folders with all their content, that the next guest may read.
        """
        roots = frozenset([root for _, folders in sources for root in folders])
        if roots != self._roots:
            self._roots, self._stamps, self._starts, self._codes = roots, {}, set(), {}
        starts = {path for path, folders in sources if folders}
        if starts <= self._starts and all([_stamp(path) == stamp for path, stamp in self._stamps.items()]):
            return
        self._starts |= starts
        search = _Search(sorted(roots), frozenset(readable))
        wanted = list(search.files(sorted(self._starts)))
        self._stamps = search.stamps
        missing = [one for one in wanted if one not in self._codes]
        known = {**self._codes, **(_compiled(missing) if missing else {})}
        self._codes = {one: known[one] for one in wanted if one in known}

    def hand_over(self) -> None:
        """Let this process use the code; called in a guest before anything of a program is imported."""
        start_with(self._codes)


class _Search:
    """Finds the files of a project that programs import, and that have no valid bytecode."""

    def __init__(self, roots: Sequence[str], readable: frozenset[str]) -> None:
        self._roots = roots
        self._readable = readable
        self._is_package: dict[str, bool] = {}
        self.stamps: dict[str, _Stamp] = {}

    def files(self, starts: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield path and content of each."""
        waiting = list(starts)
        met = set(waiting)
        size = 0
        for path in waiting:
            stamp = _stamp(path)
            if stamp is None or not self._may_be_read(path):
                continue
            self.stamps[path] = stamp
            is_compiled = _has_bytecode(path, stamp)
            if is_compiled and path not in starts:
                continue
            with contextlib.suppress(OSError), open(path, "rb") as file:
                data = file.read(_MOST_BYTES)
                size += len(data)
                if size >= _MOST_BYTES or len(self.stamps) > _MOST_FILES:
                    return
                imported = [one for one in dict.fromkeys(self._imported(path, data)) if one not in met]
                met.update(imported)
                waiting += imported
                if not is_compiled:
                    yield path, data

    def _may_be_read(self, path: str) -> bool:
        """Whether a guest may read a file, as the sandbox sees it: no link leads elsewhere."""
        place: str = path
        while place not in self._readable:
            above: str = os.path.dirname(place)
            if above == place:
                return False
            place = above
        return os.path.realpath(path) == os.path.realpath(place) + path[len(place) :]

    def _imported(self, path: str, data: bytes) -> list[str]:
        """Return the files that a file may import: packages around it, and what its import statements name."""
        found = [os.path.join(one, "__init__.py") for one in self._packages_around(path)]
        for match in _IMPORT.finditer(data):
            if match["modules"] is not None:
                for name in _NAME.findall(match["modules"]):
                    found += self._module_files(self._roots, os.fsdecode(name))
                continue
            module = os.fsdecode(match["module"])
            names = [os.fsdecode(name) for name in _NAME.findall(match["names"])]
            folders: Sequence[str] = self._roots
            if match["dots"]:
                above = os.path.dirname(path)
                for _ in match["dots"][1:]:
                    above = os.path.dirname(above)
                folders = [above]
            found += self._module_files(folders, module)
            for folder in [os.path.join(one, *module.split(".")) for one in folders]:
                found += self._module_files([folder], *names) if self._has_init(folder) else []
        return found

    def _packages_around(self, path: str) -> list[str]:
        found: list[str] = []
        folder = os.path.dirname(path)
        while folder not in self._roots and self._has_init(folder):
            found.append(folder)
            folder = os.path.dirname(folder)
        return found

    def _module_files(self, folders: Sequence[str], *names: str) -> list[str]:
        """Return the files of modules in folders, and of the packages that they are in."""
        found: list[str] = []
        for name in names:
            parts = name.split(".")
            for folder in folders:
                for count in range(1, len(parts) + 1):
                    place = os.path.join(folder, *parts[:count])
                    if self._has_init(place):
                        found.append(os.path.join(place, "__init__.py"))
                    elif count == len(parts):
                        found.append(place + ".py")
        return found

    def _has_init(self, folder: str) -> bool:
        if folder not in self._is_package:
            self._is_package[folder] = os.path.isfile(os.path.join(folder, "__init__.py"))
        return self._is_package[folder]


def _stamp(path: str) -> _Stamp | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _has_bytecode(path: str, stamp: _Stamp) -> bool:
    """Whether Python finds a file's code beside it; a file without may be one that checks nothing."""
    try:
        with open(importlib.util.cache_from_source(path), "rb") as file:
            head = file.read(_HEADER)
    except (OSError, ValueError, NotImplementedError):
        return False
    if len(head) < _HEADER or head[:4] != importlib.util.MAGIC_NUMBER:
        return False
    of_source = (stamp[0] // 10**9 & 0xFFFFFFFF).to_bytes(4, "little") + (stamp[1] & 0xFFFFFFFF).to_bytes(4, "little")
    return any(head[4:8]) or head[8:] == of_source


def _compiled(files: Sequence[tuple[str, bytes]]) -> _Codes:
    """Compile files in a child process; those that do not compile are left out."""
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return {}
    if pid == 0:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            _write(writing, files)
        finally:
            os._exit(0)
    os.close(writing)
    received = _read(reading)
    with contextlib.suppress(OSError):
        os.kill(pid, 9)
    os.waitpid(pid, 0)
    try:
        # The child ran nothing but the compiler.
        found: dict[int, bytes] = marshal.loads(received)  # noqa: S302
        return {files[number]: marshal.loads(code) for number, code in found.items()}  # noqa: S302
    except (ValueError, EOFError, TypeError):
        return {}


def _write(descriptor: int, files: Sequence[tuple[str, bytes]]) -> None:
    found: dict[int, bytes] = {}
    for number, (path, data) in enumerate(files):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            found[number] = marshal.dumps(compile(data, path, "exec", dont_inherit=True))
    with open(descriptor, "wb") as pipe:
        pipe.write(marshal.dumps(found))


def _read(descriptor: int) -> bytes:
    """Return what arrives until the other end is closed; nothing where that takes too long."""
    parts: list[bytes] = []
    end = time.monotonic() + _PATIENCE
    with open(descriptor, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            part = pipe.read(1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
    return b""
