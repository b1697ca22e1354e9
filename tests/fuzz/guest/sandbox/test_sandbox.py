"""The parts of the confinement that can be looked at from outside; what it holds, `tests/hostile` shows."""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.process.monitor import count_threads, exceeds, unnamed_bytes
from lsp_evalplus.fuzz.guest.protocol.scratch import remove_persistently, remove_tree
from lsp_evalplus.fuzz.guest.sandbox import seatbelt, seccomp
from lsp_evalplus.fuzz.guest.sandbox.syscalls import NEWEST, NUMBERS

posix = pytest.mark.skipif(sys.platform == "win32", reason="folders by descriptors")
HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
PID = 4242
ALLOW, PRETEND, EPERM, ENOSYS, KILL = "allow", "pretend", "EPERM", "ENOSYS", "kill"
ANSWERS = {0x7FFF0000: ALLOW, 0x00050000: PRETEND, 0x00050001: EPERM, 0x00050026: ENOSYS, 0x80000000: KILL}
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def interpret(program: bytes, data: bytes) -> str:
    """Run a classic BPF program over a ``struct seccomp_data``: an independent reading of what the kernel does."""
    steps = list(struct.iter_unpack("=HBBI", program))
    position = accumulator = 0
    while True:
        code, if_true, if_false, value = steps[position]
        position += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x15:
            position += if_true if accumulator == value else if_false
        elif code == 0x25:
            position += if_true if accumulator > value else if_false
        else:
            assert code == 0x06
            return ANSWERS[value]


def ask(
    name: str | int,
    *arguments: int,
    machine: str = "x86_64",
    network: bool = False,
    architecture: int = 0,
    files: str = seccomp.GUARDED,
) -> str:
    template, places = seccomp.build(machine, network=network, files=files)
    program = bytearray(template)
    for place in places:
        struct.pack_into("=I", program, place, PID)
    column = list(ARCHITECTURE).index(machine)
    number = name if isinstance(name, int) else NUMBERS[name][column]
    assert number is not None
    padded = [*arguments, *[0] * (6 - len(arguments))]
    masked = [argument & 0xFFFFFFFFFFFFFFFF for argument in padded]
    return interpret(bytes(program), struct.pack("=IIQ6Q", number, architecture or ARCHITECTURE[machine], 0, *masked))


CLONE_OF_THREAD = 0x3D0F00
QUESTIONS: list[tuple[str, tuple[int, ...], str]] = [
    ("read", (), ALLOW),
    ("exit_group", (), ALLOW),
    ("clone", (CLONE_OF_THREAD,), ALLOW),
    ("clone", (0x11,), EPERM),
    ("clone", (CLONE_OF_THREAD | 0x40000000,), EPERM),
    ("clone3", (), ENOSYS),
    ("kill", (PID, 9), ALLOW),
    ("kill", (0, 9), ALLOW),
    ("kill", (-1, 9), EPERM),
    ("kill", (PID + 1, 9), EPERM),
    ("tgkill", (PID, 77, 9), ALLOW),
    ("tgkill", (PID + 1, 77, 9), EPERM),
    ("prlimit64", (0, 7, 0, 1), ALLOW),
    ("prlimit64", (0, 3, 0x7FFF00000000, 0), ALLOW),
    ("prlimit64", (0, 7, 0x7FFF00000000, 0), EPERM),
    ("prlimit64", (0, 7, 0x100000000, 0), EPERM),
    ("prlimit64", (PID + 1, 3, 0x7FFF00000000, 0), EPERM),
    ("prctl", (15,), ALLOW),
    ("prctl", (1,), EPERM),
    ("fcntl", (5, 4), ALLOW),
    ("fcntl", (5, 8), EPERM),
    ("fcntl", (5, 5), ALLOW),
    ("fcntl", (5, 6), PRETEND),
    ("fcntl", (5, 38), PRETEND),
    ("flock", (3, 2), PRETEND),
    ("ioctl", (1, 0x5401), ALLOW),
    ("ioctl", (1, 0x5412), EPERM),
    ("socketpair", (1, 1 | 0x80000, 0), ALLOW),
    ("socketpair", (1, 2, 0), EPERM),
    ("socketpair", (2, 1, 0), EPERM),
    ("socket", (2, 1, 0), EPERM),
    ("connect", (), EPERM),
    ("fchmodat", (), PRETEND),
    ("io_uring_setup", (), ENOSYS),
    ("memfd_create", (), ENOSYS),
    ("sched_setaffinity", (PID + 1,), EPERM),
    ("capset", (), EPERM),
    ("seccomp", (), EPERM),
]


@pytest.mark.parametrize("machine", list(ARCHITECTURE))
@pytest.mark.parametrize(("name", "arguments", "answer"), QUESTIONS)
def test_the_filter(machine: str, name: str, arguments: tuple[int, ...], answer: str) -> None:
    assert ask(name, *arguments, machine=machine) == answer


# x86_64: ptrace, execve, fork, vfork, shmget, msgget, mount, reboot, bpf, keyctl, ptrace, process_vm_readv, execveat,
# pidfd_send_signal, unshare, setns, userfaultfd, perf_event_open, kcmp, setuid, personality, rt_sigqueueinfo, tkill
@pytest.mark.parametrize(
    "number",
    [101, 59, 57, 58, 29, 68, 165, 169, 321, 250, 310, 322, 424, 272, 308, 323, 298, 312, 105, 135, 129, 200],
)
def test_what_is_not_listed_is_refused(number: int) -> None:
    assert ask(number) == EPERM


def test_other_architectures_and_unknown_calls() -> None:
    assert ask(NEWEST + 1) == ENOSYS
    assert ask(0x40000000 | 1) == ENOSYS  # the x32 interface
    assert ask("read", architecture=0x40000003) == KILL  # 32-bit calls of i386


def test_sockets_with_network() -> None:
    assert ask("socket", 2, 1, 0, network=True) == ALLOW
    assert ask("socket", 1, 1, 0, network=True) == EPERM
    assert ask("connect", network=True) == ALLOW


O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_CLOEXEC = 1, 2, 0x40, 0x200, 0x80000
OPENINGS = [
    (O_CLOEXEC, ALLOW, ALLOW),
    (O_WRONLY | O_CLOEXEC, ALLOW, EPERM),
    (O_RDWR | O_CREAT | O_TRUNC, ALLOW, EPERM),
    (O_CREAT, ALLOW, EPERM),
    (O_TRUNC, EPERM, EPERM),
]


@pytest.mark.parametrize(("flags", "not_truncated", "read_only"), OPENINGS)
def test_files_where_landlock_is_old_or_missing(flags: int, not_truncated: str, read_only: str) -> None:
    for name, arguments in (("openat", (3, 0, flags)), ("open", (0, flags))):
        assert ask(name, *arguments, files=seccomp.GUARDED) == ALLOW
        assert ask(name, *arguments, files=seccomp.NOT_TRUNCATED) == not_truncated
        assert ask(name, *arguments, files=seccomp.READ_ONLY) == read_only
    assert ask("truncate") == ALLOW
    assert ask("truncate", files=seccomp.NOT_TRUNCATED) == EPERM
    assert ask("unlink", files=seccomp.NOT_TRUNCATED) == ALLOW
    assert ask("unlink", files=seccomp.READ_ONLY) == EPERM


@pytest.mark.parametrize("machine", list(ARCHITECTURE))
def test_the_filter_is_short_enough(machine: str) -> None:
    for network in (False, True):
        assert len(seccomp.build(machine, network=network, files=seccomp.READ_ONLY)[0]) // 8 < 4096


@pytest.mark.skipif(
    not Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").is_file(), reason="no kernel headers here"
)
def test_numbers_are_those_of_the_kernel_headers() -> None:
    text = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read_text()
    real = {
        parts[1][5:]: int(parts[2]) for line in text.splitlines() if len(parts := line.split()) == 3 and "__NR_" in line
    }

    assert {name: real[name] for name in NUMBERS if name in real} == {
        name: numbers[0] for name, numbers in NUMBERS.items() if name in real
    }
    assert len(set(NUMBERS) & set(real)) > 190


def test_the_profile_of_macos_quotes_paths() -> None:
    settings: dict[str, Any] = {"read": ['/a "b"\\c'], "list": ["/root"], "scratch": "/private/x", "network": False}

    text = seatbelt.profile(settings)

    assert '(subpath "/a \\"b\\"\\\\c")' in text
    assert "(deny network*)" in text
    assert "(deny network*)" not in seatbelt.profile({**settings, "network": True})
    assert text.count("(") == text.count(")")


def fill_plain(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "c").write_text("x")


def fill_deep(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("deeper", dir_fd=here)
        there = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(here)


def fill_closed(folder: Path) -> None:
    fill_plain(folder)
    (folder / "a" / "b").chmod(0)
    (folder / "a").chmod(0)


def fill_names(folder: Path) -> None:
    os.mkdir(os.fsencode(folder) + b"/\xff\n")
    os.mkfifo(folder / "fifo")
    (folder / ("x" * 255)).write_text("")
    (folder / "-rf").mkdir()


def fill_links(folder: Path) -> None:
    (folder / "up").symlink_to(folder.parent)
    (folder / "self").symlink_to(folder / "self")
    (folder / "file").symlink_to(folder.parent / "keep" / "file")
    (folder / "folder").symlink_to(folder.parent / "keep")


@posix
@pytest.mark.parametrize("fill", [fill_plain, fill_deep, fill_closed, fill_names, fill_links])
def test_any_folder_is_removed_and_nothing_else(fill: Any, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.mkdir()
    (keep / "file").write_text("kept")
    folder = tmp_path / "folder"
    folder.mkdir()
    fill(folder)

    remove_tree(str(folder))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["keep"]
    assert (keep / "file").read_text() == "kept"
    remove_tree(str(folder))


@posix
def test_folders_are_measured(tmp_path: Path) -> None:
    fill_plain(tmp_path)
    assert not exceeds(str(tmp_path), 1 << 20)
    (tmp_path / "a" / "big").write_bytes(bytes(2 << 20))
    assert exceeds(str(tmp_path), 1 << 20)
    (tmp_path / "a" / "big").unlink()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert not exceeds(str(tmp_path), 1 << 20)
    assert not exceeds(str(tmp_path / "missing"), 1)
    deep = tmp_path / "deep"
    deep.mkdir()
    try:
        fill_deep(deep)
        assert exceeds(str(tmp_path), 1 << 20)
    finally:
        # pytest cannot.
        remove_tree(str(deep))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_threads_are_counted() -> None:
    assert count_threads(os.getpid()) >= 1
    assert count_threads(2**22 + 1) == 0


@posix
def test_a_folder_that_is_being_filled_is_removed_in_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "host"
    (folder / "0-x").mkdir(parents=True)
    (folder / "lock").touch()

    def fill() -> None:
        with contextlib.suppress(OSError):
            for number in range(100):
                (folder / "0-x" / str(number)).mkdir()
                time.sleep(0.0005)

    filling = threading.Thread(target=fill)
    filling.start()
    remove_persistently(str(folder))
    filling.join()
    assert not folder.exists()


@posix
def test_a_removal_that_is_broken_off_keeps_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "0-x" / "filled").mkdir(parents=True)
    (tmp_path / "lock").touch()

    def die(path: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rmdir", die)
    with pytest.raises(KeyboardInterrupt):
        remove_persistently(str(tmp_path))
    assert (tmp_path / "lock").exists()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to see open files")
def test_open_files_without_a_name_count(tmp_path: Path) -> None:
    before = unnamed_bytes(os.getpid(), str(tmp_path))
    with open(tmp_path / "file", "wb") as file:
        file.write(b"x" * (2 << 20))
        file.flush()
        os.fsync(file.fileno())
        assert unnamed_bytes(os.getpid(), str(tmp_path)) == before
        os.unlink(tmp_path / "file")

        assert unnamed_bytes(os.getpid(), str(tmp_path)) >= before + (2 << 20)
        assert exceeds(str(tmp_path), 1 << 20, unnamed_bytes(os.getpid(), str(tmp_path)))
