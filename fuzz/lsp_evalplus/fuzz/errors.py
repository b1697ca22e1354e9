"""Every exception this project raises on purpose.

::

    LspEvalplusError
    ├── UserError            the user can fix it: one sentence that says what, where and what to do
    └── WorkerError          our own machinery failed: never shown as a verdict
        ├── GuestStartError  the interpreter could not be started as a guest
        └── GuestFaultError  a guest broke the protocol or died outside of user code
"""

from __future__ import annotations


class LspEvalplusError(Exception):
    """Base class of every exception this project raises on purpose."""


class UserError(LspEvalplusError):
    """Bad input; its message is one clear sentence, printed unchanged to the user with exit code 2."""


class WorkerError(LspEvalplusError):
    """A fault of the worker itself, as opposed to anything a candidate does."""


class GuestStartError(WorkerError):
    """The interpreter is missing, too old, or did not answer the start-up handshake."""


class GuestFaultError(WorkerError):
    """A guest violated the protocol, or its zygote died."""
