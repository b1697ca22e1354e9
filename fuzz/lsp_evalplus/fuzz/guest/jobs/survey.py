"""The job that reads programs without running any: which are harmless, and which of these do the same.

It is done in a guest because a text can be made to crash the parser or to keep it busy.

The request::

    programs            the texts

Replies: ``{"likenesses": [...]}``, in the order of the programs: what a program has in common with those that do the
same (`static.equivalence`), or null for one that needs a process of its own, because it could do something to another
one or may find something that an earlier call has left (`static.purity`). Programs that are not told of need one too.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from ..static.equivalence import likeness_of
from ..static.purity import read_harmless

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_FLUSH_SECONDS = 0.1


def run(request: dict[str, Any], channel: Channel) -> None:
    """Do the job; see the module's description."""
    found: list[str | None] = []
    flushed = time.monotonic()
    for program in request["programs"]:
        found.append(_survey(program))
        if time.monotonic() - flushed > _FLUSH_SECONDS:
            channel.send({"likenesses": found})
            found = []
            flushed = time.monotonic()
    channel.send({"likenesses": found}, more=True)


def _survey(program: str) -> str | None:
    try:
        nodes = read_harmless(program)
        return None if nodes is None else likeness_of(nodes)
    except SyntaxError:
        # It will not be run, and is refused with words of its own.
        return hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()
    except Exception:  # noqa: BLE001 - too deep or too large to be compiled
        return None
