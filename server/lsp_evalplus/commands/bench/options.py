"""From the options and environment variables of ``lsp-evalplus bench`` to those of an evaluation."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.results.results import result_path
from lsp_evalplus.bench.running.evaluate import Options
from lsp_evalplus.bench.running.run import MOST_TIMEOUTS, TimeRules
from lsp_evalplus.commands.finite import LONGEST_SECONDS
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter

MEMORY_BYTES = 4 << 30
"""What one guest may use where nothing else is said."""
_TASK_SECONDS = 60.0


def to_options(options: dict[str, Any], output: Path | None) -> Options:
    """The options of an evaluation that writes `output`. Raises `UserError` for a bad environment variable."""
    rule = Rule(options["compat"])
    times = TimeRules(
        options["min_time_limit"],
        options["gt_time_limit_factor"],
        min(_number_in("EVALPLUS_TIMEOUT_PER_TASK", _TASK_SECONDS), LONGEST_SECONDS),
        # evalplus tries on, and its word for the whole depends on how far it comes.
        None if rule is Rule.EVALPLUS else MOST_TIMEOUTS,
    )
    return Options(
        rule=rule,
        base_only=options["base_only"],
        test_details=options["test_details"],
        times=times,
        jobs=options["jobs"] or default_jobs(),
        memory_bytes=_memory_bytes(),
        interpreter=interpreter_of(options["python"]),
        cache=cache_folder(),
        output=output,
        fresh=options["fresh"],
        isolate=options["isolate"],
    )


def output_of(options: dict[str, Any], samples: Path) -> Path:
    """Where the results of a file of samples go: the named file, or the one beside the samples."""
    named: Path | None = options["output_file"]
    return named or result_path(samples)


def interpreter_of(setting: str | None) -> Interpreter:
    """The interpreter that runs the samples: the one that was named, or the one that runs us."""
    return find_interpreter(setting or sys.executable, Path.cwd())


def default_jobs() -> int:
    """As many guests as there are cores for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_bytes() -> int:
    """What one guest may use. Raises `UserError` for what is neither a number of bytes nor -1, which means all."""
    variable = "EVALPLUS_MAX_MEMORY_BYTES"
    if os.environ.get(variable, "").strip() == "-1":
        return sys.maxsize
    return min(int(_number_in(variable, MEMORY_BYTES)), sys.maxsize)


def _number_in(variable: str, default: float) -> float:
    """A positive, finite number in an environment variable of evalplus. Raises `UserError` for anything else."""
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (number > 0 and math.isfinite(number)):
        raise UserError(f"{variable} is {text!r}; it must be a positive, finite number, or not be set.")
    return number
