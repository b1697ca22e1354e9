"""Result files, compatible with evalplus in both directions.

The file has evalplus' keys (``date``, ``hash``, ``eval``, ``pass_at_k``) and one more, ``lsp_evalplus``, with
everything the scores depend on. It contains no timestamp, so that the same samples give the same bytes: ``date``
stays empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, cast

from lsp_evalplus.bench.datasets.jsonl import open_text, read_bytes
from lsp_evalplus.bench.files import check_writable, write_file
from lsp_evalplus.bench.judging.verdicts import Failure, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Dataset, Family, Part, Problem
from lsp_evalplus.bench.samples.samples import Sample, SampleSet
from lsp_evalplus.fuzz.errors import UserError

from .json_reader import JsonReader
from .passk import Estimate, estimate, mean_pass_at_k

FORMAT = 2
"""Increased with every change of the content of files, or of how verdicts are determined."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """Everything the verdicts of a run depend on; a result with another key is never reused."""

    dataset: str
    version: str
    dataset_sha256: str
    samples_sha256: str
    base_only: bool
    test_details: bool
    min_time_limit: float
    gt_time_limit_factor: float
    task_time_limit: float
    most_timeouts: int | None
    """With test details: number of timeouts in one part after which its other inputs were skipped."""
    tasks: int
    samples: int
    python: str
    """Version of the interpreter that ran the samples."""
    distributions: str
    """Digest of the installed distributions (`environment.digest_distributions`), which samples may import."""
    memory_bytes: int
    """Memory limit of a program."""
    format: int = FORMAT


TestNames: TypeAlias = Mapping[str, Mapping[Part, Sequence[str]]]
"""The names of the tests of a task by task and part, for tasks that are judged by tests."""
Counts = list[tuple[int, int]]
"""Per task: number of samples, and number of right samples."""


@dataclass(slots=True)
class TaskScores:
    """The scores of one part of one run by task, in the order of the data set."""

    tasks: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    @property
    def counts(self) -> Counts:
        """The pairs without task names."""
        return list(self.tasks.values())

    def estimate(self, k: int) -> Estimate | None:
        """pass@k, or None where a task has fewer than `k` samples."""
        return estimate(self.counts, k) if self._has(k) else None

    def mean(self, k: int) -> float | None:
        """The value of `estimate` without its interval, which takes longer."""
        return mean_pass_at_k(self.counts, k) if self._has(k) else None

    def _has(self, k: int) -> bool:
        return bool(self.tasks) and min(total for total, _ in self.counts) >= k


def result_path(samples: Path) -> Path:
    """The path where evalplus writes the results of a sample file or folder."""
    if samples.is_dir():
        return samples / "eval_results.json"
    name = samples.name
    for suffix in (".jsonl.gz", ".jsonl", ".zip"):
        if name.endswith(suffix):
            name = name.removesuffix(suffix)
            break
    return samples.with_name(name + "_eval_results.json")


def scores_of(
    samples: SampleSet, verdicts: Mapping[tuple[str, str], SampleVerdict], part: Part, rule: Rule
) -> TaskScores:
    """Count the right samples of each task that was judged; `verdicts` is keyed by task and digest of the program."""
    scores = TaskScores()
    for task_id, group in samples.by_task.items():
        if not any(verdicts[task_id, sample.digest].parts for sample in group):
            continue
        right = sum(verdicts[task_id, sample.digest].passes(part, rule) for sample in group)
        scores.tasks[task_id] = (len(group), right)
    return scores


def to_results(
    dataset: Dataset,
    samples: SampleSet,
    verdicts: Mapping[tuple[str, str], SampleVerdict],
    key: RunKey,
    rule: Rule,
    expected_texts: Mapping[tuple[str, Part, int], str],
    test_names: TestNames,
) -> dict[str, Any]:
    """Build the content of a result file; `expected_texts` has the expected value of every failing input.

    The entries of a task are made each time that they are asked for: all of them are larger than the samples.
    """
    parts = [Part.BASE] if key.base_only else [Part.BASE, Part.PLUS]
    groups = samples.by_task

    def entries_of(task_id: str) -> list[dict[str, Any]]:
        problem, names = dataset.problems[task_id], test_names.get(task_id, {})
        return [
            _to_entry(problem, sample, verdicts[task_id, sample.digest], rule, key, expected_texts, names)
            for sample in groups[task_id]
        ]

    evaluated = _Entries(groups, entries_of)
    return {
        "date": "",
        "hash": dataset.md5,
        "eval": evaluated,
        "pass_at_k": {part: pass_at_k(scores_of(samples, verdicts, part, rule)) for part in parts},
        "lsp_evalplus": {**asdict(key), "compat": rule, "notes": list(samples.notes)},
    }


class _Entries(Mapping[str, list[dict[str, Any]]]):
    """The entries of each task, made on demand."""

    def __init__(self, tasks: Collection[str], make: Callable[[str], list[dict[str, Any]]]) -> None:
        self._tasks, self._make = tasks, make

    def __getitem__(self, task_id: str) -> list[dict[str, Any]]:
        if task_id not in self._tasks:
            raise KeyError(task_id)
        return self._make(task_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)


def pass_at_k(scores: TaskScores) -> dict[str, float | None]:
    """The scores as a result file has them."""
    found = {k: scores.mean(k) for k in (1, 10, 100)}
    if not scores.tasks:  # Nobody could be judged on any task, which is no score of zero.
        return {"pass@1": None}
    return {f"pass@{k}": value for k, value in found.items() if value is not None}


def _to_entry(
    problem: Problem,
    sample: Sample,
    verdict: SampleVerdict,
    rule: Rule,
    key: RunKey,
    expected_texts: Mapping[tuple[str, Part, int], str],
    test_names: Mapping[Part, Sequence[str]],
) -> dict[str, Any]:
    entry: dict[str, Any] = {"task_id": problem.task_id, "solution": sample.solution}
    for part in (Part.BASE, Part.PLUS):
        entry[f"{part}_status"] = verdict.status(part, rule)
    for part in (Part.BASE, Part.PLUS):
        failures = verdict.parts[part][rule].failures if part in verdict.parts else ()
        if problem.tests is not None:
            _add_tests(entry, part, failures, test_names.get(part, ()), details=key.test_details)
            continue
        inputs = problem.inputs(part)
        entry[f"{part}_fail_tests"] = [
            to_json_input(problem, inputs[item.index]) for item in failures if item.index >= 0
        ]
        if key.test_details:
            entry[f"{part}_details"] = [_to_detail(problem, part, item, expected_texts) for item in failures]
    other = Rule.STRICT if rule is Rule.EVALPLUS else Rule.EVALPLUS
    if verdict.differing:
        entry["other_comparator"] = {"name": other} | {
            f"{part}_status": verdict.status(part, other) for part in verdict.parts
        }
    return entry


def _add_tests(
    entry: dict[str, Any], part: Part, failures: Sequence[Failure], names: Sequence[str], *, details: bool
) -> None:
    """Name the tests that a sample failed."""
    entry[f"{part}_fail_tests"] = [names[item.index] for item in failures if item.index >= 0]
    if details:
        entry[f"{part}_details"] = [
            {"index": None, "actual": item.actual}
            if item.index < 0
            else {"index": item.index, "test": names[item.index], "actual": item.actual}
            for item in failures
        ]


def _to_detail(
    problem: Problem, part: Part, failure: Failure, expected_texts: Mapping[tuple[str, Part, int], str]
) -> dict[str, Any]:
    if failure.index < 0:
        return {"index": None, "actual": failure.actual}
    arguments = ", ".join(repr(argument) for argument in problem.inputs(part)[failure.index])
    expected = expected_texts.get((problem.task_id, part, failure.index), "")
    return {
        "index": failure.index,
        "call": f"{problem.entry_point}({arguments})",
        "expected": expected,
        "actual": failure.actual,
    }


def to_json_input(problem: Problem, arguments: Sequence[Any]) -> Any:
    """An input as evalplus writes it: in the JSON form of the data set, if it has one."""
    number = problem.task_id.rpartition("/")[2] if problem.family is Family.MBPP else ""
    if number in ("124", "252"):
        return [str(argument) for argument in arguments]
    return _to_json(list(arguments))


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        return {key if isinstance(key, str) else str(key): _to_json(item) for key, item in pairs.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, (set, frozenset)):
        return sorted((_to_json(item) for item in cast("Iterable[Any]", value)), key=repr)
    return value if isinstance(value, (str, int, float, type(None))) else repr(value)


def write_results(path: Path, results: Mapping[str, Any]) -> None:
    """Write a result file atomically. Raises `UserError` when that is not possible."""
    write_file(path, (piece.encode("ascii") for piece in _pieces(results)))


def _pieces(results: Mapping[str, Any]) -> Iterator[str]:
    """The text of `json.dumps` and a newline, with the entries of one task in memory at a time."""
    yield "{"
    for number, (name, value) in enumerate(results.items()):
        yield f"{', ' * bool(number)}{json.dumps(name)}: "
        if name != "eval":
            yield json.dumps(value)
            continue
        yield "{"
        for place, (task_id, entries) in enumerate(value.items()):
            yield f"{', ' * bool(place)}{json.dumps(task_id)}: {json.dumps(entries)}"
        yield "}"
    yield "}\n"


def read_results(path: Path) -> dict[str, Any]:
    """Read a result file of ours or of evalplus (0.2 to master). Raises `UserError` for anything else."""
    return parse_results(read_content(path), path)


def read_content(path: Path) -> dict[str, Any]:
    """Read a JSON object. Raises `UserError` for anything else."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such result file.")
    try:
        results: Any = json.loads(read_bytes(path))
    except ValueError as error:
        raise UserError(f"{path} is not a result file: {error}.") from error
    return cast("dict[str, Any]", results) if isinstance(results, dict) else {}


def parse_results(content: dict[str, Any], path: Path) -> dict[str, Any]:
    """Bring the content of a result file into one form, in place. Raises `UserError` where it is none."""
    if not isinstance(content.get("eval"), dict):
        raise UserError(f"{path} is not a result file: it has no 'eval' object.")
    content["eval"] = {task: _to_entries(entries, f"{path}: {task}") for task, entries in content["eval"].items()}
    return content


def read_statuses(path: Path) -> dict[str, Any]:
    """What `read_results` reads, with nothing of a sample but its statuses.

    One task is in memory at a time, and one object stands for all equal entries.
    """
    kept = ("base_status", "plus_status", "other_comparator")
    shared: dict[str, dict[str, Any]] = {}

    def statuses(value: Any, task_id: str) -> list[dict[str, Any]]:
        entries = _to_entries(value, f"{path}: {task_id}")
        told = [{name: entry[name] for name in kept if name in entry} for entry in entries]
        return [shared.setdefault(repr(entry), entry) for entry in told]

    content: dict[str, Any] = {}
    if not path.is_file():
        raise UserError(f"{path}: there is no such result file.")
    try:
        with open_text(path) as file:
            reader = JsonReader(file)
            for name in reader.members():
                if name == "eval" and reader.peek() == "{":
                    content[name] = {task_id: statuses(reader.value(), task_id) for task_id in reader.members()}
                else:
                    content[name] = reader.value()
            reader.end()
    except ValueError as error:
        raise UserError(f"{path} is not a result file: {error}.") from error
    if not isinstance(content.get("eval"), dict):
        raise UserError(f"{path} is not a result file: it has no 'eval' object.")
    return content


def _to_entries(value: Any, where: str) -> list[dict[str, Any]]:
    """The samples of one task. Raises `UserError` for a form that neither we nor evalplus write."""
    if isinstance(value, dict):  # evalplus 0.1: {"nfiles": n, "base": [[status, details], ...], "plus": ...}
        return _from_old_form(cast("dict[str, Any]", value), where)
    entries: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    if not all(isinstance(entry, dict) for entry in entries):
        raise UserError(f"{where}: is not a list of samples with 'base_status' and 'plus_status'.")
    # BigCodeBench has one status.
    return [{"base_status": entry["status"], **entry} if "status" in entry else entry for entry in entries]


def scores_in(results: Mapping[str, Any], part: Part, path: Path, *, by_other: bool = False) -> TaskScores:
    """The per-task scores in a result file, for the tasks that have samples.

    `by_other`: by the comparator that did not decide, which is kept where the two differ. Raises `UserError` where an
    entry has no status for `part`.
    """
    scores = TaskScores()
    for task_id, entries in results["eval"].items():
        if not entries:
            continue
        if all("base_status" in entry and entry["base_status"] is None for entry in entries):
            continue  # Nobody could be judged on it.
        told = [entry | (entry.get("other_comparator") or {}) if by_other else entry for entry in entries]
        statuses = [(entry.get("base_status"), entry.get("plus_status")) for entry in told]
        if part is Part.PLUS and any(plus is None for _, plus in statuses):
            raise UserError(f"{path} has no verdicts for the plus tests (it was a run with --base-only).")
        right = sum(base == Status.PASS and (part is Part.BASE or plus == Status.PASS) for base, plus in statuses)
        scores.tasks[task_id] = (len(statuses), right)
    return scores


def tasks_without_samples(results: Mapping[str, Any]) -> list[str]:
    """The tasks in a result file that contribute to no score."""
    return [task_id for task_id, entries in results["eval"].items() if not entries]


def _from_old_form(entry: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    base: Any = entry.get("base") or []
    plus: Any = entry.get("plus") or []
    try:
        padded = [*plus, *[(None, None)] * (len(base) - len(plus))]
        return [{"base_status": one[0], "plus_status": two[0]} for one, two in zip(base, padded)]
    except (TypeError, LookupError) as error:
        raise UserError(f"{where}: is not a list of [status, details].") from error


def is_result_of(path: Path, key: RunKey, rule: Rule, shard: str | None = None) -> dict[str, Any] | None:
    """The statuses in a file if they belong to exactly this run, or this shard of it; None for any other file.

    None also where programs were killed by the system: with more memory, they have other verdicts.
    """
    return _is_with(read_statuses, path, {**asdict(key), "compat": rule, "shard": shard, "killed": None})


def is_result_with(path: Path, key: Mapping[str, Any]) -> dict[str, Any] | None:
    """The results in a file whose own block has all of these values; None for any other file."""
    return _is_with(read_results, path, key)


def _is_with(read: Callable[[Path], dict[str, Any]], path: Path, key: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        results = read(path)
    except UserError:
        return None
    ours = results.get("lsp_evalplus")
    if not isinstance(ours, dict):
        return None
    stored = cast("dict[str, Any]", ours)
    return results if all(stored.get(name) == value for name, value in key.items()) else None


def keep_aside(path: Path) -> Path | None:
    """Rename a file to make room for a new one, as evalplus does: to the first free ``.bak``, ``.bak2``, ...

    Returns the new path, or None when there was no file. Raises `UserError` when it cannot be renamed.
    """
    if not path.exists():
        return None
    check_writable(path)
    aside = path.with_name(path.name + ".bak")
    try:
        for number in count(2):
            if not aside.exists():
                break
            aside = path.with_name(f"{path.name}.bak{number}")
        path.rename(aside)
    except FileNotFoundError:  # Another run with the same output was quicker.
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be moved to {aside.name}: {error.strerror or error}.") from error
    return aside
