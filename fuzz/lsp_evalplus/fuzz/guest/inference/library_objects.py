"""Objects of the standard library through which threads and tasks speak to each other, as others have left them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..values.recipe import New, Prepared
from ..values.shapes import ChoiceShape, Shape


def _made(name: str, *uses: tuple[New, ...]) -> Shape:
    """Return what makes an object, as it is and after some sequences of calls."""
    made = New(name)
    return ChoiceShape((made, *[Prepared(made, calls) for calls in uses]))


def _fed(method: str) -> tuple[tuple[New, ...], ...]:
    one, two, word = New(method, (1,)), New(method, (0,)), New(method, ("a",))
    return (one,), (word,), (one, two)


_SET: Final = (New("set"),)
_LINES: Final = New("feed_data", (b"a: 1\r\nb\r\n\r\n",))
_END: Final = New("feed_eof")
_QUEUES: Final = ("Queue", "LifoQueue", "PriorityQueue")


def library_objects() -> Mapping[str, Shape]:
    """Return shapes by the full names of classes.

    An event is also set, a queue has items, a future has a result or is cancelled, a stream has lines or has ended.
    """
    return {
        "threading.Event": _made("threading.Event", _SET),
        "threading.Condition": _made("threading.Condition"),
        "threading.Semaphore": _made("threading.Semaphore"),
        "threading.BoundedSemaphore": _made("threading.BoundedSemaphore"),
        **{f"queue.{name}": _made(f"queue.{name}", *_fed("put")) for name in _QUEUES},
        "_queue.SimpleQueue": _made("queue.SimpleQueue", *_fed("put")),
        "asyncio.locks.Event": _made("asyncio.Event", _SET),
        "asyncio.locks.Lock": _made("asyncio.Lock"),
        "asyncio.locks.Condition": _made("asyncio.Condition"),
        "asyncio.locks.Semaphore": _made("asyncio.Semaphore"),
        "asyncio.locks.BoundedSemaphore": _made("asyncio.BoundedSemaphore"),
        **{f"asyncio.queues.{name}": _made(f"asyncio.{name}", *_fed("put_nowait")) for name in _QUEUES},
        "_asyncio.Future": _made("asyncio.Future", *_fed("set_result")[:2], (New("cancel"),)),
        "asyncio.streams.StreamReader": _made(
            "asyncio.StreamReader", (_LINES, _END), (New("feed_data", (b"ab",)), _END), (_END,), (_LINES,)
        ),
    }
