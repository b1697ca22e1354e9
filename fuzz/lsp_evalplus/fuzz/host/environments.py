"""Where projects have their environments: in a folder of their own, or where poetry, conda and uv put them.

Only files are read: none of these tools is started, for that takes seconds and the tool need not be installed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import platformdirs

_INTERPRETERS = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
_NAMES = (".venv", "venv", ".conda", "env", ".env")
_MARKS = ("pyvenv.cfg", "conda-meta")
"""What every environment of venv, virtualenv or uv holds, and every one of conda."""
_CONDA_FILES = ("environment.yml", "environment.yaml")
_CONDA_NAME = re.compile(r"^name:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_MAX_BYTES = 1 << 20


def interpreter_in(environment: Path) -> Path | None:
    """The interpreter of an environment, links not followed; None where there is none that exists."""
    return next((path for name in _INTERPRETERS if (path := environment / name).is_file()), None)


def environments_of(folder: Path) -> Iterator[Path]:
    """The environments that belong to the project in `folder`, those that are meant most clearly first.

    They exist, but need not work: what is left of a moved environment is among them.
    """
    named = os.environ.get("UV_PROJECT_ENVIRONMENT")
    candidates = [folder / named] if named and (folder / "pyproject.toml").is_file() else []
    candidates += [folder / name for name in _NAMES]
    yield from (place for place in candidates if _is_environment(place))
    yield from _poetry_environments(folder)
    yield from _conda_environments(folder)


def _is_environment(place: Path) -> bool:
    return any((place / mark).exists() for mark in _MARKS) or interpreter_in(place) is not None


def _poetry_environments(folder: Path) -> Iterator[Path]:
    """Poetry names an environment by a hash of the project's folder; of several the latest is taken."""
    if not (folder / "pyproject.toml").is_file():
        return
    cache = os.environ.get("POETRY_CACHE_DIR") or platformdirs.user_cache_dir("pypoetry", appauthor=False)
    root = Path(os.environ.get("POETRY_VIRTUALENVS_PATH") or Path(cache, "virtualenvs"))
    place = os.path.normcase(os.path.realpath(folder)).encode("utf-8", "surrogateescape")
    mark = base64.urlsafe_b64encode(hashlib.sha256(place).digest()).decode()[:8]
    found = [path for path in root.glob(f"*-{mark}-py*") if _is_environment(path)]
    yield from sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _conda_environments(folder: Path) -> Iterator[Path]:
    """The environment that the project's ``environment.yml`` names, if conda has made it."""
    texts = (_read(folder / name) for name in _CONDA_FILES)
    match = next((found for text in texts if (found := _CONDA_NAME.search(text))), None)
    if match is None:
        return
    for line in _read(Path("~/.conda/environments.txt").expanduser()).splitlines():
        place = Path(line.strip())
        if line.strip() and place.name == match[1] and _is_environment(place):
            yield place


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
