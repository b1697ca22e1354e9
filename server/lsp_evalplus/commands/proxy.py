"""``lsp-evalplus proxy -- SERVER ARG...``: detect acceptances that the completion client does not report."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click

from lsp_evalplus.proxy.dialect import Accepted
from lsp_evalplus.proxy.relay import relay
from lsp_evalplus.proxy.rendezvous import announce, rendezvous_folder


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Append what was noticed to this file.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def proxy(command: tuple[str, ...], log: Path | None) -> int:
    """Run the completion server COMMAND in between, and tell lsp-evalplus which completions were accepted.

    Every byte passes unchanged, in both directions. Set it as the server command of your completion client, e.g.
    lsp-evalplus proxy -- copilot-language-server --stdio
    """
    handler = logging.FileHandler(log, encoding="utf-8") if log else logging.StreamHandler(sys.stderr)
    logging.basicConfig(
        level=logging.INFO if log else logging.ERROR, handlers=[handler], format="%(asctime)s %(message)s"
    )
    folder = rendezvous_folder()

    def report(accepted: Accepted) -> None:
        told = announce(folder, accepted.to_params())
        line, column = accepted.start
        logging.getLogger(__name__).info(
            "accepted (%s): %d characters at %s:%d:%d; %d servers told",
            accepted.kind, len(accepted.text), accepted.uri, line, column, told,
        )  # fmt: skip

    return relay(command, report)
