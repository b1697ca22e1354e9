"""Calls functions under test with a time limit and captured output, and classifies how each call ended."""

from __future__ import annotations

import io
import signal
import sys
import time
from typing import Any, Callable, NamedTuple

from ..surroundings.waiting import WaitsForever
from ..values.plain import describe, type_name, type_of
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError, lines_in
from .call_clock import WALL_FACTOR
from .processor_time import ProcessorTime

OUTPUT_LIMIT = 1 << 20
"""Maximum output of one call, in bytes."""
LEAST_WALL_SECONDS = 2.0
_TICK_SECONDS = 0.05
_MESSAGE = 2_000


class OutputFloodError(BaseException):
    """The call exceeded the output limit."""


class Called(NamedTuple):
    """The outcome of one call: `kind` is the value of an ``OutcomeKind``."""

    kind: str
    value: Any
    exception: BaseException | None
    output: str
    seconds: float


class CallTimer:
    """Raises `CallTimeoutError` in the main thread when a call's time is over, and again while it is swallowed.

    Loops in C code are not interrupted: for those the host kills the guest. Without ``setitimer`` (Windows) only the
    host limits calls.
    """

    def __init__(self) -> None:
        self._active = False
        self.expired = False
        """Whether the last call timed out; code under test may have swallowed the exception."""
        self._alarm: int | None = getattr(signal, "SIGALRM", None)
        # Bound here because code under test may replace them in their modules.
        # Those of C do without the names of signals, whose making takes longer than many a call.
        bare: Any = sys.modules.get("_signal", signal)
        self._handle = bare.signal
        self._set = getattr(signal, "setitimer", None)
        self._real = getattr(signal, "ITIMER_REAL", 0)
        self._mask = getattr(bare, "pthread_sigmask", None)
        self._unblock = getattr(signal, "SIG_UNBLOCK", 0)

    def start(self, seconds: float) -> None:
        """Arm the timer; code under test may have replaced the handler or blocked the signal, so both are set anew."""
        self.expired = False
        self._active = True
        self._tick_after(max(seconds, 1e-6))

    def _tick_after(self, seconds: float) -> None:
        """Handle a tick after this number of seconds, and more of them from then on."""
        if self._set is None or self._alarm is None:
            return
        self._handle(self._alarm, self._expire)
        if self._mask is not None:
            self._mask(self._unblock, (self._alarm,))
        self._set(self._real, seconds, _TICK_SECONDS)

    def stop(self) -> None:
        """Disarm the timer, even while a last tick is being raised."""
        while True:
            try:
                self._active = False
                if self._set is not None:
                    self._set(self._real, 0)
                return
            except CallTimeoutError:
                continue

    def close(self) -> None:
        """End all ticks."""
        self.stop()

    def is_late(self) -> bool:
        """Whether the call took more time than it has, where a tick may have missed it."""
        return False

    def _expire(self, _number: int, _frame: Any) -> None:
        if not self._active or self._has_time_left():
            return
        self.expired = True
        raise CallTimeoutError

    def _has_time_left(self) -> bool:
        return False


class ProcessorTimer(CallTimer):
    """A timer whose limits are of processor time, which a busy machine does not use up.

    Setting a timer and reading the processor time take longer than many a call, so ticks go on between the calls, and
    are set anew now and then. Code that tampers with them may escape its limit, until the host kills the guest.
    """

    def __init__(self) -> None:
        super().__init__()
        self._time = ProcessorTime()
        self._end = self._set_again = 0.0
        self._ticks_left = 0

    def start(self, seconds: float) -> None:
        """Begin a call; set the timer if that was some time ago."""
        self.expired = False
        self._ticks_left = int(max(LEAST_WALL_SECONDS, WALL_FACTOR * seconds) / _TICK_SECONDS)
        if self._time.has_passed(self._set_again):
            self._set_again = self._time.read() + _TICK_SECONDS
            self._tick_after(_TICK_SECONDS)
        self._end = self._time.at_most(_TICK_SECONDS) + seconds
        self._active = True

    def stop(self) -> None:
        """End the call, even while a tick is being raised; the ticks go on."""
        while True:
            try:
                self._active = False
                return
            except CallTimeoutError:
                continue

    def close(self) -> None:
        """End all ticks."""
        super().stop()

    def is_late(self) -> bool:
        """Whether the call took more than its processor time: a tick may have missed it."""
        return self._time.has_passed(self._end)

    def _has_time_left(self) -> bool:
        self._ticks_left -= 1
        return self._ticks_left >= 0 and not self._time.has_passed(self._end)


class _Sink(io.RawIOBase):
    """An output stream with a size limit."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()
        self.flooded = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = len(data)
        if len(self.data) + size > OUTPUT_LIMIT:
            self.flooded = True
            raise OutputFloodError
        self.data += data
        return size


class Caller:
    """Calls functions one after another; their output reaches no real file.

    Args:
        by_processor: whether the limits are of processor time.
    """

    def __init__(self, *, by_processor: bool = False) -> None:
        self.timer = ProcessorTimer() if by_processor else CallTimer()
        self._clock = time.perf_counter
        self._replace_output()

    def _replace_output(self) -> None:
        self._sink = _Sink()
        self._text = io.TextIOWrapper(self._sink, "utf-8", "surrogatepass", newline="\n", write_through=True)  # type: ignore[type-var]

    def call(self, function: Callable[[], Any], seconds: float) -> Called:
        """Call `function` once and return the outcome; no exception propagates."""
        self._redirect()
        kind, value, exception = "returned", None, None
        began = self._clock()
        try:
            self.timer.start(seconds)
            value = function()
        except (CallTimeoutError, WaitsForever):
            kind = "timed_out"
        except OutputFloodError:
            kind = "too_much_output"
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises is its outcome
            kind, exception = "raised", error
        finally:
            self.timer.stop()
        took = self._clock() - began
        if self.timer.expired or self.timer.is_late():
            kind, value, exception = "timed_out", None, None
        if self._sink.flooded:
            kind, value, exception = "too_much_output", None, None
        return Called(kind, value, exception, self._take_output(), took)

    def _redirect(self) -> None:
        sys.stdout = sys.stderr = self._text
        if self._text.closed:
            self._replace_output()
            sys.stdout = sys.stderr = self._text

    def _take_output(self) -> str:
        sink = self._sink
        if not sink.data and not sink.flooded:
            return ""
        text = bytes(sink.data).decode("utf-8", "replace")
        self._replace_output()
        return text


def describe_exception(error: BaseException, filename: str) -> dict[str, Any]:
    """Return an exception as plain data: its type, the base types, its message, and its lines in `filename`."""
    kind = type(error)
    bases = [type_name(base) for base in type.__dict__["__mro__"].__get__(kind) if issubclass(base, BaseException)]
    return {
        "type": type_name(kind),
        "bases": bases[1:],
        "message": exception_message(error),
        "lines": lines_in(error, filename),
    }


def exception_message(error: BaseException) -> str:
    """Return ``str(error)``, bounded, even if the exception's class misbehaves."""
    try:
        text = str(error)
    except PROGRAM_ERRORS:  # the class under test may raise anything here
        return describe(error)
    return text[:_MESSAGE] if type(text) is str else str.__str__(text)[:_MESSAGE]


def error_text(error: BaseException) -> str:
    """Return an exception as the last line of its traceback, ``ValueError: no digits``, whatever its class does."""
    try:
        text = exception_message(error)
    except BaseException:  # noqa: BLE001 - its class may do anything
        text = ""
    return f"{type_name(type_of(error))}: {text}" if text else type_name(type_of(error))
