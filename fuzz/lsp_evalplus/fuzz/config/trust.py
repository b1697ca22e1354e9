"""Trust of the user in a project: whether its files may widen what its own code may do.

Anybody may have written a repository, so its files cannot grant it anything. Trust is stored in the user's
configuration folder, for each project; guests can neither read nor write there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import platformdirs

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically

HOW_TO_TRUST = "`lsp-evalplus check --trust-project` allows it, `--no-trust-project` takes that back"


@dataclass(frozen=True, slots=True)
class TrustedProjects:
    """The projects that the user trusts, stored in one file."""

    path: Path

    def trust(self, folder: Path) -> Path:
        """Trust the project that `folder` lies in, and return the project's folder.

        Raises:
            UserError: the file cannot be written.
        """
        root = find_project(folder)
        self._write(self._read() | {str(root)})
        return root

    def withdraw(self, folder: Path) -> Path:
        """No longer trust the project that `folder` lies in, and return the project's folder.

        Raises:
            UserError: the file cannot be written.
        """
        root = find_project(folder)
        known = self._read()
        if str(root) in known:
            self._write(known - {str(root)})
        return root

    def trusts(self, folder: Path) -> bool:
        """Whether the project that `folder` lies in is trusted; projects nested in a trusted one are not."""
        known = self._read()
        return bool(known) and str(find_project(folder)) in known

    def _read(self) -> frozenset[str]:
        try:
            value: Any = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return frozenset()
        items = cast("list[Any]", value) if isinstance(value, list) else []
        return frozenset(item for item in items if isinstance(item, str))

    def _write(self, known: frozenset[str]) -> None:
        try:
            write_atomically(self.path, (json.dumps(sorted(known), indent=1) + "\n").encode(), is_private=True)
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error


def open_trusted_projects() -> TrustedProjects:
    """Return the trusted projects of the current user."""
    return TrustedProjects(
        Path(platformdirs.user_config_dir("lsp-evalplus", appauthor=False)) / "trusted-projects.json"
    )


def find_project(folder: Path) -> Path:
    """Return the folder that counts as one project, links resolved.

    It is the nearest repository, unless that holds the user's home, as one of configuration files may; else the nearest
    folder with a pyproject.toml; else `folder` itself.
    """
    folder = folder.resolve()
    home = Path.home().resolve()
    places = [place for place in (folder, *folder.parents) if place != home and place not in home.parents]
    for mark in (".git", ".hg", "pyproject.toml"):
        for place in places:
            if (place / mark).exists():
                return place
    return folder


def is_within_project(path: Path, folder: Path) -> bool:
    """Whether a path, relative ones in `folder`, leads to a place in the project of `folder`, links resolved.

    What cannot be a path, such as the home of an unknown user or a text with a null byte, leads nowhere in it.
    """
    try:
        return (folder / path.expanduser()).resolve().is_relative_to(find_project(folder))
    except (OSError, RuntimeError, ValueError):
        return False
