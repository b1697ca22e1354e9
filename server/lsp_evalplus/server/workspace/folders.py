"""Folders with their own settings, interpreter and guests. A fault in one does not affect another."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.config.exclusion import is_excluded
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import GuestStartError, UserError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.source.project import find_project_root

from . import settings as settings_module
from .baseline import KnownFindings
from .interpreters import Interpreters

logger = logging.getLogger(__name__)

_BATTERY_FOLDER: Final = Path("/sys/class/power_supply")
_NICENESS: Final = 5
"""Niceness of guests: a third of the processor where the user's own programs want all of it."""
_POWER_SECONDS: Final = 10.0
_MAX_POOLS: Final = 6
"""At most this many guest pools, one per interpreter and settings, are kept warm."""
EXTRA_PLACES: Final = 2
"""Places beyond the limit: one for checks that the user waits for, one for replays, which take milliseconds."""


@dataclass(slots=True)
class Folder:
    """A project: the nearest folder above a file that marks one."""

    root: Path
    settings: Settings
    known: KnownFindings
    problems: list[str] = field(default_factory=list[str])

    def excludes(self, path: str | None) -> bool:
        """Whether the setting `exclude` names a file."""
        return path is not None and is_excluded(self.settings.exclude, self.settings.root or self.root, Path(path))

    def designated(self, path: str | None) -> tuple[str, ...]:
        """Names in the file for which the settings designate a reference."""
        if path is None or self.settings.root is None:
            return ()
        found: list[str] = []
        for designated, _ in self.settings.references:
            file, _, name = designated.rpartition("::")
            if file and self.settings.root / file == Path(path):
                found.append(name)
        return tuple(found)


class Folders:
    """Maps files to folders, and folders to guests."""

    def __init__(self) -> None:
        self._workspace: dict[str, Mapping[str, object] | None] = {}
        """Workspace folders by path, each with the client's settings for it."""
        self._global: Mapping[str, object] | None = None
        self._initial: Mapping[str, object] | None = None
        self._folders: dict[Path, Folder] = {}
        self._by_parent: dict[Path | None, Folder] = {}
        """Cache of the folder of the files in each directory, which is found on disk."""
        self.trusts_workspace = False
        """Whether the client said that the user trusts the workspace."""
        self.interpreters = Interpreters()
        self._pools: dict[tuple[str, Confinement], tuple[GuestPool, asyncio.Task[None]]] = {}
        """Guest pools, each with the task that starts it."""

    def set_initial(self, values: Mapping[str, object] | None) -> None:
        """Settings from ``initializationOptions``."""
        self._initial = values
        self.forget_settings()

    def configure(self, scope: str | None, values: Mapping[str, object] | None) -> None:
        """Settings from the client for a workspace folder, or for everything."""
        if scope is None:
            self._global = values
        else:
            self._workspace[scope] = values
        self.forget_settings()

    def add_workspace_folder(self, path: str) -> None:
        """A folder was added to the workspace."""
        self._workspace.setdefault(path, None)
        self._by_parent.clear()

    def remove_workspace_folder(self, path: str) -> None:
        """A folder was removed from the workspace."""
        self._workspace.pop(path, None)
        self.forget_settings()

    @property
    def workspace_folders(self) -> list[str]:
        """The paths of the workspace's folders."""
        return list(self._workspace)

    def forget_settings(self) -> None:
        """Read every folder's settings again when next asked."""
        self._folders.clear()
        self._by_parent.clear()

    def folder_of(self, path: str | None) -> Folder:
        """The folder of a file; a document without a file belongs to the first workspace folder."""
        parent = Path(path).parent if path is not None else None
        folder = self._by_parent.get(parent)
        if folder is None:
            folder = self._by_parent[parent] = self._read_folder(path)
        return folder

    def _read_folder(self, path: str | None) -> Folder:
        root = self._root_of(path)
        folder = self._folders.get(root)
        if folder is None:
            scope = self._scope_of(str(root)) or self._scope_of(path)
            layers = [
                ("initializationOptions", self._initial),
                ("editor settings", self._global),
                ("editor settings", settings_module.without_permissions(self._workspace.get(scope or ""))),
            ]
            is_trusted = self.trusts_workspace and scope is not None
            settings, problems = settings_module.load(root, *layers, is_trusted=is_trusted)
            folder = Folder(root, settings, KnownFindings(settings, root), problems)
            self._folders[root] = folder
        return folder

    def known(self) -> list[Folder]:
        """Folders that were asked for since settings were last read."""
        return list(self._folders.values())

    def baselines(self) -> list[Path]:
        """The files of known findings of the workspace's folders."""
        folders = [self.folder_of(str(Path(path) / "any.py")) for path in self._workspace]
        return [one.known.path for one in folders if one.known.path is not None]

    def is_within(self, path: str) -> bool:
        """Whether a file lies in the workspace."""
        return self._scope_of(path) is not None

    async def interpreter_of(self, folder: Folder) -> Interpreter:
        """The Python that runs a folder's code.

        Raises:
            UserError: there is none that works.
        """
        return await self.interpreters.find(
            folder.settings.python or None, folder.root, is_trusted=folder.settings.trusts_project
        )

    async def pool_of(self, folder: Folder) -> GuestPool:
        """Guests for a folder's code, warm.

        Raises:
            UserError: there is no interpreter that works.
            GuestStartError: guests do not start.
        """
        interpreter = await self.interpreter_of(folder)
        confinement = replace(
            Confinement.from_settings(folder.settings, folder.root),
            niceness=_NICENESS,
            # Reading a reply must not block the event loop.
            frame_bytes=4 << 20,
            reply_bytes=32 << 20,
        )
        key = (interpreter.path, confinement)
        if key not in self._pools:
            made = GuestPool(interpreter, confinement, size=places_for(folder.settings) + EXTRA_PLACES)
            self._pools[key] = made, asyncio.ensure_future(made.warm())
            await self._end_oldest()
        pool, start = self._pools[key] = self._pools.pop(key)
        await asyncio.wait([start])
        if start.cancelled():
            raise GuestStartError("the guests were ended")
        if (error := start.exception()) is not None:
            self._pools.pop(key, None)
            await pool.close()
            raise error
        return pool

    async def _end_oldest(self) -> None:
        """A change of settings may need other guests; the least recently used pools are closed."""
        idle = [(key, pool) for key, (pool, start) in self._pools.items() if start.done() and not pool.is_busy]
        for key, pool in idle[: max(0, len(self._pools) - _MAX_POOLS)]:
            del self._pools[key]
            await pool.close()

    async def close(self) -> None:
        """End every guest."""
        pools = list(self._pools.values())
        self._pools.clear()
        for _, start in pools:
            start.cancel()
        closing = [pool.close() for pool, _ in pools]
        await asyncio.gather(self.interpreters.close(), *closing, return_exceptions=True)

    def _root_of(self, path: str | None) -> Path:
        if path is None:
            return Path(next(iter(self._workspace), os.getcwd()))
        parent = Path(path).parent
        scope = self._scope_of(path)
        root = find_project_root(parent)
        # A project is never larger than its workspace folder, unless the file lies outside of every one.
        if scope is not None and not root.is_relative_to(scope):
            return Path(scope)
        return root

    def _scope_of(self, path: str | None) -> str | None:
        if path is None:
            return None
        around = [scope for scope in self._workspace if Path(path).is_relative_to(scope)]
        return max(around, key=len, default=None)


def places_for(settings: Settings) -> int:
    """How many checks may run at once; by default half of the processors, so that the machine stays responsive."""
    return settings.jobs or max(1, (os.cpu_count() or 2) // 2)


class Power:
    """Whether the machine runs on battery, where that can be known cheaply (Linux); asked again now and then."""

    def __init__(self, folder: Path = _BATTERY_FOLDER, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._known: tuple[float, bool] | None = None

    def is_scarce(self) -> bool:
        """True on battery: then checks run one at a time."""
        now = self._clock()
        if self._known is None or now - self._known[0] > _POWER_SECONDS:
            self._known = now, self._is_discharging()
        return self._known[1]

    def _is_discharging(self) -> bool:
        try:
            states = [(entry / "status").read_text().strip() for entry in self._folder.glob("BAT*")]
        except OSError:
            return False
        return "Discharging" in states


def interpreter_problem(error: UserError) -> str:
    """Why nothing is checked in a folder, as the end of "not checked: …"."""
    return str(error).rstrip(".")
