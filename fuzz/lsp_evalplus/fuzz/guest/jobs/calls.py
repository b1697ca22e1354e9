"""The job that loads a program and answers calls of its function until its host wants no more.

The tests that make the calls run in another guest (``tests``): neither they nor what they expect ever enters this one.

The request::

    program             the fields of ``fuzz.model.Program``
    load_seconds        processor time of loading the module

The first reply is ``{"loaded": true}``, or the only one ``{"load_error": {"kind", "message"}}``. Then each message of
the host, ``{"call": number, "args": encoded list, "kwargs": encoded dict, "seconds": limit}``, gets one reply
``{"answer": number, "seconds": processor time}`` with one of

    value               what it returned (`plain_calls`), with ``form`` where that is no plain type
    raised              names of the built-in classes of the exception, nearest first, and its ``text``
    stopped             why there is no value: a sentence; ``is_timeout`` where its time was over

and ``after``, the encoded arguments as the call left them, where it has changed them.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING, Any, Callable

from ..calling.call_clock import CallClock
from ..calling.call_outcome import exception_message
from ..program.environment import NoInput, do_above_frames, make_output, raise_stack_limit
from ..program.loader import LoadError, load
from ..testing.plain_calls import LIMITS, bases_of, from_plain, to_answer
from ..values.plain import TooLargeError, encode, type_name, type_of
from ..values.program_errors import CallTimeoutError

if TYPE_CHECKING:
    from ..protocol.channel import Channel

HARD_SECONDS = 1.0
"""Processor time after a limit at which a call that cannot be interrupted ends the process."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    raise_stack_limit()
    do_above_frames(_Calls(request, channel).run)


class _Calls:
    """State of one request."""

    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self._request = request
        self._channel = channel
        self._clock = CallClock()
        self._now = time.process_time
        self._output = make_output()
        self._input = NoInput()

    def run(self) -> None:
        function = self._load()
        while function is not None:
            message = self._channel.next_message()
            if message is None or "call" not in message:
                return
            self._channel.send(self._answer(function, message))

    def _load(self) -> Callable[..., Any] | None:
        random.seed(0)
        kind, message = "failed", ""
        try:
            loaded = self._limited(lambda: load(self._request["program"]), self._request["load_seconds"])
            self._channel.send({"loaded": True})
            return loaded.function  # type: ignore[no-any-return]
        except LoadError as error:
            message = str(error)
        except CallTimeoutError:
            kind, message = "timed_out", "the module cannot be loaded because it does not end"
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises
            message = "the module cannot be loaded: " + type_name(type_of(error))
        self._channel.send({"load_error": {"kind": kind, "message": message}})
        return None

    def _limited(self, action: Callable[[], Any], seconds: float) -> Any:
        clock = self._clock
        if self._output.closed:
            self._output = make_output()
        sys.stdin, sys.stdout, sys.stderr = self._input, self._output, self._output
        clock.install(seconds + HARD_SECONDS)
        clock.start(seconds)
        try:
            result = action()
        finally:
            clock.stop()
        if clock.has_expired:
            raise CallTimeoutError
        return result

    def _answer(self, function: Callable[..., Any], message: dict[str, Any]) -> dict[str, Any]:
        args, kwargs = from_plain(message["args"]), from_plain(message["kwargs"])
        seconds: float = message["seconds"]
        began = self._now()
        answer: dict[str, Any] = {"answer": message["call"]}
        try:
            answer.update(self._limited(lambda: to_answer(function(*args, **kwargs)), seconds))
        except CallTimeoutError:
            answer.update(stopped="no result within its time", is_timeout=True)
        except TooLargeError as error:
            answer["stopped"] = f"returned too much: {error}"
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises is its outcome
            answer.update(self._describe(error, seconds))
        answer["seconds"] = self._now() - began
        after = self._after(args, kwargs)
        if after is not None and after != [message["args"], message["kwargs"]]:
            answer["after"] = after
        return answer

    def _describe(self, error: BaseException, seconds: float) -> dict[str, Any]:
        try:
            return self._limited(lambda: {"raised": bases_of(error), "text": exception_message(error)}, seconds)  # type: ignore[no-any-return]
        except BaseException:  # noqa: BLE001 - its class may do anything
            return {"stopped": f"raised {type_name(type_of(error))}, which cannot be described"}

    def _after(self, args: Any, kwargs: Any) -> Any:
        try:
            return [encode(args, LIMITS), encode(kwargs, LIMITS)]
        except TooLargeError:
            return None
