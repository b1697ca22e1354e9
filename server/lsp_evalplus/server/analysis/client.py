"""The analysis process: how the server asks `analysis`, and the loop that answers.

There are three such processes: one for files of ordinary size, one, started on first use, for large ones, and one
that stores inputs on disk, so that neither a large file nor the disk delays a small file. Messages are
length-prefixed pickles; both sides are this program and nothing that a guest sent is ever executed. A process
ends when its standard input does, so it cannot outlive us.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import pickle
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.model import Caller, FunctionTarget, Oracle, Report

from .facts import FileText, PreparedFunction, PreviousText, Survey
from .worktree import TreeState

logger = logging.getLogger(__name__)

_LENGTH: Final = struct.Struct(">Q")
_LARGE_CHARACTERS: Final = 200_000
_PATIENT: Final = 5
"""Niceness of processes whose work may wait."""
_CLOSE_SECONDS: Final = 0.3
_RECALL_SECONDS: Final = 0.05
_SEARCH_SECONDS: Final = 10.0  # Of patience with a process that a busy machine is still starting.


def analysis_command(niceness: int) -> list[str]:
    """Return the words that start an analysis process."""
    # -P keeps the user's folder off sys.path: a file `ast.py` there must not be ours.
    return [sys.executable, "-P", "-m", "lsp_evalplus.server.analysis.client", str(niceness)]


class AnalysisClient:
    """Client of the analysis processes."""

    def __init__(self) -> None:
        self._small = _AnalysisProcess()
        # Their answers are less urgent than the first one's.
        self._large = _AnalysisProcess(_PATIENT)
        self._memory = _AnalysisProcess(_PATIENT)
        self._is_memory_warm = False

    async def start(self) -> None:
        """Start the process for ordinary files before the first request."""
        await self._small.start()

    async def survey(self, file: FileText, references: tuple[str, ...] = ()) -> Survey:
        """See `analysis.Analysis.survey`."""
        return await self._for(file).ask("survey", file, references)

    async def prepare(
        self,
        file: FileText,
        name: str,
        settings: Settings,
        open_texts: Mapping[str, str],
        replaced: str | None = None,
    ) -> PreparedFunction | None:
        """See `analysis.Analysis.prepare`."""
        return await self._for(file).ask("prepare", file, name, settings, dict(open_texts), replaced)

    async def callers(
        self, file: FileText, name: str, settings: Settings, open_texts: Mapping[str, str], replaced: str | None
    ) -> list[Caller]:
        """See `analysis.Analysis.callers`."""
        return await self._for(file).ask("callers", file, name, settings, dict(open_texts), replaced)

    async def in_tests(
        self,
        file: FileText,
        name: str,
        settings: Settings,
        open_texts: Mapping[str, str],
        replaced: str | None,
        oracle: Oracle,
    ) -> tuple[FunctionTarget, Oracle] | None:
        """See `analysis.Analysis.in_tests`."""
        return await self._for(file).ask("in_tests", file, name, settings, dict(open_texts), replaced, oracle)

    async def previous(self, file: FileText, name: str, replaced: str | None = None) -> PreviousText | None:
        """See `analysis.Analysis.previous`."""
        return await self._for(file).ask("previous", file, name, replaced)

    async def changed_files(self, folder: str) -> list[str] | None:
        """See `analysis.Analysis.changed_files`."""
        return await self._small.ask("changed_files", folder)

    async def own_files(self, paths: Sequence[str], folders: Sequence[str]) -> list[str]:
        """See `worktree.own_files`; none where the process has just ended."""
        try:
            return await self._small.ask("own_files", list(paths), list(folders))
        except WorkerError as error:
            logger.info("changed files could not be looked at: %s", error)
            return []

    async def stands_elsewhere(self, text: str, folder: str, path: str | None) -> bool:
        """See `worktree.stands_elsewhere`; False where that takes too long."""
        try:
            return await asyncio.wait_for(self._small.ask("stands_elsewhere", text, folder, path), _SEARCH_SECONDS)
        except (TimeoutError, WorkerError):
            return False

    async def tree_state(self, folders: Sequence[str]) -> TreeState:
        """See `worktree.tree_state`."""
        return await self._memory.ask("tree_state", list(folders))

    async def keep(self, path: str, name: str, settings: Settings, report: Report) -> None:
        """Store what a check found for the next session."""
        found = report.counterexample.own_inputs if report.counterexample is not None else ()
        await self._memory.ask("keep", path, name, settings, list(found), list(report.corpus))

    async def recall(self, path: str, name: str, settings: Settings) -> list[str]:
        """Inputs stored by earlier sessions; none while the process is not ready, because a check must not wait."""
        if not self._is_memory_warm:
            return []
        try:
            return await asyncio.wait_for(self._memory.ask("recall", path, name, settings), _RECALL_SECONDS)
        except (TimeoutError, WorkerError):
            return []

    async def warm_memory(self) -> None:
        """Start the process that stores inputs."""
        await self._memory.ask("warm_memory")
        self._is_memory_warm = True

    async def forget_head(self) -> None:
        """Git's HEAD may have moved."""
        for process in (self._small, self._large):
            if process.is_running:
                with contextlib.suppress(WorkerError):  # A process that has ended knows nothing either.
                    await process.ask("forget_head")

    async def close(self) -> None:
        """End the processes."""
        # Only the process that stores inputs has anything to finish.
        await asyncio.gather(self._small.close(0), self._large.close(0), self._memory.close(_CLOSE_SECONDS))

    def _for(self, file: FileText) -> _AnalysisProcess:
        return self._large if len(file.text) > _LARGE_CHARACTERS else self._small


class _AnalysisProcess:
    """One process with its pending requests. It is restarted if it dies."""

    def __init__(self, niceness: int = 0) -> None:
        self._niceness = niceness
        self._process: Process | None = None
        self._numbers = itertools.count()
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._starting = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        async with self._starting:
            if self.is_running:
                return
            command = analysis_command(self._niceness)
            self._process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=None)
            self._reading = asyncio.create_task(self._read(self._process))

    async def ask(self, question: str, *arguments: object) -> Any:
        """Send a request and return its answer.

        Raises:
            WorkerError: the process died, or failed at it.
        """
        await self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        message = pickle.dumps((number, question, arguments), pickle.HIGHEST_PROTOCOL)
        try:
            self._process.stdin.write(_LENGTH.pack(len(message)) + message)
            return await answer
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerError("the analysis process has ended") from error
        finally:
            self._open.pop(number, None)

    async def close(self, patience_seconds: float) -> None:
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), patience_seconds)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
                # Written by `main` below: our own program, never a guest.
                number, result, problem = pickle.loads(await process.stdout.readexactly(length))  # noqa: S301
                self._settle(number, result, problem)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            for answer in self._open.values():
                if not answer.done():
                    answer.set_exception(WorkerError("the analysis process has ended"))

    def _settle(self, number: int, result: object, problem: str | None) -> None:
        answer = self._open.get(number)
        if answer is None or answer.done():
            return
        if problem is None:
            answer.set_result(result)
        else:
            answer.set_exception(WorkerError(f"reading the file failed: {problem}"))


def main() -> None:
    """Answer requests from standard input until it ends."""
    from lsp_evalplus.fuzz.guest.static.deep_reading import deep_reading

    from .analysis import Analysis  # the client needs none of it

    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions = Analysis().questions()
    while len(head := sys.stdin.buffer.read(_LENGTH.size)) == _LENGTH.size:
        number, question, arguments = pickle.loads(sys.stdin.buffer.read(*_LENGTH.unpack(head)))  # noqa: S301
        try:
            with deep_reading():
                answer = (number, questions[question](*arguments), None)
        except Exception as error:
            logger.exception("%s failed", question)
            answer = (number, None, f"{type(error).__name__}: {error}")
        message = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        try:
            output.write(_LENGTH.pack(len(message)) + message)
            output.flush()
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
