"""Scores of a run on BigCodeBench: by rule, over all tasks or those whose reference passes, and by domain. All pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsp_evalplus.bench.datasets.bigcodebench import Task, domains_of
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.bench.samples.samples import SampleSet

from .outcome import Reference, Verdict

STRICT, UPSTREAM = "strict", "bigcodebench"
RULES = (STRICT, UPSTREAM)


def status_of(verdict: Verdict, rule: str) -> Status:
    """The status by a rule."""
    return verdict.strict if rule == STRICT else verdict.upstream


def scores_of(
    samples: SampleSet, verdicts: Mapping[tuple[str, str], Verdict], rule: str, only: Collection[str] | None = None
) -> TaskScores:
    """Samples and right samples of each task, of the tasks `only` if given."""
    scores = TaskScores()
    for task_id, group in samples.by_task.items():
        if only is None or task_id in only:
            passed = [status_of(verdicts[task_id, sample.digest], rule) is Status.PASS for sample in group]
            scores.tasks[task_id] = (len(group), sum(passed))
    return scores


def domain_scores(tasks: Mapping[str, Task], scores: TaskScores) -> dict[str, tuple[float, int]]:
    """pass@1 of each domain, and its number of (task, library) pairs, over which upstream takes the mean."""
    found: dict[str, list[float]] = {}
    for task_id, (total, right) in scores.tasks.items():
        for domain in domains_of(tasks[task_id]):
            found.setdefault(domain, []).append(right / total)
    return {domain: (sum(values) / len(values), len(values)) for domain, values in sorted(found.items())}


def failed_references(references: Mapping[str, Reference]) -> dict[str, str]:
    """The tasks whose references do not pass here, with the reason."""
    return {task_id: reference.fault for task_id, reference in references.items() if reference.fault}


def repeated_references(references: Mapping[str, Reference]) -> dict[str, str]:
    """The tasks whose references pass, but did not when they ran first beside others, with the reason of then."""
    found = {task_id: reference for task_id, reference in references.items() if not reference.fault}
    return {task_id: reference.first_fault for task_id, reference in found.items() if reference.first_fault}


def reference_rate(references: Mapping[str, Reference]) -> float:
    """The share of references that pass here: upstream's ground truth pass rate."""
    return 1 - len(failed_references(references)) / len(references)
