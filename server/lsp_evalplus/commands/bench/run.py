"""The work of ``lsp-evalplus bench`` and ``bench compare``: from options to tables."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.files import check_writable
from lsp_evalplus.bench.judging.verdicts import Rule, Status
from lsp_evalplus.bench.problem import Dataset, Part
from lsp_evalplus.bench.ranking.standing import names_of
from lsp_evalplus.bench.results.merging import group_parts, merge_parts
from lsp_evalplus.bench.results.report import (
    INTERVALS,
    compare,
    comparison_table,
    disagreements,
    pick_ks,
    score_table,
    sweep_table,
    task_table,
    temperature_of,
)
from lsp_evalplus.bench.results.results import (
    TaskScores,
    is_result_of,
    keep_aside,
    read_results,
    scores_in,
    tasks_without_samples,
    write_results,
)
from lsp_evalplus.bench.results.tables import TableFormat, to_rich, to_text
from lsp_evalplus.bench.running.evaluate import EvaluationResult, Options, Watcher, open_record, run_key
from lsp_evalplus.bench.running.next_file import NextFile
from lsp_evalplus.bench.running.recorded import RecordedVerdicts
from lsp_evalplus.bench.samples.raw_answers import find_raw_answers
from lsp_evalplus.bench.samples.samples import Sample, SampleSet, load_samples, name_first, reference_samples
from lsp_evalplus.bench.samples.sanitize_files import sanitize_source, sanitized_path
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .event_loop import Session
from .options import asks_anew, output_of, stores_of
from .progress import show_progress

_LISTED = 20


def run_bench(options: dict[str, Any], session: Session) -> int:
    """Evaluate and show the results; return the exit code, 1 when a reference fails its own tests."""
    with _kept_for_good():
        variant = {"mini": options["mini"], "noextreme": options["noextreme"]}
        dataset = load_dataset(options["dataset"], **variant, cache=cache_folder())
    if not dataset.has_plus:
        options["base_only"] = True
        session.options = replace(session.options, base_only=True)
    if options["on"]:
        from lsp_evalplus.bench.remote.driver import RemoteJudge
        from lsp_evalplus.bench.remote.executors import executor_maker

        session.engine = RemoteJudge(executor_maker(options["on"]), options["jobs"] or 0)
    show = Display(TableFormat(options["form"]))
    chosen = {"ids": options["ids"], "limit": options["limit"]}
    if options["model"]:
        from .model import generate_and_judge

        path, session.known = generate_and_judge(dataset, options, show)
        options["samples"] = (path,)
    if not options["samples"]:
        return _check_references(dataset, reference_samples(dataset, **chosen), options, show, session)
    if len(options["samples"]) > 1 and options["output_file"]:
        raise UserError("--output-file names one file, but there are several --samples; leave it out.")
    _check_names(options["samples"])
    _check_output(options)
    for path in options["samples"][1:]:  # What cannot be read is told before hours of work, but not kept in memory.
        load_samples(path, dataset, **chosen)
    runs: dict[str, dict[Part, TaskScores]] = {}
    ahead: dict[Path, SampleSet] = {}
    paths: Sequence[Path] = options["samples"]
    for path, following in zip(paths, [*paths[1:], None], strict=True):
        samples = ahead.pop(path, None) or load_samples(path, dataset, **chosen)
        if session.following is not None:
            session.known = session.following.verdicts
            session.found_ahead = len(session.known)
        session.following = _next_file(dataset, following, options, session, ahead)
        runs[temperature_of(path)] = _evaluate_file(dataset, path, samples, options, show, session)
        del samples
        if options["sanitize"]:
            runs[temperature_of(path)] = _evaluate_sanitized(dataset, path, options, show, session)
    runs = {name: scores for name, scores in runs.items() if scores[Part.BASE].tasks}
    if len(runs) > 1:
        ks = options["ks"] or _common_ks(runs)
        show.table(sweep_table(f"{dataset.name} {dataset.version}: best temperature", runs, ks))
    return 0


def _next_file(
    dataset: Dataset, path: Path | None, options: dict[str, Any], session: Session, ahead: dict[Path, SampleSet]
) -> NextFile | None:
    """The file that is evaluated next, unless what comes next is something else; its samples are put into `ahead`."""
    if path is None or options["sanitize"] or session.engine is not None:
        return None
    output = output_of(options, path)
    if output.exists() and not asks_anew(options):
        return None
    setup = replace(session.options, output=output, store=stores_of(options, output))

    def read() -> tuple[SampleSet, RecordedVerdicts]:
        samples = ahead[path] = load_samples(path, dataset, ids=options["ids"], limit=options["limit"])
        chosen = samples if setup.shard is None else setup.shard.of(dataset, samples)
        record = open_record(dataset, setup)
        if not setup.fresh:
            record.load((sample.task_id, sample.digest) for sample in chosen.samples)
        return chosen, record

    return NextFile(read)


def _check_names(paths: Sequence[Path]) -> None:
    """Raise `UserError` for two files that a sweep could not distinguish."""
    names: dict[str, Path] = {}
    for path in paths:
        name = temperature_of(path)
        if name in names:
            raise UserError(
                f"a sweep calls both {names[name]} and {path} {name}; give them names with their temperatures, such as "
                "model_temp_0.8.jsonl."
            )
        names[name] = path


@contextmanager
def _kept_for_good() -> Generator[None]:
    """Exclude the objects created in the block, which live until exit, from garbage collection."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _common_ks(runs: dict[str, dict[Part, TaskScores]]) -> Sequence[int]:
    return max((pick_ks((), next(iter(scores.values()))) for scores in runs.values()), key=len)


def _check_output(options: dict[str, Any]) -> None:
    """Raise `UserError` if the result file would replace what is read."""
    output: Path | None = options["output_file"]
    for option, path in (
        ("--dataset", Path(options["dataset"])),
        *(("--samples", path) for path in options["samples"]),
    ):
        if output is not None and output.exists() and path.exists() and output.samefile(path):
            raise UserError(f"--output-file names the file of {option}, {path}; name another one for the results.")


def _evaluate_file(
    dataset: Dataset, path: Path, samples: SampleSet, options: dict[str, Any], show: Display, session: Session
) -> dict[Part, TaskScores]:
    output = output_of(options, path)
    setup = replace(session.options, output=output, store=stores_of(options, output))
    for note in samples.notes:
        show.note(note)
    title = f"{dataset.name} {dataset.version}, {path.name}"
    key = run_key(dataset, samples, setup)
    if output.exists() and not asks_anew(options):
        found = is_result_of(output, key, setup.rule, None if setup.shard is None else str(setup.shard))
        if found is not None:
            show.note(
                f"These are the results of an earlier run of the same samples, from {output}; --fresh runs it again."
            )
            if setup.shard is not None:
                return {part: TaskScores() for part in setup.parts}
            other = _other(setup.rule)
            scores = {part: scores_in(found, part, output) for part in setup.parts}
            others = {part: scores_in(found, part, output, by_other=True) for part in setup.parts}
            _show_scores(title, {setup.rule: scores, other: others}, options, show)
            _note_raw_answers(_failing_in(samples, found), len(samples.samples), options, show)
            return scores
    ks = _early_ks(samples, options) if setup.shard is None else ()
    aside = keep_aside(output)
    if aside is not None:
        cause = "was of an earlier run" if asks_anew(options) else "was of other samples or options, or not complete"
        show.note(f"{output} {cause} and is now {aside.name}.")
    outcome = _run(dataset, samples, setup, show, session)
    _note_store(outcome, show, ahead=session.found_ahead)
    _note_killed([task for task, _ in outcome.killed], show)
    if setup.shard is not None:
        tasks = f"{len(outcome.samples.by_task)} of {count(len(samples.by_task), 'task')}"
        show.note(f"Shard {setup.shard}: {tasks}, {count(len(outcome.samples.samples), 'sample')}: {output}")
        return {part: TaskScores() for part in setup.parts}
    rules = (setup.rule, _other(setup.rule))
    scores = {rule: outcome.scores(rule) for rule in rules}
    _show_scores(title, scores, {**options, "ks": ks}, show)
    _show_differences(outcome, setup.rule, show)
    _note_raw_answers(_not_loaded(outcome, setup.rule), len(samples.samples), options, show)
    show.note(f"Results: {output}")
    return scores[setup.rule]


def _note_store(outcome: EvaluationResult, show: Display, *, ahead: int) -> None:
    """Say what came from the verdict store, and what in it could not be read."""
    if outcome.found > ahead:
        programs = len({(sample.task_id, sample.digest) for sample in outcome.samples.samples})
        show.note(f"Judged before: {outcome.found - ahead} of {count(programs, 'program')}; --fresh judges again.")
    if outcome.damaged:
        show.note(f"Skipped {count(outcome.damaged, 'line')} of the verdict store that cannot be read as a verdict.")


def _note_killed(tasks: Sequence[str], show: Display) -> None:
    """Say that there was too little memory for some programs, given by their tasks."""
    if tasks:
        show.note(
            f"Killed by the system, which lacked memory although no other program ran: {count(len(tasks), 'program')} "
            f"({name_first(tasks, _LISTED)}). They count as failed here and are not kept; the same command judges them "
            "again where this process may use more memory."
        )


def _evaluate_sanitized(
    dataset: Dataset, path: Path, options: dict[str, Any], show: Display, session: Session
) -> dict[Part, TaskScores]:
    """Score the code in raw answers, which is written beside them as by ``sanitize``."""
    result = sanitize_source(path, dataset.problems, sanitized_path(path))
    show.note(f"Sanitized: {result.changed} of {count(result.samples, 'sample')} changed: {result.path}")
    named: Path | None = options["output_file"]
    output = named.with_name(f"{named.stem}-sanitized{named.suffix}") if named else None
    samples = load_samples(result.path, dataset, ids=options["ids"], limit=options["limit"])
    return _evaluate_file(dataset, result.path, samples, {**options, "output_file": output}, show, session)


def _other(rule: Rule) -> Rule:
    return Rule.STRICT if rule is Rule.EVALPLUS else Rule.EVALPLUS


def _not_loaded(outcome: EvaluationResult, rule: Rule) -> Iterator[Sample]:
    """The samples whose programs could not be loaded."""
    for sample in outcome.samples.samples:
        parts = outcome.verdicts[sample.task_id, sample.digest].parts
        if parts and any(failure.index < 0 for failure in parts[Part.BASE][rule].failures):
            yield sample


def _failing_in(samples: SampleSet, results: dict[str, Any]) -> Iterator[Sample]:
    """The samples that fail the base tests in a result file of the same samples."""
    for task_id, group in samples.by_task.items():
        for sample, entry in zip(group, results["eval"][task_id]):
            if entry.get("base_status") != Status.PASS:
                yield sample


def _note_raw_answers(failing: Iterable[Sample], total: int, options: dict[str, Any], show: Display) -> None:
    """Say how many samples do not compile, and what to do about it."""
    found = find_raw_answers(failing)
    if not found.uncompilable:
        return
    fenced = f", {found.fenced} of them with Markdown fences" if found.fenced else ""
    first = f"{fenced} (the first is {found.uncompilable[0]})"
    said = f"Cannot be compiled: {len(found.uncompilable)} of {count(total, 'sample')}{first}."
    if not options["sanitize"] and not options["model"]:
        said += " If these are answers as the model gave them, --sanitize also scores the code that they contain."
    show.note(said)


def _early_ks(samples: SampleSet, options: dict[str, Any]) -> Sequence[int]:
    """The k to show, determined early so that a k too large is an error before the run."""
    counts = TaskScores({task: (len(group), 0) for task, group in samples.by_task.items()})
    return pick_ks(options["ks"], counts)


def _show_scores(
    title: str, scores: dict[Rule, dict[Part, TaskScores]], options: dict[str, Any], show: Display
) -> None:
    """Show the scores by both comparators, the deciding one first."""
    deciding = next(iter(scores.values()))
    if not deciding[Part.BASE].tasks:
        show.note(f"{title}: there is no score, because none of its tasks can judge a sample.")
        return
    if options["per_task"]:
        show.table(task_table(title, deciding))
    show.table(score_table(title, scores, pick_ks(options["ks"], next(iter(deciding.values())))))
    if any(parts != deciding for parts in scores.values()):
        show.note(
            "Published scores compare with the row evalplus; the row strict takes no 1.0 for 1 and no set for a list."
        )
    show.note(INTERVALS)


def _show_differences(outcome: EvaluationResult, rule: Rule, show: Display) -> None:
    """Report the samples on which the two comparators differ."""
    other = _other(rule)
    lines: list[str] = []
    for sample in outcome.samples.samples:
        verdict = outcome.verdicts[sample.task_id, sample.digest]
        for part in verdict.differing:
            said = " and ".join(f"{name}: {verdict.status(part, name)}" for name in (rule, other))
            failures = verdict.parts[part][rule].failures or verdict.parts[part][other].failures
            cause = f", input {failures[0].index} gave {failures[0].actual[:80]}" if failures else ""
            lines.append(f"  {sample.task_id} sample {sample.number} ({sample.where}), {part}: {said}{cause}")
    if lines:
        show.note(f"The comparators differ on {count(len(lines), 'verdict')}:")
        for line in lines[:_LISTED]:
            show.note(line)
        if len(lines) > _LISTED:
            show.note(f"  ... and {len(lines) - _LISTED} more; all are in the result file under 'other_comparator'.")
    for sentence in outcome.left_out:
        show.note(f"Nobody is judged on {sentence}.")
    if outcome.together:
        named = name_first(outcome.together, _LISTED)
        show.note(
            f"The tests of {count(len(outcome.together), 'task')} run in one process with the sample and are protected "
            f"less, because the reference passes in no other way: {named}."
        )


def _check_references(
    dataset: Dataset, samples: SampleSet, options: dict[str, Any], show: Display, session: Session
) -> int:
    show.note(f"There are no --samples, so the references of {dataset.name} are run and judged.")
    for note in samples.notes:
        show.note(note)
    named: Path | None = options["output_file"]
    setup = replace(session.options, output=named, store=stores_of(options, named))
    outcome = _run(dataset, samples, setup, show, session)
    scores = outcome.scores(setup.rule)
    both = {rule: outcome.scores(rule) for rule in (setup.rule, _other(setup.rule))}
    _show_scores(f"{dataset.name} {dataset.version}, its own references", both, options, show)
    _show_differences(outcome, setup.rule, show)
    judged = scores[setup.parts[-1]].tasks
    failing = [task for task in samples.by_task if task not in judged or judged[task][1] < judged[task][0]]
    if failing:
        show.note(f"References that fail their own tests: {', '.join(failing)}.")
    return 1 if failing else 0


def _run(dataset: Dataset, samples: SampleSet, setup: Options, show: Display, session: Session) -> EvaluationResult:
    with show.progress(samples, setup.rule, setup.parts[-1]) as watcher:
        try:
            return session.evaluate(dataset, samples, setup, watcher)
        except KeyboardInterrupt:
            if setup.output is None:
                raise Stopped("nothing is kept without --output-file.") from None
            if not setup.store:
                raise Stopped("nothing is kept with --no-store.") from None
            command = "the same command without --fresh" if setup.fresh else "the same command"
            raise Stopped(f"what was judged is kept, and {command} continues.") from None


def merge_files(paths: Sequence[Path], options: dict[str, Any]) -> None:
    """Put the parts of shards together, and show the scores."""
    show = Display(TableFormat(options["form"]))
    groups = group_parts(paths)
    named: Path | None = options["output_file"]
    if named is not None and len(groups) > 1:
        raise UserError(f"--output-file names one file, but there are parts of {len(groups)}; leave it out.")
    merged = {named or path: merge_parts(parts) for path, parts in groups.items()}
    for path, results in merged.items():
        check_writable(path)
        keep_aside(path)
        write_results(path, results)
        rule = Rule(results["lsp_evalplus"]["compat"])
        parts = [Part(part) for part in results["pass_at_k"]]
        scores = {part: scores_in(results, part, path) for part in parts}
        others = {part: scores_in(results, part, path, by_other=True) for part in parts}
        title = f"{results['lsp_evalplus']['dataset']} {results['lsp_evalplus']['version']}, {path.name}"
        _show_scores(title, {rule: scores, _other(rule): others}, {**options, "per_task": False}, show)
        _note_killed([task for task, _ in results["lsp_evalplus"].get("killed", ())], show)
        show.note(f"Results: {path}")


def compare_files(first: Path, second: Path, form: str) -> None:
    """Show a paired comparison of two result files."""
    show = Display(TableFormat(form))
    one, two = read_results(first), read_results(second)
    if one.get("hash") != two.get("hash"):
        show.note("The files are of different versions of the data set; the scores are of different tests.")
    for path, results in ((first, one), (second, two)):
        empty = tasks_without_samples(results)
        if empty:
            named = name_first(empty, _LISTED)
            show.note(f"{path} has no samples of {len(empty)} of its tasks, which are left out: {named}.")
    comparisons = {Part.BASE: compare(scores_in(one, Part.BASE, first), scores_in(two, Part.BASE, second))}
    try:
        comparisons[Part.PLUS] = compare(scores_in(one, Part.PLUS, first), scores_in(two, Part.PLUS, second))
    except UserError as error:
        show.note(str(error))
    names = names_of([str(first), str(second)])
    show.table(comparison_table(f"A = {names[0]}, B = {names[1]}", comparisons))
    show.note("p: two-sided, paired over the tasks; interval: bootstrap over tasks (10,000 resamples, seed 0).")


def compare_verdicts(first: Path, second: Path, form: str) -> int:
    """List the samples that two files judge differently; return the exit code, 1 when there are any."""
    show = Display(TableFormat(form))
    found, shared = disagreements(read_results(first), read_results(second))
    if not shared:
        raise UserError(
            f"{first} and {second} have no sample in common; --verdicts needs two runs on the same samples."
        )
    if found:
        rows = [[item.task_id, str(item.number), item.first, item.second] for item in found]
        show.table(Table("base/plus verdicts", ["task", "sample", *names_of([str(first), str(second)])], rows))
    show.note(f"Judged differently: {len(found)} of {count(shared, 'sample')}.")
    return 1 if found else 0


class Display:
    """Tables on stdout; notes and progress on stderr, so that stdout can go to a file."""

    def __init__(self, form: TableFormat) -> None:
        self._form = form
        self._has_shown = False
        self._out = Console()
        self._err = Console(stderr=True, highlight=False)

    def table(self, table: Table) -> None:
        """Print a table in the requested format."""
        if self._form is TableFormat.RICH:
            shown, left_out = to_rich(table, self._out.width)
            self._out.print(shown)
            if left_out:
                self.note(f"Left out, for the names: {', '.join(left_out)}. A wider terminal and --format have them.")
        else:
            if self._has_shown:  # In Markdown, a line directly below a table is part of it.
                click.echo()
            click.echo(to_text(table, self._form), nl=False)
        self._has_shown = True

    def note(self, text: str) -> None:
        """Print a sentence."""
        # Program output may contain characters that a terminal cannot encode.
        self._err.print(text.encode("utf-8", "backslashreplace").decode(), markup=False, soft_wrap=True)

    def progress(self, samples: SampleSet, rule: Rule, part: Part) -> AbstractContextManager[Watcher]:
        """One progress bar for all workers."""
        return show_progress(self._err, samples, rule, part)
