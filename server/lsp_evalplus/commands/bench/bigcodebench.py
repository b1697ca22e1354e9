"""The work of ``lsp-evalplus bench --dataset bigcodebench``: from options to tables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lsp_evalplus.bench.bigcodebench.evaluate import Run, Setup, calibrate, check_references, evaluate
from lsp_evalplus.bench.bigcodebench.files import (
    RunKey,
    model_of,
    named_split,
    pass_at_k_path,
    to_pass_at_k,
    write_json,
)
from lsp_evalplus.bench.bigcodebench.outcome import Reference, Verdict
from lsp_evalplus.bench.bigcodebench.scores import (
    RULES,
    STRICT,
    UPSTREAM,
    domain_scores,
    failed_references,
    reference_rate,
    repeated_references,
    scores_of,
)
from lsp_evalplus.bench.datasets.bigcodebench import SPLITS, SUBSETS, Task, Tasks, load_tasks, to_dataset
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.results.report import INTERVALS, pick_ks
from lsp_evalplus.bench.results.results import TaskScores, is_result_with, keep_aside
from lsp_evalplus.bench.results.tables import TableFormat, interval, percent
from lsp_evalplus.bench.samples.samples import SampleSet, load_samples, select_tasks
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import by_number, count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .event_loop import Session
from .options import asks_anew, bigcodebench_seconds, output_of, shard_of, stores_of
from .run import Display

LEAST_RATE = 0.95
"""Share of references that must pass before samples are scored."""
GOOD_RATE = 0.99
"""Share of references below which a check of references alone has failed."""
_LISTED = 20


def run_bigcodebench(options: dict[str, Any], session: Session) -> int:
    """Judge samples, or references only, and show the results; return the exit code."""
    show = Display(TableFormat(options["form"]))
    setup = Setup(
        session.options.interpreter,
        session.options.memory_bytes,
        bigcodebench_seconds(),
        session.options.jobs,
        session.options.cache,
    )
    paths: Sequence[Path] = options["samples"]
    if options["no_gt"] and (options["compat"] != UPSTREAM or not paths or options["check_gt_only"]):
        raise UserError(
            "--no-gt leaves the references out, without which the strict rule does not know the tests of a task; add "
            "--compat bigcodebench, and --samples."
        )
    if options["check_gt_only"] or not paths:
        return _check_only(options, setup, session, show)
    if len(paths) > 1 and options["output_file"]:
        raise UserError("--output-file names one file, but there are several --samples; leave it out.")
    for path in paths:
        _evaluate_file(path, options, setup, session, show)
    return 0


def _check_only(options: dict[str, Any], setup: Setup, session: Session, show: Display) -> int:
    tasks = load_tasks(options["data_version"], options["subset"] or SUBSETS[0])
    chosen = select_tasks(to_dataset(tasks, SPLITS[0]), options["ids"], options["limit"])
    # Asked for alone, a check is a check of what is there now.
    is_fresh = options["check_gt_only"] or options["fresh"]
    references = _references([tasks.tasks[name] for name in chosen], setup, session, fresh=is_fresh)
    _show_references(tasks, references, show)
    return 0 if reference_rate(references) >= GOOD_RATE else 1


def _references(tasks: Sequence[Task], setup: Setup, session: Session, *, fresh: bool) -> dict[str, Reference]:
    session.use(setup.profile(tasks))
    with _progress("references") as on_progress, _tells_stop():
        return session.run(lambda guests: check_references(tasks, setup, guests, on_progress, fresh=fresh))


def _show_references(tasks: Tasks, references: Mapping[str, Reference], show: Display) -> None:
    failed = failed_references(references)
    rate = reference_rate(references)
    row = ["ground truth pass rate", percent(rate), f"{len(references) - len(failed)}/{len(references)}"]
    show.table(Table(f"bigcodebench {tasks.version}, {tasks.subset}: references", ["", "%", "tasks"], [row]))
    for task_id, reason in [*failed.items()][:_LISTED]:
        show.note(f"  {task_id}: {reason}")
    if len(failed) > _LISTED:
        show.note(f"  ... and {len(failed) - _LISTED} more.")
    for task_id, reason in repeated_references(references).items():
        show.note(f"  {task_id} passed when it ran again, alone; before: {reason}")


def _evaluate_file(path: Path, options: dict[str, Any], setup: Setup, session: Session, show: Display) -> None:
    split, subset = named_split(path)
    split, subset = options["split"] or split or SPLITS[0], options["subset"] or subset or SUBSETS[0]
    tasks = load_tasks(options["data_version"], subset)
    # A completion continues the prompt of Complete, in both splits.
    loaded = load_samples(path, to_dataset(tasks, SPLITS[0]), ids=options["ids"], limit=options["limit"])
    samples = calibrate(loaded, tasks) if options["calibrated"] else loaded
    shard = shard_of(options)
    if shard is not None:
        samples = shard.of(to_dataset(tasks, SPLITS[0]), samples)
        if not samples.samples:
            show.note(f"Shard {shard} has no samples of {path}.")
            return
    for note in samples.notes:
        show.note(note)
    counts = TaskScores({task: (len(group), 0) for task, group in samples.by_task.items()})
    ks = pick_ks(options["ks"], counts)
    key = _key(options, setup, tasks, samples, split)
    references: dict[str, Reference] = {}
    if not options["no_gt"]:
        references = _references([tasks.tasks[name] for name in samples.by_task], setup, session, fresh=False)
        _refuse_broken(references, show, is_allowed=options["allow_broken_environment"])
    output = output_of(options, path)
    if output.exists() and not asks_anew(options) and (found := is_result_with(output, asdict(key))) is not None:
        show.note(f"These are the results of an earlier run of the same samples, from {output}; --fresh runs it again.")
        verdicts = _verdicts_in(found, samples, key)
        if not pass_at_k_path(output).exists():
            # That run was killed between its two files.
            write_json(pass_at_k_path(output), to_pass_at_k(samples, verdicts, key, references, model_of(path)))
    else:
        for old in (output, pass_at_k_path(output)):
            aside = keep_aside(old)
            if aside is not None:
                show.note(f"{old} was of another run and is now {aside.name}.")
        run = Run(
            samples,
            key,
            output,
            model_of(path),
            options["fresh"],
            stores_of(options, output),
            rechecks_timeouts=bool(options["recheck"]),
        )
        session.use(setup.profile(tasks.tasks[name] for name in samples.by_task))
        with _progress("samples") as on_progress, _tells_stop():
            verdicts, judged = session.run(lambda guests: evaluate(tasks, run, references, setup, guests, on_progress))
        if judged:
            show.note(f"Judged before: {judged} of {count(len(verdicts), 'program')}; --fresh judges again.")
    _show_scores(f"bigcodebench {tasks.version} {split} {subset}, {path.name}", samples, verdicts, references, ks, show)
    _show_domains(tasks, scores_of(samples, verdicts, key.compat), show)
    if references:
        _show_references(tasks, references, show)
    else:
        show.note("The ground truth pass rate is not known, because --no-gt leaves the references out.")
    _show_differences(samples, verdicts, show)
    show.note(f"Results: {output} and {pass_at_k_path(output).name}")


def _key(options: dict[str, Any], setup: Setup, tasks: Tasks, samples: SampleSet, split: str) -> RunKey:
    surroundings = setup.surroundings
    return RunKey(
        version=tasks.version,
        dataset_sha256=tasks.sha256,
        samples_sha256=samples.sha256,
        subset=tasks.subset,
        split=split,
        calibrated=options["calibrated"],
        has_references=not options["no_gt"],
        compat=options["compat"],
        python=surroundings.python,
        distributions=surroundings.distributions,
        memory_bytes=setup.memory_bytes,
        wall_seconds=setup.wall_seconds,
    )


def _refuse_broken(references: Mapping[str, Reference], show: Display, *, is_allowed: bool) -> None:
    """Raise `UserError` where too many references fail for a score to mean anything."""
    failed, rate = failed_references(references), reference_rate(references)
    if rate >= LEAST_RATE:
        return
    for task_id, reason in failed.items():
        show.note(f"  {task_id}: {reason}")
    sentence = f"{len(failed)} of {len(references)} references fail in this environment ({100 * rate:.1f} % pass)"
    if not is_allowed:
        raise UserError(
            f"{sentence}, so that a score would be about the environment; name another interpreter with --python, or "
            "add --allow-broken-environment."
        )
    show.note(f"{sentence}; a score over all tasks is too low.")


def _verdicts_in(found: Mapping[str, Any], samples: SampleSet, key: RunKey) -> dict[tuple[str, str], Verdict]:
    """The verdicts in a result file of the same run."""
    verdicts: dict[tuple[str, str], Verdict] = {}
    for task_id, group in samples.by_task.items():
        for sample, entry in zip(group, found["eval"][task_id]):
            decided = Status(entry["status"])
            other = Status((entry.get("other_rule") or entry)["status"])
            strict, upstream = (decided, other) if key.compat == STRICT else (other, decided)
            verdicts[task_id, sample.digest] = Verdict(strict, upstream, entry["details"])
    return verdicts


def _show_scores(
    title: str,
    samples: SampleSet,
    verdicts: Mapping[tuple[str, str], Verdict],
    references: Mapping[str, Reference],
    ks: Sequence[int],
    show: Display,
) -> None:
    valid = set(references) - set(failed_references(references))
    groups = {"all": None, **({"reference passes": valid} if valid else {})}
    rows: list[list[str]] = []
    for k in ks:
        for name, only in groups.items():
            for rule in RULES if references else (UPSTREAM,):
                scores = scores_of(samples, verdicts, rule, only)
                found = scores.estimate(k)
                if found is not None:
                    right = sum(correct for _, correct in scores.counts)
                    total = sum(count for count, _ in scores.counts)
                    cells = [percent(found.value), interval(found.low, found.high), f"{right}/{total}"]
                    rows.append([f"pass@{k}", name, *cells, str(len(scores.tasks)), rule])
    show.table(Table(title, ["", "tasks", "%", "95 % interval", "samples passed", "number", "rule"], rows))
    show.note(INTERVALS)


def _show_domains(tasks: Tasks, scores: TaskScores, show: Display) -> None:
    rows = [
        [domain, percent(value), str(count)] for domain, (value, count) in domain_scores(tasks.tasks, scores).items()
    ]
    if rows:
        show.table(Table("pass@1 by domain", ["domain", "%", "task-library pairs"], rows))


def _show_differences(samples: SampleSet, verdicts: Mapping[tuple[str, str], Verdict], show: Display) -> None:
    """Name the samples that pass by upstream's rule only."""
    lines = [
        f"  {sample.task_id} sample {sample.number} ({sample.where}): {name}: {text}"
        for sample in samples.samples
        for verdict in (verdicts[sample.task_id, sample.digest],)
        if verdict.strict is not verdict.upstream
        for name, text in [*verdict.details.items()][:1]
    ]
    if lines:
        show.note(f"By upstream's rule only, {count(len(lines), 'sample')} {by_number(len(lines), 'passes', 'pass')}:")
        for line in lines[:_LISTED]:
            show.note(line)


@contextmanager
def _progress(what: str) -> Generator[Callable[[int, int], None]]:
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bar:
        row = bar.add_task(what, total=None)

        def on_progress(done: int, total: int) -> None:
            bar.update(row, completed=done, total=total)

        yield on_progress


@contextmanager
def _tells_stop() -> Generator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("what was run is kept, and the same command continues.") from None
