"""Creates and checks the environment of BigCodeBench."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.environments import interpreter_in

from .lock import Lock, normalise
from .nltk_data import install_data, missing_packages

MATPLOTLIB = "matplotlib"
"""Folder of an environment with the list of fonts."""
NLTK_DATA = "nltk_data"
"""Folder of an environment with what nltk reads."""
DESCRIPTION = "environment.json"
"""Describes an environment, in its folder: written last, so a folder without it is not complete."""
VERSION = (3, 10)
_IS_VERSION = re.compile(r"3\.\d+")
_PYENV = ".pyenv/versions"
_LIST = (
    "import importlib.metadata as m, json, sys; "
    "print(json.dumps([list(sys.version_info[:3]), {d.metadata['Name']: d.version for d in m.distributions()}]))"
)
_FONTS = "import matplotlib.font_manager"
_LAST_LINES = 6


@dataclass(frozen=True, slots=True)
class Lacking:
    """What an environment has not, and what it has in another version."""

    missing: dict[str, str]
    """Distribution -> version of the lock."""
    other: dict[str, tuple[str, str]]
    """Distribution -> version of the lock, version found."""
    data: list[str]
    """Packages of nltk's data."""


def default_folder() -> Path:
    """Where the environment is unless the user names another folder."""
    return cache_folder() / "environments" / "bigcodebench"


def environment_of(python: Path) -> Path | None:
    """Return the folder of the complete environment that an interpreter is of; None if it is of another kind."""
    folder = python.parent.parent
    return folder if describe(folder) is not None else None


def find_python(named: str | None) -> Path:
    """Return a CPython 3.10: the one named by path, command or version, else from PATH or pyenv.

    Raises:
        UserError: there is none.
    """
    version = ".".join(map(str, VERSION))
    for path in _pythons(version if named is None else named):
        found = _facts(path)
        if found is not None and tuple(found[0][:2]) == VERSION:
            return path
    wanted = f"{named} is no CPython {version}" if named else f"there is no CPython {version} on PATH or under pyenv"
    raise UserError(f"{wanted}, for which the environment is locked; name one with --python.")


def _pythons(name: str) -> Iterator[Path]:
    for command in (name, f"python{name}"):
        found = shutil.which(command)
        if found:
            yield Path(found)
    if _IS_VERSION.fullmatch(name):
        yield from sorted((Path.home() / _PYENV).glob(f"{name}.*/bin/python"), reverse=True)


def _facts(python: Path) -> tuple[list[int], dict[str, str]] | None:
    """Return an interpreter's version and its distributions."""
    try:
        said = subprocess.run([python, "-I", "-c", _LIST], capture_output=True, text=True, check=True, timeout=60)
        version, distributions = cast("tuple[list[int], dict[str, str]]", json.loads(said.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return version, {normalise(name): found for name, found in distributions.items() if name}


def install_commands(python: Path, folder: Path, requirements: Path) -> list[list[str]]:
    """Return the commands that create the environment: by uv where it is on PATH, else by venv and pip."""
    inside = str(folder / "bin" / "python")
    uv = shutil.which("uv")
    if uv:
        return [
            [uv, "venv", "--quiet", "--allow-existing", "--python", str(python), str(folder)],
            [uv, "pip", "install", "--python", inside, "--no-deps", "--require-hashes", "-r", str(requirements)],
        ]
    return [
        [str(python), "-m", "venv", str(folder)],
        [inside, "-m", "pip", "install", "--no-input", "--no-deps", "--require-hashes", "-r", str(requirements)],
    ]


def create(
    python: Path,
    folder: Path,
    lock: Lock,
    data: Path | None = None,
    on_line: Callable[[str], None] = lambda _: None,
) -> None:
    """Create the environment in `folder`, which is incomplete until its description is there.

    Args:
        data: folder or archive with the data of nltk; None downloads it.
        on_line: called with each line that the installer prints.

    Raises:
        UserError: the folder holds something else, installing failed, or (the environment is complete then, but for 28
            tasks) the data cannot be had.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").is_file():
        raise UserError(f"{folder} holds something else than an environment; name another one with --folder.")
    (folder / DESCRIPTION).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        requirements = Path(temporary) / "requirements.txt"
        requirements.write_text(lock.text, encoding="utf-8")
        for command in install_commands(python, folder, requirements):
            _run(command, on_line)
    inside = folder / "bin" / "python"
    # Otherwise every program that draws would build it for itself.
    _run([str(inside), "-c", _FONTS], on_line, MPLCONFIGDIR=str(folder / MATPLOTLIB))
    found = _facts(inside)
    if found is None:
        raise UserError(f"the interpreter of {folder} does not start.")
    description = {"lock": lock.digest, "python": found[0], "distributions": found[1]}
    write_file(folder / DESCRIPTION, json.dumps(description, indent=2, sort_keys=True).encode())
    install_data(folder / NLTK_DATA, data)


def _run(command: Sequence[str], on_line: Callable[[str], None], **environment: str) -> None:
    last: deque[str] = deque(maxlen=_LAST_LINES)
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **environment},
        ) as process:
            assert process.stdout is not None
            for line in map(str.strip, process.stdout):
                if line:
                    last.append(line)
                    on_line(line)
    except OSError as error:
        raise UserError(f"{command[0]} cannot be started: {error.strerror or error}.") from error
    if process.returncode:
        said = " / ".join(last) or f"exit code {process.returncode}"
        raise UserError(f"{' '.join(command[:3])} failed: {said}")


def describe(folder: Path) -> dict[str, Any] | None:
    """Return the description of a complete environment; None if there is none."""
    try:
        return cast("dict[str, Any]", json.loads((folder / DESCRIPTION).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def check_environment(folder: Path, lock: Lock) -> Lacking:
    """Compare what is installed now with the lock.

    Raises:
        UserError: there is no environment whose interpreter starts.
    """
    python = interpreter_in(folder)
    found = None if python is None else _facts(python)
    if found is None:
        raise UserError(f"{folder} holds no environment; `lsp-evalplus bench env bigcodebench` makes one.")
    missing = {name: version for name, version in lock.versions.items() if name not in found[1]}
    other = {
        name: (version, found[1][name])
        for name, version in lock.versions.items()
        if name in found[1] and found[1][name] != version
    }
    return Lacking(missing, other, missing_packages(folder / NLTK_DATA))
