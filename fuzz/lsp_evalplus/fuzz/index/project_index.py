"""The index of one project: the facts of its modules, read again where a file changed, and kept on disk by content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary, write_atomically
from lsp_evalplus.fuzz.source.project import find_place

from .facts import ModuleFacts, from_plain, read_document, read_facts, to_plain
from .knowledge import Knowledge, Registering

MOST_FILES = 4000
"""Maximum number of modules that are read."""
MOST_BYTES = 400_000
"""Size of the largest file that is read."""
MOST_READ = 24_000_000
"""Maximum number of bytes of all files together."""
MOST_ENTRIES = 200_000
"""Maximum number of names of files and folders that are looked at: a project may hold a folder of a million images."""
FEWEST_WRITTEN = 8
"""The stored index is written again where at least this many of its modules were read."""
_VERSION = "6"
_DOCUMENTS = (".md", ".rst")
"""Endings of files whose code shows how objects are made."""
MOST_DOCUMENTS = 60
"""Maximum number of these that are read."""
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist", "venv"})


class ProjectIndex:
    """What the modules below one folder state. Files are read as text; nothing is imported.

    Args:
        root: the project's folder.
        cache: the folder of stored indexes; None stores nothing.
    """

    def __init__(self, root: Path, cache: Path | None) -> None:
        self._root = root
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
        self._stored = None if cache is None else cache / f"{name}.json"
        self._modules = dict[Path, _Module]()
        self._packages = dict[Path, str | None]()
        self._kept: dict[str, Any] | None = None
        self._unwritten = 0
        self._knowledge: Knowledge | None = None

    def knowledge(self) -> Knowledge:
        """Return what the files state as they are now; only those that changed are read."""
        if self._update() or self._knowledge is None:
            registering = [
                Registering(one.name, str(path), frozenset(one.facts.registered))
                for path, one in self._modules.items()
                if one.facts.registered
            ]
            digests = "".join(one.digest for one in self._modules.values())
            edition = hashlib.sha256(digests.encode()).hexdigest()[:16]
            self._knowledge = Knowledge(
                {one.name: one.facts for one in self._modules.values()}, registering, edition=edition
            )
        return self._knowledge

    def _update(self) -> bool:
        """Read the files that are new or have changed; whether there were any."""
        left, found, is_changed = MOST_READ, dict[Path, _Module](), False
        for path, status in _files_to_read(self._root):
            left -= status.st_size
            if left < 0 or len(found) >= MOST_FILES:
                break
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            known = self._modules.get(path)
            if known is None or known.stamp != stamp:
                known = self._read(path, stamp)
                is_changed = True
            found[path] = known
        is_changed = is_changed or found.keys() != self._modules.keys()
        self._modules = found
        if self._unwritten >= FEWEST_WRITTEN:
            self._write()
        self._kept = {}
        return is_changed

    def _read(self, path: Path, stamp: object) -> _Module:
        is_document = path.suffix in _DOCUMENTS
        name, is_package = (f"<{path}>", False) if is_document else self._name_of(path)
        try:
            content = read_ordinary(path)
        except OSError:
            content = b""
        digest = hashlib.sha256(f"{_VERSION} {name} {is_package}\0".encode() + content).hexdigest()
        facts = self._recall(digest)
        if facts is None:
            facts = _facts_of(content, None if is_document else name, is_package=is_package)
            self._unwritten += 1
        return _Module(name, digest, stamp, facts)

    def _name_of(self, path: Path) -> tuple[str, bool]:
        if path.parent not in self._packages:
            self._packages[path.parent] = find_place(path).package
        package, is_package = self._packages[path.parent], path.name == "__init__.py"
        if is_package:
            return package or path.parent.name, True
        return f"{package}.{path.stem}" if package else path.stem, False

    def _recall(self, digest: str) -> ModuleFacts | None:
        """Return stored facts; None where there are none that can be read."""
        if self._kept is None:
            self._kept = _load(self._stored)
        try:
            return from_plain(self._kept[digest])
        except (KeyError, ValueError, TypeError, AttributeError):
            return None

    def _write(self) -> None:
        """Store the facts of all modules; a folder that cannot be written is no error."""
        self._unwritten = 0
        if self._stored is None:
            return
        content = json.dumps({one.digest: to_plain(one.facts) for one in self._modules.values()})
        try:
            write_atomically(self._stored, content.encode("utf-8", "backslashreplace"), is_private=True)
        except OSError:
            return


class _Module:
    def __init__(self, name: str, digest: str, stamp: object, facts: ModuleFacts) -> None:
        self.name = name
        self.digest = digest
        self.stamp = stamp
        self.facts = facts


def _facts_of(content: bytes, name: str | None, *, is_package: bool) -> ModuleFacts:
    """Return what a module states, or without a name, a document."""
    try:
        text = content.decode("utf-8-sig", "replace")
        return read_document(text) if name is None else read_facts(text, name, is_package=is_package)
    except (RecursionError, ValueError, MemoryError, UserError):
        return ModuleFacts()


def _load(stored: Path | None) -> dict[str, Any]:
    if stored is None:
        return {}
    try:
        found: Any = json.loads(read_ordinary(stored))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _files_to_read(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the modules and documents of a project in a fixed order, without environments and what is built."""
    left, documents = MOST_ENTRIES, MOST_DOCUMENTS
    for place, folders, names in os.walk(root):
        left -= len(folders) + len(names)
        if left < 0:
            return
        is_environment = "pyvenv.cfg" in names and Path(place) != root
        folders[:] = [] if is_environment else sorted(one for one in folders if one[0] != "." and one not in _LEFT_OUT)
        for name in sorted(names) if not is_environment else ():
            documents -= name.endswith(_DOCUMENTS)
            if not name.endswith(".py" if documents < 0 else (".py", *_DOCUMENTS)):
                continue
            path = Path(place, name)
            try:
                status = path.stat()
            except OSError:
                continue
            if status.st_size <= MOST_BYTES:
                yield path, status
