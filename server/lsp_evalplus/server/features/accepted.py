"""``lspEvalplus/accepted``: the client reports which code was accepted. Documented in docs/lsp-extensions.md."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from lsprotocol import types

from lsp_evalplus.server.acceptance.acceptance import AcceptanceKind
from lsp_evalplus.server.lsp.language_server import EvalplusServer

logger = logging.getLogger(__name__)

METHOD: Final = "lspEvalplus/accepted"


@dataclass(frozen=True, slots=True)
class ReadParams:
    """The parameters of the notification, as far as they are understood."""

    uri: str
    version: int | None
    ranges: tuple[types.Range, ...]
    kind: AcceptanceKind
    source: str | None


async def accepted(ls: EvalplusServer, params: Any) -> None:
    """Handle the notification. Invalid parameters are logged and ignored, because acceptances are advisory."""
    take(ls, params)


def take(ls: EvalplusServer, params: Any) -> bool:
    """Take an acceptance, from the notification or the command; whether its parameters were valid."""
    try:
        read = read_params(params)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        logger.warning("an acceptance was not understood: %s", error)
        return False
    document = ls.session.document_at(read.uri)
    if document is None:
        return False
    spans = [ls.text_documents.to_span(document, one) for one in read.ranges]
    ls.session.accept(read.uri, read.version, spans, read.kind, read.source)
    return True


def read_params(params: Any) -> ReadParams:
    """Read the parameters, which come as a mapping or, from pygls, as an object with attributes.

    Raises:
        TypeError: a part has the wrong type.
        KeyError: a part is missing.
        ValueError: ``kind`` is none of full, word, line, nextEdit.
        OverflowError: a number is infinite.
    """
    document = _part(params, "textDocument")
    version = _part(document, "version", None)
    source = _part(params, "source", None)
    return ReadParams(
        uri=str(_part(document, "uri")),
        version=version if isinstance(version, int) else None,
        ranges=tuple(_range(one) for one in cast("Sequence[Any]", _part(params, "ranges"))),
        kind=AcceptanceKind(_part(params, "kind", "full")),
        source=str(source)[:100] if source is not None else None,
    )


_MISSING: Final = object()


def _part(value: Any, name: str, default: Any = _MISSING) -> Any:
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value).get(name, default)
    else:
        found = getattr(value, name, default)
    if found is _MISSING:
        raise KeyError(name)
    return found


def _range(value: Any) -> types.Range:
    start, end = _part(value, "start"), _part(value, "end")
    return types.Range(
        types.Position(int(_part(start, "line")), int(_part(start, "character"))),
        types.Position(int(_part(end, "line")), int(_part(end, "character"))),
    )
