"""Confines the process it runs in, once and for good, with what the system offers.

Every layer says whether it took effect; the host decides whether that is enough.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

from . import rlimits

if sys.platform == "linux":
    from . import container, landlock, namespaces, prctl, seccomp


def prepare() -> None:
    """Do in the zygote what need not be done again in every guest."""
    if sys.platform == "linux":
        landlock.version()
        seccomp.prepare(seccomp.GUARDED)


def probe_container(settings: dict[str, Any]) -> str:
    """Return ``on``, or why no container can be made here; `settings` as for `apply`."""
    if sys.platform != "linux":
        return "containers are for Linux"
    settings = {**settings, "parent": os.getpid(), "container": {**settings["container"]}}
    seccomp.prepare(seccomp.CONTAINED)
    return container.probe(settings, lambda: _confine_in_container(settings))


def fork_container(settings: dict[str, Any]) -> int:
    """Fork a process whose `apply` enters a container; return its process id, or 0 in it. Raises `OSError`."""
    return container.fork(settings)


def ending_of(status: int) -> int | None:
    """Return how the program of a container ended, by the other end of ``report``; None if that is not known."""
    return container.ending_of(status)


def apply(settings: dict[str, Any]) -> dict[str, str]:
    """Confine this process; return for each layer ``on`` or why it is off.

    Args:
        settings: ``scratch`` (the only folder that may be written), ``read`` (what may be read), ``list`` (folders of
            which only names may be read), ``network``, ``namespaces`` (wanted beside Landlock), ``without`` (layers
            to leave out), ``memory_bytes``, ``file_bytes``, ``cpu_seconds``, ``open_files``, ``parent`` (its process
            number), ``forks`` (a fork server: its children will be `tighten`-ed), ``container`` (None, or
            ``disk_bytes``, ``processes`` and ``off``, what `container.probe` said; the process that returns is then
            another one, see `container.enter`), ``report`` (with a container).
    """
    if settings.get("container"):
        return _apply_container(settings)
    layers = {"limits": rlimits.apply(settings)}
    if sys.platform == "linux":
        layers.update(_apply_linux(settings))
    elif sys.platform == "darwin":
        from . import seatbelt

        layers["seatbelt"] = seatbelt.apply(settings)
    return layers


def _apply_linux(settings: dict[str, Any]) -> dict[str, str]:
    without = settings["without"]
    known = 0 if "landlock" in without else landlock.version()
    layers: dict[str, str] = {}
    if settings["namespaces"] or known == 0:
        # First: it needs what the next layers take away.
        layers["namespaces"] = namespaces.apply(settings) if "namespaces" not in without else "left out"
    layers["process"] = prctl.apply(settings)
    layers.update(landlock.apply(settings, known))
    files = seccomp.GUARDED if known >= landlock.GUARDS_TRUNCATION else seccomp.NOT_TRUNCATED
    if layers["files"] != "on":
        if layers.get("namespaces") == "on":
            layers["files"] = "on"
            files = seccomp.GUARDED
        else:
            files = seccomp.READ_ONLY
    if settings["forks"]:
        if layers["files"] != "on" or known < landlock.GUARDS_SIGNALS:
            raise OSError(f"a fork server needs Landlock {landlock.GUARDS_SIGNALS}, and this kernel has {known}")
        layers["calls"] = "taken from each child"
    else:
        layers["calls"] = seccomp.apply(settings, files)
        if layers["files"] != "on":
            kept = "nothing" if layers["calls"] == "on" else "everything that the user may write"
            layers["files"] = f"{kept} can be written, everything can be read: {layers['files']}"
    return layers


def _apply_container(settings: dict[str, Any]) -> dict[str, str]:
    """Enter a container and confine its program, or where there can be none, confine as ever and say so."""
    reason = settings["container"].get("off", "it needs a zygote")
    if sys.platform != "linux" or reason != "on":
        return {"container": reason, **apply({**settings, "container": None})}
    return _confine_in_container(settings)


def _confine_in_container(settings: dict[str, Any]) -> dict[str, str]:
    """Continue as the confined program of a new container; raises `OSError` where a layer that it needs is refused."""
    known = 0 if "landlock" in settings["without"] else landlock.version()
    proc = container.enter(settings)
    layers = {
        "container": "on",
        "proc": proc,
        "limits": rlimits.apply(settings),
        "process": prctl.apply(settings),
        **landlock.contain({"writable": container.WRITABLE}, known),
        "calls": seccomp.apply(settings, seccomp.CONTAINED),
    }
    if layers["calls"] != "on" or layers["process"] != "on":
        raise OSError(errno.EPERM, f"a container needs the layers calls and process: {layers}")
    return layers


def tighten(settings: dict[str, Any]) -> dict[str, str]:
    """Confine a child of a fork server, which is confined itself, as every guest is; return the states of the layers.

    Args:
        settings: what `apply` took in the parent, with the parent's number and this child's ``cpu_seconds``.
    """
    return {
        "limits": rlimits.apply({**settings, "forks": False}),
        "process": prctl.tie(settings["parent"]),
        "scope": landlock.nest(),
        "calls": seccomp.apply(settings, seccomp.GUARDED),
    }
