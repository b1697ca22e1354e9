"""``lsp-evalplus explain``: the page of a finding's code, without a network."""

from __future__ import annotations

import click

from lsp_evalplus.fuzz.config.codes import all_codes, installed_page, page_of


@click.command("explain", short_help="Say what a finding's code means, and what to do.")
@click.argument("code", type=click.Choice([*all_codes()]), required=False, metavar="[CODE]")
def explain(code: str | None) -> None:
    """Say what the CODE of a finding means, how it is found, when it may be wrong and what you can do.

    Without CODE, print the table of all codes.
    """
    page = installed_page(code or "README")
    click.echo(page.read_text(encoding="utf-8").rstrip() if page else page_of(code or "README"))
