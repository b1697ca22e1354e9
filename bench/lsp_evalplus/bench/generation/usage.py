"""What samples cost to generate: ``NAME.usage.json`` beside ``NAME.jsonl``, added up over the runs that made them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.fuzz.llm.replies import Usage

_FIELDS = ("requests", "prompt_tokens", "completion_tokens", "cost")
_ENDINGS = ("_eval_results.json.gz", "_eval_results.json", ".jsonl")


def usage_path(file: Path) -> Path:
    """The file beside samples, or beside their results."""
    ending = next((one for one in _ENDINGS if file.name.endswith(one)), "")
    return file.with_name(file.name.removesuffix(ending) + ".usage.json")


def read_usage(file: Path) -> dict[str, float]:
    """What is known of the cost of samples or results; empty where nothing is."""
    try:
        content: Any = json.loads(usage_path(file).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    record = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    numbers = {name: record[name] for name in _FIELDS if isinstance(record.get(name), (int, float))}
    return {name: number for name, number in numbers.items() if number >= 0}


def add_usage(samples: Path, usage: Usage, cost: float | None, *, resumed: bool) -> None:
    """Add what a run has used to what earlier runs did, if it continued them. Raises `UserError` when writing fails.

    Without a cost, or if an earlier run had none, the sum has none: a part of it would be read as all.
    """
    before = read_usage(samples) if resumed else {}
    if not usage.requests and before:
        return
    total: dict[str, float] = {
        "requests": usage.requests + before.get("requests", 0),
        "prompt_tokens": usage.prompt_tokens + before.get("prompt_tokens", 0),
        "completion_tokens": usage.completion_tokens + before.get("completion_tokens", 0),
    }
    if cost is not None and (not before or "cost" in before):
        total["cost"] = cost + before.get("cost", 0.0)
    write_file(usage_path(samples), (json.dumps(total) + "\n").encode("ascii"))


def add_parts(samples: Path, parts: Sequence[Path]) -> None:
    """Add what shards have used to what is kept of all samples. Raises `UserError` when writing fails.

    Where one of them has no cost, the sum has none.
    """
    known = [record for path in (samples, *parts) if (record := read_usage(path))]
    if not any(map(read_usage, parts)):
        return
    total = {name: sum(record.get(name, 0) for record in known) for name in _FIELDS}
    if not all("cost" in record for record in known):
        del total["cost"]
    write_file(usage_path(samples), (json.dumps(total) + "\n").encode("ascii"))
