"""The server, but that each reading of a file takes longer: ``slow_reader.py SECONDS``."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from lsp_evalplus import cli
from lsp_evalplus.server.analysis.client import AnalysisClient


def main() -> None:
    """Serve; what has been read is given so many seconds later."""
    read: Any = AnalysisClient.survey

    async def survey(*arguments: Any) -> Any:
        found = await read(*arguments)
        await asyncio.sleep(float(sys.argv[1]))
        return found

    AnalysisClient.survey = survey  # type: ignore[method-assign]
    cli.main(["serve"])


if __name__ == "__main__":
    main()
