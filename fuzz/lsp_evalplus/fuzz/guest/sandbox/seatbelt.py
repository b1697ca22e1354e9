"""Restricts files, processes, signals and the network with the sandbox of macOS.

``sandbox_init`` (<sandbox.h>) is deprecated and its profile language is not documented, yet the system's own programs
and browsers still use it. This module was not tried on every version of macOS: the layer's state, as ``lsp-evalplus
doctor`` prints it, says what took effect.
"""

from __future__ import annotations

import ctypes
from typing import Any


def apply(settings: dict[str, Any]) -> str:
    """Restrict this process for good; return ``on`` or why not."""
    try:
        library = ctypes.CDLL("/usr/lib/libSystem.B.dylib", use_errno=True)
        message = ctypes.c_char_p()
        if library.sandbox_init(profile(settings).encode(), ctypes.c_uint64(0), ctypes.byref(message)) == 0:
            return "on"
        return f"the system refused the profile: {(message.value or b'').decode('utf-8', 'replace')}"
    except (OSError, AttributeError) as error:
        return f"this system has no sandbox_init: {error}"


def profile(settings: dict[str, Any]) -> str:
    """Return the profile: no reading in the folders of users, no writing anywhere but in the scratch folder."""
    readable = " ".join(f"(subpath {_quote(path)})" for path in [*settings["read"], settings["scratch"]])
    listed = " ".join(f"(literal {_quote(path)})" for path in settings["list"])
    scratch = _quote(settings["scratch"])
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny process-fork)",
        "(deny process-exec*)",
        "(deny signal)",
        "(allow signal (target self))",
        '(deny file-read* (subpath "/Users") (subpath "/Volumes") (subpath "/private/var/root"))',
        f"(allow file-read* {readable} {listed})",
        '(deny file-write* (subpath "/"))',
        f'(allow file-write* (subpath {scratch}) (literal "/dev/null"))',
        "(deny ipc-posix-shm*)",
        "(deny ipc-sysv*)",
    ]
    if not settings["network"]:
        lines.append("(deny network*)")
    return "\n".join(lines)


def _quote(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
