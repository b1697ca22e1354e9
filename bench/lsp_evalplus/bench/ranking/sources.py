"""Files of results, of this program and of others: a run by task, many runs by task, or a published leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.results.results import parse_results, read_content
from lsp_evalplus.fuzz.errors import UserError

from .published import PublishedBoard, is_published, read_board
from .standing import names_of

_LISTED = 8


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs with results by task, by their short names."""

    paths: Mapping[str, Path]
    results: Mapping[str, Mapping[str, Any]]


def read_sources(paths: Sequence[Path], chosen: str | None = None) -> Runs | PublishedBoard:
    """Read files of results; `chosen` is the set of tasks to take from a file that has several.

    Raises:
        UserError: a file is of no known form, or some have results by task and others do not.
    """
    distinct = list(dict.fromkeys(paths))
    names = dict(zip(names_of([str(path) for path in distinct]), distinct))
    contents = {name: read_content(path) for name, path in names.items()}
    published = {name: content for name, content in contents.items() if is_published(content)}
    if len(published) == len(contents):
        return read_board(published)
    if published:
        first = names[next(iter(published))]
        raise UserError(
            f"{first} is a published leaderboard, without results by task; name it alone, or as --models beside runs."
        )
    found: list[tuple[str, str, Path, Mapping[str, Any]]] = []
    for name, path in names.items():
        content = contents.pop(name)
        runs = {name: content} if "eval" in content else _many(content, path, chosen)
        found += [(name, run, path, parse_results(one, path)) for run, one in runs.items()]
    once = len({run for _, run, _, _ in found}) == len(found)
    keys = [run if once or run == name else f"{name}/{run}" for name, run, _, _ in found]
    return Runs(dict(zip(keys, (path for _, _, path, _ in found))), dict(zip(keys, (one for _, _, _, one in found))))


def read_runs(
    paths: Sequence[Path], chosen: str | None = None
) -> tuple[Mapping[str, Path], Mapping[str, Mapping[str, Any]]]:
    """Read runs with results by task; returns their paths and contents by short names.

    Raises:
        UserError: a file has no results by task.
    """
    found = read_sources(paths, chosen)
    if isinstance(found, PublishedBoard):
        raise UserError(
            f"{paths[0]} is a published leaderboard, without results by task; `bench leaderboard` shows it."
        )
    return found.paths, found.results


def _many(content: Mapping[str, Any], path: Path, chosen: str | None) -> dict[str, dict[str, Any]]:
    """The runs of a file that says for each model, by task, whether it solved it: 1 or 0."""
    runs: Mapping[str, Any] = content
    if content and all(_is_runs(one) for one in content.values()):
        if chosen is None or chosen not in content:
            wrong = "" if chosen is None else f", and none is {chosen!r}"
            listed = ", ".join(list(content)[:_LISTED])
            raise UserError(f"{path} has results on several sets of tasks{wrong}; choose one by --set: {listed}.")
        runs = content[chosen]
    if not _is_runs(runs):
        raise UserError(
            f"{path} is not a result file: it has no 'eval' object, and is neither a leaderboard with 'pass@1' of each "
            "model nor an object of 0 and 1 by model and task."
        )
    return {
        name: {
            "hash": "",
            "eval": {task: [{"base_status": "pass" if solved else "fail"}] for task, solved in tasks.items()},
        }
        for name, tasks in runs.items()
    }


def _is_runs(value: Any) -> bool:
    runs = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return bool(runs) and all(_is_solved(one) for one in runs.values())


def _is_solved(value: Any) -> bool:
    tasks = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return bool(tasks) and all(isinstance(one, int) and one in (0, 1) for one in tasks.values())
