"""The server, with a clock on every turn of its event loop: ``timed_server.py FILE``.

At the end FILE holds the processor time of the longest turns since the last SIGUSR1, in seconds, the longest first.
Processor time of the loop's thread: a busy machine does not change it, and another thread's work is not in it.
"""

from __future__ import annotations

import asyncio.events
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from lsp_evalplus import cli

KEPT = 10


def main() -> None:
    """Serve, and write down the longest turns."""
    turns: list[tuple[float, str]] = []
    run: Any = asyncio.events.Handle._run

    def timed(handle: Any) -> None:
        started = time.thread_time()
        run(handle)
        taken = time.thread_time() - started
        if len(turns) < KEPT or taken > turns[-1][0]:
            turns.append((taken, repr(handle)[:300]))
            turns.sort(reverse=True)
            del turns[KEPT:]

    asyncio.events.Handle._run = timed  # type: ignore[method-assign]
    # The first message of each kind imports modules and makes its converter: whoever measures sends those before.
    signal.signal(signal.SIGUSR1, lambda *_: turns.clear())
    try:
        cli.main(["serve"])
    finally:
        Path(sys.argv[1]).write_text(json.dumps(turns))


if __name__ == "__main__":
    main()
