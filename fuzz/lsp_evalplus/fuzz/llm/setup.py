"""Create the source of seeds from settings, consent, key, budget and cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from lsp_evalplus.fuzz.config.settings import LlmSettings
from lsp_evalplus.fuzz.errors import UserError, require_extra

from .budget import Allowance, AnswerCache, Ledger, cache_folder
from .client import Endpoint, LlmClient
from .consent import open_consents, why_not
from .seeds import LlmSeeds, SeedOptions


def open_seeds(
    settings: LlmSettings,
    workspace: Path,
    path: Path,
    *,
    api_key: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> LlmSeeds | str:
    """Return a source of seeds for functions of the file `path`, or why there is none, as a clause.

    Args:
        settings: endpoint and model, from the user or the editor.
        workspace: the folder the consent applies to.
        path: the file whose code would be sent.
        api_key: from the editor's secret storage; None: from the environment variable named in the settings.
        environment: where that variable is looked up.
    """
    reason = why_not(settings, open_consents(), workspace, path)
    if reason is not None:
        return reason
    return make_seeds(settings, api_key=api_key, environment=environment)


def open_client(
    settings: LlmSettings,
    workspace: Path,
    path: Path,
    *,
    api_key: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> LlmClient | str:
    """Return a client for `llm.oracle` and `llm.fix`, under the same conditions as `open_seeds`, or why there is none.

    The caller closes it and adds ``client.usage`` to the ledger.
    """
    reason = why_not(settings, open_consents(), workspace, path) or open_ledger().why_not()
    return reason if reason is not None else LlmClient(endpoint_of(settings, api_key, environment))


def open_ledger(folder: Path | None = None) -> Ledger:
    """Return the ledger of today's usage."""
    return Ledger((folder or cache_folder()) / "used.json", Allowance())


def make_seeds(
    settings: LlmSettings,
    *,
    api_key: str | None = None,
    environment: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> LlmSeeds:
    """Return a source of seeds; the caller has checked the user's consent.

    Raises `UserError` if the endpoint needs a key and there is none, or its address is not a URL.
    """
    client = LlmClient(endpoint_of(settings, api_key, environment))
    place = folder or cache_folder()
    return LlmSeeds(client, SeedOptions(), cache=AnswerCache(place / "answers"), ledger=open_ledger(place))


def endpoint_of(settings: LlmSettings, api_key: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint. A key is never sent unencrypted to another machine.

    Raises `UserError` if the endpoint needs a key and there is none, its address is not a URL, or the SDK is missing.
    """
    require_extra("openai", "a language model", "llm")
    url = urlsplit(settings.base_url)
    if settings.base_url and (url.scheme not in ("http", "https") or not url.hostname):
        raise UserError(f"llm.base-url is {settings.base_url!r}; it must be a URL such as http://localhost:11434/v1.")
    key = api_key or environment.get(settings.api_key_env, "").strip() or None
    if key is None and not settings.base_url:
        raise UserError(
            f"{settings.api_key_env} is not set; put the key there, or set llm.base-url to another endpoint."
        )
    if key is not None and url.scheme == "http" and not is_local(url.hostname or ""):
        raise UserError(
            f"llm.base-url is {settings.base_url}; a key is only sent over https, or to this machine; use "
            "https, or name an empty variable in llm.api-key-env."
        )
    return Endpoint(settings.model, settings.base_url or None, key, request_seconds=settings.timeout, attempts=3)


def is_local(host: str) -> bool:
    """Whether a host name means this machine."""
    return host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost")
