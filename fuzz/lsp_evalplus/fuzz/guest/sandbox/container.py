"""Puts a guest into a container of its own: PID, mount, network, IPC and user namespaces (Linux).

The profile for programs whose tests need more than computing: processes, sockets on the loopback, ``/tmp``,
``/dev/shm``, a home, real modes of files. All of that is the container's own and ends with it.

The zygote forks *init*, process 1 of the container, into the new namespaces (`fork`). Init holds no code under test: it
reaps what is left behind and waits for the *program*, process 2. When init ends, the kernel ends every process of the
container before the zygote hears of it, whatever sessions they are in. There is no process between them, because a fork
of a zygote with large libraries takes longer than all else that a container needs.

A root with CAP_SYS_ADMIN makes the other namespaces first and the user namespace last, as the user nobody, so that the
container owns none of them. Everybody else makes all of them at once.

Constants: include/uapi/linux/{sched,mount,if,sockios}.h; numbers of ``clone``: `namespaces`; pid_namespaces(7),
user_namespaces(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
from typing import Any, Callable

from . import kernel
from .namespaces import CLONE, bind, change_root, check, mount

_CLONE_NEWNS = 0x00020000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_SEPARATE = _CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWPID | _CLONE_NEWNET
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 32, 4096, 16384, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_CAP_SYS_ADMIN = 21
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


def probe(settings: dict[str, Any], confine: Callable[[], object]) -> str:
    """Try in a child whether this process can make a container; return ``on`` or why not.

    Args:
        settings: as for `fork`; ``parent`` is this process.
        confine: what a guest does.
    """
    reading, writing = os.pipe()
    status, settings["report"] = os.pipe()
    try:
        pid = fork(settings)
    except OSError as error:
        for descriptor in (reading, writing, status, settings["report"]):
            os.close(descriptor)
        return kernel.explain(error)
    if pid == 0:
        reason = "on"
        try:
            os.close(status)
            confine()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
            reason = kernel.explain(error) if isinstance(error, OSError) else repr(error)
        with contextlib.suppress(OSError):
            os.write(writing, reason.encode())
        os._exit(0)
    os.close(writing)
    os.close(settings["report"])
    with open(reading, "rb") as file:
        said = file.read().decode("utf-8", "replace")
    os.waitpid(pid, 0)
    os.close(status)
    return said or "the process that tried it was killed"


def fork(settings: dict[str, Any]) -> int:
    """Fork init of a new container, which calls `enter`; return its process id, or 0 in it.

    ``os.fork`` with the namespaces at once. What the C library does at a fork is left out: init only forks the program,
    as usual, and waits.

    Args:
        settings: ``container``, where ``user`` is set for `enter`: the user and group to map, or None for later.

    Raises:
        OSError: the system refuses it.
    """
    is_capable = _is_capable()
    settings["container"]["user"] = None if is_capable else [os.getuid(), os.getgid()]
    flags = _SEPARATE | int(signal.SIGCHLD) | (0 if is_capable else _CLONE_NEWUSER)
    number = CLONE.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    # Loaded with the interpreter's lock held: between fork and clone, no other thread may run.
    library: Any = ctypes.PyDLL(None, use_errno=True)
    python: Any = ctypes.pythonapi
    zero = ctypes.c_ulong(0)
    python.PyOS_BeforeFork()
    pid: int = library.syscall(ctypes.c_long(number), ctypes.c_ulong(flags), zero, zero, zero, zero)
    if pid == 0:
        python.PyOS_AfterFork_Child()
        return 0
    code = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(code, os.strerror(code))
    return pid


def ending_of(status: int) -> int | None:
    """Read how the program of a container ended from the other end of its report; None if it is unknown.

    It is known once init has ended and nobody has killed it. The value is that of ``os.waitpid``.
    """
    with contextlib.suppress(OSError):
        said = os.read(status, _STATUS.size)
        if len(said) == _STATUS.size:
            return int(_STATUS.unpack(said)[0])
    return None


def enter(settings: dict[str, Any]) -> str:
    """Continue as the program of a new container, in its init (`fork`); return ``on``, or what its ``/proc`` lacks.

    Only the program returns: this process stays init, and ends as the program does. It closes every descriptor but the
    standard ones. The environment's HOME and TMPDIR become those of the container.

    Args:
        settings: ``scratch``, ``read``, ``file_bytes``, ``parent``, ``container`` and ``report``, a descriptor to which
            init writes how the program ended; `sandbox.apply` describes the others.

    Raises:
        OSError: the system refuses it.
    """
    kernel.control(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if _outer_parent() != settings["parent"]:
        os._exit(0)
    user, report = settings["container"]["user"], settings["report"]
    if user is not None:
        own = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
        _map_user(own, *user)
        os.close(own)
    program = os.fork()
    if program:
        _close_all_but(report)
        _init(program, report)
    os.close(report)
    # Of the system's /proc, since that of the container is read-only.
    own = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    proc = _build(settings)
    _bring_up_loopback()
    if user is None:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        # Setting the user has made the process unreadable, its own maps of users included.
        kernel.control(_PR_SET_DUMPABLE, 1)
        check(kernel.library().unshare(ctypes.c_int(_CLONE_NEWUSER)))
        _map_user(own, _NOBODY, _NOBODY)
    os.close(own)
    os.environ.update({"HOME": HOME, "TMPDIR": _TEMPORARY, "USER": "user", "LOGNAME": "user"})
    os.chdir(WORK)
    settings["parent"] = os.getppid()
    return proc


def _is_capable() -> bool:
    """Return whether this process may make namespaces without one of users."""
    try:
        with open("/proc/self/status", "rb") as file:
            [effective] = [line.split()[1] for line in file if line.startswith(b"CapEff:")]
    except (OSError, ValueError):
        return os.geteuid() == 0
    return bool(int(effective, 16) >> _CAP_SYS_ADMIN & 1)


def _outer_parent() -> int:
    """Return this process's parent as the system's ``/proc`` has it; inside of the container there is none."""
    with open("/proc/self/stat", "rb") as file:
        return int(file.read().rsplit(b")", 1)[1].split()[1])


def _map_user(own: int, user: int, group: int) -> None:
    """Map the user and the group of a new user namespace, by the open folder of this process in ``/proc``."""
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
