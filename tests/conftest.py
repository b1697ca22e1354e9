"""What every test may use: a loopback server that speaks as a model does; pairs of programs and a judge; `bench`."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import importlib.util
import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict
from lsp_evalplus.bench.running.evaluate import Engine, EvaluationResult, Options, Watcher, evaluate, make_guests
from lsp_evalplus.bench.running.run import TimeRules
from lsp_evalplus.bench.samples.samples import load_samples
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.engine.in_tests import check_in_tests
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import OLDEST, find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.processors import count_usable
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, OracleKind, Report
from lsp_evalplus.fuzz.oracle.carving import carved
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module

for _name, _handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    # Programs that tests start inherit what is ignored, and `nohup` and shells' background jobs ignore these two.
    if (_number := getattr(signal, _name, None)) is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# On a busy machine examples are made slowly and run slowly, which says nothing about what is tested.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

CALLS = 200
"""How many inputs a check in a test tries, unless it says otherwise."""
SLOW_CALLS = 2000
"""The same for slow tests."""
FIRST_CASES, ONE_OF_CASES = 1, 16
"""Which cases of a parametrised test that runs checks the default suite has: the first, and one of sixteen others."""
ONE_OF_FURTHER = 17
"""One further case in seventeen is in the slow suite, if the default one lacks it; `make test-all` runs the others."""
AS_USUAL = 0
SECONDS = 12.0
"""Processor seconds after which it ends all the same: at least ten times what it needs."""


@dataclass(frozen=True)
class Case:
    """A reference, a candidate and what is expected of their check, from a file of cases."""

    name: str
    expected: dict[str, str]
    reference: str
    candidate: str


def read_cases(path: Path) -> list[Case]:
    """The cases of a text file: ``=== name``, lines ``@key: value``, ``--- reference``, ``--- candidate``.

    A line ``@slow: why`` marks a case as slow.
    """
    cases: list[Case] = []
    for block in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, rest = block.partition("\n--- reference\n")
        reference, separator, candidate = rest.partition("\n--- candidate\n")
        assert separator, f"{path.name}: the case {head!r} has no candidate"
        name, *lines = head.split("\n")
        expected = dict(line[1:].split(": ", 1) for line in lines if line.startswith("@"))
        cases.append(Case(name.strip(), expected, reference + "\n", candidate.rstrip() + "\n"))
    return cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise tests by what they take.

    A ``case``: once for each case in the file that their module names as ``CASE_FILE``. An ``other_interpreter``: once
    for each version found on this machine but this one's. An ``any_interpreter``: this one's too.
    """
    if "case" in metafunc.fixturenames and hasattr(metafunc.module, "CASE_FILE"):
        cases = read_cases(metafunc.definition.path.parent / metafunc.module.CASE_FILE)
        marks = [(pytest.mark.slow,) if case.expected.pop("slow", None) else () for case in cases]
        values = [pytest.param(case, marks=mark) for case, mark in zip(cases, marks, strict=True)]
        metafunc.parametrize("case", values, ids=[case.name for case in cases])
    if "other_interpreter" in metafunc.fixturenames:
        missing = pytest.param("", marks=pytest.mark.skip(reason="no other CPython >= 3.9 on PATH or under pyenv"))
        metafunc.parametrize("other_interpreter", other_interpreters() or [missing])
    if "any_interpreter" in metafunc.fixturenames:
        metafunc.parametrize("any_interpreter", [sys.executable, *other_interpreters()])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """With ``-n auto``, half as many processes more than cores: many tests wait for processes of their own."""
    cores = count_usable()
    return cores + (cores + 1) // 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave cases of parametrised tests that run whole checks to the slow suite, with as many calls as usual, and
    most of them to `make test-all`.

    The default suite tries each behaviour in its first case, and in some of many.
    """
    numbers: Counter[str] = Counter()
    for item in items:
        test, bracket, _ = item.nodeid.partition("[")
        if bracket and "judge" in getattr(item, "fixturenames", ()) and item.get_closest_marker("slow") is None:
            numbers[test] += 1
            if numbers[test] > FIRST_CASES and numbers[test] % ONE_OF_CASES:
                item.add_marker(pytest.mark.slow(calls=CALLS))
                if numbers[test] % ONE_OF_FURTHER:
                    item.add_marker(pytest.mark.further)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage among thousands of tests, and leave them out of every later search for it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@functools.cache
def other_interpreters() -> tuple[str, ...]:
    """One interpreter of each version >= 3.9 under pyenv and on PATH, this one's version excepted.

    What pyenv has on PATH are shell scripts that take longer to answer than what they lead to, so those come last.
    """
    oldest, newest = OLDEST[1], 15
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found: dict[int, str] = {}
    for minor in range(oldest, newest + 1):
        if minor == sys.version_info.minor:
            continue
        installed = [str(path) for path in sorted(root.glob(f"3.{minor}.*/bin/python3"))]
        for candidate in [*installed, *filter(None, [shutil.which(f"python3.{minor}")])]:
            with contextlib.suppress(UserError):
                interpreter = find_interpreter(candidate, Path())
                found[interpreter.version[1]] = interpreter.path
                break
    return tuple(found.values())


class Judge:
    """Checks candidates against references in one pool that lives as long as the session.

    A check ends after a number of calls, so that what it finds does not depend on the machine; the seconds only end one
    that hangs.
    """

    def __init__(self, runner: asyncio.Runner, pool: GuestPool) -> None:
        self._runner = runner
        self.pool = pool
        self.usual_calls = CALLS

    def run(self, work: Coroutine[Any, Any, Report]) -> Report:
        """Wait for a check that runs in the pool."""
        return self._runner.run(work)

    def __call__(
        self,
        reference: str,
        candidate: str,
        name: str = "f",
        *,
        calls: int | None = AS_USUAL,
        seed: int = 0,
        **more: Any,
    ) -> Report:
        module = read_module(reference)
        kind = OracleKind(more.pop("kind", OracleKind.REFERENCE))
        oracle = oracle_of(module, module.target(name), kind, "reference")
        target = read_module(candidate).target(name)
        budget = Budget(more.pop("seconds", SECONDS), self.usual_calls if calls == AS_USUAL else calls, seed)
        return self.check(target, oracle, budget, **more)

    def edit(self, source: str, name: str, old: str, new: str, **more: Any) -> Report:
        """What a check finds beside the older version after one edit in a function."""
        owner, _, function = name.rpartition(".")
        start = source.index(f"def {function}(", source.index(f"class {owner}") if owner else 0)
        assert old in source[start:]
        newer = source[:start] + source[start:].replace(old, new, 1)
        return self(source, newer, name, kind=OracleKind.PREVIOUS, **more)

    def check(self, target: FunctionTarget, oracle: Oracle, budget: Budget, **more: Any) -> Report:
        """One check of a target that was made elsewhere."""
        return self._runner.run(check(target, oracle, budget, self.pool, **more))

    def in_tests(self, path: Path, source: str, previous: PreviousVersion, name: str) -> tuple[Report, Report]:
        """What a check of a function in a file finds alone, and with the calls of the project's tests."""
        path.write_text(source)
        module = read_module(source, path)
        target = module.target(name)
        oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
        limits = Budget(seconds=20.0, calls=40)
        alone = self.check(target, oracle, limits)
        programs = carved(target, oracle, module, previous, ProjectTests())
        assert programs is not None
        return alone, self.run(check_in_tests(alone, programs, limits, self.pool))


@pytest.fixture
def judge(request: pytest.FixtureRequest, judge_of_session: Judge) -> Judge:
    """Checks a candidate against a reference: ``judge(reference, candidate) -> Report``."""
    slow = request.node.get_closest_marker("slow")
    judge_of_session.usual_calls = CALLS if slow is None else slow.kwargs.get("calls", SLOW_CALLS)
    return judge_of_session


@pytest.fixture(scope="session")
def judge_of_session() -> Iterator[Judge]:
    """The judge of all tests, with one pool of guests."""
    with asyncio.Runner() as runner:
        pool = GuestPool(find_interpreter(sys.executable, Path()), Confinement(), size=3)
        try:
            yield Judge(runner, pool)
        finally:
            runner.run(pool.close())


@pytest.fixture(scope="session")
def evaluated() -> Callable[..., EvaluationResult]:
    """What `evaluate_samples` does."""
    return evaluate_samples


def evaluate_samples(
    folder: Path,
    tasks: Sequence[dict[str, Any]],
    samples: Sequence[tuple[str, str]],
    *,
    on_verdict: Callable[[str, str, SampleVerdict], None] = lambda task, digest, verdict: None,
    engine: Engine | None = None,
    **options: Any,
) -> EvaluationResult:
    """Judges samples, pairs of a task's id and a program, of a data set of one's own; the files go into a folder."""
    folder.mkdir(exist_ok=True)
    lines = [{"task_id": task, "solution": program} for task, program in samples]
    for name, records in (("tasks.jsonl", tasks), ("samples.jsonl", lines)):
        (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    dataset = load_dataset(str(folder / "tasks.jsonl"))
    usual: dict[str, Any] = {
        "rule": Rule.STRICT,
        "base_only": False,
        "test_details": False,
        "times": TimeRules(min_time_limit=0.5, task_time_limit=5.0),
        "jobs": 2,
        "memory_bytes": 2 << 30,
        "interpreter": find_interpreter(sys.executable, Path()),
        "cache": folder / "cache",
        "output": None,
    }
    watcher = Watcher(
        lambda done, total: None,
        lambda done, total: None,
        lambda task, digest, verdict, seconds: on_verdict(task, digest, verdict),
    )
    chosen = load_samples(folder / "samples.jsonl", dataset)
    settings = Options(**{**usual, **options})

    async def run() -> EvaluationResult:
        async with make_guests(settings) as guests:
            return await evaluate(dataset, chosen, settings, watcher, guests, engine=engine)

    return asyncio.run(run())


@pytest.fixture(scope="session")
def loopback() -> ModuleType:
    """The module `tests/loopback/server.py`."""
    path = Path(__file__).parent / "loopback" / "server.py"
    spec = importlib.util.spec_from_file_location("loopback_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["loopback_server"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serve(loopback: ModuleType) -> Iterator[Callable[..., Any]]:
    """Starts loopback servers that end with the test."""
    with ExitStack() as stack:

        def start(answer: Any = lambda body: ["hi"] * body.get("n", 1), **options: Any) -> Any:
            return stack.enter_context(loopback.Loopback(answer, **options).running())

        yield start
