"""The profile "programs with tests": what its programs may do, and that nothing of it gets out or stays."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.confinement import Confinement, Container
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job, collect
from lsp_evalplus.fuzz.host.scratch import PREFIX

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="containers are for Linux")

MARK = "271828.5"
"""An argument of ``sleep``, by which processes of these programs are told from all others."""
OUTER = "lsp-evalplus-test-of-containers"


class Found(NamedTuple):
    """What became of one program."""

    ending: Ending
    value: Any


class Case(NamedTuple):
    """The body of a function, and what it must return."""

    name: str
    body: str
    value: Any = True


MAY = [
    Case(
        "commands",
        "import subprocess; return subprocess.run(['sh', '-c', 'echo a | tr a b'], capture_output=True).stdout",
        b"b\n",
    ),
    Case(
        "its interpreter",
        "import subprocess, sys; return subprocess.check_output([sys.executable, '-c', 'print(6 * 7)'])",
        b"42\n",
    ),
    Case(
        "a pool of processes",
        "import multiprocessing as m\nwith m.get_context('fork').Pool(2) as pool: return pool.map(abs, [-1, -2])",
        [1, 2],
    ),
    Case(
        "shared memory by name",
        """
        from multiprocessing.shared_memory import SharedMemory
        memory = SharedMemory(create=True, size=10)
        memory.buf[0] = 7
        other = SharedMemory(memory.name)
        value = other.buf[0]
        memory.unlink()
        return value
        """,
        7,
    ),
    Case(
        "a server on the loopback",
        """
        import http.server, threading, urllib.request
        server = http.server.HTTPServer(('127.0.0.1', 8000), http.server.BaseHTTPRequestHandler)
        threading.Thread(target=server.handle_request).start()
        try:
            urllib.request.urlopen('http://127.0.0.1:8000/')
        except urllib.error.HTTPError as error:
            return error.code
        """,
        501,
    ),
    Case(
        "real modes and times",
        """
        import os, tempfile
        path = tempfile.mkstemp()[1]
        os.chmod(path, 0o400)
        os.utime(path, (1, 2))
        status = os.stat(path)
        try:
            open(path, 'w')
        except PermissionError:
            return path.startswith('/tmp/'), status.st_mode & 0o777, status.st_mtime
        """,
        (True, 0o400, 2.0),
    ),
    Case(
        "its home",
        "from pathlib import Path; (Path.home() / 'a').write_text('b'); return (Path.home() / 'a').read_text()",
        "b",
    ),
    Case("what it is", "import os; return os.getuid() > 0 and os.getcwd() == '/tmp/w' and not os.access('/', os.W_OK)"),
    Case(
        "an exit of a forked child that speaks to nobody",
        """
        import os
        pid = os.fork()
        if not pid:
            raise SystemExit(3)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0
        """,
    ),
]
MAY_NOT = [
    Case("reach the network", "import socket; socket.create_connection(('192.0.2.1', 80), 1)"),
    Case("reach the host's servers", "import socket; socket.create_connection(('127.0.0.1', PORT), 1)"),
    Case("reach the host's abstract sockets", "import socket; socket.socket(socket.AF_UNIX).connect('\\0' + OUTER)"),
    Case("write outside", "open('/usr/x', 'w')"),
    Case("create a folder in the root", "import os; os.makedirs('/non/existent')"),
    Case("read the host's files", "open('SECRET')"),
    Case("read other users' secrets", "open('/etc/shadow')"),
    Case("see the host's processes", "open('/proc/PID/stat')"),
    Case("signal the host's processes", "import os; os.kill(PID, 0)"),
    Case("read the memory of its init", "open('/proc/1/mem', 'rb').read(1)"),
    Case("write to sysrq-trigger", "open('/proc/sysrq-trigger', 'w').write('h')"),
    Case("mount", "call('mount', b'x', b'/tmp', b'tmpfs', 0, None)"),
    Case("nest namespaces", "call('unshare', 0x10000000)"),
    Case(
        "nest namespaces by clone",
        "import os; call('syscall', 56 if os.uname().machine == 'x86_64' else 220, 0x10000011, 0, 0, 0, 0)",
    ),
    Case("trace", "call('ptrace', 0, 0, 0, 0)"),
    Case("make System V shared memory", "call('shmget', 4242, 4096, 0o1600)"),
    Case("get a user", "import os; os.setuid(0)"),
    Case("open a packet socket", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
]
PRELUDE = f"""
OUTER = {OUTER!r}
def call(name, *arguments):
    import ctypes, os
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def f():
"""


def refused(case: Case) -> str:
    body = "".join(f"        {line}\n" for line in dedent(case.body).strip().splitlines())
    return f"{PRELUDE}    try:\n{body}    except OSError:\n        return True\n    return False\n"


def program(body: str) -> str:
    return PRELUDE + "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())


async def run_all(
    interpreter: Interpreter,
    sources: list[str],
    *,
    seconds: float = 60.0,
    job: Mapping[str, Any] = MappingProxyType({}),
    **container: int,
) -> list[Found]:
    confinement = Confinement(container=Container(**container), memory_bytes=8 << 30)
    async with GuestPool(interpreter, confinement, size=2) as pool:

        async def run_one(source: str) -> Found:
            program = {"source": source, "qualname": "f"}
            request = {"program": program, "arguments": ["()"], "per_call_seconds": 60.0}
            limits: dict[str, Any] = {"wall_seconds": seconds, **job}
            run = pool.start(Job("evaluate", request, **limits))
            replies = await collect(run)
            outcomes = [reply["outcome"] for reply in replies if "outcome" in reply]
            kind = outcomes[0]["kind"] if outcomes else None
            return Found(run.ending, decode(outcomes[0]["value"]) if kind == "returned" else outcomes)

        return await asyncio.gather(*map(run_one, sources))


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    found = find_interpreter(sys.executable, Path())
    [first] = asyncio.run(run_all(found, [program("return True")]))
    if first.ending.layers["container"] != "on":
        pytest.skip(f"this system allows no containers: {first.ending.layers['container']}")
    return found


def left_behind() -> list[str]:
    """Return the processes that the programs have started and that still are."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if MARK.encode() in entry.read_bytes():
                found.append(str(entry))
        except OSError:
            continue
    return found


def folders_left(temporary: Path) -> list[str]:
    return [name for name in os.listdir(temporary) if name.startswith(PREFIX)]


def test_programs_may_do_what_tests_need(interpreter: Interpreter, private_temporary: Path) -> None:
    found = asyncio.run(run_all(interpreter, [program(case.body) for case in MAY]))

    assert {case.name: result.value for case, result in zip(MAY, found)} == {case.name: case.value for case in MAY}
    assert {result.ending.kind for result in found} == {EndingKind.FINISHED}
    assert folders_left(private_temporary) == []


def test_programs_may_not_leave_it(interpreter: Interpreter, prey: Any, private_temporary: Path) -> None:
    with socket.socket(socket.AF_UNIX) as outer:
        outer.bind("\0" + OUTER)
        outer.listen()
        found = asyncio.run(run_all(interpreter, [prey.fill(refused(case)) for case in MAY_NOT]))

    assert [case.name for case, result in zip(MAY_NOT, found) if result.value is not True] == []
    assert prey.harm == {}
    assert folders_left(private_temporary) == []


LEFT = {
    "a daemon": f"""
        import os, subprocess
        subprocess.run(['sh', '-c', 'setsid sleep {MARK} >/dev/null 2>&1 & setsid sleep {MARK} & exit 0'])
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp('sleep', ['sleep', '{MARK}'])
            os._exit(0)
        return True
        """,
    "a daemon of one that dies": f"""
        import os, subprocess
        subprocess.Popen(['sleep', '{MARK}'], start_new_session=True)
        os._exit(9)
        """,
    "signals to all": "import os, signal; os.kill(-1, signal.SIGKILL); os.kill(1, signal.SIGKILL); return True",
    "signals to init": """
        import os, signal
        for number in range(1, 32):
            try:
                os.kill(os.getppid(), number)
            except OSError:
                pass
        return True
        """,
}


def test_nothing_stays_and_init_stands(interpreter: Interpreter, private_temporary: Path) -> None:
    found = asyncio.run(run_all(interpreter, [program(body) for body in LEFT.values()]))

    assert left_behind() == []
    assert found[1].ending.exit_code == 9
    # A signal of the program to its init is either refused or has no effect.
    assert [result.value for result in (found[0], found[3])] == [True, True]
    assert folders_left(private_temporary) == []


def test_samples_have_nothing_in_common(interpreter: Interpreter, private_temporary: Path) -> None:
    body = """
        import os, socket
        from multiprocessing.shared_memory import SharedMemory
        paths = ('/tmp/a', '/dev/shm/a', os.path.expanduser('~/a'), '/tmp/w/a')
        seen = [path for path in paths if os.path.exists(path)]
        for path in paths:
            open(path, 'w').close()
        server = socket.create_server(('127.0.0.1', 8000))
        abstract = socket.socket(socket.AF_UNIX)
        abstract.bind('\\0name')
        memory = SharedMemory('name', create=True, size=10)
        return seen
        """
    found = asyncio.run(run_all(interpreter, [program(body)] * 4))

    assert [result.value for result in found] == [[]] * 4
    assert folders_left(private_temporary) == []


FLOODS: dict[str, tuple[str, dict[str, Any], EndingKind]] = {
    "processes": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        {"processes": 20},
        EndingKind.FLOODED,
    ),
    "memory of one": (
        "a = []\nwhile True: a.append(b'x' * (1 << 24))",
        {"resident_bytes": 300 << 20},
        EndingKind.MEMORY,
    ),
    "memory of many": (
        "import os, time\nfor _ in range(3): os.fork()\na = b'x' * (100 << 20)\ntime.sleep(60)",
        {"resident_bytes": 400 << 20},
        EndingKind.MEMORY,
    ),
    "memory that this run may not have": (
        "a = []\nwhile True: a.append(b'x' * (1 << 24))",
        {"job": {"resident_bytes": 300 << 20}},
        EndingKind.MEMORY,
    ),
    "processor time of many": (
        "import os\nfor _ in range(3): os.fork()\nwhile True: pass",
        {"job": {"cpu_seconds": 2}},
        EndingKind.DEADLINE,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
def test_floods_end(flood: str, interpreter: Interpreter, private_temporary: Path) -> None:
    body, limits, kind = FLOODS[flood]

    [found] = asyncio.run(run_all(interpreter, [program(body)], **limits))

    assert found.ending.kind is kind, found
    assert folders_left(private_temporary) == []


WAITS = """
import os, time
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
for _ in range(7):
    if os.fork() == 0:
        while True: pass
began = time.monotonic()
while time.process_time() < 0.4 or forever: pass
return time.monotonic() - began
"""


@pytest.mark.slow
def test_time_in_which_a_program_waits_for_a_processor_is_given_back(
    interpreter: Interpreter, private_temporary: Path
) -> None:
    """Eight processes share one processor, so that 0.4 seconds of it take about three by the clock."""
    job = {"wall_seconds": 1.0, "most_wall_seconds": 600.0}
    [found] = asyncio.run(run_all(interpreter, [program("forever = False\n" + WAITS)], job=job))
    assert found.ending.kind is EndingKind.FINISHED, found
    assert type(found.value) is float, found
    assert found.value > 1, found

    job = {"wall_seconds": 1.0, "most_wall_seconds": 2.0}
    sources = [program("forever = True\n" + WAITS), program("import time\ntime.sleep(600)")]
    found = asyncio.run(run_all(interpreter, sources, job=job))
    assert [one.ending.kind for one in found] == [EndingKind.DEADLINE] * 2
    assert folders_left(private_temporary) == []


def test_limits_refuse(interpreter: Interpreter, private_temporary: Path) -> None:
    disk = """
        import errno
        try:
            for number in range(100):
                open(f'/tmp/{number}', 'wb').write(bytes(1 << 20))
        except OSError as error:
            return errno.errorcode[error.errno], number
        """
    memory = "try: bytearray(16 << 30)\nexcept MemoryError: return True"
    output = "import subprocess; return subprocess.run('head -c 1000000000 /dev/zero', shell=True).returncode"
    found = asyncio.run(run_all(interpreter, [program(body) for body in (disk, memory, output)], disk_bytes=16 << 20))

    assert [result.value for result in found][1:] == [True, 0]
    assert found[0].value[0] == "ENOSPC"
    assert found[0].value[1] <= 16
    assert folders_left(private_temporary) == []


async def _cancel(interpreter: Interpreter) -> Ending:
    body = f"import subprocess; subprocess.Popen(['sleep', '{MARK}'], start_new_session=True).wait()"
    async with GuestPool(interpreter, Confinement(container=Container()), size=1) as pool:
        request = {"program": {"source": program(body), "qualname": "f"}, "arguments": ["()"], "per_call_seconds": 60}
        run = pool.start(Job("evaluate", request, wall_seconds=60))
        reading = asyncio.create_task(collect(run))
        async with asyncio.timeout(200):
            while not left_behind():
                await asyncio.sleep(0.01)
        run.cancel()
        await reading
        assert left_behind() == []
    return run.ending


def test_a_cancelled_run_has_ended_when_that_is_told(interpreter: Interpreter, private_temporary: Path) -> None:
    assert asyncio.run(_cancel(interpreter)).kind is EndingKind.CANCELLED
    assert folders_left(private_temporary) == []


def test_the_zygotes_death_ends_it(interpreter: Interpreter, private_temporary: Path) -> None:
    async def kill() -> None:
        body = f"import subprocess; subprocess.Popen(['sleep', '{MARK}'], start_new_session=True).wait()"
        async with GuestPool(interpreter, Confinement(container=Container()), size=1) as pool:
            request = {
                "program": {"source": program(body), "qualname": "f"},
                "arguments": ["()"],
                "per_call_seconds": 60,
            }
            run = pool.start(Job("evaluate", request, wall_seconds=60))
            reading = asyncio.create_task(collect(run))
            async with asyncio.timeout(200):
                while not left_behind():
                    await asyncio.sleep(0.01)
                keeper: Any
                (keeper,) = pool._keepers.values()  # pyright: ignore[reportPrivateUsage]
                os.kill(keeper.pid, signal.SIGKILL)
                while left_behind():
                    await asyncio.sleep(0.01)
            await asyncio.gather(reading, return_exceptions=True)

    asyncio.run(kill())
    assert folders_left(private_temporary) == []
