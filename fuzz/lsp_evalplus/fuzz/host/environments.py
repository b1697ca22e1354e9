"""Locate the virtual environments of a project, including those of poetry, conda and uv.

Only reads files and starts none of these tools, which takes seconds and requires them to be installed.
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
"""Marker files of environments: of venv, virtualenv or uv, and of conda."""
_CONDA_FILES = ("environment.yml", "environment.yaml")
_CONDA_NAME = re.compile(r"^name:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_MAX_BYTES = 1 << 20


def interpreter_in(environment: Path) -> Path | None:
    """Return the interpreter of an environment, links not resolved; None if it does not exist."""
    return next((path for name in _INTERPRETERS if (path := environment / name).is_file()), None)


def environments_of(folder: Path) -> Iterator[Path]:
    """Yield the environments of the project in `folder`, the most specific first.

    They exist but may be broken, e.g. remains of a moved environment.
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
    """Yield poetry's environments, named by a hash of the project's folder; the latest if there are several."""
    if not (folder / "pyproject.toml").is_file():
        return
    cache = os.environ.get("POETRY_CACHE_DIR") or platformdirs.user_cache_dir("pypoetry", appauthor=False)
    root = Path(os.environ.get("POETRY_VIRTUALENVS_PATH") or Path(cache, "virtualenvs"))
    place = os.path.normcase(os.path.realpath(folder)).encode("utf-8", "surrogateescape")
    mark = base64.urlsafe_b64encode(hashlib.sha256(place).digest()).decode()[:8]
    found = [path for path in root.glob(f"*-{mark}-py*") if _is_environment(path)]
    yield from sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _conda_environments(folder: Path) -> Iterator[Path]:
    """Yield the environment named in the project's ``environment.yml``, if conda has created it."""
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
