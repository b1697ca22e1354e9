"""Finds the user's interpreter, and asks it once where its modules lie."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.errors import UserError

OLDEST = (3, 9)
"""The oldest CPython that guests are written for."""
_PROBE_SECONDS = 30
_PROBE = r"""
import json, os, sys
mapped = []
for finder in sys.meta_path:
    module = sys.modules.get(getattr(finder, "__module__", None) or type(finder).__module__)
    mapping = getattr(module, "MAPPING", None)
    if isinstance(mapping, dict):
        mapped += [os.path.dirname(str(place)) for place in mapping.values()]
print("\n" + json.dumps({
    "version": list(sys.version_info[:3]), "implementation": sys.implementation.name,
    "prefix": sys.prefix, "base_prefix": getattr(sys, "base_prefix", sys.prefix),
    "exec_prefix": getattr(sys, "base_exec_prefix", sys.exec_prefix),
    "path": sys.executable, "executable": os.path.realpath(sys.executable),
    "search_path": [p for p in sys.path if p], "mapped": mapped,
}))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python interpreter that guests can run in."""

    path: str
    """What is started: the link in the virtual environment, not what it points to."""
    version: tuple[int, int, int]
    implementation: str
    prefix: str
    base_prefix: str
    exec_prefix: str
    executable: str
    """The program itself, all links resolved."""
    search_path: tuple[str, ...]
    """``sys.path`` of a fresh start, the user's site-packages included."""
    mapped: tuple[str, ...] = ()
    """Folders of editable installations that are found by import hooks."""


def find_interpreter(setting: str | None, folder: Path) -> Interpreter:
    """Return the interpreter to run user code with.

    Args:
        setting: a path (relative to `folder`), a virtual environment, or a command name; None looks for a virtual
            environment in `folder` and above, then at the active one, then on PATH.
        folder: where the user's project or file lies.

    It starts the interpreter once, which takes tens of milliseconds: call it in a thread from an event loop.

    Raises:
        UserError: there is none, or it is no CPython of at least version 3.9.
    """
    path = _from_setting(setting, folder) if setting else _from_surroundings(folder)
    status = path.stat()
    return _probe(str(path), status.st_mtime_ns, status.st_size)


def _from_setting(setting: str, folder: Path) -> Path:
    path = Path(os.path.expandvars(setting)).expanduser()
    place = path if path.is_absolute() else folder / path
    if place.is_dir():
        found = _in_environment(place)
        if found is None:
            raise UserError(f"python: {setting!r} is a folder without an interpreter; name the interpreter itself")
        return found
    if place.is_file():
        return _absolute(place)
    command = shutil.which(setting)
    if command is None:
        raise UserError(f"python: there is no interpreter {setting!r}; set it to the path of a Python >= 3.9")
    return _absolute(Path(command))


def _from_surroundings(folder: Path) -> Path:
    start = _absolute(folder)
    for place in (start, *start.parents):
        for name in (".venv", "venv"):
            found = _in_environment(place / name)
            if found is not None:
                return found
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        active = os.environ.get(variable)
        found = _in_environment(Path(active)) if active else None
        if found is not None:
            return found
    command = shutil.which("python3") or shutil.which("python") or sys.executable
    if not command:
        raise UserError("python: no interpreter was found; set it to the path of a Python >= 3.9")
    return _absolute(Path(command))


def _in_environment(place: Path) -> Path | None:
    for name in ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe"):
        candidate = place / name
        if candidate.is_file():
            return _absolute(candidate)
    return None


def _absolute(path: Path) -> Path:
    """Make a path absolute and keep its links: a virtual environment is found by the link's own folder."""
    return Path(os.path.abspath(path))


@functools.lru_cache(maxsize=32)
def _probe(path: str, _modified: int, _size: int) -> Interpreter:
    environment = {key: os.environ[key] for key in ("HOME", "PATH", "SYSTEMROOT", "APPDATA") if key in os.environ}
    try:
        done = subprocess.run(
            [path, "-c", _PROBE],
            cwd=os.path.dirname(path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**environment, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"},
            timeout=_PROBE_SECONDS,
            check=True,
        )
        facts = json.loads(done.stdout.decode("utf-8").strip().rsplit("\n", 1)[-1])
        return _to_interpreter(path, facts)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise UserError(f"python: {path} does not start as a Python >= 3.9: {said or error}") from error
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        raise UserError(f"python: {path} does not work as a Python >= 3.9: {error}") from error


def _to_interpreter(path: str, facts: dict[str, Any]) -> Interpreter:
    major, minor, micro = (int(part) for part in facts["version"])
    if (major, minor) < OLDEST or facts["implementation"] != "cpython":
        name = f"{facts['implementation']} {major}.{minor}.{micro}"
        raise UserError(f"python: {path} is {name}; choose a CPython >= {OLDEST[0]}.{OLDEST[1]}")
    return Interpreter(
        # A shim on PATH is not the interpreter itself.
        path=facts["path"] or path,
        version=(major, minor, micro),
        implementation=facts["implementation"],
        prefix=facts["prefix"],
        base_prefix=facts["base_prefix"],
        exec_prefix=facts["exec_prefix"],
        executable=facts["executable"],
        # The folder in which the probe ran comes first where PYTHONSAFEPATH is not known (before 3.11).
        search_path=tuple(entry for entry in facts["search_path"] if entry != os.path.dirname(path)),
        mapped=tuple(facts["mapped"]),
    )
