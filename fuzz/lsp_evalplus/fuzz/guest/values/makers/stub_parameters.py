"""The answers that stubs give as parameters of a function, so that a search gives them values like any others.

The host states which stubs a function needs (`fuzz.source.outside.stubs`).
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ..dynamic import type_of
from ..program_errors import innermost
from .added_parameters import declare, keyword
from .json_types import json_type
from .outside import Outside

STUBBED = "stubbed"
"""The name that calls have for `stubs.stubbed`."""
PARAMETERS: Mapping[str, str] = MappingProxyType({"programs": "started_programs", "responses": "http_responses"})
SHOWN_ANSWERS = {parameter: name for name, parameter in PARAMETERS.items()}
"""The parameters that are added to a function, and the names that `stubbed` has for them."""
_IS_STUBBED = "_lsp_stubbed_"
_STUBS = __name__.rpartition(".")[0] + ".stubs"
_LIBRARIES = frozenset(("requests", "urllib", "httpx", "subprocess"))
_FAILURES = frozenset(("HTTPError", "HTTPStatusError", "CalledProcessError"))
_MOST_BESIDE_JSON = 3


def is_of_answer(error: Any) -> bool:
    """Whether an exception tells that a program or a request failed, which callers may rely on."""
    kind = type_of(error)
    trace = innermost(error)
    if trace is not None and trace.tb_frame.f_globals.get("__name__") == _STUBS:
        return True
    return kind.__module__.partition(".")[0] in _LIBRARIES and kind.__name__ in _FAILURES


def with_stubs(function: Callable[..., Any], fields: Mapping[str, Any] | None) -> Callable[..., Any]:
    """Return the function with keyword parameters for the answers of programs and servers.

    A call of it raises `PermissionError` where the sandbox would not stop what the stubs overlook.

    Args:
        function: a plain one, neither a coroutine nor a generator.
        fields: whether it starts ``programs`` and sends requests (``responses``), likely ``contents`` of answers, what
            ``json`` in them is like, and the ``codes`` and ``statuses`` of failures; None where it does neither.
    """
    if fields is None:
        return function
    from .stubs import stubbed  # Few programs need it, and it imports much.

    content = _content_type(fields)
    failed: dict[str, Any] = {"programs": fields["codes"], "responses": fields["statuses"]}
    further = [
        keyword(
            PARAMETERS[name],
            (),
            typing.List[typing.Union[content, typing.Tuple[typing.Literal[tuple(codes)], content], None]],  # type: ignore[valid-type]  # noqa: UP006 - Python 3.9 makes no `list[Union]` hint.
        )
        for name, codes in failed.items()
        if fields[name]
    ]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not Outside.is_closed:
            raise PermissionError("programs and requests are stubs where nothing can be started or sent")
        given = {SHOWN_ANSWERS[one.name]: kwargs.pop(one.name, ()) for one in further}
        return stubbed(function, **given)(*args, **kwargs)

    return declare(call, list(inspect.signature(function).parameters.values()), further, **{_IS_STUBBED: True})


def _content_type(fields: Mapping[str, Any]) -> Any:
    """Return the type of what is read from an answer: JSON of the parts that are looked up, likely strings, others."""
    members: list[Any] = [json_type(content) for content in fields["json"]]
    contents = fields["contents"][:_MOST_BESIDE_JSON] if members else fields["contents"]
    return typing.Union[(*members, typing.Literal[tuple(contents)], *(() if members else (str,)))]


def has_stubs(function: object) -> bool:
    """Whether a function is one that `with_stubs` returned."""
    return getattr(function, _IS_STUBBED, False) is True


def stubs_text(name: str, given: Mapping[str, str]) -> str:
    """Return what to call instead of a function with stubs: ``stubbed(branch, programs=['main'])``.

    Args:
        name: of the function.
        given: the values of parameters in `SHOWN_ANSWERS`, as source code; others are left out.
    """
    answers = [f"{SHOWN_ANSWERS[key]}={value}" for key, value in given.items() if key in SHOWN_ANSWERS]
    return f"{STUBBED}({', '.join([name, *answers])})"
