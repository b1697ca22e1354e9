"""Find the user's interpreter and query its module search path."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.config.trust import HOW_TO_TRUST
from lsp_evalplus.fuzz.errors import UserError

from .environments import environments_of, interpreter_in

OLDEST = (3, 9)
"""The oldest CPython supported by guests."""
_PROBE_SECONDS = 30
_BURIAL_SECONDS = 1.0
"""Time limit for the end of a killed probe, whose child processes may hold its pipes open."""
_LONGEST_WORDS = 200
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
    """The path to start: the link in the virtual environment, not its target."""
    version: tuple[int, int, int]
    implementation: str
    prefix: str
    base_prefix: str
    exec_prefix: str
    executable: str
    """The executable, with all links resolved."""
    search_path: tuple[str, ...]
    """Initial ``sys.path``, including the user's site-packages."""
    mapped: tuple[str, ...] = ()
    """Folders of editable installations that use import hooks."""


def find_interpreter(
    setting: str | None, folder: Path, is_tracked: Callable[[Path], bool] | None = None
) -> Interpreter:
    """Return the interpreter to run user code with.

    Starts the interpreter, which takes tens of milliseconds; in an event loop use `locate_interpreter` and
    `probe_interpreter` instead.

    Args:
        setting: see `locate_interpreter`.
        folder: where the user's project or file lies.
        is_tracked: see `locate_interpreter`.

    Raises:
        UserError: there is none, or it is not CPython 3.9 or newer.
    """
    path = locate_interpreter(setting, folder, is_tracked)
    status = path.stat()
    return _probe(str(path), status.st_mtime_ns, status.st_size)


def locate_interpreter(setting: str | None, folder: Path, is_tracked: Callable[[Path], bool] | None = None) -> Path:
    """Return the interpreter to run user code with, without testing it.

    Args:
        setting: a path (relative to `folder`), a virtual environment, or a command name; None searches for an
            environment of the project in `folder` and above, then uses the active one, then PATH.
        folder: where the user's project or file lies.
        is_tracked: whether an environment is part of the project's repository. Whoever wrote the repository chose
            what it starts, outside of the sandbox, so it is refused. None for projects that the user trusts.

    Raises:
        UserError: there is none, the project's own has no interpreter, or is part of the repository.
    """
    return _from_setting(setting, folder) if setting else _from_environment(folder, is_tracked)


async def probe_interpreter(path: Path) -> Interpreter:
    """Query an interpreter's properties; it is killed on cancellation.

    Raises:
        UserError: it does not work, or is not CPython 3.9 or newer.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            str(path),
            "-c",
            _PROBE,
            cwd=path.parent,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env=_probe_environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise _unusable(str(path), error) from error
    try:
        output, errors = await asyncio.wait_for(process.communicate(), _PROBE_SECONDS)
    except TimeoutError as error:
        raise UserError(f"python: {path} did not answer within {_PROBE_SECONDS} seconds") from error
    finally:
        if process.returncode is None:
            _kill_group(process)
            # An event loop that ends before its child would leave the child's pipes open.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.communicate(), _BURIAL_SECONDS)
    return _to_answer(str(path), process.returncode or 0, output, errors)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill a probe and all its child processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _from_setting(setting: str, folder: Path) -> Path:
    path = Path(os.path.expandvars(setting)).expanduser()
    place = path if path.is_absolute() else folder / path
    if place.is_dir():
        found = interpreter_in(place)
        if found is None:
            raise UserError(f"python: {setting!r} is a folder without an interpreter; name the interpreter itself")
        return _absolute(found)
    if place.is_file():
        return _absolute(place)
    command = shutil.which(setting)
    if command is None:
        raise UserError(f"python: there is no interpreter {setting!r}; set it to the path of a Python >= 3.9")
    return _absolute(Path(command))


def _from_environment(folder: Path, is_tracked: Callable[[Path], bool] | None) -> Path:
    start = _absolute(folder)
    broken: list[Path] = []
    for environment in (one for place in (start, *start.parents) for one in environments_of(place)):
        found = interpreter_in(environment)
        if found is not None:
            if is_tracked is not None and is_tracked(environment):
                raise UserError(
                    f"python: {environment} is part of the repository, so its interpreter is not started; name one "
                    f"that is yours (--python, the setting `python`), or trust the project: {HOW_TO_TRUST}"
                )
            return _absolute(found)
        broken.append(environment)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        active = os.environ.get(variable)
        found = interpreter_in(Path(active)) if active else None
        if found is not None:
            return _absolute(found)
    if broken:
        # Another interpreter would lack the project's dependencies and give wrong results.
        raise UserError(f"python: {broken[0]} has no interpreter any more; make the environment anew, or name another")
    command = shutil.which("python3") or shutil.which("python") or sys.executable
    if not command:
        raise UserError("python: no interpreter was found; set it to the path of a Python >= 3.9")
    return _absolute(Path(command))


def _absolute(path: Path) -> Path:
    """Make a path absolute without resolving links: the link's folder identifies the virtual environment."""
    return Path(os.path.abspath(path))


@functools.lru_cache(maxsize=32)
def _probe(path: str, _modified: int, _size: int) -> Interpreter:
    try:
        done = subprocess.run(
            [path, "-c", _PROBE],
            cwd=os.path.dirname(path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_probe_environment(),
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"python: {path} did not answer within {_PROBE_SECONDS} seconds") from error
    except OSError as error:
        raise _unusable(path, error) from error
    return _to_answer(path, done.returncode, done.stdout, done.stderr)


def _probe_environment() -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("HOME", "PATH", "SYSTEMROOT", "APPDATA") if key in os.environ}
    return {**kept, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"}


def _to_answer(path: str, exit_code: int, output: bytes, errors: bytes) -> Interpreter:
    if exit_code:
        said = errors.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        if len(said) > _LONGEST_WORDS:
            said = said.rpartition(": ")[2][-_LONGEST_WORDS:]  # Some programs echo their whole input.
        raise UserError(f"python: {path} does not start as a Python >= 3.9: {said or f'exit code {exit_code}'}")
    try:
        return _to_interpreter(path, json.loads(output.decode("utf-8").strip().rsplit("\n", 1)[-1]))
    except (ValueError, KeyError, TypeError) as error:
        raise _unusable(path, error) from error


def _unusable(path: str, error: Exception) -> UserError:
    return UserError(f"python: {path} does not work as a Python >= 3.9: {error}")


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
