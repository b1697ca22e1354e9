"""Have a command run in a fork with these streams, this environment and this folder, and end as it does."""

import json
import os
import signal
import socket
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # It ends by the signal that ended the command, also by this one.
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
asked = {"arguments": sys.argv[2:], "environment": dict(os.environ), "folder": os.getcwd()}
socket.send_fds(connection, [b" "], [0, 1, 2])
connection.sendall(json.dumps(asked).encode() + b"\n")
for stream in (0, 1):
    os.close(stream)  # Whoever is at the other end sees when the command closes its own.
code = int(connection.makefile().readline())
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
