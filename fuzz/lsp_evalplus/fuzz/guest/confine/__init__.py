"""Confines the process it runs in, once and for good, with what the system offers.

Every layer says whether it took effect; the host decides whether that is enough.
"""

from __future__ import annotations

import sys
from typing import Any

from . import limits


def apply(settings: dict[str, Any]) -> dict[str, str]:
    """Confine this process; return for each layer ``on`` or why it is off.

    Args:
        settings: ``scratch`` (the only folder that may be written), ``read`` (what may be read), ``network``,
            ``memory_bytes``, ``file_bytes``, ``cpu_seconds``, ``open_files``.
    """
    layers = {"limits": limits.apply(settings)}
    if sys.platform == "linux":
        from . import process

        layers["process"] = process.apply()
    return layers
