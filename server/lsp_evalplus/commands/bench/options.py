"""Conversion of the options and environment variables of ``lsp-evalplus bench`` to `Options` of an evaluation."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.bigcodebench.judge import WALL_SECONDS
from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.environment.create import default_folder, describe
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Family
from lsp_evalplus.bench.results.results import result_path
from lsp_evalplus.bench.running.evaluate import Options
from lsp_evalplus.bench.running.run import MOST_TIMEOUTS, TimeRules
from lsp_evalplus.bench.samples.shards import Shard, parse_shard
from lsp_evalplus.bench.store.store import make_private, store_beside
from lsp_evalplus.commands.finite import LONGEST_SECONDS
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.environments import interpreter_in
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.host.processors import count_usable

MEMORY_BYTES = 4 << 30
"""Default memory limit of a guest."""
_TASK_SECONDS = 60.0


def to_options(options: dict[str, Any], output: Path | None) -> Options:
    """The options of an evaluation that writes `output`. Raises `UserError` for a bad environment variable."""
    # BigCodeBench has rules of its own, which are chosen elsewhere.
    rule = Rule.STRICT if options["compat"] == Family.BIGCODEBENCH else Rule(options["compat"])
    times = TimeRules(
        options["min_time_limit"],
        options["gt_time_limit_factor"],
        min(_number_in("EVALPLUS_TIMEOUT_PER_TASK", _TASK_SECONDS), LONGEST_SECONDS),
        # evalplus continues after timeouts, and its overall status depends on how far it gets.
        None if rule is Rule.EVALPLUS else MOST_TIMEOUTS,
    )
    return Options(
        rule=rule,
        base_only=options["base_only"],
        test_details=options["test_details"],
        times=times,
        jobs=options["jobs"] or default_jobs(),
        memory_bytes=_memory_bytes(),
        interpreter=interpreter_of(options["python"] or _made_for(options["dataset"])),
        cache=cache_folder(),
        output=output,
        store=stores_of(options, output),
        fresh=options["fresh"],
        rechecks_timeouts=bool(options.get("recheck")),
        shard=shard_of(options),
        isolate=options["isolate"],
    )


def shard_of(options: dict[str, Any]) -> Shard | None:
    """The shard that the options name, if any. Raises `UserError` for one that there cannot be."""
    text: str | None = options.get("shard")
    return None if text is None else parse_shard(text, os.environ)


def stores_of(options: dict[str, Any], output: Path | None) -> tuple[Path, ...]:
    """The folders of the verdict store: the one that is named, or those beside the results and in the user's cache.

    Without results there are none: what only looks at a data set runs it anew.

    Raises `UserError` when the one in the cache cannot be made private.
    """
    if output is None or options["no_store"]:
        return ()
    named: Path | None = options["store"]
    return (store_beside(output), user_store()) if named is None else (named,)


def user_store() -> Path:
    """The user's own verdict store. Raises `UserError` when it cannot be made private."""
    return make_private(cache_folder() / "verdicts")


def asks_anew(options: dict[str, Any]) -> bool:
    """Whether an earlier result file is no answer: all is judged again, or what timed out."""
    return bool(options["fresh"] or options.get("recheck"))


def output_of(options: dict[str, Any], samples: Path) -> Path:
    """The result file for a file of samples: the one given as an option, or the one beside the samples.

    A shard has its own part of it.
    """
    named: Path | None = options["output_file"]
    whole = named or result_path(samples)
    shard = shard_of(options)
    return whole if shard is None else shard.path(whole)


def _made_for(dataset: str) -> str | None:
    """The interpreter that ``bench env`` has made for the programs of a data set; None if there is none."""
    folder = default_folder()
    found = interpreter_in(folder) if dataset == Family.BIGCODEBENCH and describe(folder) else None
    return str(found) if found is not None else None


def interpreter_of(setting: str | None) -> Interpreter:
    """The interpreter that runs the samples: the given one, or the running one."""
    return find_interpreter(setting or sys.executable, Path.cwd())


def default_jobs() -> int:
    """One guest per core available to this process."""
    return count_usable()


def bigcodebench_seconds() -> float:
    """Wall time of the tests of a program of BigCodeBench: upstream's, or ``BIGCODEBENCH_TIMEOUT_PER_TASK``."""
    return min(_number_in("BIGCODEBENCH_TIMEOUT_PER_TASK", WALL_SECONDS), LONGEST_SECONDS)


def _memory_bytes() -> int:
    """Memory limit of a guest. Raises `UserError` unless it is a number of bytes, or -1 for no limit."""
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
