"""Files to look at and to run for the samples that failed: each with its tests, and what these said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.datasets.bigcodebench import DEFAULT_VERSION, VERSIONS, Task
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.judging.verdicts import Status

_IS_NAME = re.compile(r"[\w.-]{1,100}")
_MAIN = '\n\nif __name__ == "__main__":\n    unittest.main()\n'
PROGRAM = "program.py"
REPORT = "report.txt"


@dataclass(frozen=True, slots=True)
class Inspected:
    """A sample of a result file."""

    task_id: str
    place: int
    """Its place among the samples of its task."""
    status: str
    solution: str
    details: Mapping[str, str]
    """Test -> how it failed."""

    @property
    def folder(self) -> str:
        """The name of its folder: ``BigCodeBench_7/0``."""
        return f"{self.task_id.replace('/', '_')}/{self.place}"


def version_of(results: Mapping[str, Any]) -> str:
    """The version of the tasks that a result file is of; upstream's files do not say it, and have the default."""
    ours: Any = results.get("lsp_evalplus")
    version: Any = cast("dict[str, Any]", ours).get("version") if isinstance(ours, dict) else None
    return version if version in VERSIONS else DEFAULT_VERSION


def samples_in(results: Mapping[str, Any], tasks: Mapping[str, Task], *, with_passed: bool) -> Iterator[Inspected]:
    """Yield the samples of known tasks that did not pass, or all."""
    for task_id, entries in cast("dict[str, list[dict[str, Any]]]", results["eval"]).items():
        if task_id not in tasks or not _IS_NAME.fullmatch(task_id.replace("/", "_")):
            continue
        for place, entry in enumerate(entries):
            status, solution, details = entry.get("status"), entry.get("solution"), entry.get("details")
            if isinstance(solution, str) and (with_passed or status != Status.PASS):
                told = cast("dict[Any, Any]", details) if isinstance(details, dict) else {}
                texts = {str(test): str(text) for test, text in told.items()}
                yield Inspected(task_id, place, str(status), solution, texts)


def write_files(sample: Inspected, task: Task, folder: Path) -> None:
    """Write `PROGRAM`, the sample and its tests as one file that runs them, and `REPORT`.

    Raises:
        UserError: they cannot be written.
    """
    place = folder / sample.folder
    lines = [f"{sample.task_id}, sample {sample.place}: {sample.status}"]
    for test, text in sample.details.items():
        lines += ["", f"---- {test}", text.rstrip()]
    for name, text in ((PROGRAM, f"{sample.solution}\n\n{task.test}{_MAIN}"), (REPORT, "\n".join(lines) + "\n")):
        write_file(place / name, text.encode("utf-8", "surrogatepass"))
