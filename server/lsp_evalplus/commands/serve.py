"""``lsp-evalplus serve``: the language server."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import sys

import click

from lsp_evalplus.fuzz.errors import UserError

_LEVELS = ("debug", "info", "warning", "error")
_VARIABLE = "LSP_EVALPLUS_TOKEN"
_WAITS = (
    "lsp-evalplus: this is the language server: it waits for an editor to speak LSP on standard input. To check code "
    "from here, use `lsp-evalplus check`; Ctrl+C ends this."
)


@click.command()
@click.option("--tcp", metavar="HOST:PORT", help="Serve one connection over TCP; port 0 takes a free one.")
@click.option("--tcp-anywhere", is_flag=True, help="Let --tcp listen on addresses that other machines reach.")
@click.option("--stdio", is_flag=True, help="Serve standard input and output (the default).")
@click.option("--log-level", type=click.Choice(_LEVELS), default="warning", show_default=True, help="What is logged.")
def serve(tcp: str | None, tcp_anywhere: bool, stdio: bool, log_level: str) -> None:
    """Run the language server, over standard input and output unless told otherwise.

    Logs go to standard error. It ends when its client does. With --tcp, a client must send the token that the
    environment variable LSP_EVALPLUS_TOKEN holds, or else the one that is printed, as initializationOptions.token.
    """
    if tcp is not None and stdio:
        raise UserError("--tcp and --stdio exclude each other; leave one of them out.")
    logging.basicConfig(level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    # pygls logs every message at level INFO, including whole documents.
    logging.getLogger("pygls").setLevel(max(logging.getLogger().level, logging.WARNING))
    address = _read_address(tcp, anywhere=tcp_anywhere) if tcp is not None else None
    if address is None and sys.stdin is not None and sys.stdin.isatty():
        click.echo(_WAITS, err=True)
    sys.exit(asyncio.run(_serve(address)))


async def _serve(address: tuple[str, int] | None) -> int:
    # Exempt imported modules from garbage collection: each full one would block the event loop for 50 ms.
    gc.disable()
    from lsp_evalplus.server import app  # pygls takes a while to import; `--help` does without

    gc.freeze()
    gc.enable()
    server = app.create_server()
    if address is None:
        return await app.serve_stdio(server)
    token = os.environ.get(_VARIABLE) or ""
    if not token:
        token = secrets.token_urlsafe(24)
        click.echo(f"lsp-evalplus: initializationOptions.token must be {token}", err=True)
    try:
        return await app.serve_tcp(server, *address, _tell_address, token=token)
    except OSError as error:
        raise UserError(f"--tcp: cannot listen on {address[0]}:{address[1]}: {error.strerror or error}.") from error


def _tell_address(host: str, port: int) -> None:
    click.echo(f"lsp-evalplus listens on {host}:{port}", err=True)


def _read_address(text: str, *, anywhere: bool) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise UserError(f"--tcp: {text!r} is no address; write it as HOST:PORT, for example 127.0.0.1:2087.")
    from lsp_evalplus.server.lsp.admission import is_loopback

    host = host.strip("[]")
    if not anywhere and not is_loopback(host):
        raise UserError(f"--tcp: other machines may reach {host}; name 127.0.0.1 or [::1], or add --tcp-anywhere.")
    return host, int(port)
