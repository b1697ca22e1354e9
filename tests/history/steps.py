"""What one comparison of two versions gave."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

VERDICTS = ("agrees", "differs", "not_checked")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass
class Step:
    """What one comparison of two versions gave."""

    project: str
    old: str
    new: str
    targets: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    seconds: float = 0.0
    exit_code: int | None = None
    stderr: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether the command ended as it should, with nothing on standard error."""
        return self.exit_code in (0, 1) and not self.stderr

    def count(self, verdict: str) -> int:
        """How many functions have this verdict."""
        return sum(target["verdict"] == verdict for target in self.targets)

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The functions that differ."""
        return [target for target in self.targets if target["verdict"] == "differs"]


def shows_plainly(finding: dict[str, Any]) -> bool:
    """Whether the call of a finding does something else in the two versions when it is run without lsp-evalplus."""
    old, new = (_ADDRESS.sub("", finding["plain"][version]) for version in ("old", "new"))
    return old != new
