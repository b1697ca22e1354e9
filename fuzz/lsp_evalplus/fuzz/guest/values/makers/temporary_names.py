"""Names of temporary files that are the same each time."""

from __future__ import annotations

import os
import random
import sys
from typing import Any


def seed_temporary_names(number: int) -> None:
    """Let the next temporary files have names that depend on a number alone, where their module is loaded."""
    tempfile: Any = sys.modules.get("tempfile")
    if tempfile is not None:
        names = tempfile._get_candidate_names()
        # A process that the program forks has other names.
        names._rng, names._rng_pid = random.Random(number), os.getpid()
