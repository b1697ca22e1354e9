"""Candidates that keep state between calls: correct in a fresh process, wrong after earlier calls.

A bug due to a mutable default argument or a stale global only shows on a later call. A single call in a fresh process
then agrees, so the difference has to be reproduced by a sequence of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Plain

from .replay import Replay, hash_seeds_for, replay

MANY_CALLS = 9
"""How often the input is repeated before the last call, for bugs that only show after a while."""
STATE_NOTE = "it keeps state between calls"


@dataclass(frozen=True, slots=True)
class CallSequence:
    """A sequence of calls whose last one differs."""

    last: Replay
    call: str
    """An expression that makes all calls and evaluates to the last: ``(f([1]), f([1]))[-1]``."""


async def replay_after_others(
    request: Plain, arguments: str, earlier: Sequence[str], pool: GuestPool
) -> CallSequence | None:
    """Find calls after which the candidate differs on `arguments` in every fresh process; None if there are none.

    The same input twice is tried first, then after each of the `earlier` inputs, then many times; under one hash seed
    before the others, as most differences that do not show again show under none.
    """
    plans = [[text] for text in dict.fromkeys([arguments, *earlier])] + [[arguments] * MANY_CALLS]
    first, *others = hash_seeds_for(request, arguments)
    for before in plans:
        replays = await replay(request, arguments, pool, hash_seeds=[first], before=before)
        if replays[0].code == "differ" and others:
            replays += await replay(request, arguments, pool, hash_seeds=others, before=before)
        if all(one.code == "differ" for one in replays):
            return CallSequence(replays[0], _expression(replays[0]))
    return None


def _expression(last: Replay) -> str:
    """All calls of a replay in one expression."""
    own = str(last.reply.get("call", ""))
    if len(last.calls_before) > 2:
        return f"[{own} for _ in range({len(last.calls_before) + 1})][-1]"
    return f"({', '.join([*last.calls_before, own])})[-1]"
