"""Restricts files, TCP, abstract sockets and signals with Landlock, as far as this kernel's version of it goes.

Constants: include/uapi/linux/landlock.h. Numbers of system calls: include/uapi/asm-generic/unistd.h (the same on every
architecture). Versions of the interface: Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import struct
from typing import Any

from . import kernel

_SYS_CREATE_RULESET = 444
_SYS_ADD_RULE = 445
_SYS_RESTRICT_SELF = 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_MAKE_FIFO = 1 << 10
_MAKE_SYM = 1 << 12
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_READ = _READ_FILE | _READ_DIR
_OWN_FACTS = (
    *("auxv", "cgroup", "cmdline", "comm", "fd", "fdinfo", "io", "limits", "loginuid", "maps", "oom_score"),
    *("pagemap", "personality", "schedstat", "sessionid", "smaps", "smaps_rollup", "stat", "statm", "status", "wchan"),
)
"""What a process may read of itself; ``net``, ``mountinfo``, ``ns`` and ``root`` tell of the whole system."""
_OWN_LISTS = ("", "task")
_SCRATCH = (
    _READ
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_EXECUTE = 1 << 0
_ON_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE
_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many of the access bits each version knows; later ones know as many as the last."""
GUARDS_TRUNCATION = 3
"""The first version that knows that truncating is writing."""
GUARDS_SIGNALS = 6
"""The first version that keeps signals inside a domain."""
_NET_TCP = 0b11
"""BIND_TCP and CONNECT_TCP, from version 4."""
_SCOPES = 0b11
"""ABSTRACT_UNIX_SOCKET and SIGNAL, from version 6."""
_WRITABLE_DEVICES = ("/dev/null",)
_CONTAINER_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


@functools.cache
def version() -> int:
    """Return the version of Landlock's interface, 0 where there is none."""
    try:
        return kernel.call(
            _SYS_CREATE_RULESET, ctypes.c_void_p(None), ctypes.c_size_t(0), ctypes.c_uint(_CREATE_RULESET_VERSION)
        )
    except OSError:
        return 0


def apply(settings: dict[str, Any], known: int) -> dict[str, str]:
    """Restrict this process for good with a version of Landlock; return the states of ``files``, ``tcp``, ``scope``."""
    if known == 0:
        reason = "this kernel has no Landlock"
        return {"files": reason, "tcp": reason, "scope": reason}
    network = bool(settings["network"])
    try:
        _restrict(known, settings, network=network)
    except OSError as error:
        reason = kernel.explain(error)
        return {"files": reason, "tcp": reason, "scope": reason}
    tcp = "allowed by the settings" if network else "on" if known >= 4 else f"Landlock {known} is older than 4"
    scope = "on" if known >= 6 else f"Landlock {known} is older than 6"
    return {"files": "on", "tcp": tcp, "scope": scope}


def contain(settings: dict[str, Any], known: int) -> dict[str, str]:
    """Restrict the program of a container: nothing outside of its writable folders, no signals to its init."""
    if known == 0:
        reason = "this kernel has no Landlock; the container guards"
        return {"files": "on", "scope": reason}
    handled = (1 << _FILE_BITS.get(known, 16)) - 1
    attributes = struct.pack("=QQQ", handled, 0, _SCOPES if known >= GUARDS_SIGNALS else 0)
    try:
        size = ctypes.c_size_t(24 if known >= GUARDS_SIGNALS else 8)
        ruleset = kernel.call(_SYS_CREATE_RULESET, attributes, size, ctypes.c_uint(0))
        try:
            _allow(ruleset, "/", (_READ | _EXECUTE) & handled)
            for path in _CONTAINER_DEVICES:
                _allow(ruleset, path, _ON_FILES & handled)
            for path in settings["writable"]:
                _allow(ruleset, path, handled)
            kernel.call(_SYS_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
        finally:
            os.close(ruleset)
    except OSError as error:
        # What may be written is the container's own, with or without this.
        return {"files": "on", "scope": kernel.explain(error)}
    scope = "on" if known >= GUARDS_SIGNALS else f"Landlock {known} is older than {GUARDS_SIGNALS}"
    return {"files": "on", "scope": scope}


def nest() -> str:
    """Put this process, restricted already, into a domain of its own inside the present one; return ``on`` or why not.

    It may then neither send signals to the other processes of the outer domain nor look into them.
    """
    try:
        attributes = struct.pack("=QQQ", 0, 0, _SCOPES)
        ruleset = kernel.call(_SYS_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
        try:
            kernel.call(_SYS_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
        finally:
            os.close(ruleset)
    except OSError as error:
        return kernel.explain(error)
    return "on"


def _restrict(known: int, settings: dict[str, Any], *, network: bool) -> None:
    handled = (1 << _FILE_BITS.get(known, 16)) - 1
    attributes = struct.pack("=QQQ", handled, 0 if network or known < 4 else _NET_TCP, _SCOPES if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = kernel.call(_SYS_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    try:
        for path in settings["read"]:
            _allow(ruleset, path, _READ & handled)
        for path in settings["list"]:
            _allow(ruleset, path, _READ_DIR & handled)
        if not settings["forks"]:
            for name in _OWN_FACTS:
                _allow(ruleset, "/proc/self/" + name, _READ & handled)
            for name in _OWN_LISTS:
                _allow(ruleset, "/proc/self/" + name, _READ_DIR & handled)
        for path in _WRITABLE_DEVICES:
            _allow(ruleset, path, (_READ_FILE | _WRITE_FILE | _TRUNCATE) & handled)
        _allow(ruleset, settings["scratch"], _SCRATCH & handled)
        kernel.call(_SYS_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # What does not exist, or may not be opened, needs no permission.
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _ON_FILES
        rule = struct.pack("=Qi", access, descriptor)
        kernel.call(_SYS_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), rule, ctypes.c_uint(0))
    finally:
        os.close(descriptor)
