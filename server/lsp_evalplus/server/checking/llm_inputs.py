"""Inputs that a language model proposes for a function, where the user allowed that for the folder.

Off by default. A check never waits for a model: its result is shown first; inputs that come later are tried then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Oracle
from lsp_evalplus.server.analysis.facts import PreparedFunction
from lsp_evalplus.server.workspace.folders import Folder

logger = logging.getLogger(__name__)

ProposeFunction = Callable[
    [Folder, str | None, PreparedFunction, Oracle, Sequence[str]], Coroutine[Any, Any, list[str]]
]
"""Folder, path, function, oracle and known inputs -> further inputs; nothing where there is no consent."""


class Proposer:
    """Asks the language model that a folder's settings name."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    async def __call__(
        self, folder: Folder, path: str | None, prepared: PreparedFunction, oracle: Oracle, known: Sequence[str]
    ) -> list[str]:
        """Returns inputs; none, and one line in the log, where the model may not be asked or does not answer."""
        llm = folder.settings.llm
        if not (llm.enabled and llm.seeds) or path is None:
            return []
        # Imported late: the default configuration loads none of it.
        from lsp_evalplus.fuzz.llm.setup import open_seeds

        try:
            source = open_seeds(llm, folder.root, Path(path))
        except UserError as error:
            source = str(error).rstrip(".")
        if isinstance(source, str):
            self._say(f"{folder.root}: nothing is sent to a language model: {source}")
            return []
        async with source:
            return [text async for text in source.propose(prepared.target, oracle, known)]

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            logger.info("%s", sentence)
