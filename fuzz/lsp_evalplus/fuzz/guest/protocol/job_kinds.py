"""The kinds of jobs a guest can run, and the modules that implement them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .channel import Channel

FORK_SERVER = "forkserver"
WALL_FACTOR = 3.0
WALL_SECONDS = 1.0
"""Wall time limit of a call: a factor times its processor time limit, plus these seconds."""
KINDS = (
    "calls",
    "doctests",
    "evaluate",
    "explore",
    FORK_SERVER,
    "outputs",
    "project_tests",
    "strategies",
    "survey",
    "test_file",
    "tests",
)


def find_job(kind: str) -> Callable[[dict[str, Any], Channel], None]:
    """Return the function that runs a kind of job.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no job of kind {kind!r}")
    return importlib.import_module(f"..jobs.{kind}", __package__).run  # type: ignore[no-any-return]


def import_jobs(kinds: Sequence[str] = KINDS) -> None:
    """Import the modules of jobs in advance, so that forked guests need not."""
    for kind in kinds:
        find_job(kind)
