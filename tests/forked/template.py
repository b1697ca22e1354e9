"""Import what a zygote imports, then fork one for whoever connects: ``python template.py FOLDER_OF_THE_GUEST SOCKET``.

A connection brings two descriptors, the zygote's socket and the file for its errors, and is answered with the number of
the process. Standard input ends when nobody needs this any more.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import select
import signal
import socket
import sys
from typing import Any


def load(folder: str) -> Any:
    """Import the guest's modules as its own start does; return that of the zygote."""
    spec = importlib.util.spec_from_file_location("boot", os.path.join(folder, "boot.py"))
    assert spec is not None
    assert spec.loader is not None
    boot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(boot)
    boot.load_package(folder)
    importlib.import_module(f"{boot.PACKAGE}.protocol.job_kinds").import_jobs()
    importlib.import_module("asyncio")
    zygote = importlib.import_module(f"{boot.PACKAGE}.process.zygote")
    gc.collect()
    gc.freeze()
    return zygote


def main() -> None:
    """Listen until standard input ends."""
    zygote = load(sys.argv[1])
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[2])
    listener.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready:
            break
        connection, _ = listener.accept()
        _, (control, errors), _, _ = socket.recv_fds(connection, 1, 2)
        process = os.fork()
        if process == 0:
            listener.close()
            connection.close()
            become(zygote, control, errors)
        os.close(control)
        os.close(errors)
        connection.sendall(b"%d\n" % process)
        connection.close()
    os.unlink(sys.argv[2])


def become(zygote: Any, control: int, errors: int) -> None:
    """Be a zygote, as its host would have started it."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, number in ((nothing, 0), (errors, 1), (errors, 2)):
        os.dup2(source, number)
    os.close(nothing)
    os.close(errors)
    os.chdir("/")
    try:
        zygote.serve(control)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
