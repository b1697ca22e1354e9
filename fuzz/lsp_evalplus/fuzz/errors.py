"""Every exception this project raises on purpose.

::

    LspEvalplusError
    ├── UserError            the user can mend it: one sentence that says what, where and what to do
    └── WorkerError          our own machinery failed: never shown as a verdict
        ├── GuestStartError  the interpreter could not be started as a guest
        └── GuestFaultError  a guest broke the protocol or died outside of user code
"""

from __future__ import annotations


class LspEvalplusError(Exception):
    """The root: catching it catches all that this project raises on purpose."""


class UserError(LspEvalplusError):
    """Bad input; its text is one clear sentence for the user, printed as it is, exit code 2."""


class WorkerError(LspEvalplusError):
    """A fault of the worker itself, to be told apart from anything a candidate does."""


class GuestStartError(WorkerError):
    """The interpreter is missing, too old, or did not answer its start-up handshake."""


class GuestFaultError(WorkerError):
    """A guest sent what the protocol does not allow, or its zygote died."""
