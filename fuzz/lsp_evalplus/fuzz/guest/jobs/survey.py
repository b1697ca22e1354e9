"""The job that reads programs without running any: which are harmless, and which of these do the same.

It is done in a guest because a text can be made to crash the parser or to keep it busy.

The request::

    programs            the texts

Replies: ``{"likenesses": [...], "growths": [...]}``, both in the order of the programs: what a program has in common
with those that do the same (`likeness`), or null for one that needs a process of its own, because it could do something
to another one or may find something that an earlier call has left (`harmless`); and a hint of how long it may take
(`growth`), 0 where nothing is known. Programs that are not told of need a process of their own.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from ..static.complexity import growth_of
from ..static.equivalence import likeness_of
from ..static.purity import read_harmless

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_FLUSH_SECONDS = 0.1


def run(request: dict[str, Any], channel: Channel) -> None:
    """Do the job; see the module's description."""
    found: list[tuple[str | None, int]] = []
    flushed = time.monotonic()
    for program in request["programs"]:
        found.append(_survey(program))
        if time.monotonic() - flushed > _FLUSH_SECONDS:
            channel.send(_reply(found))
            found = []
            flushed = time.monotonic()
    channel.send(_reply(found), more=True)


def _reply(found: list[tuple[str | None, int]]) -> dict[str, Any]:
    return {"likenesses": [likeness for likeness, _ in found], "growths": [growth for _, growth in found]}


def _survey(program: str) -> tuple[str | None, int]:
    try:
        nodes = read_harmless(program)
        return (None, 0) if nodes is None else (likeness_of(nodes), growth_of(nodes))
    except SyntaxError:
        # It will not be run, and is refused with words of its own.
        return hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest(), 0
    except Exception:  # noqa: BLE001 - too deep or too large to be compiled
        return None, 0
