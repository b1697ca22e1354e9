"""The lock file of an environment: exact versions with the hashes of their files, as pip and uv read them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib import resources

_ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)")
_NEXT = re.compile(r"\n(?=\S)")
OPTIONAL = {
    "tensorflow": frozenset(
        "keras libclang tensorboard tensorboard-data-server tensorboard-plugin-wit tensorflow tensorflow-estimator "
        "tensorflow-io-gcs-filesystem".split()
    )
}
"""What may be left out -> the distributions that go with it, which nothing else needs."""


@dataclass(frozen=True, slots=True)
class Lock:
    """Distributions of an environment."""

    text: str
    """As pip and uv read it."""
    versions: dict[str, str]
    """Normalised name -> version."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_lock(without: Collection[str] = ()) -> Lock:
    """Return the lock of BigCodeBench's environment (CPython 3.10), without optional parts."""
    text = resources.files(__package__ or "").joinpath("bigcodebench-py310.txt").read_text(encoding="utf-8")
    left_out = {name for part in without for name in OPTIONAL[part]}
    kept: list[str] = []
    versions: dict[str, str] = {}
    for entry in _NEXT.split(text.strip()):
        match = _ENTRY.match(entry)
        if match is None or normalise(match[1]) in left_out:
            continue
        kept.append(entry)
        versions[normalise(match[1])] = match[2]
    return Lock("\n".join(kept) + "\n", versions)


def normalise(name: str) -> str:
    """Return a distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
