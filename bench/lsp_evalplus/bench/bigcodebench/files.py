"""Result files of BigCodeBench in upstream's form, with a block of ours, and names of files in its conventions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.samples.samples import SampleSet

from .outcome import Reference, Verdict
from .scores import STRICT, UPSTREAM, failed_references, reference_rate, repeated_references, scores_of, status_of

FORMAT = 2
_KS = (1, 5, 10, 25, 100)
_NAME = re.compile(r"--bigcodebench-(hard-)?(complete|instruct)(?=-)")


@dataclass(frozen=True, slots=True)
class RunKey:
    """Everything that the verdicts of a run depend on; results with another key are never reused."""

    version: str
    dataset_sha256: str
    samples_sha256: str
    subset: str
    split: str
    calibrated: bool
    has_references: bool
    compat: str
    python: str
    distributions: str
    memory_bytes: int
    wall_seconds: float
    format: int = FORMAT


def named_split(path: Path) -> tuple[str | None, str | None]:
    """Split and subset in the name of a file of samples, as upstream names them; None where it has other names."""
    match = _NAME.search(path.name)
    return (match[2], "hard" if match[1] else "full") if match else (None, None)


def model_of(path: Path) -> str:
    """The model in the name of a file of samples."""
    name = path.name.split(".jsonl")[0]
    return name.split("--bigcodebench-")[0] if "--bigcodebench-" in name else name


def pass_at_k_path(output: Path) -> Path:
    """Where upstream writes the scores beside the results in `output`."""
    name = output.name.removesuffix("_eval_results.json").removesuffix("eval_results.json").removesuffix(".json")
    return output.with_name(f"{name}_pass_at_k.json" if name else "pass_at_k.json")


def to_results(
    samples: SampleSet, verdicts: Mapping[tuple[str, str], Verdict], key: RunKey, layers_off: Mapping[str, str]
) -> dict[str, Any]:
    """The content of ``X_eval_results.json``; its date stays empty, so that the same run gives the same bytes."""
    other = UPSTREAM if key.compat == STRICT else STRICT
    evaluated: dict[str, list[dict[str, Any]]] = {}
    for task_id, group in samples.by_task.items():
        for sample in group:
            verdict = verdicts[task_id, sample.digest]
            entry: dict[str, Any] = {
                "task_id": task_id,
                "solution": sample.solution,
                "status": status_of(verdict, key.compat),
                "details": dict(verdict.details),
            }
            if verdict.strict != verdict.upstream:
                entry["other_rule"] = {"name": other, "status": status_of(verdict, other)}
            evaluated.setdefault(task_id, []).append(entry)
    ours = {**asdict(key), "notes": list(samples.notes), "layers_off": dict(layers_off)}
    return {"date": "", "eval": evaluated, "lsp_evalplus": ours}


def to_pass_at_k(
    samples: SampleSet,
    verdicts: Mapping[tuple[str, str], Verdict],
    key: RunKey,
    references: Mapping[str, Reference],
    model: str,
) -> dict[str, Any]:
    """The content of ``X_pass_at_k.json``: upstream's keys, and the scores over the tasks that can be judged here.

    Without references the rate and the failed tasks are null, not 0.
    """
    scores = scores_of(samples, verdicts, key.compat)
    content: dict[str, Any] = {f"pass@{k}": value for k in _KS if (value := scores.mean(k)) is not None}
    content |= {
        "model": model,
        "split": key.split,
        "subset": key.subset,
        "calibrated": key.calibrated,
        "gt_pass_rate": None,
        "failed_tasks": None,
    }
    ours: dict[str, Any] = asdict(key)
    if references:
        failed = failed_references(references)
        content |= {"gt_pass_rate": reference_rate(references), "failed_tasks": [*failed]}
        valid = scores_of(samples, verdicts, key.compat, set(references) - set(failed))
        ours["valid"] = {f"pass@{k}": value for k in _KS if (value := valid.mean(k)) is not None}
        ours["reasons"] = failed
        ours["passed_when_repeated"] = repeated_references(references)
    return {**content, "lsp_evalplus": ours}


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a result file atomically, indented as upstream's. Raises `UserError` when that is not possible."""
    write_file(path, (json.dumps(content, indent=2) + "\n").encode("ascii"))
