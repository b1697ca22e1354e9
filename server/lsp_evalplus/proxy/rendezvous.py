"""Discovery of the same user's language servers by a proxy: a folder of small files, each with a loopback port.

A listening server writes ``<random>.json`` with its port and a secret into the user's cache folder, readable by the
user only. A proxy sends each acceptance to all of them, as one JSON object and a newline with the secret in it; each
server ignores documents it does not have. Other users cannot read the secret, so they cannot report acceptances.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

import platformdirs

from lsp_evalplus.fuzz.files import write_atomically

logger = logging.getLogger(__name__)

_MAX_MESSAGE: Final = 4 << 20
_CONNECT_SECONDS: Final = 0.5

Take = Callable[[Mapping[str, Any]], None]


def rendezvous_folder() -> Path:
    """The user's folder of listening servers."""
    return platformdirs.user_cache_path("lsp-evalplus") / "listening"


class Listener:
    """The endpoint of a language server for proxies."""

    def __init__(self, server: asyncio.Server, file: Path) -> None:
        self._server = server
        self._file = file

    def close(self) -> None:
        """Stop listening and remove the file."""
        self._server.close()
        self._file.unlink(missing_ok=True)


async def listen(folder: Path, take: Take) -> Listener:
    """Listen on a loopback port and publish it in `folder`; `take` gets the parameters of ``lspEvalplus/accepted``.

    Raises:
        OSError: no port can be opened, or the folder cannot be written.
    """
    secret = secrets.token_urlsafe(24)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                _hand_over(line, secret, take)
        except (ValueError, ConnectionError) as error:
            logger.warning("a report of a proxy could not be read: %s", error)
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=_MAX_MESSAGE)
    port = server.sockets[0].getsockname()[1]
    return Listener(server, _publish(folder, {"port": port, "secret": secret, "pid": os.getpid()}))


def announce(folder: Path, params: Mapping[str, Any]) -> int:
    """Send to every listening server; return how many were reached. Files of servers that are gone are removed."""
    told = 0
    for file in sorted(folder.glob("*.json")):
        entry = _read(file)
        if entry is None:
            continue
        line = json.dumps({"secret": entry["secret"], "params": params}).encode() + b"\n"
        try:
            with socket.create_connection(("127.0.0.1", entry["port"]), timeout=_CONNECT_SECONDS) as connection:
                connection.sendall(line)
            told += 1
        except ConnectionRefusedError:
            file.unlink(missing_ok=True)
        except OSError as error:
            logger.debug("the server of %s was not told: %s", file.name, error)
    return told


def _hand_over(line: bytes, secret: str, take: Take) -> None:
    message: object = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("no JSON object")
    fields = cast("Mapping[str, Any]", message)
    params: object = fields.get("params")
    if not hmac.compare_digest(str(fields.get("secret")).encode(), secret.encode()) or not isinstance(params, dict):
        raise ValueError("wrong secret or no params")
    take(cast("Mapping[str, Any]", params))


def _publish(folder: Path, entry: Mapping[str, Any]) -> Path:
    """Atomically write a file that only the user can read."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    place = folder / f"{secrets.token_hex(8)}.json"
    write_atomically(place, json.dumps(entry).encode("utf-8"), is_private=True)
    return place


def _read(file: Path) -> Mapping[str, Any] | None:
    try:
        entry: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(entry, dict):
        return None
    fields = cast("Mapping[str, Any]", entry)
    return fields if isinstance(fields.get("port"), int) and isinstance(fields.get("secret"), str) else None
