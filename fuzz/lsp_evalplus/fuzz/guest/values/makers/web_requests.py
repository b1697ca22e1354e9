"""Requests as inputs of functions that Flask calls: each call is made inside of one.

A function that reads parts of a request gets further keyword parameters, so that a search gives it values like any
others. The host states which it reads (`fuzz.source.outside.web_requests`).
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable

from .added_parameters import declare, keyword
from .flask_calls import answer_of, in_request

PARAMETERS: Mapping[str, str] = MappingProxyType(
    {
        "args": "request_args",
        "form": "request_form",
        "json": "request_json",
        "headers": "request_headers",
        "cookies": "request_cookies",
        "method": "request_method",
        "session": "request_session",
        "config": "request_config",
    }
)
"""The parameters that stand for the parts of a request."""
IN_REQUEST, ANSWER = "in_request", "answer_of"
"""The names that calls have for `in_request` and `answer_of`."""
SHOWN_PARTS = {parameter: part for part, parameter in PARAMETERS.items()}
"""The parameters that are added to a function, and the names that `in_request` has for them."""
_CALLED_IN = "_lsp_called_in_"
_TYPES = {"str": str, "int": int, "float": float}
_METHODS: Any = typing.Literal["GET", "POST", "PUT", "DELETE"]


def with_request(function: Callable[..., Any], fields: Mapping[str, Any] | None) -> Callable[..., Any]:
    """Return the function, called in a request, with keyword parameters for the parts of it that it reads.

    Args:
        function: a plain one, neither a coroutine nor a generator.
        fields: the ``parts``, whether it ``is_view``, and the ``types`` of variable parts of its path; None where it is
            called outside of a request.
    """
    if fields is None:
        return function
    signature = inspect.signature(function)
    maker = answer_of if fields["is_view"] else in_request
    names = [PARAMETERS[part] for part in fields["parts"]]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = {SHOWN_PARTS[name]: kwargs.pop(name, None) for name in names}
        return maker(function, **given)(*args, **kwargs)

    own = [_annotated(one, fields["types"]) for one in signature.parameters.values()]
    kinds = {"method": _METHODS}
    further = [keyword(PARAMETERS[part], None, kinds.get(part, inspect.Parameter.empty)) for part in fields["parts"]]
    return declare(call, own, further, **{_CALLED_IN: ANSWER if fields["is_view"] else IN_REQUEST})


def _annotated(parameter: inspect.Parameter, types: Mapping[str, str]) -> inspect.Parameter:
    kind = _TYPES.get(types.get(parameter.name, ""))
    is_stated = kind is None or parameter.annotation is not inspect.Parameter.empty
    return parameter if is_stated else parameter.replace(annotation=kind)


def request_text(name: str, given: Mapping[str, str], function: object) -> str:
    """Return what to call instead of a function: ``answer_of(search, args={'q': 'a'})``.

    Args:
        name: of the function.
        given: the values of parameters in `SHOWN_PARTS`, as source code; others are left out.
        function: the one that `with_request` returned, or any other.
    """
    maker: object = getattr(function, _CALLED_IN, None)
    if type(maker) is not str:
        return name
    parts = [f"{SHOWN_PARTS[key]}={value}" for key, value in given.items() if key in SHOWN_PARTS]
    return f"{maker}({', '.join([name, *parts])})"
