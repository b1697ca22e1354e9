"""Projects of Django: its models and forms can be loaded only when its settings are known and its applications are."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any, Final

from ..values.program_errors import PROGRAM_ERRORS

_VARIABLE: Final = "DJANGO_SETTINGS_MODULE"
_IN_MEMORY: Final = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}


def set_up(settings: str) -> None:
    """Set up Django with the settings of a project, once; its databases are empty ones in memory.

    Where that fails, what needs it fails as in a process that has not done so.

    Args:
        settings: name of the module with the settings; nothing is done where it is empty.
    """
    if not settings or os.environ.get(_VARIABLE) == settings:
        return
    os.environ[_VARIABLE] = settings
    with contextlib.suppress(*PROGRAM_ERRORS):
        held: Any = importlib.import_module("django.conf").settings
        held.DATABASES = {name: dict(_IN_MEMORY) for name in held.DATABASES}
        held.LOGGING_CONFIG = None
        importlib.import_module("django").setup()
