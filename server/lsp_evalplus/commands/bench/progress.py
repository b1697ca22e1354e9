"""The progress bar of ``lsp-evalplus bench``: programs of all workers, how fast they go, and what that costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running.evaluate import Watcher
from lsp_evalplus.bench.samples.samples import SampleSet


@contextmanager
def show_progress(
    console: Console, samples: SampleSet, rule: Rule, part: Part, clock: Callable[[], float] = time.monotonic
) -> Generator[Watcher]:
    """Show one bar for all workers: rate, time left, core-hours, and the share of right samples so far."""
    columns = [TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()]
    with Progress(*columns, TextColumn("{task.fields[said]}"), console=console, transient=True) as bar:
        references = bar.add_task("references", total=None, visible=False, said="")
        programs = bar.add_task("samples", total=None, visible=False, said="")
        score, pace = LiveScore(samples, rule, part), Pace(0, clock())

        def on_references(done: int, total: int) -> None:
            bar.update(references, completed=done, total=total, visible=done < total)

        def on_start(done: int, total: int) -> None:
            nonlocal pace
            pace = Pace(total - done, clock())
            bar.reset(programs, completed=done, total=total, visible=True)

        def on_verdict(task_id: str, digest: str, verdict: SampleVerdict, seconds: float) -> None:
            pace.note(seconds)
            said = [pace.text(clock()), score.update(task_id, digest, verdict)]
            bar.update(programs, advance=1, said=", ".join(filter(None, said)))

        yield Watcher(on_references, on_start, on_verdict)


@dataclass(slots=True)
class Pace:
    """How fast programs are judged, and what that costs; programs that the store had count for neither."""

    due: int
    """Programs to judge."""
    began: float
    """The clock at the start, in seconds."""
    judged: int = 0
    busy: float = 0.0
    """Seconds that workers were busy."""

    def note(self, seconds: float) -> None:
        """Take note of a verdict, and of the seconds that a worker was busy for it."""
        self.judged += 1
        self.busy += seconds

    def text(self, now: float) -> str:
        """The text to show at a time of the clock; empty where nothing is known."""
        passed = now - self.began
        if not self.judged or passed <= 0:
            return ""
        rate = self.judged / passed
        left = timedelta(seconds=round(max(0, self.due - self.judged) / rate))
        total = self.busy / self.judged * max(self.due, self.judged)
        return f"{rate:.3g}/s, {left} left, {self.busy / 3600:.3f} of {total / 3600:.3f} core-hours"


class LiveScore:
    """pass@1 over the samples judged so far."""

    def __init__(self, samples: SampleSet, rule: Rule, part: Part) -> None:
        self._rule, self._part = rule, part
        self._weights: dict[tuple[str, str], int] = {}
        for sample in samples.samples:
            key = (sample.task_id, sample.digest)
            self._weights[key] = self._weights.get(key, 0) + 1
        self._judged = 0
        self._right = 0

    def update(self, task_id: str, digest: str, verdict: SampleVerdict) -> str:
        """Record a verdict and return the string to show."""
        weight = self._weights[task_id, digest] if verdict.parts else 0
        self._judged += weight
        self._right += weight * verdict.passes(self._part, self._rule)
        return f"pass@1 so far {100 * self._right / self._judged:.1f} %" if self._judged else ""
