"""The settings of a folder as the server uses them: the engine's, from pyproject.toml and from the client.

A client's settings come flat and in camelCase, in ``initializationOptions`` and as the section ``lspEvalplus`` of
``workspace/configuration``. Invalid values are left out and reported in one message; the rest counts.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from lsp_evalplus.fuzz.config.settings import (
    Layer,
    Settings,
    apply_file,
    apply_layer,
    find_lookalikes,
    find_pyproject,
    to_kebab,
)
from lsp_evalplus.fuzz.config.trust import open_trusted_projects
from lsp_evalplus.fuzz.errors import UserError

logger = logging.getLogger(__name__)

_RENAMED: Final[Mapping[str, str]] = {"interpreter": "python", "budget-seconds": "budget"}
"""Editors' name of a setting, in kebab-case, to the setting's name."""

_CLIENT_ONLY: Final = frozenset(
    {
        "acceptance",
        "client-commands",
        "enable",
        "import-strategy",
        "log-level",
        "path",
        "show-notifications",
        "token",
        "trace",
        "trusted",
    }
)
"""Keys that are for the client alone, or are not settings (docs/lsp-extensions.md)."""

_USER_ONLY_LLM: Final = frozenset({"enabled", "model", "base-url", "api-key-env"})
"""Settings of `llm` that decide whether and where something is sent."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The ``initializationOptions`` of a client."""

    trusted: bool = True
    """Whether the workspace's code may be executed."""
    vouches: bool = False
    """Whether the client said so, and the workspace's files may decide what its code may do."""
    client_commands: frozenset[str] = frozenset()
    """Commands that the client implements itself, so that the server does not offer them."""
    values: Mapping[str, object] | None = None
    """Settings."""


def read_client_options(given: object) -> ClientOptions:
    """Read ``initializationOptions``; invalid values are ignored."""
    if not isinstance(given, Mapping):
        return ClientOptions()
    options = cast("Mapping[str, Any]", given)
    commands: object = options.get("clientCommands")
    names = cast("Sequence[object]", commands) if isinstance(commands, list | tuple) else ()
    return ClientOptions(
        trusted=options.get("trusted", True) is not False,
        vouches=options.get("trusted") is True,
        client_commands=frozenset(str(name) for name in names),
        values=options,
    )


def load(
    folder: Path, *layers: tuple[str, Mapping[str, object] | None], is_trusted: bool = False
) -> tuple[Settings, list[str]]:
    """The settings of a folder, and a sentence for each error in them.

    `layers` are (where they come from, values), the last one winning. `is_trusted`: the editor trusts the folder, whose
    pyproject.toml may then decide what its code may do, as it may if the user trusts the project.
    """
    problems: list[str] = []
    settings = _read_file(folder, problems, is_trusted=is_trusted or open_trusted_projects().trusts(folder))
    if settings.not_followed:
        logger.warning("%s", settings.describe_not_followed())
    for origin, values in layers:
        for key, value in _entries(values or {}):
            name = to_kebab(key)
            name = _RENAMED.get(name, name)
            if name in _CLIENT_ONLY or value in (None, [], ()):
                continue
            try:
                settings = apply_layer(settings, Layer(origin, {name: _single(name, value)}))
            except UserError as error:
                problems.append(str(error))
    return settings, problems


def without_permissions(values: Mapping[str, object] | None) -> Mapping[str, object] | None:
    """A client's settings for one workspace folder, which its files may have set, without those that only a user sets.

    The interpreter stays: editors let the user choose one for each folder.
    """
    if values is None:
        return None
    kept = {key: value for key, value in values.items() if to_kebab(key) not in ("network", "read")}
    for key, table in kept.items():
        if to_kebab(key) == "llm" and isinstance(table, Mapping):
            inner = cast("Mapping[str, object]", table).items()
            kept[key] = {name: value for name, value in inner if to_kebab(name) not in _USER_ONLY_LLM}
    return kept


def _read_file(folder: Path, problems: list[str], *, is_trusted: bool) -> Settings:
    """The settings of the nearest pyproject.toml, without invalid ones."""
    settings = Settings(trusts_project=is_trusted)
    try:
        found = find_pyproject(folder)
    except UserError as error:
        problems.append(str(error))
        return settings
    problems += find_lookalikes(folder)
    if found is None:
        return settings
    path, table = found
    settings = apply_file(settings, path, {})
    for key, value in _entries(table):
        try:
            settings = apply_file(settings, path, {key: value})
        except UserError as error:
            problems.append(str(error))
    return settings


def _entries(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Keys with their values, those of the table `llm` one by one: its `exclude` counts beside an invalid key."""
    for key, value in values.items():
        if to_kebab(key) == "llm" and isinstance(value, Mapping):
            yield from ((key, {inner: one}) for inner, one in cast("Mapping[str, object]", value).items())
        else:
            yield key, value


def _single(name: str, value: object) -> object:
    """Editors often keep an interpreter as a list of one."""
    if name == "python" and isinstance(value, list | tuple):
        return cast("Sequence[object]", value)[0]
    return value
