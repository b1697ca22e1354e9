"""The interpreters of folders, each asked about itself once; one that does not answer keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.interpreter import Interpreter, locate_interpreter, probe_interpreter

logger = logging.getLogger(__name__)

_PATIENCE_SECONDS: Final = 3.0
"""So long a check waits for an answer; what takes longer is looked at again when the answer has come."""
_BELIEVED_SECONDS: Final = 20.0
"""So long an interpreter that does not work is not tried again: what is wrong with it may be elsewhere."""

_Key = tuple[str, int, int]


class SlowInterpreterError(UserError):
    """An interpreter has not answered yet; `Interpreters` tells when it has."""


class Interpreters:
    """Finds interpreters and keeps what they answered, by path and the state of the file."""

    def __init__(self, on_late: Callable[[], None] | None = None) -> None:
        """`on_late` is called when an answer has come for which nobody wanted to wait."""
        self.on_late = on_late
        self._probes: dict[_Key, asyncio.Task[Interpreter]] = {}

    async def find(self, setting: str | None, folder: Path) -> Interpreter:
        """The interpreter of a folder.

        Raises:
            UserError: there is none that works, or none that has answered yet.
        """
        path = await asyncio.to_thread(locate_interpreter, setting, folder)
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
            raise UserError(str(error)) from error  # Many may ask, and each gets an exception of its own.

    def _answered(self, key: _Key, probe: asyncio.Task[Interpreter]) -> None:
        if not probe.cancelled() and probe.exception() is not None:
            asyncio.get_running_loop().call_later(_BELIEVED_SECONDS, self._probes.pop, key, None)

    def _late(self, probe: asyncio.Task[Interpreter]) -> None:
        if not probe.cancelled() and self.on_late is not None:
            self.on_late()

    async def close(self) -> None:
        """End every question that is under way, with the process that does not answer."""
        probes = list(self._probes.values())
        self._probes.clear()
        for probe in probes:
            probe.cancel()
        for probe in probes:
            with contextlib.suppress(asyncio.CancelledError, UserError):
                await probe
