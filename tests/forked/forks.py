"""Import the command line once, then run it in a fork for whoever connects: ``python forks.py SOCKET TEMPLATES``.

So are the analysis processes that a server starts.

A connection brings the three standard streams, and one line of JSON: arguments, environment and folder. It is answered
with the exit code; when it is closed before, the fork is killed. Standard input ends when nobody needs this any more.
TEMPLATES is the folder of the sockets at which zygotes are forked.
"""

from __future__ import annotations

import gc
import io
import json
import os
import select
import signal
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

ANALYSIS = "analysis process"
"""The first word for a process that is no command."""


def load() -> None:
    """Import what takes long."""
    import zygotes
    from pygls.protocol import default_converter

    import lsp_evalplus.commands.check.command
    import lsp_evalplus.commands.doctor
    import lsp_evalplus.commands.serve
    import lsp_evalplus.server.analysis.analysis
    import lsp_evalplus.server.app  # noqa: F401
    from lsp_evalplus.server.analysis import client

    launcher = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")), sys.argv[1], ANALYSIS]
    client.analysis_command = lambda niceness: [*launcher, str(niceness)]
    zygotes.patch(zygotes.Templates(Path(sys.argv[2])))
    default_converter()  # The first one resolves the protocol's references.
    gc.collect()
    gc.freeze()


def main() -> None:
    """Listen until standard input ends."""
    load()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Keepers are nobody's business.
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready:
            break
        connection, _ = listener.accept()
        line, streams = receive(connection)
        if line and os.fork() == 0:
            listener.close()
            keep(connection, streams, json.loads(line))
        connection.close()
        for stream in streams:
            os.close(stream)
    Path(sys.argv[1]).unlink()
    Path(sys.argv[1]).parent.rmdir()


def receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    """The line and the streams that a connection brings."""
    line, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    more = line
    while more and not line.endswith(b"\n"):
        more = connection.recv(1 << 16)
        line += more
    # A launcher that was ended on the way leaves half a line.
    return line if line.endswith(b"\n") else b"", streams


def keep(connection: socket.socket, streams: list[int], asked: dict[str, Any]) -> None:
    """Run the command in a fork, and tell its exit code; end it when nobody waits for it any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        connection.close()
        become(streams, asked)
    for stream in streams:
        os.close(stream)
    handle = os.pidfd_open(process)
    ready, _, _ = select.select([handle, connection], [], [])
    if handle not in ready:
        os.kill(process, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if handle in ready:
        connection.sendall(b"%d\n" % code)
    os._exit(0)


def become(streams: list[int], asked: dict[str, Any]) -> None:
    """Be the command, as a shell would have started it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        if stream > 2:
            os.close(stream)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["lsp-evalplus", *asked["arguments"]]
    sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", line_buffering=os.isatty(1))
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", line_buffering=True)
    if asked["environment"].get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    if asked["arguments"][:1] == [ANALYSIS]:
        from lsp_evalplus.server.analysis.client import main as analyse

        del sys.argv[1]
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)))
        sys.exit(analyse())
    from lsp_evalplus.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
