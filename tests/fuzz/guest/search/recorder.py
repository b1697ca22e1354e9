"""A channel for searches in the process of a test."""

from __future__ import annotations

from typing import Any


class Recorder:
    """A channel whose messages are kept."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def receive(self) -> None:
        return None

    def heartbeat(self) -> None:
        pass

    def tell_loading(self, seconds: float) -> None:
        pass
