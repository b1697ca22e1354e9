"""What every way of keeping guests must do: run the same jobs, end them the same way, leave nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.guest.values.marshal_codec import write_marshalled
from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.backend import has_fork
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, Run, collect

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

ENDINGS = [
    ("def f(): return 1", {}, EndingKind.FINISHED, 0, None),
    ("import os\ndef f(): os._exit(3)", {}, EndingKind.EXITED, 3, None),
    ("import os\ndef f(): os.abort()", {}, EndingKind.CRASHED, None, signal.SIGABRT),
    ("import os\ndef f(): os.kill(os.getpid(), 9)", {}, EndingKind.MEMORY, None, signal.SIGKILL),
    ("import itertools\ndef f(): sum(itertools.count())", {"wall_seconds": 0.5}, EndingKind.DEADLINE, None, 9),
    ("import itertools\ndef f(): sum(itertools.count())", {"stall_seconds": 0.5}, EndingKind.STALLED, None, 9),
    ("import itertools\ndef f(): sum(itertools.count())", {"cpu_seconds": 1}, EndingKind.DEADLINE, None, None),
    ("import os\ndef f(): os.closerange(0, 4096)", {}, EndingKind.EXITED, None, None),
]


@pytest.mark.parametrize(("source", "job", "kind", "code", "number"), ENDINGS)
async def test_endings(
    interpreter: Interpreter,
    keeper: Any,
    evaluate: Any,
    source: str,
    job: Any,
    kind: EndingKind,
    code: Any,
    number: Any,
) -> None:
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        _, run = await evaluate(pool, source, job=job, per_call_seconds=30)

        assert run.ending.kind is kind
        assert code is None or run.ending.exit_code == code
        assert number is None or run.ending.signal == number

        replies, after = await evaluate(pool, "def f(): return 2")
        assert replies[0]["outcome"]["value"] == 2
        assert after.ending.kind is EndingKind.FINISHED


async def test_the_journal_tells_which_input_killed_the_guest(
    interpreter: Interpreter, keeper: Any, evaluate: Any
) -> None:
    source = "import os\ndef f(x):\n    os.write(2, b'last words')\n    return x if x < 2 else os.abort()"
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        replies, run = await evaluate(pool, source, ["(0,)", "(1,)", "(2,)", "(3,)"])

    assert [reply["index"] for reply in replies] == [0, 1]
    assert run.ending.journal == "2"
    assert "last words" in run.ending.stderr


async def test_inputs_are_provided_once_for_many_runs(interpreter: Interpreter, keeper: Any) -> None:
    inputs = [[number, {"a": (number,)}] for number in range(50)]
    request: dict[str, Any] = {
        "program": {"source": "def f(x, y): return [x, y]", "qualname": "f"},
        "arguments_key": "many",
        "batch": 20,
    }
    async with GuestPool(interpreter, Confinement(), size=2, keeper=keeper) as pool:
        await pool.provide("many", {"marshalled": write_marshalled(inputs)})
        for _ in range(3):
            replies = await collect(pool.start(Job("evaluate", request, 20)))
            outcomes = [outcome for reply in replies for outcome in reply["outcomes"]]
            assert [index for reply in replies for index in reply["indices"]] == list(range(50))
            assert [decode(outcome["value"]) for outcome in outcomes] == inputs
            assert len(replies) < 50
        await pool.discard("many")
        run = pool.start(Job("evaluate", request, 20))
        with pytest.raises(WorkerError, match="many"):
            await collect(run)


@pytest.mark.slow
async def test_hash_seeds_have_interpreters_of_their_own(interpreter: Interpreter, keeper: Any, evaluate: Any) -> None:
    source = "def f(): return hash('a')"
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        values = [
            (await evaluate(pool, source, job={"hash_seed": seed}))[0][0]["outcome"]["value"]
            for seed in (None, 0, 1, 2, 1)
        ]

    assert values[0] == values[1]
    assert values[2] == values[4]
    assert len(set(values)) == 3


async def test_the_environment_is_stripped(
    interpreter: Interpreter, keeper: Any, evaluate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "hush")
    source = "import os, sys\ndef f(): return dict(os.environ), sys.argv, sys.stdin.read()"
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        replies, _ = await evaluate(pool, source, job={"environment": {"GIVEN": "1"}})

    environment, argv, stdin = decode(replies[0]["outcome"]["value"])
    assert "API_KEY" not in environment
    assert environment["GIVEN"] == "1"
    assert Path(environment["HOME"]).parent != Path.home()
    assert (argv, stdin) == ([""], "")


async def test_no_part_of_this_project_is_importable_in_a_guest(
    interpreter: Interpreter, keeper: Any, evaluate: Any
) -> None:
    source = "import sys\ndef f(): return [name for name in sys.modules if name.startswith('lsp_evalplus')], sys.path"
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        replies, _ = await evaluate(pool, source)

    modules, path = decode(replies[0]["outcome"]["value"])
    assert modules == []
    assert not [entry for entry in path if entry.endswith("guest")]


async def test_more_runs_than_places(interpreter: Interpreter, keeper: Any, evaluate: Any) -> None:
    async with GuestPool(interpreter, Confinement(), size=2, keeper=keeper) as pool:
        runs = [evaluate(pool, f"def f(): return {number}") for number in range(8)]
        values = [replies[0]["outcome"]["value"] for replies, _ in await asyncio.gather(*runs)]

    assert values == list(range(8))


async def test_late_messages_reach_the_guest(interpreter: Interpreter, keeper: Any) -> None:
    """The request itself travels like a late message, however long it is and however slowly it is read."""
    text = "x" * 3_000_000
    request = {"program": {"source": "def f(x): return len(x)", "qualname": "f"}, "arguments": [repr((text,))]}
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        run = pool.start(Job("evaluate", request, 20))
        first = await anext(run)
        await run.send({"ignored": True})
        rest = [reply async for reply in run]

    assert first["outcome"]["value"] == len(text)
    assert rest == []


async def test_cancelling_a_task_kills_its_guest(interpreter: Interpreter, keeper: Any, evaluate: Any) -> None:
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        run = await start_endless(pool)
        async with asyncio.timeout(200):
            task = asyncio.create_task(collect(run))
            await asyncio.sleep(0)  # let it begin to wait
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert run.ending.kind is EndingKind.CANCELLED
        replies, _ = await evaluate(pool, "def f(): return 3")

    assert replies[0]["outcome"]["value"] == 3


async def test_cancelled_before_it_started(interpreter: Interpreter, keeper: Any) -> None:
    request = {"program": {"source": "def f(): pass", "qualname": "f"}, "arguments": ["()"]}
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        run = pool.start(Job("evaluate", request, 20))
        run.cancel()

        assert await collect(run) == []
        assert run.ending.kind is EndingKind.CANCELLED


async def test_a_flood_of_replies_is_cut_off(interpreter: Interpreter, keeper: Any, evaluate: Any) -> None:
    async with GuestPool(interpreter, Confinement(reply_bytes=100_000), size=1, keeper=keeper) as pool:
        _, run = await evaluate(pool, "def f(): return 'x' * 50_000", ["()"] * 20)

    assert run.ending.kind is EndingKind.FLOODED


async def test_closing_leaves_nothing(interpreter: Interpreter, keeper: Any, evaluate: Any, temporary: Path) -> None:
    before = children()
    pool = GuestPool(interpreter, Confinement(), size=2, keeper=keeper)
    await evaluate(pool, "def f():\n    open('file', 'w').write('x')")
    run = await start_endless(pool)
    await pool.close()

    assert list(temporary.iterdir()) == []
    assert children() == before
    assert run.ending.kind is EndingKind.CANCELLED
    with pytest.raises(WorkerError, match="closed"):
        pool.start(Job("evaluate", {}, 1))


async def start_endless(pool: GuestPool) -> Run:
    """Return a run whose guest is known to be at work, and will not end."""
    source = "def f(x):\n    while x: pass"
    request = {"program": {"source": source, "qualname": "f"}, "arguments": ["(0,)", "(1,)"], "per_call_seconds": 60}
    run = pool.start(Job("evaluate", request, 60))
    await anext(run)
    return run


def children() -> set[str]:
    """Return this process's children, threads' included."""
    found: set[str] = set()
    for place in Path("/proc/self/task").glob("*/children"):
        found |= set(place.read_text().split())
    return found


async def test_nothing_runs_where_a_required_layer_is_missing(
    interpreter: Interpreter, keeper: Any, evaluate: Any
) -> None:
    async with GuestPool(interpreter, Confinement(required=("magic",)), size=1, keeper=keeper) as pool:
        with pytest.raises(WorkerError, match="lacks magic"):
            await evaluate(pool, "def f(): pass")


@linux
async def test_every_layer_is_on_where_the_kernel_has_it(interpreter: Interpreter, keeper: Any, evaluate: Any) -> None:
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        _, run = await evaluate(pool, "def f(): pass")

    assert run.ending.layers["limits"] == "on"
    assert run.ending.layers["process"] == "on"
    assert run.ending.layers["calls"] == "on"
    assert set(run.ending.layers) == {"limits", "process", "files", "tcp", "scope", "calls"}


async def test_a_broken_interpreter_is_an_error(keeper: Any, interpreter: Interpreter, tmp_path: Path) -> None:
    import dataclasses

    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho it is broken >&2\nexit 3\n")
    broken.chmod(0o755)
    other = dataclasses.replace(interpreter, path=str(broken))
    async with GuestPool(other, Confinement(), size=1, keeper=keeper) as pool:
        request = {"program": {"source": "def f(): pass", "qualname": "f"}, "arguments": ["()"]}
        with pytest.raises(WorkerError):
            await collect(pool.start(Job("evaluate", request, 5)))


async def test_guests_of_other_versions(other_interpreter: str, keeper: Any, evaluate: Any) -> None:
    from lsp_evalplus.fuzz.host.interpreter import find_interpreter

    interpreter = find_interpreter(other_interpreter, Path())
    source = "import sys\nasync def f(x): return list(sys.version_info[:3]), x"
    async with GuestPool(interpreter, Confinement(), size=1, keeper=keeper) as pool:
        replies, run = await evaluate(pool, source, ["({1: {2.5, None}},)"])

    assert run.ending.kind is EndingKind.FINISHED
    assert decode(replies[0]["outcome"]["value"]) == (list(interpreter.version), {1: {2.5, None}})
    assert os.path.exists(interpreter.path)


@pytest.mark.skipif(not has_fork(), reason="this system has no zygotes")
async def test_replays_under_other_hash_seeds_import_what_they_need_alone(
    interpreter: Interpreter, evaluate: Any
) -> None:
    source = "import sys\ndef f(): return ['async' + 'io' in sys.modules, 'doc' + 'test' in sys.modules]"
    waits = source.replace("def f", "async def g(): pass\ndef f")
    async with GuestPool(interpreter, Confinement(), size=1) as pool:
        found = [
            (await evaluate(pool, text, job={"hash_seed": seed}))[0][0]["outcome"]["value"]
            for seed, text in ((0, source), (1, source), (1, waits), (1, source))
        ]

    assert list(map(decode, found)) == [[True, True], [False, False], [True, False], [True, False]]
