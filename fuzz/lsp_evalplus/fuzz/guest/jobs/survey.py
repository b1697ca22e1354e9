"""The job that analyses programs statically: which of them are pure, and which of these are equivalent.

It is done in a guest because source code can be made to crash the parser or to keep it busy.

The request::

    programs            their source code

Replies: ``{"equivalence_keys": [...]}``, in the order of the programs: the equivalence key of a program
(`static.equivalence`), or null for one that needs a process of its own, because it could affect another
one or may depend on an earlier call (`static.purity`). Programs that are not reported need one too.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from ..static.equivalence import equivalence_key
from ..static.purity import read_harmless

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_FLUSH_SECONDS = 0.1


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    found: list[str | None] = []
    flushed = time.monotonic()
    for program in request["programs"]:
        found.append(_survey(program))
        if time.monotonic() - flushed > _FLUSH_SECONDS:
            channel.send({"equivalence_keys": found})
            found = []
            flushed = time.monotonic()
    channel.send({"equivalence_keys": found}, more=True)


def _survey(program: str) -> str | None:
    try:
        nodes = read_harmless(program)
        return None if nodes is None else equivalence_key(nodes)
    except SyntaxError:
        # It will not be run, and is refused with its own message.
        return hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()
    except Exception:  # noqa: BLE001 - too deep or too large to be compiled
        return None
