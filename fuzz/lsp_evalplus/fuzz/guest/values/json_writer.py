"""JSON of many small values, without the encoder that `json.dumps` makes for each of them."""

from __future__ import annotations

import json
from typing import Any, Callable


def make_writer(encoder: json.JSONEncoder) -> Callable[[Any], str]:
    """Return what gives the text of `encode` of an encoder that does not indent, for values without cycles."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    write: Callable[[Any, int], tuple[str, ...]] = make(
        None,
        encoder.default,
        json.encoder.encode_basestring_ascii if encoder.ensure_ascii else json.encoder.encode_basestring,
        None,
        encoder.key_separator,
        encoder.item_separator,
        encoder.sort_keys,
        encoder.skipkeys,
        encoder.allow_nan,
    )
    join = "".join
    return lambda value: join(write(value, 0))
