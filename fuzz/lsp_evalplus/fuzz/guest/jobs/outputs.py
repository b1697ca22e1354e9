"""The job that returns a function's results on many prepared inputs, at the least cost per call.

It is ``evaluate`` reduced to what a benchmark needs: nothing is observed but the value. A call costs one or two
microseconds more than the call itself: one ticking timer serves all calls, values travel as JSON that is not
parsed again, and the JSON of the commonest kinds of values is written directly.

The request::

    program             the fields of ``fuzz.model.Program``
    arguments_key       key of inputs provided to the pool before, now under ``provided``
    indices             which of the inputs, in this order
    is_range            ``indices`` is the first index and the one after the last
    per_call_seconds    processor time of one call
    slow_call_seconds   pairs of an index and that call's own limit, where it differs
    load_seconds        processor time of loading the module
    stop_from           end after the first call that does not return, from this place in ``indices`` on; before it,
                        only after a timeout; absent: do all calls
    stop_at_timeout     end after the first timeout, wherever it is
    full_seconds        the final limit of a call, more than the above; where it is proven that a call takes
                        longer, its outcome is also ``"certain": true``, and the program goes on; with `stop_from`
                        there, the outcomes before it being ``{"kind": "skipped"}``
    whole_values        send large values too; otherwise digests are sent in their place (`digest`)
    as_items            only the items of a result count: if it is no plain collection, a generator for example,
                        its items are sent
    is_careful          send each outcome at once, so that what a program did before it died is known
    hidden_names        names to hide from the program (`hidden_names`), mostly none
    loaded_before       modules that are loaded before these are hidden
    limits              depth, nodes, size of one encoded value

Replies, in the order of ``indices``: ``{"outcomes": [...], "slow": {index: seconds}}``, each outcome being the JSON
text of the encoded value, or the digest of a large one (it has a ``digest``), or ``{"kind": "raised" | "timed_out" |
"too_much_output", "text": ...}``. A program that cannot be loaded gives one reply, ``{"load_error": {"kind": "failed" |
"timed_out", "message": ...}}``.

Time: a call is interrupted when it has used its processor time, or `WALL_FACTOR` times that plus `WALL_SECONDS` of wall
time, counted by the ticks it handled: while it waits for a processor, or the machine is paused, there are none. A call
that cannot be interrupted, being in C code or swallowing exceptions, is ended by the system's processor timer together
with its process, `HARD_SECONDS` later; one that was interrupted gets `UNWIND_SECONDS` to end.

The environment of a program is described in `environment`.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable

from ..calling.call_outcome import exception_message
from ..calling.timers import Timers
from ..comparison.digest import DIGEST_LENGTH, digest_of_text, digest_of_value
from ..program.environment import FRAMES, NoInput, do_above_frames, make_output, raise_stack_limit
from ..program.hidden_names import TextOutput, hide
from ..program.loader import LoadError, load
from ..protocol.job_kinds import WALL_FACTOR, WALL_SECONDS
from ..static.nontermination import ends
from ..surroundings.completion import DRAIN_LIMIT
from ..values.copies import FreshInputs
from ..values.json_writer import make_writer
from ..values.plain import Limits, Opaque, TooLargeError, describe, encode, type_name, type_of
from ..values.program_errors import CallTimeoutError

if TYPE_CHECKING:
    from ..protocol.channel import Channel

TICK = 0.01
HARD_SECONDS = 0.25
UNWIND_SECONDS = 1.0
"""Processor time for the exception that ends a call to propagate: to free gigabytes takes a while."""
_SHORT = DIGEST_LENGTH // 6 - 2
"""Characters of a string whose JSON text never exceeds `DIGEST_LENGTH`: ``\\u0000`` is the longest escape."""
_LARGEST = (1 << 63) - 1
FIRST_BATCH = 16
LARGEST_BATCH = 512
BATCH_GROWTH = 32
"""Growth of the number of outcomes in one reply: few at first, since a wrong program mostly fails soon."""
SLOW_SECONDS = 0.02
"""Calls that took longer are reported with their time."""
PROOF_SECONDS = 0.05
_FLUSH_SECONDS = 0.008
_SEED = 0


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    raise_stack_limit()
    if request.get("hidden_names"):
        # For a program without a path, the loader asks for the working folder, a name that may be hidden.
        request = {**request, "program": {"path": "/solution.py", **request["program"]}}
        hide(request["hidden_names"], request.get("loaded_before") or ())
    inputs = FreshInputs(request["provided"])
    if request.get("full_seconds") is not None and inputs.can_copy(indices_of(request)):
        request = {**request, "provided": inputs}
    do_above_frames(ProgramJob(request, channel.send).run)


def indices_of(request: dict[str, Any]) -> Any:
    """Return the indices of the inputs that a request selects, in order."""
    return range(*request["indices"]) if request.get("is_range") else request["indices"]


class _Clock:
    """Interrupts calls that time out. The names it uses are bound early: code under test may replace them."""

    def __init__(self) -> None:
        self.active = False
        """Whether the current activity may be interrupted."""
        self.serial = 0
        """Current activity: the position of a call, or a negative number that `begin` assigns to anything else."""
        self.limit = 0.0
        """Its limit of processor time. To be set after `serial`, a change of which restarts the time."""
        self.expired = False
        """Whether something was interrupted since the last call of `begin`."""
        self.ticked = False
        """Set at each tick."""
        self._begun = 0
        self._seen: int | None = None
        self._began = 0.0
        self._ticks = 0
        self._cpu = time.process_time
        self._timers = Timers(self._tick, TICK)
        self.wind = self._timers.wind
        """Sets both timers anew; its argument is the processor time after which the process ends."""

    def begin(self, limit: float) -> None:
        """Begin an activity that may use `limit` seconds of processor time."""
        self._begun -= 1
        self.serial = self._begun
        self.limit = limit
        self.expired = False
        self.active = True

    def _tick(self, _number: int, _frame: Any) -> None:
        self.ticked = True
        if not self.active:
            return
        if self.serial != self._seen:
            self._seen = self.serial
            self._began = self._cpu()
            self._ticks = 0
            return
        limit = self.limit
        self._ticks += 1
        if self._cpu() - self._began > limit or self._ticks * TICK > WALL_FACTOR * limit + WALL_SECONDS:
            if not self.expired:
                self._timers.allow(UNWIND_SECONDS)
            self.expired = True
            raise CallTimeoutError


class ProgramJob:
    """State of one request.

    Args:
        request: as described in the module's docstring.
        send: takes each reply; with ``more=True``, the reply may be buffered until the next one.
        first_batch: outcomes in the first reply.
    """

    def __init__(self, request: dict[str, Any], send: Callable[..., None], first_batch: int = FIRST_BATCH) -> None:
        self._request = request
        self._send = send
        self._clock = _Clock()
        self._now = time.perf_counter
        self._to_text = make_writer(json.JSONEncoder(separators=(",", ":"), allow_nan=False))
        self._limits = Limits(**(request.get("limits") or {}))
        self._whole: bool = request.get("whole_values", False)
        self._per_call: dict[int, float] = dict(request.get("slow_call_seconds") or ())
        self._call: float = request["per_call_seconds"]
        provided: Any = request["provided"]
        self._inputs: Any = provided.unchanged if type_of(provided) is FreshInputs else provided
        self._seconds = max([self._call, *self._per_call.values()])
        self._outcomes: list[Any] = []
        self._sent = 0
        """Number of outcomes already sent."""
        self._slow: dict[int, float] = {}
        self._as_items: bool = request.get("as_items", False)
        self._most = 1 if request.get("is_careful") else LARGEST_BATCH
        self._batch = min(first_batch, self._most)
        self._flushed = 0.0
        self._input = NoInput()
        self._make_output = TextOutput if request.get("hidden_names") else make_output
        self._output = self._make_output()
        self._is_alone = "programs" not in request
        """Whether this program is not in a batch: it may replace or close the standard streams,
        and the time of its calls is wanted."""
        self.lacked_memory = False
        """Whether loading or a call ran out of memory, which another program may have used up."""

    def run(self) -> None:
        """Load the program and call its function on each input."""
        function = self._load()
        if function is None:
            return
        self._flush()
        indices = indices_of(self._request)
        while self._done < len(indices):
            error, began = self._collect(function, indices)
            if error is not None and self._done < len(indices) and self._take_error(error, began, indices):
                break
        self._flush(last=True)

    @property
    def _done(self) -> int:
        """Return the number of outcomes."""
        return self._sent + len(self._outcomes)

    def _collect(self, function: Callable[..., Any], indices: Any) -> tuple[BaseException | None, float]:
        """Call on one input after the other, and record the values.

        Most calls of a benchmark take a microsecond or two, so this loop does next to nothing: one number identifies
        which call is under way.

        Returns:
            The exception raised in a call or by its timeout, if any, and when that call began, where the
            time of calls is wanted.
        """
        clock, inputs, per_call, usual = self._clock, self._inputs, self._per_call, self._call
        is_alone, now, writers = self._is_alone, self._now, _WRITERS
        first = self._done
        outcomes = self._outcomes
        last = self._sent + self._batch - 1
        began = ended = now()
        clock.begin(usual)
        try:
            try:
                for place, index in enumerate(indices[first:], first):
                    clock.serial = place
                    clock.limit = per_call.get(index, usual) if per_call else usual
                    if is_alone:
                        self._put_streams()
                    args, kwargs = inputs[index]
                    value = function(*args, **kwargs)
                    if clock.expired:
                        raise CallTimeoutError
                    write = writers.get(type_of(value))
                    text = None if write is None else write(value)
                    if text is None:
                        clock.begin(max(clock.limit, 1.0))
                        if clock.ticked:  # The call may have used up most of the time after which the process ends.
                            clock.wind(clock.limit + HARD_SECONDS)
                        text = self._describe(value)
                    outcomes.append(text)
                    if is_alone:
                        ended = now()
                        if ended - began > SLOW_SECONDS:
                            self._slow[index] = ended - began
                        began = ended
                        clock.ticked = ended - self._flushed > _FLUSH_SECONDS
                    if clock.ticked or place >= last:
                        clock.active = False
                        self._flush()
                        outcomes = self._outcomes
                        last = self._sent + self._batch - 1
                        began = now()
                        clock.begin(usual)
            finally:
                clock.active = False
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises is its outcome
            return error, began
        return None, began

    def _take_error(self, error: BaseException, began: float, indices: Any) -> bool:
        """Record an outcome that is no value; return whether the program is not to be called any more."""
        clock = self._clock
        place = self._done
        if 0 <= clock.serial < place:
            # The call had just returned when it was interrupted.
            self._flush()
            return False
        index = indices[place]
        outcome = self._outcome_of(error, clock.limit)
        is_timeout = outcome["kind"] == "timed_out"
        if is_timeout:
            is_certain = self._foretell(index)
            if is_certain is None:  # With more time, it will return.
                return False
            outcome = {**outcome, "certain": True} if is_certain else outcome
        seconds = self._now() - began
        if self._is_alone and seconds > SLOW_SECONDS:
            self._slow[index] = seconds
        self._outcomes.append(outcome)
        stop_from: int | None = self._request.get("stop_from")
        if is_timeout and self._must_stop(is_certain="certain" in outcome):
            return True
        if stop_from is not None:
            if place >= stop_from:
                return True
            if is_timeout:
                self._outcomes += [{"kind": "skipped"}] * (min(stop_from, len(indices)) - self._done)
        if len(self._outcomes) >= self._batch or self._now() - self._flushed > _FLUSH_SECONDS:
            self._flush()
        return False

    def _must_stop(self, *, is_certain: bool) -> bool:
        """Return whether a program is not called again after a timeout."""
        if self._request.get("stop_from") is not None:
            return not is_certain
        # A few proven timeouts are enough for the host, but it cannot say so to a batch.
        return "programs" in self._request if is_certain else bool(self._request.get("stop_at_timeout"))

    def _load(self) -> Callable[..., Any] | None:
        limit: float = self._request["load_seconds"]
        random.seed(_SEED)
        self._put_streams()
        clock = self._clock
        clock.wind(limit + HARD_SECONDS)
        clock.begin(limit)
        try:
            try:
                return load(self._request["program"]).function
            finally:
                clock.active = False
        except CallTimeoutError:
            self._refuse("timed_out", "the module cannot be loaded because it does not end")
        except LoadError as error:
            self.lacked_memory = isinstance(error.__cause__ or error.__context__, MemoryError)
            if clock.expired:
                self._refuse("timed_out", "the module cannot be loaded because it does not end")
            else:
                self._refuse("failed", str(error))
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises
            self.lacked_memory = isinstance(error, MemoryError)
            self._refuse("failed", "the module cannot be loaded: " + type_name(type(error)))
        return None

    def _refuse(self, kind: str, message: str) -> None:
        self._clock.active = False
        self._send({"load_error": {"kind": kind, "message": message}})

    def _outcome_of(self, error: BaseException, limit: float) -> dict[str, Any]:
        """Return the outcome of a call that returned nothing, or nothing that can be sent."""
        kind = type_of(error)
        if kind is TooLargeError:
            return {"kind": "too_much_output", "text": str(error)}
        if kind is CallTimeoutError or self._clock.expired:
            return {"kind": "timed_out", "text": ""}
        return self._describe_error(error, limit)

    def _put_streams(self) -> None:
        if self._output.closed:
            self._output = self._make_output()
        sys.stdin = self._input
        sys.stdout = sys.stderr = self._output

    def _foretell(self, index: int) -> bool | None:
        """Return whether an interrupted call would certainly exceed its full time.

        None: it would not; then it has that time from now on.
        """
        seconds: float | None = self._request.get("full_seconds")
        inputs: Any = self._request["provided"]
        # A call that got no copies may have changed what it was given.
        if seconds is None or index in self._per_call or type_of(inputs) is not FreshInputs:
            return False
        clock = self._clock
        clock.wind(PROOF_SECONDS + HARD_SECONDS)
        will_end = self._foresee(inputs[index][0], seconds)
        clock.wind(max(self._seconds, seconds, 1.0) + HARD_SECONDS)
        if will_end:
            self._per_call[index] = seconds
            return None
        return will_end is False

    def _foresee(self, args: tuple[Any, ...], seconds: float) -> bool | None:
        program = self._request["program"]
        try:
            try:
                self._clock.begin(PROOF_SECONDS)
                return ends(program["source"], program["qualname"], args, seconds, FRAMES)
            finally:
                self._clock.active = False
        except CallTimeoutError:
            return None

    def _describe(self, value: Any) -> Any:
        if self._as_items and type_of(value) not in _COLLECTIONS:
            value = _drained(value)
        digest = None if self._whole else digest_of_value(value, self._limits, self._to_text)
        if digest is not None:
            return digest
        text = self._to_text(encode(value, self._limits))
        return text if len(text) <= DIGEST_LENGTH or self._whole else digest_of_text(text)

    def _describe_error(self, error: BaseException, limit: float) -> dict[str, Any]:
        self.lacked_memory = self.lacked_memory or isinstance(error, MemoryError)
        clock = self._clock
        name = type_name(type(error))
        clock.begin(limit)
        try:
            try:
                text = exception_message(error)
            finally:
                clock.active = False
        except BaseException:  # noqa: BLE001 - its class may do anything
            clock.active = False
            text = ""
        return {"kind": "raised", "text": f"{name}: {text}"[:500]}

    def _flush(self, *, last: bool = False) -> None:
        if self._outcomes:
            # The last reply is sent together with the end of the job.
            self._send({"outcomes": self._outcomes, "slow": self._slow}, more=last)
            self._sent += len(self._outcomes)
            self._outcomes = []
            self._slow = {}
            self._batch = min(BATCH_GROWTH * self._batch, self._most)
        self._clock.wind(max(self._seconds, 1.0) + HARD_SECONDS)
        self._clock.ticked = False
        self._flushed = self._now()


def _drained(value: Any) -> Any:
    """Return the items of a generator, an iterator, a view or an array, under its name; any other value as it is."""
    try:
        items: list[Any] = list(islice(iter(value), DRAIN_LIMIT))
    except TypeError:
        return value
    name = type_name(type_of(value))
    return Opaque(name, f"{name} of {describe(items)}", items)


def _write_int(value: int) -> str | None:
    return _int_text(value) if -_LARGEST <= value <= _LARGEST else None


def _write_str(value: str) -> str | None:
    return _quote(value) if len(value) <= _SHORT and value.isascii() else None


def _write_float(value: float) -> str | None:
    return _float_text(value) if value - value == 0.0 else None


def _write_list(value: list[Any]) -> str | None:
    return _write_items(value)


def _write_tuple(value: tuple[Any, ...]) -> str | None:
    text = _write_items(value)
    return None if text is None else '{"t":' + text + "}"


def _write_items(items: Any) -> str | None:
    """Return the JSON of a short list of integers, floats or short strings, the commonest kinds of lists."""
    if len(items) > _FEW:
        return None
    kinds = set(map(type_of, items))
    if not kinds:
        return "[]"
    if len(kinds) > 1:
        return None
    kind = kinds.pop()
    if kind is int:
        if min(items) < -_LARGEST or max(items) > _LARGEST:
            return None
        return "[" + ",".join(map(_int_text, items)) + "]"
    if kind is str and max(map(len, items)) <= _SHORT_ITEM and all(map(str.isascii, items)):
        return "[" + ",".join(map(_quote, items)) + "]"
    if kind is float and all(map(_is_finite, items)):
        return "[" + ",".join(map(_float_text, items)) + "]"
    return None


_COLLECTIONS = frozenset((list, tuple, set, frozenset, dict, str, bytes))
_FEW = 200
_SHORT_ITEM = DIGEST_LENGTH // (6 * _FEW) - 3
"""Maximum length of an item, 20 for digits, so that the JSON of `_FEW` items never exceeds `DIGEST_LENGTH`."""
_int_text: Callable[[int], str] = int.__repr__
_float_text: Callable[[float], str] = float.__repr__
_is_finite: Callable[[float], bool] = math.isfinite
_quote: Callable[[str], str] = json.encoder.encode_basestring_ascii
_WRITERS: dict[type, Callable[[Any], str | None]] = {
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
    int: _write_int,
    str: _write_str,
    float: _write_float,
    list: _write_list,
    tuple: _write_tuple,
}
"""The JSON of encoded values of these exact types, or None where `plain.encode` has to do it."""
