"""Types of JSON that a program reads, by what it looks up in it (`fuzz.source.outside.json_contents`)."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

_TYPED_DICT: Any = typing.TypedDict


def json_type(content: Mapping[str, Any]) -> Any:
    """Return the type of a value of JSON: records with all keys, and with some, lists, constants, any other.

    Args:
        content: the ``keys`` of an object and what they have, the ``item`` of a list, or of an object with any keys
            (``is_object``), and ``values`` that it is compared with.
    """
    members: list[Any] = []
    if content["keys"]:
        kinds = {name: json_type(one) for name, one in content["keys"].items()}
        # Types of one name would be taken for one type.
        name = "_".join(["Record", *kinds])
        members += [_TYPED_DICT(f"{name}_{total}", kinds, total=total) for total in (True, False)]
    if content["item"] is not None:
        kind = json_type(content["item"])
        members.append(typing.Dict[str, kind] if content["is_object"] else typing.List[kind])  # noqa: UP006 - Python 3.9 makes no `list[Union]` hint.
    if content["values"]:
        members.append(typing.Literal[tuple(content["values"])])
    return typing.Union[tuple(members or (str, int, None, float, bool))]
