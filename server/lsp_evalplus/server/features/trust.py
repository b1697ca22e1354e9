"""``lspEvalplus/trust``: the user granted or withdrew trust in the workspace; no restart is needed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from lsp_evalplus.server.checking.triggers import Event
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from . import lifecycle, proxied

METHOD: Final = "lspEvalplus/trust"

logger = logging.getLogger(__name__)


async def trust(ls: EvalplusServer, params: Any) -> None:
    """``{trusted}``: start to analyse open documents, or end everything that runs."""
    is_mapping = isinstance(params, Mapping)
    trusted = cast("Mapping[str, Any]", params).get("trusted") if is_mapping else getattr(params, "trusted", None)
    if not isinstance(trusted, bool) or trusted == ls.options.trusted == ls.options.vouches:
        logger.info("a message about trust says nothing new")
        return
    was_trusted = ls.options.trusted
    ls.options = ls.session.options = replace(ls.options, trusted=trusted, vouches=trusted)
    ls.session.folders.trusts_workspace = trusted
    ls.session.folders.forget_settings()
    if trusted and was_trusted:
        ls.session.settings_changed()
        return
    if not trusted:
        ls.session.cancel_all()
        await ls.session.folders.close()
        return
    begin(ls)
    await lifecycle.begin(ls)
    ls.session.notice_everywhere(Event.OPENED)


def begin(ls: EvalplusServer) -> None:
    """Background tasks that only a trusted workspace has."""
    if not ls.hears_proxies:
        ls.hears_proxies = True
        ls.spawn(proxied.hear(ls))
