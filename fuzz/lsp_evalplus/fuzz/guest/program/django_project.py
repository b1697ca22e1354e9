"""Projects of Django and packages for it: models can be loaded only where settings and applications are known."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Mapping
from typing import Any, Final

from ..values.program_errors import PROGRAM_ERRORS

_VARIABLE: Final = "DJANGO_SETTINGS_MODULE"
_IN_MEMORY: Final = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
_IMPORTS: Final = re.compile(r"^[ \t]*(?:from|import)[ \t]+django", re.MULTILINE)
_CONFIGURES: Final = re.compile(rf"\bconfigure\(|{_VARIABLE}")
"""What programs have that state settings themselves, which can be done once."""
_USUAL_APPLICATIONS: Final = ("django.contrib.contenttypes", "django.contrib.auth")


class _State:
    settings: str | None = None
    """The module with the settings that are set up, empty for usual ones; None before."""


def set_up(program: Mapping[str, Any]) -> None:
    """Set up Django with the settings of a project, or usual ones for a package of its own, once; its databases are
    empty ones in memory.

    Where that fails, what needs it fails as in a process that has not done so. Programs that state their own settings
    get no usual ones.

    Args:
        program: its fields; ``django_settings`` names the module with the settings.
    """
    if _State.settings is not None:
        return
    settings, source = str(program.get("django_settings") or ""), program["source"]
    if not settings and (not _IMPORTS.search(source) or _CONFIGURES.search(source)):
        return
    _State.settings = settings
    with contextlib.suppress(*PROGRAM_ERRORS):
        held: Any = importlib.import_module("django.conf").settings
        _configure(held, settings, str(program.get("package") or "").partition(".")[0])
        importlib.import_module("django").setup()


def _configure(held: Any, settings: str, package: str) -> None:
    """Give Django the settings of a module, or usual ones where that cannot be imported.

    Args:
        held: Django's object for them.
        settings: name of the module; empty for usual ones.
        package: one of the applications that usual settings name, if there is any.
    """
    if settings:
        os.environ[_VARIABLE] = settings
        with contextlib.suppress(*PROGRAM_ERRORS):
            held.DATABASES = {name: dict(_IN_MEMORY) for name in held.DATABASES}
            held.LOGGING_CONFIG = None
            return
    held.configure(
        INSTALLED_APPS=[*_USUAL_APPLICATIONS, *filter(None, [package])],
        DATABASES={"default": dict(_IN_MEMORY)},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        SECRET_KEY=_VARIABLE,
    )
