"""Which programs and requests a call failed to start and to send, wherever that was tried: by the chain of exceptions.

What tries it may be another module of the project, or a library that it uses (`fuzz.source.outside.stubs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from ..values.dynamic import is_instance, type_of
from ..values.makers.stub_parameters import PARAMETERS
from ..values.program_errors import traces_of

_PROGRAMS, _RESPONSES = PARAMETERS
_TRYING = {
    ("subprocess", "_execute_child"): _PROGRAMS,
    ("requests.adapters", "send"): _RESPONSES,
    ("urllib.request", "do_open"): _RESPONSES,
    ("httpx._transports.default", "handle_request"): _RESPONSES,
}
"""The functions that start a program, and that send a request, by their modules; what stubs stand in for."""
_OF_HTTPX = "httpx"
_LONGEST = 20


def unanswered_in(error: Any) -> Set[str]:
    """Return what an exception tells of: ``programs``, ``responses``, both or neither."""
    return {
        _TRYING[place]
        for one in _chain(error)
        if is_instance(one, OSError) or type_of(one).__module__ == _OF_HTTPX
        for place in _places(one)
        if place in _TRYING
    }


def _chain(error: Any) -> Iterator[BaseException]:
    """Yield an exception and those that it was raised after, without the same one twice."""
    seen, waiting = dict[int, None](), [error]
    while waiting and len(seen) < _LONGEST:
        one = waiting.pop()
        if isinstance(one, BaseException) and id(one) not in seen:
            seen[id(one)] = None
            yield one
            waiting += [one.__cause__, one.__context__]


def _places(error: BaseException) -> Iterator[tuple[str, str]]:
    """Yield the modules and names of the functions that an exception passed."""
    for one in traces_of(error):
        yield str(one.tb_frame.f_globals.get("__name__")), one.tb_frame.f_code.co_name
