"""Consent to send code of a workspace to a model: off by default, granted by the user for each workspace.

A repository can contain settings, so a setting is not consent: consents are stored in the user's configuration folder,
each for one endpoint. Another endpoint needs another consent.
"""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import platformdirs

from lsp_evalplus.fuzz.config.exclusion import excluding_pattern
from lsp_evalplus.fuzz.config.settings import LlmSettings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically

ALWAYS_EXCLUDED = (".env*", "*secret*", "*credential*", "*.pem", "*.key", "id_rsa*", "*password*")
"""Name patterns of files that are never sent."""


@dataclass(frozen=True, slots=True)
class Consents:
    """The user's consents, stored in one file."""

    path: Path

    def allow(self, workspace: Path, base_url: str) -> None:
        """Allow sending code below `workspace` to `base_url`."""
        self._write({**self._read(), _key(workspace): base_url})

    def forget(self, workspace: Path) -> bool:
        """Revoke a consent; return whether there was one."""
        known = self._read()
        had = known.pop(_key(workspace), None) is not None
        if had:
            self._write(known)
        return had

    def allows(self, workspace: Path, base_url: str) -> bool:
        """Whether code below `workspace` may be sent to `base_url`."""
        return self._read().get(_key(workspace)) == base_url

    def _read(self) -> dict[str, str]:
        try:
            value: Any = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        items = cast("dict[Any, Any]", value).items() if isinstance(value, dict) else ()
        return {key: url for key, url in items if isinstance(key, str) and isinstance(url, str)}

    def _write(self, known: dict[str, str]) -> None:
        write_text(self.path, json.dumps(known, indent=1, sort_keys=True) + "\n")


def open_consents() -> Consents:
    """Return the consents of the current user."""
    return Consents(Path(platformdirs.user_config_dir("lsp-evalplus", appauthor=False)) / "llm-consent.json")


def why_not(settings: LlmSettings, consents: Consents, workspace: Path, path: Path) -> str | None:
    """Return why the file must not be sent, as a clause for the user, or None if it may be."""
    if not settings.enabled:
        return "llm.enabled is not set"
    if not settings.model:
        return "llm.model is not set"
    if not consents.allows(workspace, settings.base_url):
        return "this workspace has no consent for this endpoint; `lsp-evalplus seeds --allow` gives it"
    pattern = _excluding_pattern(settings, _relative(path, workspace))
    return f"the file matches {pattern!r}" if pattern is not None else None


def _relative(path: Path, workspace: Path) -> str:
    try:
        return path.resolve().relative_to(workspace.resolve()).as_posix()
    except ValueError:
        return path.name


def _excluding_pattern(settings: LlmSettings, relative: str) -> str | None:
    """The pattern that keeps a file from being sent; case is ignored, because some file systems do."""
    for pattern in ALWAYS_EXCLUDED:
        if fnmatch.fnmatch(relative.lower(), pattern) or fnmatch.fnmatch(relative.rpartition("/")[2].lower(), pattern):
            return pattern
    patterns = (*settings.exclude,)
    lower = tuple(pattern.lower() for pattern in patterns)
    return excluding_pattern(patterns, relative) or excluding_pattern(lower, relative.lower())


def _key(workspace: Path) -> str:
    return str(workspace.resolve())


def write_text(path: Path, text: str) -> None:
    """Write a private file of the user atomically. Raises `UserError` if that fails."""
    try:
        write_atomically(path, text.encode("utf-8"), is_private=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
