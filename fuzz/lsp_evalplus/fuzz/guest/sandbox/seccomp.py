"""Restricts a guest to the system calls that computing needs, with a seccomp filter.

What is not allowed fails with EPERM; what programs only try, and have another way for, fails with ENOSYS.

Constants: include/uapi/linux/{seccomp,filter,bpf_common,audit,sched,prctl,fcntl}.h and
include/uapi/asm-generic/{ioctls,resource}.h.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct
import sys
import types
from typing import TYPE_CHECKING, Any, NamedTuple

from . import kernel
from .syscalls import NEWEST, NUMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOAD = 0x20
"""BPF_LD | BPF_W | BPF_ABS"""
_EQUAL = 0x15
"""BPF_JMP | BPF_JEQ | BPF_K"""
_GREATER = 0x25
"""BPF_JMP | BPF_JGT | BPF_K"""
_AND = 0x54
"""BPF_ALU | BPF_AND | BPF_K"""
_RETURN = 0x06
"""BPF_RET | BPF_K"""
_INSTRUCTION = struct.Struct("=HBBI")
_NUMBER_OFFSET = 0
_ARCHITECTURE_OFFSET = 4
_ARGUMENTS_OFFSET = 16

_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
_ALLOW = 0x7FFF0000
_REFUSE = _ERRNO | errno.EPERM
_MISSING = _ERRNO | errno.ENOSYS
_PRETEND = _ERRNO | 0
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_SPEC_ALLOW = 1 << 2
_SYS_SECCOMP = (317, 277)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column in `NUMBERS` and the AUDIT_ARCH of each machine."""
_OWN_PID = 0x7EADBEEF
"""Stands for the number of the guest's process until it is known."""

ALLOWED = (
    "read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn futex pread64 "
    "pwrite64 readv writev preadv pwritev preadv2 pwritev2 openat open creat stat lstat newfstatat statx access "
    "faccessat faccessat2 getdents getdents64 getcwd chdir fchdir readlink readlinkat statfs fstatfs poll ppoll select "
    "pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 timerfd_create "
    "timerfd_settime timerfd_gettime signalfd signalfd4 pipe pipe2 dup dup2 dup3 close_range fsync fdatasync "
    "sync_file_range truncate ftruncate fallocate fadvise64 rename renameat renameat2 mkdir mkdirat rmdir link linkat "
    "unlink unlinkat symlink symlinkat umask sendfile copy_file_range splice tee getxattr lgetxattr fgetxattr "
    "listxattr llistxattr flistxattr mremap madvise msync mincore getpid getppid gettid getuid geteuid getgid getegid "
    "getresuid getresgid getgroups getpgrp getpgid getsid getpriority sched_getaffinity sched_getparam "
    "sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval sched_yield uname sysinfo "
    "times getrusage clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getcpu getrandom alarm "
    "setitimer getitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete pause rt_sigpending "
    "rt_sigtimedwait rt_sigsuspend sigaltstack set_tid_address set_robust_list get_robust_list rseq futex_waitv "
    "futex_wake futex_wait futex_requeue membarrier arch_prctl get_mempolicy exit exit_group wait4 waitid "
    "restart_syscall getrlimit capget cachestat sendto recvfrom sendmsg recvmsg shutdown getsockopt getsockname "
    "getpeername"
).split()
"""Harmless behind Landlock and the limits. Sockets can only come from ``socketpair``."""
OF_NETWORK = "connect bind listen accept accept4 setsockopt sendmmsg recvmmsg".split()
PRETENDED = "chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat flock".split()
"""Landlock does not cover modes and times of files, so these do nothing and say that they succeeded: code that copies
files works, and no file outside is touched. A lock on a file that may only be read would stop the user's programs."""
MISSING = (
    "clone3 io_uring_setup io_uring_enter io_uring_register memfd_create openat2 pkey_alloc pkey_free pkey_mprotect "
    "map_shadow_stack"
).split()
"""Answered as by an older kernel; ``clone3`` because a filter cannot read its flags, which lie in memory."""


class Test(NamedTuple):
    """A condition on one half (0: low, 1: high) of an argument: masked, it equals one of the values."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    half: int = 0


_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_PRCTL = (2, 3, 15, 16, 21, 23, 30, 39, 0x53564D41)
"""PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_TIMERSLACK,
PR_GET_NO_NEW_PRIVS, PR_SET_VMA (names of anonymous memory)."""
_FCNTL = (0, 1, 2, 3, 4, 5, 36, 1030, 1031, 1032, 1034)
"""Duplicates, flags, F_GETLK, sizes of pipes, seals. Not the owner of signals, leases or notifications."""
_FCNTL_LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW and their variants for open file descriptions."""
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
_RLIMIT_STACK = 3
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_STREAM, _SOCK_TYPE_MASK = 1, 0xF

Tests = tuple[Test, ...]
"""Conditions that must all hold."""
GUARDED, NOT_TRUNCATED, READ_ONLY = "guarded", "not-truncated", "read-only"
"""What another layer does for files: everything; all but truncation; nothing, so that nothing may be written at all."""
CONTAINED = "contained"
"""Files, processes, network and IPC are the container's own."""
_O_ACCMODE, _O_CREAT, _O_TRUNC = 3, 0x40, 0x200
_O_TMPFILE = 0x400000
"""Creates a file without a name, whose size no walk of the private folder sees."""
_OF_WRITING = (
    "creat truncate rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink symlinkat"
).split()
CONDITIONAL: dict[str, list[Tests]] = {
    # Threads only: a process could outlive the run, and a namespace would be a new world to attack the kernel from.
    "clone": [(Test(0, (_CLONE_THREAD,), mask=_CLONE_THREAD | _CLONE_NAMESPACES),)],
    "kill": [(Test(0, (_OWN_PID, 0)),)],
    "tgkill": [(Test(0, (_OWN_PID,)),)],
    "prctl": [(Test(0, _PRCTL),)],
    # Reading limits, and one that code for deep recursion sets.
    "prlimit64": [
        (Test(0, (0, _OWN_PID)), Test(2, (0,)), Test(2, (0,), half=1)),
        (Test(0, (0, _OWN_PID)), Test(1, (_RLIMIT_STACK,))),
    ],
    "setrlimit": [(Test(0, (_RLIMIT_STACK,)),)],
    "fcntl": [(Test(1, _FCNTL),)],
    "ioctl": [(Test(1, _IOCTL),)],
    # A pair of connected streams, as asyncio makes; a datagram socket could be pointed at others by name.
    "socketpair": [(Test(0, (_AF_UNIX,)), Test(1, (_SOCK_STREAM,), mask=_SOCK_TYPE_MASK))],
    "sched_setaffinity": [(Test(0, (0, _OWN_PID)),)],
}
"""What else is allowed: one of the alternatives must hold."""
PRETENDED_CONDITIONAL: dict[str, list[Tests]] = {"fcntl": [(Test(1, _FCNTL_LOCKS),)]}
"""What is pretended under a condition; where it does not hold, `CONDITIONAL` decides."""
OF_NETWORK_CONDITIONAL: dict[str, list[Tests]] = {"socket": [(Test(0, (_AF_INET, _AF_INET6)),)]}
IN_CONTAINER = (
    "fork vfork execve execveat setsid setpgid kill tgkill tkill chmod fchmod fchmodat fchmodat2 utime utimes "
    "utimensat futimesat flock chown lchown fchown fchownat socketpair sched_setaffinity setpriority prlimit64 "
    "setrlimit inotify_init inotify_init1 inotify_add_watch inotify_rm_watch pidfd_open pidfd_send_signal sched_getattr"
).split()
"""Allowed in a container besides: what they could reach ends with it. Neither tracing, memory of others, mounts and
namespaces, nor memory that no limit counts (System V, ``memfd_create``)."""
_S_IFMT, _S_IFREG, _S_IFIFO = 0o170000, 0o100000, 0o010000
_IOCTL_OF_SOCKETS = (0x8912, 0x8913, 0x8915, 0x891B, 0x8921, 0x8927, 0x8933)
"""SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFNETMASK, SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX."""
IN_CONTAINER_CONDITIONAL: dict[str, list[Tests]] = {
    "clone": [(Test(0, (0,), mask=_CLONE_NAMESPACES),)],
    "prctl": [(Test(0, (1, *_PRCTL)),)],
    "fcntl": [(Test(1, (*_FCNTL, *_FCNTL_LOCKS)),)],
    "ioctl": [(Test(1, (*_IOCTL, *_IOCTL_OF_SOCKETS)),)],
    "socket": [(Test(0, (_AF_UNIX, _AF_INET, _AF_INET6)), Test(1, (1, 2), mask=_SOCK_TYPE_MASK))],
    "mknod": [(Test(1, (0, _S_IFREG, _S_IFIFO), mask=_S_IFMT),)],
    "mknodat": [(Test(2, (0, _S_IFREG, _S_IFIFO), mask=_S_IFMT),)],
}
"""What replaces `CONDITIONAL` in a container."""


_NOTHING: Mapping[str, list[Tests]] = types.MappingProxyType({})


def prepare(files: str) -> None:
    """Build a filter, which is kept for every process that is forked from here."""
    machine = os.uname().machine
    if machine in _ARCHITECTURES:
        build(machine, network=False, files=files)


def apply(settings: dict[str, Any], files: str) -> str:
    """Filter this process's system calls for good; return ``on`` or why not. `files` says what other layers guard."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES or sys.maxsize < 1 << 32:
        return f"there is no filter for {machine}"
    column, _ = _ARCHITECTURES[machine]
    program = _for_process(machine, os.getpid(), network=bool(settings["network"]), files=files)
    buffer = ctypes.create_string_buffer(program, len(program))
    fields = struct.pack("=H6xQ", len(program) // _INSTRUCTION.size, ctypes.addressof(buffer))
    try:
        kernel.call(
            _SYS_SECCOMP[column],
            ctypes.c_uint(_SECCOMP_SET_MODE_FILTER),
            ctypes.c_uint(_SECCOMP_FILTER_FLAG_SPEC_ALLOW),
            fields,
        )
    except OSError as error:
        return kernel.explain(error)
    return "on"


def _for_process(machine: str, pid: int, *, network: bool, files: str) -> bytes:
    """Return the filter with the process's own number in its places."""
    template, places = build(machine, network=network, files=files)
    program = bytearray(template)
    for place in places:
        struct.pack_into("=I", program, place, pid)
    return bytes(program)


@functools.cache
def build(machine: str, *, network: bool, files: str) -> tuple[bytes, tuple[int, ...]]:
    """Return a filter's program and the offsets in it where the process's own number goes."""
    column, architecture = _ARCHITECTURES[machine]
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
    ]
    if files == CONTAINED:
        return _assemble(code, column, [*ALLOWED, *OF_NETWORK, *IN_CONTAINER], IN_CONTAINER_CONDITIONAL)
    tests = {**CONDITIONAL, **(OF_NETWORK_CONDITIONAL if network else {}), **_tests_of_files(files)}
    refused = {GUARDED: set[str](), NOT_TRUNCATED: {"truncate"}, READ_ONLY: set(_OF_WRITING)}[files]
    allowed = [name for name in [*ALLOWED, *(OF_NETWORK if network else ())] if name not in refused]
    return _assemble(code, column, allowed, tests, PRETENDED, PRETENDED_CONDITIONAL)


def _assemble(
    code: list[tuple[int, int, int, int]],
    column: int,
    allowed: Sequence[str],
    tests: Mapping[str, list[Tests]],
    pretended: Sequence[str] = (),
    pretended_conditional: Mapping[str, list[Tests]] = _NOTHING,
) -> tuple[bytes, tuple[int, ...]]:
    """Return the program that begins with `code`, and the offsets in it where the process's own number goes."""
    for name in allowed:
        if name not in tests:
            code += _answer(NUMBERS[name][column], _ALLOW)
    for name, conditions in pretended_conditional.items():
        code += _pretend(NUMBERS[name][column], conditions)
    for name, conditions in tests.items():
        code += _test(NUMBERS[name][column], conditions)
    for name in pretended:
        code += _answer(NUMBERS[name][column], _PRETEND)
    for name in MISSING:
        code += _answer(NUMBERS[name][column], _MISSING)
    code += [(_GREATER, 0, 1, NEWEST), (_RETURN, 0, 0, _MISSING), (_RETURN, 0, 0, _REFUSE)]
    size = _INSTRUCTION.size
    places = tuple(index * size + 4 for index, step in enumerate(code) if step[0] == _EQUAL and step[3] == _OWN_PID)
    return b"".join(_INSTRUCTION.pack(*step) for step in code), places


def _tests_of_files(files: str) -> dict[str, list[Tests]]:
    """Return what ``open`` and ``openat`` must fulfil, beyond what other layers do for them."""
    if files == GUARDED:
        mask, values = _O_TMPFILE, (0,)
    elif files == READ_ONLY:
        mask, values = _O_ACCMODE | _O_CREAT | _O_TRUNC, (0,)
    else:
        # All but truncating what is opened for reading.
        mask, values = _O_ACCMODE | _O_TRUNC | _O_TMPFILE, (0, 1, 2, 3, _O_TRUNC | 1, _O_TRUNC | 2)
    return {"open": [(Test(1, values, mask=mask),)], "openat": [(Test(2, values, mask=mask),)]}


def _answer(number: int | None, answer: int) -> list[tuple[int, int, int, int]]:
    return [] if number is None else [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]


def _test(number: int | None, alternatives: list[Tests]) -> list[tuple[int, int, int, int]]:
    """Allow if an alternative holds; the block always returns, so the number is still loaded for what follows."""
    if number is None:
        return []
    block: list[tuple[int, int, int, int]] = []
    for tests in alternatives:
        block += _alternative(tests, _ALLOW)
    block.append((_RETURN, 0, 0, _REFUSE))
    return [(_EQUAL, 0, len(block), number), *block]


def _pretend(number: int | None, alternatives: list[Tests]) -> list[tuple[int, int, int, int]]:
    """Pretend if an alternative holds, else load the number again for what follows."""
    if number is None:
        return []
    block: list[tuple[int, int, int, int]] = []
    for tests in alternatives:
        block += _alternative(tests, _PRETEND)
    block.append((_LOAD, 0, 0, _NUMBER_OFFSET))
    return [(_EQUAL, 0, len(block), number), *block]


def _alternative(tests: Tests, answer: int) -> list[tuple[int, int, int, int]]:
    """Answer if all tests hold, else go on behind the block; made from its end, where the distances are known."""
    block: list[tuple[int, int, int, int]] = [(_RETURN, 0, 0, answer)]
    for test in reversed(tests):
        load = [(_LOAD, 0, 0, _ARGUMENTS_OFFSET + 8 * test.argument + 4 * test.half)]
        if test.mask != 0xFFFFFFFF:
            load.append((_AND, 0, 0, test.mask))
        *others, last = test.values
        # A value that fits jumps over the rest of the values; the last one that does not fit jumps behind the block.
        compare = [(_EQUAL, len(others) - index, 0, value) for index, value in enumerate(others)]
        compare.append((_EQUAL, 0, len(block), last))
        block = [*load, *compare, *block]
    return block
