"""Puts a guest into a container of its own: PID, mount, network, IPC and user namespaces (Linux).

The profile for programs whose tests need more than computing: processes, sockets on the loopback, ``/tmp``,
``/dev/shm``, a home, real modes of files. All of that is the container's own and ends with it.

The guest that the zygote forked becomes the *outer keeper*, which holds no code under test: it waits for *init*,
process 1 of the container, which reaps what is left behind and waits for the *program*, process 2. When init ends, the
kernel ends every process of the container before the outer keeper hears of it, whatever sessions they are in.

A root with CAP_SYS_ADMIN makes the other namespaces first and the user namespace last, as the user nobody, so that the
container owns none of them. Everybody else makes all of them at once.

Constants: include/uapi/linux/{sched,mount,if,sockios}.h; pid_namespaces(7), user_namespaces(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
from typing import Any, Callable

from . import kernel
from .namespaces import bind, change_root, check, mount

_CLONE_NEWNS = 0x00020000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_SEPARATE = _CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWPID | _CLONE_NEWNET
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 32, 4096, 16384, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_NOBODY = 65534
USER = 1000
"""User and group inside."""
HOME = "/home/user"
_TEMPORARY = "/tmp"  # noqa: S108 - of the container alone
WORK = _TEMPORARY + "/w"
"""The program's first folder; without a dash, at which some programs split paths."""
WRITABLE = (_TEMPORARY, "/var/tmp", "/dev/shm", HOME)  # noqa: S108 - of the container alone
_INODES = 20_000
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc/alternatives", "/etc/ssl", "/etc/fonts")
_FILES = (
    *("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/etc/mime.types", "/etc/localtime"),
    *("/etc/ld.so.cache", "/etc/services", "/etc/protocols", "/etc/os-release", "/etc/debian_version"),
    "/sys/devices/system/cpu",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LINKS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2"}
_MASKED = ("kcore", "keys", "key-users", "kmsg", "sysrq-trigger", "timer_list", "sched_debug", "latency_stats", "iomem")
_FACTS = ("cpuinfo", "meminfo", "stat", "uptime", "loadavg", "version", "filesystems", "diskstats", "vmstat")
_STATUS = struct.Struct("=i")
WITHOUT_PROC = "only that of the program itself: this system lets no container have its own /proc"


def probe(confine: Callable[[int], object]) -> str:
    """Try in a child whether this process can make a container; return ``on`` or why not.

    Args:
        confine: what a guest does, given the number of its parent process.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        reason = "on"
        try:
            confine(os.getppid())
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
            reason = kernel.explain(error) if isinstance(error, OSError) else repr(error)
        with contextlib.suppress(OSError):
            os.write(writing, reason.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        said = file.read().decode("utf-8", "replace")
    os.waitpid(pid, 0)
    return said or "the process that tried it was killed"


def enter(settings: dict[str, Any]) -> str:
    """Continue as the program of a new container; return ``on``, or what its ``/proc`` lacks.

    Only the program returns: this process becomes the outer keeper, which ends as the program does. Both it and init
    close every descriptor but the standard ones. The environment's HOME and TMPDIR become those of the container.

    Args:
        settings: ``scratch``, ``read``, ``file_bytes``, ``parent`` and ``container``; `sandbox.apply` describes them.

    Raises:
        OSError: the system refuses it.
    """
    kernel.control(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != settings["parent"]:
        os._exit(0)
    is_root = _separate()
    status, report = os.pipe()
    lives, held = os.pipe()
    pid = os.fork()
    if pid:
        _close_all_but(status, held)
        _keep(pid, status)
    os.close(status)
    os.close(held)
    kernel.control(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if _has_closed(lives):
        os._exit(0)
    program = os.fork()
    if program:
        _close_all_but(report)
        _init(program, report)
    os.close(lives)
    os.close(report)
    # Of the system's /proc, since that of the container is read-only.
    own = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    proc = _build(settings)
    _bring_up_loopback()
    if is_root:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        # Setting the user has made the process unreadable, its own maps of users included.
        kernel.control(_PR_SET_DUMPABLE, 1)
        _map_user(_CLONE_NEWUSER, own)
    os.close(own)
    os.environ.update({"HOME": HOME, "TMPDIR": _TEMPORARY, "USER": "user", "LOGNAME": "user"})
    os.chdir(WORK)
    settings["parent"] = os.getppid()
    return proc


def _separate() -> bool:
    """Make the namespaces; return whether the user namespace is still to be made."""
    try:
        check(kernel.library().unshare(ctypes.c_int(_SEPARATE)))
    except PermissionError:
        own = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
        _map_user(_SEPARATE | _CLONE_NEWUSER, own)
        os.close(own)
        return False
    return True


def _map_user(flags: int, own: int) -> None:
    """Make namespaces of which one is of users, by the open folder of this process in ``/proc``."""
    user, group = os.getuid(), os.getgid()
    check(kernel.library().unshare(ctypes.c_int(flags)))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{USER} {user} 1"), ("gid_map", f"{USER} {group} 1")):
        descriptor = os.open(name, os.O_WRONLY, dir_fd=own)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _close_all_but(*kept: int) -> None:
    before = 3
    for descriptor in sorted(kept):
        os.closerange(before, descriptor)
        before = descriptor + 1
    os.closerange(before, os.sysconf("SC_OPEN_MAX"))


def _has_closed(descriptor: int) -> bool:
    """Return whether the other end of a pipe is gone: the parent died before the death signal was set."""
    return bool(select.select([descriptor], [], [], 0)[0])


def _keep(pid: int, status: int) -> None:
    """Wait for init, then end as the program did."""
    _, ending = os.waitpid(pid, 0)
    said = os.read(status, _STATUS.size)
    if len(said) == _STATUS.size:
        ending = _STATUS.unpack(said)[0]
    if os.WIFEXITED(ending):
        os._exit(os.WEXITSTATUS(ending))
    number = os.WTERMSIG(ending)
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _init(program: int, report: int) -> None:
    """Reap every process of the container until the program has ended, and end with it."""
    for number in range(1, signal.NSIG):
        # Without a handler, the kernel lets no process of the container signal its init.
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    kernel.control(_PR_SET_DUMPABLE, 0)
    while True:
        pid, ending = os.waitpid(-1, 0)
        if pid == program:
            os.write(report, _STATUS.pack(ending))
            os._exit(0)


def _build(settings: dict[str, Any]) -> str:
    """Build the root on top of the scratch folder and move into it; return the state of its ``/proc``."""
    root = settings["scratch"]
    mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    limits = f"size={settings['container']['disk_bytes']},nr_inodes={_INODES},mode=755"
    mount("tmpfs", root, "tmpfs", _MS_NOSUID | _MS_NODEV, limits)
    for path in _SYSTEM:
        if os.path.islink(path):
            os.symlink(os.readlink(path), root + path)
        else:
            bind(path, root + path)
    for path in [*settings["read"], *_FILES, *_DEVICES]:
        if not os.path.lexists(root + path) and not path.startswith("/proc/"):
            _bind_in(root, path)
    for path, target in _LINKS.items():
        os.symlink(target, root + path)
    for path in (*WRITABLE, WORK):
        os.makedirs(root + path, 0o755, exist_ok=True)
        os.chmod(root + path, 0o1777 if path in WRITABLE[:3] else 0o755)
        if os.getuid() == 0:
            os.chown(root + path, _NOBODY, _NOBODY)
    proc = _mount_proc(root + "/proc")
    os.chmod(root, 0o555)  # noqa: S103 - less than it had
    change_root(root)
    os.umask(0o022)
    return proc


def _bind_in(root: str, path: str) -> None:
    """Bind a path, and below the links on its way what they point at, as the interpreter of an environment is."""
    real = os.path.realpath(path)
    if real == path:
        bind(path, root + path)
        return
    if os.path.islink(path):
        if not os.path.lexists(root + os.path.dirname(path)):
            os.makedirs(root + os.path.dirname(path), 0o755, exist_ok=True)
        os.symlink(real, root + path)
    else:
        bind(real, root + path)
    if not os.path.lexists(root + real):
        bind(real, root + real)


def _mount_proc(place: str) -> str:
    """Mount the container's ``/proc``, read-only; where that is refused, show what tells of no other process."""
    os.makedirs(place, 0o555, exist_ok=True)
    try:
        mount("proc", place, "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    except PermissionError:
        # Containers hide parts of theirs, and what is hidden may not come back by a new mount.
        for name in _FACTS:
            bind(f"/proc/{name}", f"{place}/{name}")
        own = str(os.getpid())
        bind("/proc/self", f"{place}/{own}")
        os.symlink(own, f"{place}/self")
        os.symlink("self/mounts", f"{place}/mounts")
        return WITHOUT_PROC
    for name in _MASKED:
        if os.path.exists(f"{place}/{name}"):
            mount("/dev/null", f"{place}/{name}", None, _MS_BIND)
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    mount(None, place, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | flags)
    return "on"


def _bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(sock, _SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))
