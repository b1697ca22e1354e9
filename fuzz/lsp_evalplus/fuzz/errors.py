"""Every exception this project raises on purpose.

::

    LspEvalplusError
    ├── UserError            the user can fix it: one sentence that says what, where and what to do
    │   └── MissingExtraError  a package of an extra of this distribution is not installed
    └── WorkerError          our own machinery failed: never shown as a verdict
        ├── GuestStartError  the interpreter could not be started as a guest
        └── GuestFaultError  a guest broke the protocol or died outside of user code
"""

from __future__ import annotations

import importlib.util

SOURCE = "git+https://github.com/lsp-evalplus/lsp-evalplus"
"""Where pip finds this distribution: nothing is published, and whoever takes its name on PyPI is not us."""


def install_command(extra: str) -> str:
    """The command that installs this distribution with an extra."""
    return f"pip install 'lsp-evalplus[{extra}] @ {SOURCE}'"


class LspEvalplusError(Exception):
    """Base class of every exception this project raises on purpose."""


class UserError(LspEvalplusError):
    """Bad input; its message is one clear sentence, printed unchanged to the user with exit code 2."""


class MissingExtraError(UserError):
    """A package is missing that only an extra of this distribution installs."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs more packages; install them with: {install_command(extra)}")


def require_extra(package: str, what: str, extra: str) -> None:
    """Raise `MissingExtraError` if the importable `package`, which `what` needs, is not installed; imports nothing."""
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(what, extra)


class WorkerError(LspEvalplusError):
    """A fault of the worker itself, as opposed to anything a candidate does."""


class GuestStartError(WorkerError):
    """The interpreter is missing, too old, or did not answer the start-up handshake."""


class GuestFaultError(WorkerError):
    """A guest violated the protocol, or its zygote died."""
