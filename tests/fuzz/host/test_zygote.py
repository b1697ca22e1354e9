"""What only zygotes do: survive their guests, be replaced when they die, die with their host."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.errors import GuestFaultError, GuestStartError, WorkerError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect
from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and the death signal of Linux")

GONE_SECONDS = 60.0
"""How long after a kill anything may be left: a zygote that was just starting must get that far, on a busy machine."""
HOST = """
import asyncio, json, sys
from pathlib import Path
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect

ENDLESS = "def f(x):\\n    open('file', 'w').write('x')\\n    while x: pass"
SHORT = "def f(x):\\n    return x"

async def keep_busy(pool, source):
    request = {"program": {"source": source, "qualname": "f"}, "arguments": ["(0,)", "(1,)"], "per_call_seconds": 60}
    while True:
        async for reply in pool.start(Job("evaluate", request, 60)):
            print(json.dumps(reply), flush=True)

async def main():
    async with GuestPool(find_interpreter(sys.executable, Path()), Confinement(), size=3) as pool:
        await asyncio.gather(keep_busy(pool, ENDLESS), keep_busy(pool, SHORT), keep_busy(pool, SHORT))

asyncio.run(main())
"""


def children(pid: int) -> set[int]:
    """Return a process's children."""
    found: set[int] = set()
    for place in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= set(map(int, place.read_text().split()))
    return found


def in_session_of(folder: Path) -> set[int]:
    """Return processes that work in a folder: zygotes and guests, orphans among them."""
    found: set[int] = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(place / "cwd").startswith(str(folder)):
                found.add(int(place.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie that waits for its new parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(folder: Path, *, files: bool = True) -> None:
    """Wait until no process works in the folder and, with `files`, nothing is left in it.

    Raises:
        AssertionError: that takes too long.
    """
    deadline = time.monotonic() + GONE_SECONDS
    while True:
        left = (in_session_of(folder), sorted(path.name for path in folder.iterdir()) if files else [])
        if left == (set(), []):
            return
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


@contextlib.contextmanager
def running_host(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a busy host whose temporary files are in `folder`; it is at work when this returns."""
    with subprocess.Popen(
        [sys.executable, "-c", HOST],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as process:
        try:
            assert process.stdout is not None
            assert "outcome" in json.loads(process.stdout.readline())
            yield process
        finally:
            process.kill()


def kill_at_random(folder: Path, rng: random.Random) -> None:
    """Kill a busy host, its zygote or one of its guests at a random moment; see that all is gone in the end."""
    with running_host(folder) as host:
        assert host.stdout is not None
        for _ in range(rng.randrange(20)):
            host.stdout.readline()
        [zygote] = children(host.pid)
        victim = rng.choice([host.pid, zygote, *sorted(children(zygote))])
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        both = victim == zygote and rng.random() < 0.5
        if both:
            host.kill()
        elif victim == zygote:
            # It reports a broken worker and cleans up.
            assert host.wait() == 1
    # When host and zygote die at once, nobody is left to remove their files but the next run.
    wait_until_gone(folder, files=not both)
    with running_host(folder):
        pass
    wait_until_gone(folder)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_left_after_a_kill(seed: int, tmp_path: Path) -> None:
    kill_at_random(tmp_path, random.Random(seed))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_is_left_after_many_kills() -> None:
    rng = random.Random(200)
    # Not pytest's folder: other sessions of it remove that after a while.
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        for _ in range(int(os.environ.get("LSP_EVALPLUS_KILLS", "8"))):
            kill_at_random(Path(folder), rng)


STARTING_HOST = """
import asyncio, os, signal, sys
from pathlib import Path
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool

interpreter = find_interpreter(sys.executable, Path())
module, _, name = sys.argv[1].partition(".")
module = __import__(module)
function = getattr(module, name)
seeds = [int(text) for text in sys.argv[2].split(",")]

def last_deed(*arguments, **keywords):
    result = function(*arguments, **keywords)
    if any(name.startswith("lsp-evalplus-") for name in os.listdir(os.environ["TMPDIR"])):
        os.kill(os.getpid(), signal.SIGKILL)
    return result

async def main():
    async with GuestPool(interpreter, Confinement(), size=1) as pool:
        for seed in seeds[:-1]:
            await pool.warm(seed)
        setattr(module, name, last_deed)
        await pool.warm(seeds[-1])

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("seeds", ["0", "0,1"])
@pytest.mark.parametrize("deed", ["os.mkdir", "os.open", "os.rename", "tempfile.mkdtemp", "socket.send_fds"])
def test_nothing_is_left_of_a_host_that_dies_while_it_starts(deed: str, seeds: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTING_HOST, deed, seeds]
    host = subprocess.run(command, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    made_once = {"os.rename"}
    assert host.returncode == (0 if seeds == "0,1" and deed in made_once else -signal.SIGKILL)
    wait_until_gone(tmp_path)


@pytest.mark.parametrize("turns", range(12))
async def test_nothing_is_left_of_a_pool_that_is_closed_while_it_starts(
    turns: int, interpreter: Interpreter, temporary: Path
) -> None:
    """Whoever starts a guest then is told so, wherever it was; and nothing is made after the end."""
    request = {"program": {"source": "def f(): pass", "qualname": "f"}, "arguments": ["()"]}
    pool = GuestPool(interpreter, Confinement(), size=4)
    runs = [pool.start(Job("evaluate", request, 5, hash_seed=seed)) for seed in (0, 0, 1)]
    starting = [*(asyncio.create_task(collect(run)) for run in runs), asyncio.create_task(pool.warm(2))]
    for turn in range(turns):
        # The loop's first turns, then some that wait for processes.
        await asyncio.sleep(0 if turn < 6 else 0.03)
    await pool.close()
    late = [asyncio.create_task(pool.warm(seed)) for seed in (0, 1, 3)]
    outcomes = await asyncio.gather(*starting, *late, return_exceptions=True)

    assert all(isinstance(outcome, (WorkerError, list, type(None))) for outcome in outcomes), outcomes
    assert all(isinstance(outcome, WorkerError) for outcome in outcomes[-3:])
    await asyncio.to_thread(wait_until_gone, temporary)


async def test_a_full_disk_is_no_start_and_may_pass(
    interpreter: Interpreter, evaluate: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Any, *_: Any) -> int:
        raise OSError(28, "No space left on device", str(path))

    async with GuestPool(interpreter, Confinement(), size=1) as pool:
        with monkeypatch.context() as patch:
            patch.setattr("lsp_evalplus.fuzz.host.scratch.os.open", refuse)
            with pytest.raises(GuestStartError, match=r"cannot be started: .*No space left"):
                await pool.warm()
        assert list(temporary.iterdir()) == []
        replies, _ = await evaluate(pool, "def f(): return 5")
    assert replies[0]["outcome"]["value"] == 5
    await asyncio.to_thread(wait_until_gone, temporary)


async def test_a_dead_zygote_is_replaced(interpreter: Interpreter, evaluate: Any, temporary: Path) -> None:
    keepers: list[ZygoteKeeper] = []

    def make(settings: Any) -> ZygoteKeeper:
        keepers.append(ZygoteKeeper(settings))
        return keepers[-1]

    async with GuestPool(interpreter, Confinement(), size=2, keeper=make) as pool:
        request = {
            "program": {"source": "def f(x):\n    while x: pass", "qualname": "f"},
            "arguments": ["(0,)", "(1,)"],
            "per_call_seconds": 60,
        }
        run = pool.start(Job("evaluate", request, 60))
        await anext(run)
        pid = keepers[0].pid
        assert pid is not None
        guests = children(pid)
        assert guests
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="zygote died"):
            await collect(run)
        replies, _ = await evaluate(pool, "def f(): return 4")
        assert replies[0]["outcome"]["value"] == 4
        assert len(keepers) == 2
        assert not {guest for guest in guests if is_alive(guest)}
    assert list(temporary.iterdir()) == []


async def test_inputs_that_are_provided_while_a_zygote_is_replaced_are_there(
    interpreter: Interpreter, evaluate: Any, temporary: Path
) -> None:
    keepers: list[ZygoteKeeper] = []

    def make(settings: Any) -> ZygoteKeeper:
        keepers.append(ZygoteKeeper(settings))
        return keepers[-1]

    async with GuestPool(interpreter, Confinement(), size=2, keeper=make) as pool:
        await pool.provide("first", {"arguments": [[1]]})
        await pool.provide("also", {"arguments": [[2]]})
        await pool.warm()
        pid = keepers[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while keepers[0].alive:
            await asyncio.sleep(0)

        starting = asyncio.create_task(evaluate(pool, "def f(x): return x", arguments_key="first"))
        while len(keepers) == 1:
            await asyncio.sleep(0)
        await pool.provide("second", {"arguments": [[3]]})
        replies, _ = await starting
        again, _ = await evaluate(pool, "def f(x): return x", arguments_key="second")
    assert [replies[0]["outcome"]["value"], again[0]["outcome"]["value"]] == [1, 3]
    assert len(keepers) == 2


async def test_a_zygote_that_never_starts_is_given_up(interpreter: Interpreter, evaluate: Any, tmp_path: Path) -> None:
    import dataclasses

    starts = tmp_path / "starts"
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\necho x >> {starts}\nexit 1\n")
    broken.chmod(0o755)
    async with GuestPool(dataclasses.replace(interpreter, path=str(broken)), Confinement(), size=1) as pool:
        with pytest.raises(WorkerError, match="did not start"):
            await evaluate(pool, "def f(): pass")
    assert 1 <= len(starts.read_text().split()) <= 3


async def test_preloaded_modules_are_shared_by_guests(interpreter: Interpreter, evaluate: Any) -> None:
    source = "import sys\nbefore = 'colorsys' in sys.modules\ndef f(): return before"
    async with GuestPool(interpreter, Confinement(), size=1, preload=["colorsys", "no_such_module"]) as pool:
        replies, _ = await evaluate(pool, source)

    assert replies[0]["outcome"]["value"] is True


async def test_what_a_function_makes_before_the_first_guest_is_found_by_all(
    interpreter: Interpreter, evaluate: Any, tmp_path: Path
) -> None:
    (tmp_path / "drawing.py").write_text("made = []\ndef draw(): made.append(len(made))\ndef fail(): raise OSError")
    source = "import drawing\ndef f(): return drawing.made"
    found = replace(interpreter, search_path=(*interpreter.search_path, str(tmp_path)))
    preload = ["drawing:draw", "drawing:fail", "drawing:nothing", "nothing:draw"]
    async with GuestPool(found, Confinement(), size=1, preload=preload) as pool:
        replies = [(await evaluate(pool, source))[0] for _ in range(2)]

    assert [reply[0]["outcome"]["value"] for reply in replies] == [[0], [0]]


async def test_a_job_may_want_a_zygote_with_fewer_modules(interpreter: Interpreter, evaluate: Any) -> None:
    source = "import sys\nbefore = [name in sys.modules for name in ('colorsys', 'timeit')]\ndef f(): return before"
    wanted: list[tuple[str, ...] | None] = [None, ("colorsys",), (), ("colorsys",), None]
    async with GuestPool(interpreter, Confinement(), size=1, preload=["colorsys", "timeit"]) as pool:
        found = [(await evaluate(pool, source, job={"preload": names}))[0] for names in wanted]
        keepers = len(pool._keepers)

    assert [replies[0]["outcome"]["value"] for replies in found] == [
        [True, True],
        [True, False],
        [False, False],
        [True, False],
        [True, True],
    ]
    assert keepers == 3


DYING = """
import os, signal
def die():
    if left := os.listdir({folder!r}):
        os.unlink(os.path.join({folder!r}, left[0]))
        os.kill(os.getpid(), signal.SIGKILL)
os.register_at_fork(after_in_child=die)
"""
"""A module in the zygote, by which as many of its guests are killed at once as a folder has files."""


@pytest.mark.parametrize("deaths", [1, 2])
async def test_a_guest_that_is_killed_before_anything_ran_in_it_is_replaced_once(
    interpreter: Interpreter, evaluate: Any, tmp_path: Path, deaths: int
) -> None:
    folder = tmp_path / "deaths"
    folder.mkdir()
    for number in range(deaths):
        (folder / str(number)).touch()
    (tmp_path / "dying.py").write_text(DYING.format(folder=str(folder)))
    mortal = replace(interpreter, search_path=(*interpreter.search_path, str(tmp_path)))
    async with GuestPool(mortal, Confinement(), size=1, preload=["dying"]) as pool:
        if deaths > 1:
            with pytest.raises(GuestFaultError, match="died before it was confined"):
                await evaluate(pool, "def f(): return 3")
        replies, _ = await evaluate(pool, "def f(): return 4")
    assert replies[0]["outcome"]["value"] == 4
    assert list(folder.iterdir()) == []


async def test_folders_of_hosts_that_were_killed_with_their_zygotes_are_swept(
    interpreter: Interpreter, evaluate: Any, temporary: Path
) -> None:
    left = temporary / "lsp-evalplus-left"
    (left / "0-x" / "1").mkdir(parents=True)
    (left / "lock").write_text("")
    foreign = temporary / "lsp-evalplus-without-a-lock"
    foreign.mkdir()
    async with (
        GuestPool(interpreter, Confinement(), size=1) as pool,
        GuestPool(interpreter, Confinement(), size=1) as second,
    ):
        await evaluate(pool, "def f(): pass")
        await evaluate(second, "def f(): pass")
        replies, _ = await evaluate(pool, "def f():\n    open('x', 'w').close()\n    return 5")
        assert replies[0]["outcome"]["value"] == 5
        assert not left.exists()
    assert list(temporary.iterdir()) == [foreign]


async def test_the_loop_is_never_blocked(interpreter: Interpreter) -> None:
    """A server that waits for guests answers at once: the longest gap between two steps of another task is short."""
    request = {"program": {"source": "def f(x): return x * 1000", "qualname": "f"}, "arguments": ["('ab',)"] * 50}
    gaps: list[float] = []

    async def tick() -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0)
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    async with GuestPool(interpreter, Confinement(), size=2) as pool:
        await pool.warm()
        task = asyncio.create_task(tick())
        for _ in range(5):
            await collect(pool.start(Job("evaluate", request, 20)))
        task.cancel()
    gaps.sort()
    assert gaps[len(gaps) * 99 // 100] < 0.01


async def test_a_warm_pool_has_its_zygote(interpreter: Interpreter) -> None:
    """The first run does not wait for an interpreter to start."""
    async with GuestPool(interpreter, Confinement(), size=1) as pool:
        await pool.warm()
        (keeper,) = pool._keepers.values()
        assert isinstance(keeper, ZygoteKeeper)
        started = keeper.pid
        await collect(
            pool.start(Job("evaluate", {"program": {"source": "f = abs", "qualname": "f"}, "arguments": ["(1,)"]}, 20))
        )

        assert started is not None
        assert keeper.pid == started
        assert not pool.is_busy


async def test_warming_tells_that_an_interpreter_does_not_start(interpreter: Interpreter) -> None:
    async with GuestPool(replace(interpreter, path="/no/such/python"), Confinement(), size=1) as pool:
        with pytest.raises(GuestStartError, match="/no/such/python cannot be started"):
            await pool.warm()
