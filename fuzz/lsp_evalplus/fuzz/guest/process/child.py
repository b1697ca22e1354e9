"""Lifecycle of one guest: drop inherited resources, enter the sandbox, run one job, exit."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import time
import traceback
from typing import Any

from .. import sandbox
from ..protocol.channel import PAGE_SIZE, Channel
from ..protocol.frames import read_frame
from ..protocol.job_kinds import FORK_SERVER, find_job
from ..values.makers.input_files import PrivateFolder
from ..values.makers.outside import Outside

_FIRST_PRIVATE = 1005
"""Below 1024, as `select` demands, and no number that inputs are likely to have: code that opens and closes 1000 as the
name of a file would close that descriptor."""
_PRIVATE = 16
_FAULT_CODE = 70


def live(settings: dict[str, Any], replies: int, requests: int, page: int, store: dict[str, Any]) -> None:
    """Run one job in this process and exit; never returns.

    Args:
        settings: ``kind``, ``environment``, and the arguments of `sandbox.apply`.
        replies, requests, page: descriptors (`page` may be -1).
        store: data provided earlier, by key.
    """
    code = _FAULT_CODE
    with contextlib.suppress(BaseException):
        code = _live(settings, replies, requests, page, store)
    os._exit(code)


def _live(settings: dict[str, Any], replies: int, requests: int, page: int, store: dict[str, Any]) -> int:
    # Bound here because code under test may replace it.
    leave = os._exit
    memory = None
    if page >= 0:
        memory = mmap.mmap(page, PAGE_SIZE)
        os.lseek(page, PAGE_SIZE, os.SEEK_SET)
        os.dup2(page, 1)
        os.dup2(page, 2)
        os.close(page)
    channel = Channel(replies, requests, memory)
    try:
        os.environ.update(settings.get("environment") or {})
        os.chdir(settings["scratch"])
        began = time.perf_counter()
        layers = sandbox.apply(settings)
        took = time.perf_counter() - began
        request = read_frame(requests)
        if request is None:
            return _FAULT_CODE
        if "arguments_key" in request:
            request["provided"] = store[request["arguments_key"]]
        job = find_job(settings["kind"])
        if settings["kind"] == FORK_SERVER:
            request["settings"] = settings
        if layers.get("container") == "on":
            _leave_channel_to_parent(channel)
        PrivateFolder.path = os.getcwd()
        PrivateFolder.is_closed = "on" in (layers.get("files"), layers.get("seatbelt"))
        Outside.is_closed = "on" in (layers.get("calls"), layers.get("seatbelt")) and not settings["network"]
        channel.send({"confined": layers, "seconds": took})
    except BaseException:  # noqa: BLE001 - reported to the host as an internal error
        channel.send({"fault": traceback.format_exc()})
        return _FAULT_CODE
    try:
        job(request, channel)
    except BaseException:  # noqa: BLE001 - reported to the host
        channel.send({"fault": traceback.format_exc()})
        leave(_FAULT_CODE)
    channel.send({"finished": True})
    # No exit handlers, no finalisers, no waiting for threads: code under test has registered or started them.
    leave(0)
    return 0


def _leave_channel_to_parent(channel: Channel) -> None:
    """Let no process that the program forks speak to the host, and discard what its commands print."""
    os.register_at_fork(after_in_child=channel.close)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def take_private(descriptors: list[int]) -> list[int]:
    """Move descriptors to high numbers and close all others above 2."""
    import fcntl

    first = first_private()
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, first) for fd in descriptors]
    os.closerange(3, first)
    return moved


def first_private() -> int:
    """Return the lowest private descriptor number.

    The limit on open files is lower, so code under test cannot get such a number by accident, nor close it by closing
    every descriptor that it may have.
    """
    import resource

    return min(_FIRST_PRIVATE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _PRIVATE)


def reset_signals() -> None:
    """Restore default signal handling; a parent's settings must not change what code under test sees."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def forget_arguments() -> None:
    """Hide how the guest was started from code under test that parses its command line."""
    sys.argv[:] = [""]
