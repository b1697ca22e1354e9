"""The interpreters of folders, each probed once; one that hangs delays no other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.interpreter import Interpreter, locate_interpreter, probe_interpreter
from lsp_evalplus.fuzz.oracle.git import tracks

logger = logging.getLogger(__name__)

_PATIENCE_SECONDS: Final = 3.0
"""Seconds that a check waits for a probe; when a slower probe ends, the file is looked at again."""
_BELIEVED_SECONDS: Final = 20.0
"""Seconds until a broken interpreter is probed again: the cause may be outside of its file."""

_Key = tuple[str, int, int]


class SlowInterpreterError(UserError):
    """An interpreter's probe has not ended yet; `Interpreters` calls `on_late` when it has."""


class Interpreters:
    """Finds interpreters and caches the results of their probes, by path and the state of the file."""

    def __init__(self, on_late: Callable[[], None] | None = None) -> None:
        """`on_late` is called when a probe has ended that took longer than checks wait."""
        self.on_late = on_late
        self._probes: dict[_Key, asyncio.Task[Interpreter]] = {}

    async def find(self, setting: str | None, folder: Path, *, is_trusted: bool = False) -> Interpreter:
        """The interpreter of a folder; one that is part of the repository only if that `is_trusted`.

        Raises:
            UserError: there is none that works, or its probe has not ended yet.
        """
        path = await asyncio.to_thread(locate_interpreter, setting, folder, None if is_trusted else tracks)
        try:
            status = await asyncio.to_thread(path.stat)
        except OSError as error:
            raise UserError(f"python: {path} cannot be read: {error.strerror}") from error
        key = (str(path), status.st_mtime_ns, status.st_size)
        probe = self._probes.get(key)
        if probe is None:
            probe = self._probes[key] = asyncio.ensure_future(probe_interpreter(path))
            probe.add_done_callback(lambda done: self._answered(key, done))
        done, _ = await asyncio.wait([probe], timeout=_PATIENCE_SECONDS)
        if not done:
            probe.add_done_callback(self._late)
            raise SlowInterpreterError(f"python: {path} has not answered yet")
        try:
            return probe.result()
        except UserError as error:
            raise UserError(str(error)) from error  # Several callers may wait, and each gets an exception of its own.

    def _answered(self, key: _Key, probe: asyncio.Task[Interpreter]) -> None:
        if not probe.cancelled() and probe.exception() is not None:
            asyncio.get_running_loop().call_later(_BELIEVED_SECONDS, self._probes.pop, key, None)

    def _late(self, probe: asyncio.Task[Interpreter]) -> None:
        if not probe.cancelled() and self.on_late is not None:
            self.on_late()

    async def close(self) -> None:
        """Cancel every probe, and end its process."""
        probes = list(self._probes.values())
        self._probes.clear()
        for probe in probes:
            probe.cancel()
        for probe in probes:
            with contextlib.suppress(asyncio.CancelledError, UserError):
                await probe
