"""Source distributions of public packages: fetched by pip, kept in a folder, unpacked without trust."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

DOWNLOAD_SECONDS = 300


class UnavailableError(Exception):
    """A distribution could not be had; the text says which one and why."""


def fetch_sdist(name: str, version: str, store: Path, builders: Path | None = None) -> Path:
    """The archive of one version, downloaded unless `store` has it.

    Args:
        name: of the package.
        version: the exact one.
        store: where archives are kept.
        builders: an interpreter that has the common build backends. pip asks a package's backend even where it only
            downloads, and installs it anew for each unless it is at hand.

    Raises:
        UnavailableError: pip could not get it.
    """
    found = find_archive(name, version, store)
    if found is not None:
        return found
    store.mkdir(parents=True, exist_ok=True)
    requirement = f"{name}=={version}"
    errors = _download(builders, requirement, store, "--no-build-isolation") if builders is not None else ""
    if find_archive(name, version, store) is None:
        errors = _download(Path(sys.executable), requirement, store)
    found = find_archive(name, version, store)
    if found is None:
        lines = [line for line in errors.splitlines() if line.startswith("ERROR")] or ["pip says nothing"]
        raise UnavailableError(f"{requirement}: {lines[-1]}")
    return found


def _download(python: Path, requirement: str, store: Path, *options: str) -> str:
    """What pip writes to standard error while it downloads an sdist."""
    command = [str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", *options]
    # Backends that are programs are looked for beside the interpreter.
    path = os.pathsep.join((str(python.parent), os.environ.get("PATH", os.defpath)))
    try:
        done = subprocess.run(
            [*command, "--dest", str(store), requirement],
            capture_output=True,
            text=True,
            check=False,
            timeout=DOWNLOAD_SECONDS,
            env={**os.environ, "PATH": path},
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{requirement}: pip did not finish within {DOWNLOAD_SECONDS} seconds") from None
    return done.stderr


def find_archive(name: str, version: str, store: Path) -> Path | None:
    """The archive of one version in `store`; names differ in case and punctuation between build tools."""
    wanted = f"{_plain(name)}-{version}.tar.gz"
    return next((path for path in sorted(store.glob("*.tar.gz")) if _plain(path.name) == _plain(wanted)), None)


def unpack(archive: Path, folder: Path) -> None:
    """Make `folder` hold what the archive's only top folder holds; nothing is written outside of it.

    Raises:
        UnavailableError: the archive has another form.
    """
    scratch = folder.with_name(folder.name + ".new")
    shutil.rmtree(scratch, ignore_errors=True)
    with tarfile.open(archive) as file:
        file.extractall(scratch, filter="data")
    inside = list(scratch.iterdir())
    if len(inside) != 1:
        raise UnavailableError(f"{archive.name} holds {len(inside)} top folders instead of one")
    shutil.rmtree(folder, ignore_errors=True)
    inside[0].rename(folder)
    scratch.rmdir()


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
