"""Replay one input in fresh processes, under several hash seeds."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from lsp_evalplus.fuzz.engine.events import TAMPERED, MalformedEventError, read_event, read_outcome, text_in
from lsp_evalplus.fuzz.engine.requests import programs_of
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job
from lsp_evalplus.fuzz.model import Counterexample, Plain, Tier
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.set_order import depends_on_hashes

logger = logging.getLogger(__name__)

HASH_SEEDS = (0, 1, 2)
"""Enough for sets of strings to iterate in different orders; each has a warm zygote of its own."""
_MAY_DEPEND_ON_HASHES = re.compile(r"set\b|\{|\bhash\b|\bid\(|import|\bvars\b|__")
"""Programs without any of these give the same results under every hash seed, so one replay suffices."""
_WORDS = ("set", "{", "hash", "id(", "import", "vars", "__")
"""Fast substring prefilter: every match of the pattern contains one of these."""


def hash_seeds_for(request: Plain, arguments: str) -> tuple[int, ...]:
    """Return the hash seeds under which a difference must be reproducible.

    One suffices where hashes cannot matter, two where only what the programs import may depend on them; all are used
    where the programs themselves may show the order of a set or a hash, or are given a set.

    Args:
        request: of the search, with both programs.
        arguments: the input.
    """
    sources = dict.fromkeys(str(program["source"]) for program in programs_of(request))
    if any(map(_depends_on_hashes, (*sources, arguments))):
        return HASH_SEEDS
    return HASH_SEEDS[: 2 if any(map(_may_depend_on_hashes, sources)) else 1]


def _may_depend_on_hashes(source: str) -> bool:
    return any(word in source for word in _WORDS) and _MAY_DEPEND_ON_HASHES.search(source) is not None


def _depends_on_hashes(source: str) -> bool:
    tree = parse_module(source)
    return tree is None or depends_on_hashes(source, tree)


@dataclass(frozen=True, slots=True)
class Replay:
    """Result of one replay."""

    code: str
    """``agree``, ``differ``, ``rejected``, ``undecided``, ``slow``, or ``died``."""
    reply: Plain
    how: str = ""
    """What it did, for ``died``: ``takes too long``, or ``ended its process (...)``."""
    is_hang: bool = False
    """Whether it was killed for lack of any reply."""
    is_crash: bool = False
    """Whether a signal other than one of a resource limit ended it."""
    calls_before: tuple[str, ...] = ()
    """The calls made earlier in the same process."""
    announced: Plain = field(default_factory=dict[str, Any])
    """What the guest announced before the call: ``call``, and ``expected`` if an example states it."""


async def replay(
    request: Plain,
    arguments: str,
    pool: GuestPool,
    *,
    limit: float = 1.0,
    hash_seeds: Sequence[int] | None = None,
    before: Sequence[str] = (),
) -> list[Replay]:
    """Run `arguments` once in a fresh guest for each hash seed, concurrently.

    Args:
        request: the ``explore`` request it was found with.
        limit: CPU seconds per call.
        hash_seeds: one replay for each; None selects those that can matter.
        before: inputs to run earlier in the same process, for programs that keep state between calls.

    Raises:
        MalformedEventError: the code under test tampers with a guest.
    """
    hash_seeds = hash_seeds_for(request, arguments) if hash_seeds is None else hash_seeds
    job_request: Plain = {**request, "replay": [*before, arguments], "limit": limit, "is_careful": False}
    return list(await asyncio.gather(*[_one(job_request, pool, limit, seed) for seed in hash_seeds]))


async def replay_found(request: Plain, found: Plain, arguments: str, pool: GuestPool) -> list[Replay]:
    """Replay a counterexample of a search under the other hash seeds, and under that of the search unless these show
    the difference with the same expected result: the state of the search, or its hashes, may have brought it about.

    Where hashes do not matter and the reference gave another result in the search, there are two replays: what the
    arguments are made of, as a module of tests, may have drawn random numbers when it was imported.

    Args:
        request: the ``explore`` request it was found with.
        found: the event ``counterexample``.
        arguments: the input.
        pool: guests of the interpreter that the target runs under.

    Raises:
        MalformedEventError: the code under test tampers with a guest.
    """
    first, *others = hash_seeds_for(request, arguments)
    replays = await replay(request, arguments, pool, hash_seeds=others)
    shown = {_shown(found), *(_shown(one.reply) for one in replays)}
    if others and len(shown) == 1 and all(one.code == "differ" for one in replays):
        return replays
    replays = [*await replay(request, arguments, pool, hash_seeds=[first]), *replays]
    if not others and _shown(found) != _shown(replays[0].reply):
        replays += await replay(request, arguments, pool, hash_seeds=[first])
    return replays


def is_reference_stable(replays: list[Replay]) -> bool:
    """Whether the reference gave the same result under every hash seed, or any result where the candidate raised the
    same exception each time: some results, as the identity of a thread, are others in each process."""
    if len({_shown(one.reply) for one in replays}) == 1:
        return True
    kinds = {(field_of(r.reply, "expected", "kind"), field_of(r.reply, "candidate", "kind")) for r in replays}
    return kinds == {("returned", "raised")} and len({field_of(r.reply, "candidate", "text") for r in replays}) == 1


def _shown(reply: Plain) -> tuple[str, str, str]:
    """What the reference did; where both results look the same, also what it left behind, which may hold random numbers
    that its module drew when it was loaded."""
    text = field_of(reply, "expected", "text")
    left = field_of(reply, "expected", "mutated_arguments") if text == field_of(reply, "candidate", "text") else ""
    return text, field_of(reply, "expected", "output"), left


def as_replayed(found: Plain, replayed: Plain, call: str, note: str) -> Counterexample:
    """Build a counterexample from the outcomes of a replay."""
    if not replayed.get("candidate") or not replayed.get("expected"):
        raise MalformedEventError("a difference without its outcomes")
    return Counterexample(
        arguments=text_in(found, "arguments"),
        call=call,
        candidate=read_outcome(replayed["candidate"]),
        expected=read_outcome(replayed["expected"]),
        tier=Tier(found["tier"]) if found.get("tier") in set(Tier) else Tier.WIDENED,
        note=note,
    )


def field_of(reply: Plain, outcome: str, name: str) -> str:
    """Return one field of an outcome in a reply as a string; empty if missing."""
    fields = cast("dict[str, Any]", reply.get(outcome) or {})
    found = fields.get(name)
    return "" if found is None else str(found)


async def _one(request: Plain, pool: GuestPool, limit: float, hash_seed: int) -> Replay:
    wall = 30.0 + 12.0 * limit
    run = pool.start(Job("explore", request, wall_seconds=wall, stall_seconds=10.0 + 2.0 * limit, hash_seed=hash_seed))
    replies: list[Plain] = []
    announced: Plain = {}
    async with run:
        async for reply in run:
            event = read_event(reply)
            if event["event"] == "replayed":
                replies.append(event)
            elif event["event"] == "replaying":
                announced = event
    if len(replies) != len(request["replay"]):
        is_hang = run.ending.is_stuck
        is_crash = run.ending.kind is EndingKind.CRASHED and not is_hang
        return Replay("died", {}, describe_ending(run.ending), is_hang, is_crash, announced=announced)
    calls = tuple(str(reply.get("call", "")) for reply in replies[:-1])
    return Replay(str(replies[-1].get("code")), replies[-1], calls_before=calls)


def describe_ending(ending: Ending) -> str:
    """Return a predicate that describes how a guest ended: ``takes too long``, or ``ended its process (signal 11)``."""
    if ending.is_stuck or (ending.signal is not None and ending.signal == getattr(signal, "SIGXCPU", None)):
        return "takes too long"
    how = "out of memory" if ending.kind is EndingKind.MEMORY else str(ending.kind)
    if ending.kind is EndingKind.EXITED:
        how = f"exit code {ending.exit_code}"
    elif ending.kind is EndingKind.CRASHED:
        how = f"signal {ending.signal}"
    return f"ended its process ({how})"


def describe_corruption(ending: Ending) -> str:
    """Return why a guest's replies ended against the protocol: an exception of its own code, or tampering.

    Code under test can cause either, so that neither says that the code is right.
    """
    last = ending.detail.strip().rpartition("\n")[2][:200]
    if "/guest/" not in ending.detail or not last.isprintable():
        return TAMPERED
    logger.info("a guest failed: %s", ending.detail)
    return f"the check itself failed ({last}); that is a defect of lsp-evalplus"
