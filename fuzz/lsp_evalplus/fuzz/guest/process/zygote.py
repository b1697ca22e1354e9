"""The zygote, warm parent of the guests: imports once what guests need, then forks one for each run.

It holds no user code except the modules that it is asked to preload. One socket connects it to its host; at its end it
kills its guests, removes their folders and exits. Each run's pipes come with the request to start it and are closed
here as soon as the guest has them.

The host identifies itself twice before anything else: first, before it makes its folder, with the folder's path and its
process id, so that the folder is removed whenever the host dies; then with what the guests need.

After that, from the host: ``start`` (with three descriptors), ``kill``, ``provide`` (with one descriptor), ``discard``,
``leave``. To the host: ``ready``, ``ended``.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import resource
import selectors
import signal
import socket
import sys
import time
import warnings
from typing import Any

from .. import sandbox
from ..program.inputs import prepare_inputs
from ..protocol.frames import FrameReader, pack, read_frame, write_all
from ..protocol.job_kinds import import_jobs
from ..protocol.resource_usage import peak_bytes
from ..protocol.scratch import remove_persistently, remove_tree
from . import child, first_use, huge_pages, tree
from .compiled_sources import CompiledSources
from .monitor import children_of, count_threads, exceeds, resident_bytes, unnamed_bytes

_MAX_DESCRIPTORS = 16
_OPEN_FILES = 4096
_WATCH_SECONDS = 0.1
_CLOSE_WATCH_SECONDS = 0.02
"""While a container is near its limit of memory, which a program can fill at a gigabyte a second."""
_IDLE_WATCH_SECONDS = 0.3
"""From one look to the next at a container in which nothing has run between the last two: its tests sleep."""
_LARGE = 100 << 20
"""Memory from which on a zygote uses huge pages; a small one forks fast as it is."""
_GOING_SECONDS = 1.0
"""How long a dying host may still exist after its files were closed by the system."""


def serve(descriptor: int) -> None:
    """Serve the host at the other end of the socket `descriptor` until it leaves."""
    warnings.simplefilter("ignore")
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(_OPEN_FILES, hard), hard))
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    place = _hear_greeting(descriptor)
    if place is None:
        return
    hello = _hear_greeting(descriptor)
    if hello is None:
        _remove_left(place)
        return
    scratch: str = hello["scratch"]
    os.chdir(scratch)
    import_jobs(hello["jobs"])
    sys.dont_write_bytecode = True
    sys.path.extend(path for path in hello["search_path"] if path not in sys.path)
    os.environ.update(hello["environment"])
    failed = _preload(hello["preload"])
    sandbox.prepare()
    child.forget_arguments()
    zygote = _Zygote(control, scratch, place)
    try:
        write_all(descriptor, pack({"ready": {"python": list(sys.version_info[:3]), "not_preloaded": failed}}))
    except OSError:
        remove_tree(scratch)
        _remove_left(place)
        return
    zygote.serve()


def _remove_left(place: dict[str, Any]) -> None:
    """Remove the folder of the host if the host is gone; other zygotes of a living host may need it."""
    deadline = time.monotonic() + _GOING_SECONDS
    while os.getppid() == place["host"]:
        if time.monotonic() >= deadline:
            return
        time.sleep(0.01)
    remove_persistently(place["folder"])


def _hear_greeting(descriptor: int) -> dict[str, Any] | None:
    try:
        return read_frame(descriptor)
    except ConnectionError:
        return None


def _preload(names: list[str]) -> dict[str, str]:
    failed: dict[str, str] = {}
    for name in names:
        try:
            first_use.call(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a module of the user's environment may raise anything
            failed[name] = f"{type(error).__name__}: {error}"
    return failed


class _Guest:
    """State of one running guest."""

    def __init__(self, settings: dict[str, Any], pid: int, scratch: str, began: float, status: int | None) -> None:
        self.number: int = settings["run"]
        self.max_threads: int = settings["threads"]
        self.max_bytes: int = settings["file_bytes"]
        self.max_memory: int = settings["memory_bytes"]
        self.pid = pid
        self.scratch = scratch
        self.wall_seconds: float = settings["wall_seconds"]
        self.latest: float = began + (settings.get("most_wall_seconds") or self.wall_seconds)
        self.began = began
        self.deadline = began + self.wall_seconds
        self.is_near = False
        """Whether its container is near its limit of memory."""
        self.seen = -1.0
        """Processor seconds of its container at the last look."""
        self.next_look = began
        self.reason: str | None = None
        self.detail = ""
        self.spent = 0.0
        """Processor seconds of its container when that was killed: the kernel forgets those of what it reaps."""
        self.cpu_seconds: float = settings["cpu_seconds"] or math.inf
        self.container: dict[str, Any] | None = settings.get("container")
        self._forks: bool = settings["forks"]
        self._status = status

    @property
    def is_container(self) -> bool:
        """Whether its process is init of a container, in which everything else is."""
        return _is_container(self.container)

    def ending(self, status: int) -> int:
        """Return how its program ended, given how its process did."""
        if self._status is None:
            return status
        said = sandbox.ending_of(self._status)
        os.close(self._status)
        return status if said is None else said

    def processes(self) -> list[int]:
        """Return the number of its process, and of its children where it may have some."""
        return [self.pid, *(children_of(self.pid) if self._forks else ())]


class _Zygote:
    """The state of a serving zygote."""

    def __init__(self, control: socket.socket, scratch: str, place: dict[str, Any]) -> None:
        self._control = control
        self._scratch = scratch
        self._place = place
        self._reader = FrameReader()
        self._descriptors: list[int] = []
        self._guests: dict[int, _Guest] = {}
        self._store: dict[str, Any] = {}
        self._sources = CompiledSources()
        self._janitors: set[int] = set()
        self._container_state: str | None = None
        self._next_watch = 0.0
        self._serving = True
        self._host_lives = False
        self._parent = os.getpid()
        self._selector = selectors.DefaultSelector()
        self._wake, wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, _number: int, _frame: Any) -> None:
        self._serving = False

    def serve(self) -> None:
        self._selector.register(self._control, selectors.EVENT_READ, self._hear)
        self._selector.register(self._wake, selectors.EVENT_READ, self._drain_wake)
        gc.freeze()
        gc.enable()
        if resident_bytes(os.getpid()) > _LARGE:
            huge_pages.collapse()
        try:
            while self._serving:
                for key, _events in self._selector.select(self._patience()):
                    key.data()
                self._reap()
                self._enforce_deadlines()
                self._watch()
        finally:
            if os.getpid() == self._parent:
                self._end()

    def _patience(self) -> float | None:
        if not self._guests:
            return None
        nearest = min(guest.deadline for guest in self._guests.values())
        return max(0.0, min(nearest, self._next_watch) - time.monotonic())

    def _drain_wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)

    def _hear(self) -> None:
        try:
            data, descriptors, _flags, _address = socket.recv_fds(self._control, 1 << 16, _MAX_DESCRIPTORS)
        except ConnectionError:
            data, descriptors = b"", []
        self._descriptors += descriptors
        if not data:
            self._serving = False
            return
        for message in self._reader.feed(data):
            self._obey(message)

    def _obey(self, message: dict[str, Any]) -> None:
        [(verb, content)] = message.items()
        if verb == "start":
            self._start(content, [self._descriptors.pop(0) for _ in range(3)])
        elif verb == "kill":
            guest = self._guests.get(content["run"])
            if guest is not None:
                self._kill(guest, content["reason"])
        elif verb == "provide":
            self._provide(content, self._descriptors.pop(0))
        elif verb == "discard":
            self._store.pop(content, None)
        elif verb == "leave":
            self._host_lives = True
            self._serving = False

    def _tell(self, message: dict[str, Any]) -> None:
        # A host that is gone is noticed by the end of the socket.
        with contextlib.suppress(OSError):
            write_all(self._control.fileno(), pack(message))

    def _provide(self, key: str, descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = read_frame(descriptor)
        os.close(descriptor)
        self._store[key] = prepare_inputs(data or {})
        gc.freeze()

    def _start(self, settings: dict[str, Any], descriptors: list[int]) -> None:
        number = settings["run"]
        scratch = os.path.join(self._scratch, str(number))
        began = time.monotonic()
        _preload([name for name in settings["preload"] if name not in sys.modules])
        self._sources.prepare(settings["sources"], settings["read"])
        try:
            os.mkdir(scratch, 0o700)
            if settings.get("container"):
                settings["container"]["off"] = self._try_container({**settings, "scratch": scratch})
            pid, status = self._fork(settings, descriptors)
        except OSError as error:
            self._tell({"ended": {"run": number, "fault": f"a guest could not be forked: {error}"}})
            for descriptor in descriptors:
                os.close(descriptor)
            return
        if pid == 0:
            self._become_guest(settings, scratch, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._guests[number] = _Guest(settings, pid, scratch, began, status)

    def _fork(self, settings: dict[str, Any], descriptors: list[int]) -> tuple[int, int | None]:
        """Fork a guest, in a container of its own where it gets one; return also where its program's ending is told."""
        if not _is_container(settings.get("container")):
            return os.fork(), None
        status, report = os.pipe()
        os.set_blocking(status, False)
        descriptors.append(report)
        try:
            return sandbox.fork_container(settings), status
        except OSError:
            os.close(status)
            raise

    def _try_container(self, settings: dict[str, Any]) -> str:
        """Return ``on`` or why there can be no containers here; tried once."""
        if self._container_state is None:
            self._container_state = sandbox.probe_container(settings)
        return self._container_state

    def _become_guest(self, settings: dict[str, Any], scratch: str, descriptors: list[int]) -> None:
        try:
            os.setsid()
            child.reset_signals()
            # In a container it has no parent; there it looks for it by `container.enter`.
            if os.getppid() != self._parent and not _is_container(settings.get("container")):
                os._exit(0)
            replies, requests, page, *report = child.take_private(descriptors)
            settings["report"] = report[0] if report else -1
            self._sources.hand_over()
            settings["open_files"] = min(settings["open_files"], child.first_private())
            child.live({**settings, "scratch": scratch, "parent": self._parent}, replies, requests, page, self._store)
        finally:
            os._exit(71)

    def _enforce_deadlines(self) -> None:
        now = time.monotonic()
        for guest in self._guests.values():
            if guest.deadline <= now:
                if now < guest.latest and guest.reason is None:
                    guest.deadline = min(guest.latest, guest.began + guest.wall_seconds + _waited(guest))
                    if guest.deadline > now:
                        continue
                self._kill(guest, "deadline")
                guest.deadline = now + 1.0

    def _watch(self) -> None:
        """Kill guests that have more threads, memory or files than they may: the kernel does not keep every limit."""
        began = time.monotonic()
        if began < self._next_watch:
            return
        for guest in self._guests.values():
            if guest.is_container:
                excess = _excess(guest) if guest.next_look <= began else None
                if excess is not None:
                    self._kill(guest, *excess)
            elif max(map(count_threads, guest.processes())) > guest.max_threads:
                self._kill(guest, "flooded", f"more than {guest.max_threads} threads")
            elif 0 < guest.max_memory < max(map(resident_bytes, guest.processes())):
                self._kill(guest, "flooded", "more memory than it may have")
            elif exceeds(
                guest.scratch, guest.max_bytes, sum(unnamed_bytes(pid, guest.scratch) for pid in guest.processes())
            ):
                self._kill(guest, "flooded", "more or larger files than it may have")
        pause = _CLOSE_WATCH_SECONDS if any(guest.is_near for guest in self._guests.values()) else _WATCH_SECONDS
        # Looking never takes more than a tenth of the time.
        self._next_watch = time.monotonic() + max(pause, 9 * (time.monotonic() - began))

    def _kill(self, guest: _Guest, reason: str, detail: str = "") -> None:
        if guest.reason is None:
            guest.reason, guest.detail = reason, detail
            if guest.is_container:
                guest.spent = tree.measure(guest.pid).cpu_seconds
        # Of a container it is init, with which the kernel ends everything inside.
        _kill_group(guest.pid)

    def _reap(self) -> None:
        for guest in list(self._guests.values()):
            if not _has_ended(guest.pid):
                continue
            # Before it is reaped, while its number cannot belong to another group.
            _kill_group(guest.pid)
            pid, status, usage = os.wait4(guest.pid, os.WNOHANG)
            if pid:
                self._bury(guest, status, usage)
        for pid in list(self._janitors):
            if os.waitpid(pid, os.WNOHANG)[0]:
                self._janitors.discard(pid)

    def _bury(self, guest: _Guest, status: int, usage: Any) -> None:
        del self._guests[guest.number]
        status = guest.ending(status)
        self._clean(guest.scratch)
        self._tell(
            {
                "ended": {
                    "run": guest.number,
                    "status": status,
                    "reason": guest.reason,
                    "detail": guest.detail,
                    "cpu_seconds": max(usage.ru_utime + usage.ru_stime, guest.spent),
                    "peak_bytes": peak_bytes(usage),
                }
            }
        )

    def _clean(self, folder: str) -> None:
        """Remove a guest's folder; one that was filled may take long, so another process does it."""
        try:
            os.rmdir(folder)
            return
        except OSError:
            pass
        try:
            pid = os.fork()
        except OSError:
            remove_tree(folder)
            return
        if pid == 0:
            try:
                self._control.close()
                remove_tree(folder)
            finally:
                os._exit(0)
        self._janitors.add(pid)

    def _end(self) -> None:
        for guest in self._guests.values():
            _kill_group(guest.pid)
        for pid in [*(guest.pid for guest in self._guests.values()), *self._janitors]:
            os.waitpid(pid, 0)
        remove_tree(self._scratch)
        if not self._host_lives:
            _remove_left(self._place)


def _is_container(container: dict[str, Any] | None) -> bool:
    """Return whether the settings of a guest's container say that it gets one."""
    return bool(container) and container["off"] == "on"


def _excess(guest: _Guest) -> tuple[str, str] | None:
    """Return the reason and the words for what the processes of a container have too much of; None if nothing."""
    assert guest.container is not None
    taken = tree.measure(guest.pid)
    # Without init, whose memory is the zygote's: with it, every program of a large zygote would be near its limit.
    if taken.processes > guest.container["processes"]:
        return "flooded", f"more than {guest.container['processes']} processes"
    if taken.threads > guest.max_threads:
        return "flooded", f"more than {guest.max_threads} threads"
    most = guest.container["resident_bytes"]
    guest.is_near = taken.resident_bytes > 3 * most // 4
    is_idle, guest.seen = guest.seen == taken.cpu_seconds, taken.cpu_seconds
    guest.next_look = time.monotonic() + (_IDLE_WATCH_SECONDS if is_idle and not guest.is_near else 0.0)
    if taken.resident_bytes > most and tree.proportional_bytes(taken.numbers) > most:
        return "memory", "more memory than it may have"
    if taken.cpu_seconds > guest.cpu_seconds + 1:
        return "deadline", "more processor time than all its processes may have"
    return None


def _waited(guest: _Guest) -> float:
    """Return for how long a thread of a guest has waited for a processor."""
    return tree.longest_wait((guest.pid, *tree.descendants_of(guest.pid)))


def _has_ended(pid: int) -> bool:
    if not hasattr(os, "waitid"):
        return True
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_group(pid: int) -> None:
    # Both: right after the fork, the guest is not the leader of its group yet.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)
