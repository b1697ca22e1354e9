"""Clients that speak with others: what a function uses of them makes stand-ins."""

from __future__ import annotations

from lsp_evalplus.fuzz.guest.inference.library_objects import LIBRARY
from lsp_evalplus.fuzz.guest.values.shapes import AnyShape


def test_clients_have_no_shape_of_their_own() -> None:
    names = ("httpx.Client", "httpx.AsyncClient", "requests.sessions.Session", "aiohttp.client.ClientSession")
    assert all(isinstance(LIBRARY[name], AnyShape) for name in names)
