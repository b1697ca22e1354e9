"""Daily budget for a model, shared by all processes of a user, and a cache of answers."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import platformdirs

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.model import ArgumentsText

from .consent import write_text
from .prompts import SeedPrompt
from .replies import Usage

KEPT_SECONDS = 30 * 24 * 3600.0
KEPT_ANSWERS = 2_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """Daily limits; prices are per million tokens."""

    requests: int = 500
    tokens: int = 1_000_000
    money: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0


class Ledger:
    """Usage of the current day, stored in a file."""

    def __init__(self, path: Path, allowance: Allowance, today: Callable[[], str] | None = None) -> None:
        self._path, self._allowance = path, allowance
        self._today = today or (lambda: dt.datetime.now(dt.UTC).date().isoformat())

    def why_not(self) -> str | None:
        """Return which daily limit has been reached, or None."""
        used, limit = self.used(), self._allowance
        if used.requests >= limit.requests:
            return f"today's limit of {count(limit.requests, 'request')} is reached"
        if used.prompt_tokens + used.completion_tokens >= limit.tokens:
            return f"today's limit of {count(limit.tokens, 'token')} is reached"
        if limit.money is not None and used.cost(limit.price_in, limit.price_out) >= limit.money:
            return f"today's limit of {limit.money:g} for cost is reached"
        return None

    def used(self) -> Usage:
        """Return today's usage."""
        try:
            value: Any = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Usage()
        record = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        counts = [record.get(name) for name in ("requests", "prompt_tokens", "completion_tokens")]
        if record.get("day") != self._today() or not all(isinstance(count, int) for count in counts):
            return Usage()
        return Usage(*cast("list[int]", counts))

    def add(self, usage: Usage) -> None:
        """Record the usage of one request."""
        total = self.used() + usage
        record = {
            "day": self._today(),
            "requests": total.requests,
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
        }
        write_text(self._path, json.dumps(record) + "\n")


class AnswerCache:
    """Cache of proposed inputs by prompt, so that the same request is not paid for twice."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._clock = folder, clock

    def get(self, model: str, prompt: SeedPrompt) -> list[ArgumentsText] | None:
        """Return the inputs of a cached answer, or None."""
        path = self._place(model, prompt)
        try:
            if self._clock() - path.stat().st_mtime > KEPT_SECONDS:
                return None
            value: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        items = cast("list[Any]", value) if isinstance(value, list) else []
        return [item for item in items if isinstance(item, str)]

    def put(self, model: str, prompt: SeedPrompt, inputs: Sequence[ArgumentsText]) -> None:
        """Store the inputs of an answer, and evict the oldest if there are too many."""
        write_text(self._place(model, prompt), json.dumps(list(inputs)))
        files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - KEPT_ANSWERS)]:
            path.unlink(missing_ok=True)

    def _place(self, model: str, prompt: SeedPrompt) -> Path:
        digest = hashlib.sha256(json.dumps([model, prompt.messages]).encode()).hexdigest()
        return self._folder / f"{digest}.json"


def cache_folder() -> Path:
    """Return the folder of cached answers and the ledger."""
    return Path(platformdirs.user_cache_dir("lsp-evalplus", appauthor=False)) / "llm"
