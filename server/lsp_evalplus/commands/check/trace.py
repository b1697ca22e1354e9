"""The trace of a search as plain data: its stages, the kinds and sizes of its inputs, how its finding became small."""

from __future__ import annotations

from typing import Any

from lsp_evalplus.fuzz.engine.tried_inputs import count_kinds, measure_sizes
from lsp_evalplus.fuzz.model import Trace


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """The ``trace`` of a target in the JSON output."""
    return {
        "stages": {stage: dict(counts) for stage, counts in trace.stages.items()},
        "kinds": dict(count_kinds(trace.trials).most_common()),
        "sizes": measure_sizes(trace.trials),
        "steps": trace.steps,
        "shrinking": list(trace.shrinking),
    }
