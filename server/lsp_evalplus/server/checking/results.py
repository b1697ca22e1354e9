"""Cache on disk of checks that found nothing, so that an unchanged function is not checked again after a restart.

One small JSON file per workspace in the user's cache folder. Only agreements are kept: a difference is found again at
once, by its stored input, and is thus never reported without having been observed in this session. A key is a hash
of all that a result depends on: code, oracle, budget, interpreter, what is installed there, and this program itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final, cast

from lsp_evalplus import fuzz
from lsp_evalplus.fuzz.files import write_atomically
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.model import Oracle, Report, Verdict

logger = logging.getLogger(__name__)

_MAX_KEPT: Final = 5000
_SAVE_SECONDS: Final = 2.0
_VERSION: Final = 1


class ResultStore:
    """Agreements by key. Saved in a thread some time after a change, and when the session ends."""

    def __init__(self, folder: Path, workspace: str) -> None:
        digest = hashlib.sha256(workspace.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._file = folder / "results" / f"{digest}.json"
        self._known: OrderedDict[str, list[Any]] | None = None
        self._engine: int | None = None
        """When this program last changed; None until it was looked up."""
        self._timer: asyncio.TimerHandle | None = None
        self._saving: set[asyncio.Task[None]] = set()

    async def key(self, parts: tuple[object, ...], interpreter: Interpreter) -> str:
        """A hash of `parts`, of what is installed for an interpreter, and of this program."""
        return await asyncio.to_thread(self._key, parts, interpreter)

    async def warm_up(self) -> None:
        """Read the file, and do what else the first check would wait for."""
        await self._loaded()
        await asyncio.to_thread(self._own_signature)

    async def find(self, key: str, oracle: Oracle) -> Report | None:
        """The result of an earlier session."""
        known = (await self._loaded()).get(key)
        return _to_report(known, oracle) if known is not None else None

    async def keep(self, key: str, report: Report) -> None:
        """Keep an agreement; anything else is not kept."""
        if report.verdict is not Verdict.AGREES:
            return
        known = await self._loaded()
        known.pop(key, None)
        known[key] = [report.reason, report.inputs, report.rejected, report.branches, round(report.seconds, 3)]
        while len(known) > _MAX_KEPT:
            known.popitem(last=False)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SAVE_SECONDS, self._save_soon)

    async def close(self) -> None:
        """Write unsaved results."""
        if self._timer is not None:
            self._timer.cancel()
            self._save_soon()
        if self._saving:
            await asyncio.wait(self._saving)

    def _key(self, parts: tuple[object, ...], interpreter: Interpreter) -> str:
        installed = tuple(map(_changed_at, interpreter.search_path))
        everything = (*parts, interpreter.path, interpreter.version, installed, self._own_signature())
        return hashlib.sha256(repr(everything).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _own_signature(self) -> int:
        """When a file of this program last changed: a newer engine may find more."""
        if self._engine is None:
            top = Path(fuzz.__file__).parent
            self._engine = max(_changed_at(str(path)) for path in top.rglob("*.py"))
        return self._engine

    async def _loaded(self) -> OrderedDict[str, list[Any]]:
        if self._known is None:
            found = await asyncio.to_thread(_read, self._file)
            self._known = self._known if self._known is not None else found
        return self._known

    def _save_soon(self) -> None:
        self._timer = None
        text = json.dumps({"version": _VERSION, "agreed": dict(self._known or {})})
        task = asyncio.ensure_future(asyncio.to_thread(_write, self._file, text))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)


def _changed_at(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _to_report(known: list[Any], oracle: Oracle) -> Report | None:
    """A result from the file, which is untrusted."""
    if len(known) != 5 or not isinstance(known[0], str):
        return None
    numbers = [one if isinstance(one, int | float) and one >= 0 else 0 for one in known[1:]]
    inputs, rejected, branches = (int(one) for one in numbers[:3])
    return Report(
        Verdict.AGREES,
        known[0],
        oracle,
        inputs=inputs,
        rejected=rejected,
        branches=branches,
        seconds=float(numbers[3]),
    )


def _read(file: Path) -> OrderedDict[str, list[Any]]:
    try:
        content: Any = json.loads(file.read_text(encoding="utf-8"))
        if content["version"] != _VERSION:
            return OrderedDict()
        agreed = cast("dict[str, Any]", content["agreed"])
        return OrderedDict((key, cast("list[Any]", value)) for key, value in agreed.items() if isinstance(value, list))
    except FileNotFoundError:
        return OrderedDict()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("%s is not readable and is started anew: %s", file, error)
        return OrderedDict()


def _write(file: Path, text: str) -> None:
    try:
        write_atomically(file, text.encode("utf-8", "surrogateescape"), is_private=True)
    except OSError as error:
        logger.warning("results could not be saved in %s: %s", file, error)
