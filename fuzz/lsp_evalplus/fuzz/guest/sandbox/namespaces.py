"""Gives a guest a file system of its own with user and mount namespaces: what it may read, and nothing else.

It is used where the kernel has no Landlock, or where a pool wants both. The root is a small file system in memory; what
may be read is bound into it, read-only. Many systems forbid this to programs without privileges, and then say so.

Constants: include/uapi/linux/{sched,mount}.h; numbers of ``clone`` and ``pivot_root``: `syscalls`.
"""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Any

from . import kernel

_CLONE_NEWNS = 0x00020000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_NOATIME, _MS_NODIRATIME = 32, 1024, 2048
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MS_RELATIME = 1 << 21
_ST_RELATIME = 4096
"""statvfs(3): the other flags have the numbers of their mount flags."""
_MNT_DETACH = 2
CLONE = {"x86_64": 56, "aarch64": 220}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MAX_ENTRIES = 20_000
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def apply(settings: dict[str, Any]) -> str:
    """Move this single-threaded process into a file system of its own; return ``on`` or why not."""
    machine = os.uname().machine
    if machine not in _PIVOT_ROOT:
        return f"it is not known how on {machine}"
    try:
        _enter_namespaces()
        _build_root(settings)
        change_root(settings["scratch"])
        os.chdir(settings["scratch"])
    except OSError as error:
        return kernel.explain(error)
    return "on"


def _enter_namespaces() -> None:
    user, group = os.getuid(), os.getgid()
    check(kernel.library().unshare(ctypes.c_int(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC)))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    mount(None, "/", None, _MS_REC | _MS_PRIVATE)


def _build_root(settings: dict[str, Any]) -> None:
    """Build the new root on top of the scratch folder, visible only to this process."""
    root = settings["scratch"]
    limits = f"size={settings['file_bytes']},nr_inodes={_MAX_ENTRIES},mode=700"
    mount("tmpfs", root, "tmpfs", _MS_NOSUID | _MS_NODEV, limits)
    for path in [*settings["read"], *_DEVICES]:
        bind(path, root + path)
    own = f"/proc/{os.getpid()}"
    bind(own, root + own)
    os.symlink(own, root + "/proc/self")
    os.makedirs(root + root, 0o700, exist_ok=True)


def bind(path: str, place: str) -> None:
    """Bind-mount `path` at `place`, read-only; paths that do not exist are skipped."""
    if os.path.isdir(path):
        os.makedirs(place, 0o755, exist_ok=True)
    elif os.path.exists(path):
        os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    else:
        return
    try:
        mount(path, place, None, _MS_BIND)
    except OSError as error:
        # A folder that hides another mount, as containers have in /proc and /sys, cannot be shown without it.
        if error.errno != errno.EINVAL:
            raise
        mount(path, place, None, _MS_BIND | _MS_REC)
    if path not in _DEVICES:
        mount(None, place, None, _MS_BIND | _MS_REMOUNT | _MS_RDONLY | _flags_of(path))


def _flags_of(path: str) -> int:
    """Return the flags of a mount, which may not be taken away from a copy of it."""
    flags = os.statvfs(path).f_flag
    kept = flags & (_MS_NOSUID | _MS_NODEV | _MS_NOEXEC | _MS_NOATIME | _MS_NODIRATIME)
    return kept | (_MS_RELATIME if flags & _ST_RELATIME else 0)


def change_root(root: str) -> None:
    """Make `root`, a mount, the root of this process's mount namespace, and nothing else reachable."""
    pivot_root = _PIVOT_ROOT[os.uname().machine]
    os.chdir(root)
    # The old root lands on top of the new one, from where it is unmounted.
    kernel.call(pivot_root, b".", b".")
    check(kernel.library().umount2(b".", ctypes.c_int(_MNT_DETACH)))
    os.chdir("/")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Call ``mount``.

    Raises:
        OSError: it failed.
    """
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = os.fsencode(options) if options else None
    check(kernel.library().mount(*encoded, ctypes.c_ulong(flags), data))


def check(result: int) -> None:
    """Raise the error of a call of the C library that failed."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
