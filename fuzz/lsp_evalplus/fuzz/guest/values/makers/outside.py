"""What the sandbox keeps from this process, beside files."""

from __future__ import annotations


class Outside:
    """Other programs, and the network."""

    is_closed = False
    """Whether no program can be started and nothing can be sent, whatever code does."""
