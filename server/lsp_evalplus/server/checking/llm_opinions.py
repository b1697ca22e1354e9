"""Implementations of a docstring by a language model, for functions without any other oracle. Off by default."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.contract import contract_of
from lsp_evalplus.server.workspace.folders import Folder

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.llm.oracle import Proposal

logger = logging.getLogger(__name__)

_MAX_KEPT: Final = 500


class Opinions:
    """Asks for implementations, and caches them by prompt, which does not contain the function's body."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], Proposal | None] = OrderedDict()
        self._said: set[str] = set()

    def is_wanted(self, folder: Folder, path: str | None) -> bool:
        """Whether the user opted in."""
        settings = folder.settings
        return settings.llm.enabled and OracleKind.MODEL.value in settings.oracles and path is not None

    def known(self, folder: Folder, path: str | None, target: FunctionTarget) -> Proposal | None:
        """The cached answer; asks nothing."""
        if not self._kept or not self.is_wanted(folder, path):
            return None
        key = _key(folder, target)
        return self._kept.get(key) if key is not None else None

    async def ask(self, folder: Folder, path: str | None, target: FunctionTarget) -> Proposal | None:
        """Ask, if the user allowed it for the folder; tokens used are added to the day's account."""
        if path is None or not self.is_wanted(folder, path):
            return None
        # Imported late: the default configuration loads none of it.
        from lsp_evalplus.fuzz.llm.oracle import propose_oracle
        from lsp_evalplus.fuzz.llm.setup import open_client, open_ledger

        key = _key(folder, target)
        if key is None or key in self._kept:
            return self._kept.get(key) if key is not None else None
        try:
            client = open_client(folder.settings.llm, folder.root, Path(path))
        except UserError as error:
            client = str(error).rstrip(".")
        if isinstance(client, str):
            self._say(f"{folder.root}: nothing is sent to a language model: {client}")
            return None
        try:
            async with client:
                proposal = await propose_oracle(client, target)
        finally:
            open_ledger().add(client.usage)
        if proposal is None and not client.usage.requests:
            return None  # There was no answer; the next check asks again.
        self._kept[key] = proposal
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return proposal

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            logger.info("%s", sentence)


def _key(folder: Folder, target: FunctionTarget) -> tuple[str, str, str] | None:
    from lsp_evalplus.fuzz.llm.oracle import proposal_text

    text = proposal_text(target)
    return (folder.settings.llm.base_url, folder.settings.llm.model, text) if text is not None else None


async def judge_opinion(
    target: FunctionTarget, proposal: Proposal, budget: Budget, pool: GuestPool, seeds: Sequence[str]
) -> Report:
    """Search for an input on which the implementations agree with one another and not with the function."""
    from lsp_evalplus.fuzz.llm.oracle import check_by_agreement, speaker_of

    try:
        contract = await asyncio.to_thread(contract_of, target)
        return await check_by_agreement(target, proposal, budget, pool, seeds=seeds, contract=contract)
    except (UserError, WorkerError) as error:
        logger.warning("comparing %s with implementations of a model failed: %s", target.name, error)
        return Report(Verdict.NOT_CHECKED, f"the worker failed: {error}", speaker_of(proposal))
