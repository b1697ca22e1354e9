"""Confines the process it runs in, once and for good, with what the system offers.

Every layer says whether it took effect; the host decides whether that is enough.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from . import limits

if sys.platform == "linux":
    from . import landlock, process, seccomp


def prepare() -> None:
    """Do in the zygote what need not be done again in every guest."""
    if sys.platform == "linux":
        landlock.version()
        machine = os.uname().machine
        if machine in ("x86_64", "aarch64"):
            seccomp.build(machine, network=False)


def apply(settings: dict[str, Any]) -> dict[str, str]:
    """Confine this process; return for each layer ``on`` or why it is off.

    Args:
        settings: ``scratch`` (the only folder that may be written), ``read`` (what may be read), ``network``,
            ``memory_bytes``, ``file_bytes``, ``cpu_seconds``, ``open_files``, ``parent`` (its process number).
    """
    layers = {"limits": limits.apply(settings)}
    if sys.platform == "linux":
        layers["process"] = process.apply(settings)
        layers.update(landlock.apply(settings))
        layers["calls"] = seccomp.apply(settings)
    elif sys.platform == "darwin":
        from . import seatbelt

        layers["seatbelt"] = seatbelt.apply(settings)
    return layers
