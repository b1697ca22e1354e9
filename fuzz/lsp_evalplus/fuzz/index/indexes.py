"""The indexes of the projects that one session or one run of a command meets."""

from __future__ import annotations

from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.source.discover import Module

from .knowledge import Knowledge
from .project_index import ProjectIndex


class ProjectIndexes:
    """Makes the index of a project on first use.

    Args:
        is_fixed: whether what was read first stands for the whole run; otherwise files that changed are read again
            with each text of a module.
    """

    def __init__(self, *, is_fixed: bool) -> None:
        self._is_fixed = is_fixed
        self._indexes = dict[Path, ProjectIndex]()
        self._known = dict[Path, Knowledge]()
        self._latest: Module | None = None
        """The module that was asked for last."""

    def knowledge(self, module: Module, settings: Settings) -> Knowledge | None:
        """Return what the project around a module states; None where the module is in no project."""
        place = module.place
        if place is None or not any((place.root / mark).exists() for mark in _PROJECTS):
            return None
        if place.root not in self._indexes:
            self._indexes[place.root] = ProjectIndex(place.root, _cache(settings))
        if place.root not in self._known or not (self._is_fixed or module is self._latest):
            self._known[place.root] = self._indexes[place.root].knowledge()
        self._latest = module
        return self._known[place.root].with_stated(dict(settings.types), settings.strategies)


_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


def _cache(settings: Settings) -> Path | None:
    """Return the folder of stored indexes; None where inputs are not stored either."""
    if settings.database == "off":
        return None
    if settings.database:
        return (settings.root or Path()) / Path(settings.database).expanduser() / "index"
    import platformdirs

    return Path(platformdirs.user_cache_dir("lsp-evalplus", appauthor=False)) / "index"
