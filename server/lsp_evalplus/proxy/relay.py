"""Run the completion server and relay all bytes in both directions; messages are analysed in a separate thread."""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from lsp_evalplus.fuzz.errors import UserError

from .dialect import AcceptanceReader, Accepted
from .frames import FrameError, FrameReader

logger = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
"""include/uapi/linux/prctl.h"""
_GRACE_SECONDS: Final = 10.0
"""Time for the completion server to exit after the editor is gone."""

_FROM_EDITOR: Final = "editor"
_FROM_SERVER: Final = "server"
_Portion = tuple[str, bytes]


def relay(command: Sequence[str], report: Callable[[Accepted], None], *, stdin: int = 0, stdout: int = 1) -> int:
    """Run `command` between the descriptors `stdin` and `stdout` until it exits; return its exit code.

    `report` is called in a separate thread, so that a slow callback delays no byte.

    Raises:
        UserError: the command cannot be started.
    """
    try:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, preexec_fn=_death_with_parent()
        )
    except OSError as error:
        raise UserError(f"The completion server {command[0]!r} cannot be started: {error.strerror}.") from None
    assert server.stdin is not None
    assert server.stdout is not None
    _forward_signals(server)
    portions: queue.SimpleQueue[_Portion | None] = queue.SimpleQueue()
    watcher = threading.Thread(target=_watch, args=(portions, report), daemon=True)
    watcher.start()
    inward = (stdin, server.stdin.fileno(), _FROM_EDITOR, portions)
    threading.Thread(target=_pass_in, args=(inward, server), daemon=True).start()
    _pass(server.stdout.fileno(), stdout, _FROM_SERVER, portions)
    code = server.wait()
    portions.put(None)
    watcher.join(timeout=2)
    return code if code >= 0 else 128 - code


def _pass_in(
    arguments: tuple[int, int, str, queue.SimpleQueue[_Portion | None]], server: subprocess.Popen[bytes]
) -> None:
    """Relay the editor's bytes; when they end, make the server exit."""
    _pass(*arguments)
    assert server.stdin is not None
    try:
        server.stdin.close()
        server.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        logger.warning("the completion server did not end after its input did; it is terminated")
        server.terminate()
    except OSError:
        return


def _pass(source: int, target: int, direction: str, portions: queue.SimpleQueue[_Portion | None]) -> None:
    """Copy until the source ends or the target is gone.

    The watcher's copy is queued first, which takes a microsecond: the response of an editor must never be queued
    before the message that it responds to.
    """
    try:
        while chunk := os.read(source, _CHUNK):
            portions.put((direction, chunk))
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(target, rest) :]
    except OSError as error:
        logger.debug("the stream from the %s ended: %s", direction, error)


def _watch(portions: queue.SimpleQueue[_Portion | None], report: Callable[[Accepted], None]) -> None:
    """Analyse the copies. A direction that is not LSP is no longer analysed, but still relayed."""
    watcher = _Watcher(report)
    while (portion := portions.get()) is not None:
        direction, chunk = portion
        try:
            watcher.take(direction, chunk)
        except FrameError as error:
            watcher.forget(direction)
            logger.warning("the stream from the %s is no LSP (%s); passed on, no longer read", direction, error)
        except Exception:  # no error in the analysis may affect the editor and its server
            watcher.forget(direction)
            logger.exception("the stream from the %s is passed on, but no longer read", direction)


class _Watcher:
    """Analyses both directions of one connection."""

    def __init__(self, report: Callable[[Accepted], None]) -> None:
        self._report = report
        self._reader = AcceptanceReader()
        self._frames = {_FROM_EDITOR: FrameReader(), _FROM_SERVER: FrameReader()}

    def take(self, direction: str, chunk: bytes) -> None:
        """Analyse a chunk, unless its direction was dropped."""
        frames = self._frames.get(direction)
        for message in frames.feed(chunk) if frames is not None else ():
            if direction == _FROM_SERVER:
                self._reader.from_server(message)
                continue
            for accepted in self._reader.from_editor(message):
                self._report(accepted)

    def forget(self, direction: str) -> None:
        """Stop analysing a direction."""
        self._frames.pop(direction, None)


def _death_with_parent() -> Callable[[], None] | None:
    """What a child calls to be killed when this process dies, even by SIGKILL; None where there is no such call."""
    if sys.platform != "linux":
        return None
    import ctypes

    control = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def tie() -> None:
        control(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)

    return tie


def _forward_signals(server: subprocess.Popen[bytes]) -> None:
    """Forward signals to the server: terminating the proxy means terminating the server."""
    if threading.current_thread() is not threading.main_thread():
        return

    def terminate(_number: int, _frame: Any) -> None:
        server.terminate()

    signal.signal(signal.SIGTERM, terminate)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, terminate)
