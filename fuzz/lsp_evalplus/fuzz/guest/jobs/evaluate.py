"""The job that calls one function on given inputs and reports the outcome of each call, without judging it.

The request::

    program             the fields of ``fuzz.model.Program``
    arguments           inputs as strings, or as lists of positional arguments that are values of JSON, or
    plain_arguments     encoded inputs, or
    arguments_key       key of inputs provided to the pool before (``GuestPool.provide``), now under ``provided``
    indices             which of the inputs, in this order; each at most once; default: all
    per_call_seconds    one limit, or one for each of the inputs; default 5
    by_processor        the limits are of processor time, with ten times as much by the clock; default: by the clock
    most_steps          calls that run more lines of Python count as timed out, on each machine alike; one limit, or one
                        or null for each of the inputs, which are strings then
    load_seconds        limit for loading the module; default 20
    capture_output      report what a call printed; default false
    observe_arguments   report arguments that a call changed; default true
    describe            report ``repr`` of values; default true
    drain               run coroutines *and* turn generators into lists; false: only coroutines; default true
    stop_after_failures end after this many calls that did not return
    random_seed         seed ``random`` with it before every call
    trace               report which lines of the function ran, under ``trace``; see `line_trace`
    batch               outcomes in one reply; default 1. A batch never waits longer than 20 ms of calls
    limits              depth, nodes, size of one encoded value

Replies, in the order of the inputs: ``{"index": i, "outcome": {...}}``, or with ``batch`` ``{"indices": [...],
"outcomes": [{...}]}`` where absent keys mean null. An outcome has the keys ``kind, value, text, exception,
arguments_after, output, seconds``. An input that cannot be built has the kind ``not_evaluated``, with the reason as
text: it is not an outcome of the function. A program that cannot be loaded gives one reply, ``{"load_error": {"kind":
"failed" | "timed_out", "message": ...}}``.

The journal holds the index of the call under way, or ``load``.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from ..calling.call_outcome import Called, Caller, describe_exception
from ..calling.line_trace import Tracer
from ..program.inputs import literal_arguments
from ..program.loader import Loaded, LoadError, load, split_arguments
from ..surroundings.placeholders import making
from ..surroundings.steps import TRACED_FACTOR, exceeds, is_quick
from ..surroundings.waiting import lacks_loop
from ..values.metrics import walk
from ..values.plain import Limits, PlainError, TooLargeError, decode, describe, encode, type_of
from ..values.program_errors import CallTimeoutError
from ..values.recipes.building import build
from ..values.recipes.model import Prepared, RecipeError
from ..values.recipes.parsing import from_text

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_FLUSH_SECONDS = 0.02


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    caller = Caller(by_processor=bool(request.get("by_processor")))
    loaded = _load(request, channel, caller)
    if loaded is not None:
        try:
            _Evaluation(request, channel, caller, loaded).run()
        finally:
            caller.timer.close()


def _load(request: dict[str, Any], channel: Channel, caller: Caller) -> Loaded | None:
    channel.journal("load")
    called = caller.call(lambda: load(request["program"], may_lack=bool), request.get("load_seconds") or 20.0)
    if called.kind == "returned":
        loaded: Loaded = called.value
        if loaded.own_modules is not None:
            loaded.own_modules.__enter__()  # No other program is called in this process.
        return loaded
    if called.kind == "raised":
        assert called.exception is not None
        error = called.exception
        message = str(error) if isinstance(error, LoadError) else f"the module cannot be loaded: {describe(error)}"
        channel.send({"load_error": {"kind": "failed", "message": message}})
        return None
    reason = "it prints too much" if called.kind == "too_much_output" else "it does not end"
    kind = "failed" if called.kind == "too_much_output" else "timed_out"
    channel.send({"load_error": {"kind": kind, "message": f"the module cannot be loaded because {reason}"}})
    return None


class _Evaluation:
    """State of one request."""

    def __init__(self, request: dict[str, Any], channel: Channel, caller: Caller, loaded: Loaded) -> None:
        self._request = request
        self._channel = channel
        self._caller = caller
        self._loaded = loaded
        self._limits = Limits(**(request.get("limits") or {}))
        self._batch: int = request.get("batch") or 1
        self._drain: bool = request.get("drain", True)
        self._observe: bool = request.get("observe_arguments", True)
        self._describe: bool = request.get("describe", True)
        self._capture: bool = request.get("capture_output", False)
        self._has_lists = request.get("provided") is None and request.get("arguments") is not None
        self._clock = time.monotonic
        self._waiting: list[tuple[int, dict[str, Any]]] = []
        self._flushed = self._clock()

    def run(self) -> None:
        request = self._request
        inputs = self._inputs()
        limits: Any = request.get("per_call_seconds") or 5.0
        failures_left = request.get("stop_after_failures") or len(inputs) + 1
        indices = request.get("indices")
        for index in range(len(inputs)) if indices is None else indices:
            seconds: float = limits[index] if type_of(limits) is list else limits
            outcome = self._evaluate(index, inputs[index], seconds)
            self._report(index, outcome)
            if outcome["kind"] != "returned":
                failures_left -= 1
                if failures_left <= 0:
                    break
        self._flush()

    def _inputs(self) -> list[Any]:
        """Return the raw inputs: strings, JSON, or pairs that were decoded before."""
        request = self._request
        for key in ("provided", "arguments", "plain_arguments"):
            if request.get(key) is not None:
                return request[key]
        return []

    def _build(self, item: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if type(item) is str:
            prepared = _prepared(item)
            if prepared is None:
                return self._loaded.arguments(item)
            with making():
                return split_arguments(build(prepared, self._loaded.namespace))
        return item if type_of(item) is tuple else split_arguments(decode(item, self._limits))

    def _evaluate(self, index: int, item: Any, seconds: float) -> dict[str, Any]:
        self._channel.journal(str(index))
        arguments = self._plain_arguments(item)
        if arguments is not None:
            return self._evaluate_on(arguments, index, item, seconds)
        built = self._caller.call(lambda: self._build(item), max(seconds, 5.0))
        if built.kind == "raised" and lacks_loop(built.exception):
            return self._evaluate_in_loop(index, item, seconds)
        return self._evaluate_built(built, index, item, seconds)

    def _evaluate_in_loop(self, index: int, item: Any, seconds: float) -> dict[str, Any]:
        """Build arguments for which coroutines are awaited, and call the function, in one event loop."""
        from ..surroundings.event_loop import entered

        with entered() as loop:
            built = self._caller.call(lambda: self._build(item), max(seconds, 5.0))
            outcome = self._evaluate_built(built, index, item, seconds)
        self._caller.call(loop.finish, seconds)
        return outcome

    def _evaluate_built(self, built: Called, index: int, item: Any, seconds: float) -> dict[str, Any]:
        if built.kind == "returned":
            return self._evaluate_on(built.value, index, item, seconds)
        error = built.exception
        is_told = isinstance(error, (LoadError, PlainError))
        return {"kind": "not_evaluated", "text": str(error) if is_told else f"the arguments failed: {describe(error)}"}

    def _evaluate_on(
        self, arguments: tuple[tuple[Any, ...], dict[str, Any]], index: int, item: Any, seconds: float
    ) -> dict[str, Any]:
        args, kwargs = arguments
        before = self._encode_arguments(args, kwargs)
        if "random_seed" in self._request:
            sys.modules["random"].seed(self._request["random_seed"])
        if self._loaded.surroundings.steady is not None:
            self._loaded.surroundings.steady.begin()
        function, drain = self._loaded.call, self._drain
        if not self._request.get("trace"):
            called = self._caller.call(lambda: function(args, kwargs, drain=drain), seconds)
            if self._takes_many_steps(called.seconds, index, item, seconds):
                return {"kind": "timed_out", "text": "it runs too many lines"}
            return self._outcome(called, seconds, before, args, kwargs)
        tracer = Tracer(self._loaded.function)
        called = self._caller.call(lambda: tracer.run(lambda: function(args, kwargs, drain=drain)), seconds)
        return {**self._outcome(called, seconds, before, args, kwargs), "trace": tracer.told()}

    def _plain_arguments(self, item: Any) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Positional and keyword arguments of JSON or of a literal; None for what takes more to be built."""
        return (tuple(item), {}) if self._has_lists and type_of(item) is list else _literal(item)

    def _takes_many_steps(self, took: float, index: int, item: Any, seconds: float) -> bool:
        """Whether a call, made once more where it took some time, runs more lines than the request allows."""
        limits: Any = self._request.get("most_steps")
        most: int | None = limits[index] if type_of(limits) is list else limits
        if most is None or is_quick(took, most):
            return False
        arguments = _literal(item)
        if arguments is None:
            return False
        args, kwargs = arguments
        called = self._caller.call(
            lambda: exceeds(lambda: self._loaded.call(args, kwargs, drain=self._drain), most), TRACED_FACTOR * seconds
        )
        return called.kind == "timed_out" or called.value is True

    def _encode_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self._observe:
            return None
        try:
            return encode({"args": args, "kwargs": kwargs}, self._limits)
        except TooLargeError:
            return None

    def _outcome(
        self, called: Called, seconds: float, before: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Describe a call's result; reading its value may run code of its class, so that is timed like the call."""
        outcome = self._described(called) if before is None else None
        if outcome is None:
            described = self._caller.call(lambda: self._describe_call(called, before, args, kwargs), max(seconds, 1.0))
            outcome = described.value if described.kind == "returned" else _failed_description(described)
        outcome["seconds"] = round(called.seconds, 6)
        if self._capture and called.output:
            outcome["output"] = encode(called.output, self._limits)
        return outcome

    def _described(self, called: Called) -> dict[str, Any] | None:
        """The description of a result that reads without running anybody's code, so in no time; None for others."""
        if called.kind != "returned" or not _is_inert(called.value):
            return None
        try:
            return self._describe_call(called, None, (), {})
        except TooLargeError:
            return None

    def _describe_call(
        self, called: Called, before: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        outcome: dict[str, Any] = {"kind": called.kind}
        if called.kind == "returned":
            outcome["value"] = encode(called.value, self._limits)
            if self._describe:
                outcome["text"] = describe(called.value)
        elif called.exception is not None:
            outcome["exception"] = exception = describe_exception(called.exception, self._loaded.filename)
            outcome["text"] = f"{exception['type']}: {exception['message']}"
        if before is not None:
            after = self._encode_arguments(args, kwargs)
            if after != before:
                outcome["arguments_after"] = after
        return outcome

    def _report(self, index: int, outcome: dict[str, Any]) -> None:
        if self._batch <= 1:
            self._channel.send({"index": index, "outcome": {**_EMPTY, **outcome}})
            return
        self._waiting.append((index, outcome))
        if len(self._waiting) >= self._batch or self._clock() - self._flushed > _FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            indices, outcomes = zip(*self._waiting)
            self._waiting = []
            self._channel.send({"indices": indices, "outcomes": outcomes})
        self._flushed = self._clock()


_INERT = frozenset((int, float, bool, str, type(None)))


def _is_inert(value: Any) -> bool:
    """Return whether a value is a number, a text, or a flat list or tuple of these."""
    kind = type_of(value)
    return kind in _INERT or (kind in (list, tuple) and all([type_of(item) in _INERT for item in value]))


def _prepared(text: str) -> Any:
    """Return the recipe of arguments with objects on which methods were called, which may be coroutines; else None."""
    if _ASSIGNED not in text:
        return None
    try:
        recipe = from_text(text)
    except RecipeError:
        return None
    return recipe if any([type(part) is Prepared for part in walk(recipe)]) else None


def _literal(item: Any) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    return literal_arguments(item) if type(item) is str else None


_ASSIGNED = ":="
"""Stands in each text with such an object."""
_EMPTY: dict[str, Any] = dict.fromkeys(("value", "text", "exception", "arguments_after", "output", "seconds"))


def _failed_description(described: Called) -> dict[str, Any]:
    """Return why a value could not be described: reading it took too long, was too large, or raised."""
    error = described.exception
    if isinstance(error, TooLargeError):
        return {"kind": "too_much_output", "text": str(error)}
    if isinstance(error, CallTimeoutError) or described.kind == "timed_out":
        return {"kind": "timed_out", "text": "reading the value does not end"}
    if described.kind == "too_much_output":
        return {"kind": "too_much_output", "text": "reading the value prints too much"}
    return {"kind": "raised", "text": f"reading the value raises {describe(error)}", "exception": _unreadable(error)}


def _unreadable(error: BaseException | None) -> dict[str, Any]:
    return {"type": type(error).__name__, "bases": [], "message": describe(error), "lines": []}
