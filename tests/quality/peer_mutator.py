"""Extend a data set with upstream's mutator, for the comparison with ``bench extend`` in docs/bench-measured.md.

Run it in an environment of its own, which has upstream's package; the references run in this process, unconfined:

    python -m venv peer && peer/bin/pip install evalplus==0.3.1 multipledispatch
    peer/bin/python tests/quality/peer_mutator.py HumanEvalPlus.jsonl.gz peer.jsonl --seconds 0.9

The base inputs are the seeds. Upstream's mutator never ends where a value cannot change, so processor time ends it.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import random
import signal
import sys
from pathlib import Path
from typing import Any


class _OverError(BaseException):
    """The time of a task is over. Not an `Exception`, which the mutator would take for a refusal."""


def _stop(_number: int, _frame: Any) -> None:
    raise _OverError


def _generate(task: dict[str, Any], inputs: int, seconds: float) -> list[Any]:
    """The inputs of one task: as many as are wanted, or as the time allows."""
    from evalplus.gen.type_mut import TypedMutGen

    random.seed(0)
    reference = task["prompt"] + task["contract"] + task["canonical_solution"]
    mutator = TypedMutGen(task["base_input"], task["entry_point"], reference)
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            mutator.generate(inputs)
    except _OverError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return [one for one in mutator.new_inputs[:inputs] if _is_json(one)]


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (ValueError, TypeError, RecursionError):
        return False


def main() -> None:
    """Read the arguments and write the data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path, help="in the schema of HumanEvalPlus.jsonl")
    parser.add_argument("output", type=Path)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of a task")
    options = parser.parse_args()
    data: bytes = options.dataset.read_bytes()
    text = gzip.decompress(data) if options.dataset.suffix == ".gz" else data
    total = 0
    with options.output.open("w") as file:
        for line in text.decode().splitlines():
            task = json.loads(line)
            found = _generate(task, options.inputs, options.seconds)
            total += len(found)
            file.write(json.dumps({**task, "plus_input": found}) + "\n")
    sys.stdout.write(f"{total} inputs\n")


if __name__ == "__main__":
    main()
