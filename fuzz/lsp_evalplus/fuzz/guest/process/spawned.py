"""A guest started for one run, on systems without fork.

Messages of the host arrive on standard input: settings, the request, then late messages; replies go to
standard output. Both are moved to other descriptors before any user code is imported.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import Any

from .. import sandbox
from ..program.inputs import prepare_inputs
from ..protocol.frames import read_frame
from ..protocol.job_kinds import import_jobs
from . import child


def serve() -> None:
    """Wait for settings, run one job, exit; never returns."""
    warnings.simplefilter("ignore")
    requests, replies = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(requests, os.O_BINARY)
        msvcrt.setmode(replies, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    import_jobs()
    sys.dont_write_bytecode = True
    gc.freeze()
    gc.enable()
    sandbox.prepare()
    child.forget_arguments()
    settings = read_frame(requests)
    if settings is None:
        os._exit(0)
    sys.path.extend(path for path in settings["search_path"] if path not in sys.path)
    store: dict[str, Any] = {key: prepare_inputs(data) for key, data in settings["provided"].items()}
    page = os.open(settings["page"], os.O_RDWR | getattr(os, "O_BINARY", 0))
    if sys.platform != "win32":
        replies, requests, page = child.take_private([replies, requests, page])
    child.live({**settings, "parent": os.getppid()}, replies, requests, page, store)
