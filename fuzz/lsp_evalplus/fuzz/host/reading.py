"""Which files a guest may read: the interpreter, its packages, the system's libraries, the program's import roots."""

from __future__ import annotations

import os
import sys
from typing import Any, cast

from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.model import Plain

_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/kernel/random",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup/cpu.max",
)


def readable_paths(interpreter: Interpreter, extra: tuple[str, ...], request: Plain) -> list[str]:
    """Return the paths that a guest of this interpreter may read in a run of this request."""
    paths = [
        interpreter.prefix,
        os.path.join(interpreter.base_prefix, "lib"),
        os.path.join(interpreter.exec_prefix, "lib"),
        *interpreter.search_path,
        *interpreter.mapped,
        guest_folder(),
        *extra,
        *search_paths_in(request),
        *(_SYSTEM if sys.platform == "linux" else ()),
    ]
    return list(dict.fromkeys(path for path in paths if os.path.isabs(path)))


def search_paths_in(request: Plain) -> list[str]:
    """Return the import roots of all programs in a request."""
    found: list[str] = []
    values: list[Any] = list(request.values())
    for value in values:
        if isinstance(value, dict):
            found += cast(Plain, value).get("search_path") or ()
    return found
