"""A fork server: runs many programs on the same inputs, each in a process forked from this one.

Starting a guest for each program costs more than most programs do. This job is confined once, like every guest, except
that it may fork; it holds the inputs and runs no code under test itself. For each program, or batch of programs that
cannot affect one another (`batch`), it forks a child, which takes the last confinement steps (`sandbox.tighten`: no
more forks, its own process id, a Landlock domain inside this one's) before it loads the program and does the job
``outputs``. The idea is the fork server of AFL (Zalewski, 2014).

The child inherits one descriptor, a pipe to this process, which forwards its output, counted and labelled as that
child's. So no program can impersonate another one, or this process, nor outlive its run.

The request: ``{"settings": the arguments of `sandbox.apply`, "reply_bytes": maximum output of one program}``.

From the host::

    {"provide": {"marshalled": text}} inputs of the programs that follow; see `marshal_codec`
    {"run": {"number", "cpu_seconds", "request": of `outputs`, or of `batch`}}
    {"stop": number}                  kill that program, if it still runs

To the host: ``{"ready": true}`` once, then for each program any number of ``{"number", "data": bytes as Latin-1}`` and
one ``{"ended": {"number", "status", "stopped", "flooded", "cpu_seconds", "peak_bytes"}}``.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from typing import TYPE_CHECKING, Any, NoReturn

from .. import sandbox
from ..program.inputs import prepare_inputs
from ..protocol.channel import Channel
from ..protocol.resource_usage import peak_bytes
from ..protocol.scratch import remove_tree
from . import batch, outputs

if TYPE_CHECKING:
    from collections.abc import Mapping

_READ = 1 << 18
_FAULT_CODE = 70


def run(request: dict[str, Any], channel: Channel) -> None:
    """Serve the host until it closes its end; see the module's docstring."""
    _ForkServer(request, channel).serve()


class _ForkServer:
    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self._settings: dict[str, Any] = {**request["settings"], "parent": os.getpid()}
        self._reply_bytes: int = request["reply_bytes"]
        self._channel = channel
        self._inputs: list[Any] = []

    def serve(self) -> None:
        # Output that bypasses Python's own objects, of this process or a program, is discarded.
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.close(null)
        self._channel.send({"ready": True})
        while True:
            self._channel.wait()
            message = self._channel.receive()
            if message is None:
                if self._channel.has_ended:
                    return
            elif "provide" in message:
                self._inputs = prepare_inputs(message["provide"])
                gc.collect()
                gc.freeze()
            elif "run" in message:
                self._run(message["run"])

    def _run(self, order: dict[str, Any]) -> None:
        """Fork a child for a program, forward its output, and reap it."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._become_program(order, reading, writing)
        os.close(writing)
        try:
            stopped, flooded = self._listen(order["number"], pid, reading)
        finally:
            os.close(reading)
            # A child that has closed its pipe is exiting, or pretends to.
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
        self._clean()
        self._channel.send(
            {
                "ended": {
                    "number": order["number"],
                    "status": status,
                    "stopped": stopped,
                    "flooded": flooded,
                    "cpu_seconds": usage.ru_utime + usage.ru_stime,
                    "peak_bytes": peak_bytes(usage),
                }
            }
        )

    def _listen(self, number: int, pid: int, reading: int) -> tuple[bool, bool]:
        """Forward a child's output until it closes its pipe; return whether it was stopped, and whether it flooded."""
        channel = self._channel
        taken = 0
        stopped = flooded = False
        while True:
            ready = channel.wait([reading])
            message = channel.receive()
            if (message is not None and message.get("stop") == number) or channel.has_ended:
                stopped = True
                os.kill(pid, signal.SIGKILL)
                return stopped, flooded
            if reading not in ready:
                continue
            data = os.read(reading, _READ)
            if not data:
                return stopped, flooded
            taken += len(data)
            if taken > self._reply_bytes:
                flooded = True
                return stopped, flooded
            channel.send({"number": number, "data": data.decode("latin-1")})

    def _clean(self) -> None:
        """Remove what a program has left in the scratch folder that the next one uses.

        Raises:
            OSError: something is left; then no other program may run here.
        """
        scratch: str = self._settings["scratch"]
        left = os.listdir(scratch)
        for name in left:
            path = os.path.join(scratch, name)
            if os.path.isdir(path) and not os.path.islink(path):
                remove_tree(path)
            else:
                os.unlink(path)
        if left and os.listdir(scratch):
            raise OSError("a program has left files that cannot be removed")

    def _become_program(self, order: dict[str, Any], reading: int, writing: int) -> NoReturn:
        # Bound here because code under test may replace it.
        leave = os._exit
        try:
            self._channel.close()
            os.close(reading)
            _live(self._settings, order, writing, self._inputs)
        except BaseException:  # noqa: BLE001 - nothing of this process may go on in the child
            leave(_FAULT_CODE)
        leave(0)


def _live(settings: dict[str, Any], order: Mapping[str, Any], writing: int, inputs: list[Any]) -> None:
    """Take the last steps of the confinement, then run the job."""
    import fcntl

    limit: int = settings["open_files"]
    # Above the limit on open files, so that the program gets no such number by accident; see `child.first_private`.
    replies = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, limit)
    os.close(writing)
    layers = sandbox.tighten({**settings, "cpu_seconds": order["cpu_seconds"]})
    channel = Channel(replies, -1)
    channel.send({"confined": layers})
    job = batch if "programs" in order["request"] else outputs
    job.run({**order["request"], "provided": inputs}, channel)
    channel.send({"finished": True})
