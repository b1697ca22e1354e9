"""The verdicts of an evaluation: those that the store has, and those found now, which it is given."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from lsp_evalplus.bench.judging.verdicts import SampleVerdict, Status
from lsp_evalplus.bench.parts import own_host
from lsp_evalplus.bench.problem import Dataset, Part, Problem
from lsp_evalplus.bench.store.keys import ProgramKey, task_digest
from lsp_evalplus.bench.store.segments import Origin
from lsp_evalplus.bench.store.store import VerdictStore

KILLED = "was killed by the system"
"""How texts on a program begin that the system killed, be it for the memory of others."""
OUTSIDE = (KILLED, "used too much memory", "was stopped")
"""How texts on a program begin that was ended from outside."""
MOST_SHARED = 4096
"""Different verdicts of which one object each stands for all that are equal."""
UNTIMELY = "no result within"
"""How texts on calls and programs begin that ran out of time."""


def is_lasting(verdict: SampleVerdict) -> bool:
    """Whether a verdict would be the same at another time: nobody killed the program, and its task can be judged."""
    return bool(verdict.parts) and not any(text.startswith(OUTSIDE) for text in _texts(verdict))


def was_killed(verdict: SampleVerdict) -> bool:
    """Whether the system killed the program, so that the verdict says more about the machine than about it."""
    return any(text.startswith(KILLED) for text in _texts(verdict))


def has_timed_out(verdict: SampleVerdict) -> bool:
    """Whether anything in a verdict is a time-out, which a faster or a less busy machine may not have."""
    statuses = {found.status for rules in verdict.parts.values() for found in rules.values()}
    return Status.TIMEOUT in statuses or any(text.startswith(UNTIMELY) for text in _texts(verdict))


def _texts(verdict: SampleVerdict) -> Iterable[str]:
    return (item.actual for rules in verdict.parts.values() for found in rules.values() for item in found.failures)


def is_about(verdict: SampleVerdict, problem: Problem, parts: Sequence[Part], tests: Mapping[Part, int] | None) -> bool:
    """Whether a verdict that was read has the parts that are asked for, and names inputs or tests that there are.

    `tests`: the number of tests by part, if they are known.
    """
    if set(verdict.parts) != set(parts):
        return False
    for part, rules in verdict.parts.items():
        count = len(problem.inputs(part))
        if problem.tests is not None:
            count = tests.get(part, 0) if tests is not None else 1 << 30
        for found in rules.values():
            indices = [failure.index for failure in found.failures]
            if not all(-1 <= index < count for index in indices) or (found.status is Status.PASS) is bool(indices):
                return False
    return len({len(rules) for rules in verdict.parts.values()} | {2}) == 1


class RecordedVerdicts:
    """The verdicts of one evaluation by task and digest of the program.

    Args:
        store: None to keep them in memory only.
        parts: the parts of the tests that are asked for.
        rechecks_timeouts: take no time-out from the store.
    """

    def __init__(
        self,
        dataset: Dataset,
        store: VerdictStore[SampleVerdict] | None,
        parts: Sequence[Part],
        *,
        rechecks_timeouts: bool = False,
    ) -> None:
        self._dataset = dataset
        self._store = store
        self.parts = tuple(parts)
        self._rechecks = rechecks_timeouts
        self._digests: dict[str, str] = {}
        self._origin: Origin | None = None
        self._shared: dict[str, SampleVerdict] = {}
        self.verdicts: dict[tuple[str, str], SampleVerdict] = {}
        self.layers_off: dict[str, str] = {}
        """The layers of the sandbox that were off when any of these verdicts was found, and why."""

    @property
    def damaged(self) -> int:
        """Lines of the store that were skipped because they are no verdicts."""
        return 0 if self._store is None else self._store.damaged

    def load(self, programs: Iterable[tuple[str, str]]) -> None:
        """Take what the store has on programs, given by task and digest."""
        if self._store is None:
            return
        wanted = {(self._digest(task_id), digest) for task_id, digest in programs}
        if wanted:
            self._load({task: task_id for task_id, task in self._digests.items()}, wanted.__contains__)

    def load_tasks(self, task_ids: Iterable[str]) -> None:
        """Take what the store has on any program of some tasks."""
        tasks = {self._digest(task_id): task_id for task_id in task_ids} if self._store else {}
        if tasks:
            self._load(tasks, lambda key: key[0] in tasks)

    def _load(self, tasks: Mapping[str, str], is_wanted: Callable[[ProgramKey], bool]) -> None:
        assert self._store is not None
        for (task, digest), stored in self._store.find(is_wanted).items():
            problem = self._dataset.problems[tasks[task]]
            if not is_about(stored.verdict, problem, self.parts, None):
                self._store.damaged += 1
            elif not (self._rechecks and has_timed_out(stored.verdict)):
                self.verdicts[problem.task_id, digest] = stored.verdict
                self.layers_off.update(stored.origin.layers_off)

    def drop_unfit(self, test_names: Mapping[str, Mapping[Part, Sequence[str]]]) -> None:
        """Forget verdicts on tests that the reference does not pass here."""
        for task_id, digest in list(self.verdicts):
            if task_id in test_names:
                names = test_names[task_id]
                tests = {part: len(names.get(part, ())) for part in Part}
                verdict, problem = self.verdicts[task_id, digest], self._dataset.problems[task_id]
                if not is_about(verdict, problem, self.parts, tests) or not tests[Part.BASE]:
                    del self.verdicts[task_id, digest]

    def note(
        self, task_id: str, digest: str, verdict: SampleVerdict, seconds: float, layers_off: Mapping[str, str]
    ) -> None:
        """Record a verdict that was just found. Raises `UserError` when the store cannot be written."""
        self.verdicts[task_id, digest] = verdict = self._share(verdict)
        if layers_off:
            self.layers_off.update(layers_off)
        if self._store is not None and is_lasting(verdict):
            if self._origin is None or self._origin.layers_off != layers_off:
                self._origin = Origin(own_host(), version("lsp-evalplus"), dict(layers_off))
            self._store.add((self._digest(task_id), digest), verdict.to_json(), seconds, self._origin)

    def _share(self, verdict: SampleVerdict) -> SampleVerdict:
        """The object for all verdicts that are equal to this one: most programs pass, or fail in the same way."""
        if len(self._shared) >= MOST_SHARED:
            self._shared.clear()
        return self._shared.setdefault(json.dumps(verdict.to_json()), verdict)

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()

    def _digest(self, task_id: str) -> str:
        if task_id not in self._digests:
            self._digests[task_id] = task_digest(self._dataset.problems[task_id])
        return self._digests[task_id]


def machine() -> dict[str, Any]:
    """What verdicts depend on of a machine besides its speed."""
    return {"system": platform.system(), "processor": platform.machine()}
