"""The fork server: programs that share one are strangers to each other, and nothing that they do outlives them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.marshal_codec import write_marshalled
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.forkserver import ForkServer, ServerLostError
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are confined by Landlock")

INPUTS = [([1, 2],), ([3],), ([],)]
HONEST = "def f(xs):\n    return sum(xs)"
RIGHT = ["3", "3", "0"]


def to_job(source: str, *, count: int = len(INPUTS), seconds: float = 5.0, **more: Any) -> Job:
    request = {
        "program": {"source": source, "qualname": "f"},
        "indices": [0, count],
        "is_range": True,
        "per_call_seconds": 1.0,
        "load_seconds": 2.0,
    }
    return Job("outputs", request, **{"wall_seconds": seconds, "cpu_seconds": 5.0, **more})


async def run_program(server: ForkServer, job: Job) -> tuple[list[Any], Ending]:
    outcomes: list[Any] = []
    async with server.start_program(job) as run:
        async for reply in run:
            outcomes += reply.get("outcomes", [reply])
    return outcomes, run.ending


def serve(interpreter: Interpreter, work: Callable[[ForkServer], Coroutine[Any, Any, Any]], **limits: Any) -> Any:
    async def main() -> Any:
        async with GuestPool(interpreter, Confinement(**limits), size=2) as pool:
            server = ForkServer(pool)
            await server.start()
            await server.provide({"marshalled": write_marshalled(INPUTS)})
            try:
                return await work(server)
            finally:
                await server.close()

    return asyncio.run(main())


def test_it_answers(interpreter: Interpreter) -> None:
    async def work(server: ForkServer) -> list[Any]:
        return [await run_program(server, to_job(HONEST)) for _ in range(3)]

    for outcomes, ending in serve(interpreter, work):
        assert outcomes == RIGHT
        assert ending.kind is EndingKind.FINISHED
        assert {name: state for name, state in ending.layers.items() if state != "on"} == {}
        assert 0 < ending.cpu_seconds < 60


SABOTAGE = {
    "builtins": "import builtins\nbuiltins.sum = lambda xs: 7\ndef f(xs):\n    return 1",
    "inputs": "def f(xs):\n    xs.append(9)\n    return 1",
    "module of ours": (
        "import sys\nfor name, module in list(sys.modules.items()):\n"
        "    if name.endswith('outputs'): module._WRITERS.clear(); module.load = None\n"
        "def f(xs):\n    return 1"
    ),
    "files": (
        "import os\nopen('left', 'w').write('x')\nos.makedirs('deep/er')\nos.chmod('deep', 0)\ndef f(xs):\n    return 1"
    ),
    "descriptors": "import os\nos.closerange(0, 4096)\ndef f(xs):\n    return 1",
    "noise": (
        "import os\nfor number in range(2000):\n"
        "    try: os.write(number, b'\\0\\0\\0\\2{}' * 9)\n    except OSError: pass\n"
        "def f(xs):\n    return 1"
    ),
    "exit": "import os\nos._exit(0)",
    "group": "import os, signal\nos.kill(0, signal.SIGKILL)\ndef f(xs):\n    return 1",
    "parent": "import os, signal\ndef f(xs):\n    os.kill(os.getppid(), signal.SIGKILL)",
    "stopped parent": "import os, signal\ndef f(xs):\n    os.kill(os.getppid(), signal.SIGSTOP)",
    "fork": "import os\ndef f(xs):\n    os.fork()",
    "loop": "def f(xs):\n    while True: pass",
    "deaf loop": (
        "def f(xs):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass"
    ),
    "loop at load": "while True: pass",
    "limits": "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\ndef f(xs):\n    return 1",
    "closed and alive": "import os, time\nos.closerange(3, 4096)\ntime.sleep(60)\ndef f(xs):\n    return 1",
    "flood": "def f(xs):\n    return 'x' * 30_000_000",
    "threads that stay": (
        "import threading, time\ndef f(xs):\n"
        "    threading.Thread(target=time.sleep, args=(60,), daemon=False).start()\n    return 1"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTAGE)
def test_the_next_program_is_not_touched(interpreter: Interpreter, name: str) -> None:
    async def work(server: ForkServer) -> tuple[tuple[list[Any], Ending], tuple[list[Any], Ending]]:
        before = await run_program(server, to_job(SABOTAGE[name], seconds=3.0))
        return before, await run_program(server, to_job(HONEST))

    before, after = serve(interpreter, work, reply_bytes=1 << 20)
    assert before[0] != RIGHT
    assert after == (RIGHT, after[1])
    assert after[1].kind is EndingKind.FINISHED


def test_nothing_is_left_of_a_program(interpreter: Interpreter) -> None:
    look = "import os\ndef f(xs):\n    return [sorted(os.listdir('.')), os.getcwd() == os.environ['HOME']]"

    async def work(server: ForkServer) -> list[Any]:
        await run_program(server, to_job(SABOTAGE["files"]))
        return (await run_program(server, to_job(look)))[0]

    first = json.loads(serve(interpreter, work)[0])
    assert first[0] == []


@pytest.mark.parametrize("what", ["mem", "maps", "environ", "fd"])
def test_it_cannot_be_looked_into(interpreter: Interpreter, what: str) -> None:
    source = (
        f"import os\ndef f(xs):\n    place = f'/proc/{{os.getppid()}}/{what}'\n"
        "    return os.listdir(place) if os.path.isdir(place) else open(place, 'rb').read(1)"
    )

    async def work(server: ForkServer) -> list[Any]:
        return (await run_program(server, to_job(source, count=1)))[0]

    [outcome] = serve(interpreter, work)
    assert outcome["kind"] == "raised"
    assert outcome["text"].startswith(("PermissionError", "FileNotFoundError"))


def test_a_program_is_stopped(interpreter: Interpreter) -> None:
    async def work(server: ForkServer) -> tuple[Ending, Ending, list[Any]]:
        async with server.start_program(to_job(SABOTAGE["deaf loop"], seconds=60.0)) as left:
            waiting = asyncio.ensure_future(anext(left))
            await asyncio.sleep(0)
            waiting.cancel()
        late = (await run_program(server, to_job(SABOTAGE["deaf loop"], seconds=0.3)))[1]
        return left.ending, late, (await run_program(server, to_job(HONEST)))[0]

    left, late, honest = serve(interpreter, work)
    assert (left.kind, late.kind) == (EndingKind.CANCELLED, EndingKind.DEADLINE)
    assert honest == RIGHT


def test_a_lost_server_says_so(interpreter: Interpreter) -> None:
    async def work(server: ForkServer) -> None:
        where = "import os\ndef f(xs):\n    return os.getppid()"
        outcomes, _ = await run_program(server, to_job(where, count=1))
        os.kill(int(outcomes[0]), signal.SIGKILL)
        with pytest.raises(ServerLostError):
            await run_program(server, to_job(HONEST))
        assert server.is_lost

    serve(interpreter, work)


def test_without_landlock_there_is_none(interpreter: Interpreter) -> None:
    async def main() -> None:
        async with GuestPool(interpreter, Confinement(without=("landlock",)), size=1) as pool:
            with pytest.raises(ServerLostError):
                await ForkServer(pool).start()

    asyncio.run(main())


def test_too_many_threads_end_the_server(interpreter: Interpreter) -> None:
    source = (
        "import threading, time\ndef f(xs):\n    for _ in range(40):\n"
        "        threading.Thread(target=time.sleep, args=(60,)).start()\n    time.sleep(60)"
    )

    async def work(server: ForkServer) -> None:
        with pytest.raises(ServerLostError, match="threads"):
            await run_program(server, to_job(source, seconds=30.0))

    serve(interpreter, work, threads=20)
