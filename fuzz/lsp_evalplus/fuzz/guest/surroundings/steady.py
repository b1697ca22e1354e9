"""A clock at rest and the same random numbers for each call, so that code which reads them can be compared.

Modules that are imported after `install`, but for those of the standard library and of the guest itself, see a ``time``
and a ``datetime`` of ours. The clock of a call starts at the same moment; it moves on when the call sleeps, which takes
no time, and when it reads the clock so often that it seems to wait. Calls on equal arguments begin with the same
state of ``random`` and of ``numpy.random``, and with the same bytes of the system's random generator.

Not everything that varies is held: addresses of objects, identifiers of processes, and generators that a program makes
without a seed stay as they are.
"""

from __future__ import annotations

import builtins
import datetime as dt
import functools
import math
import os
import random
import sys
import time as real_time
import types
import zlib
from typing import Any, Callable

from ..values.class_lookup import is_standard, package_of
from .event_loop import FIRST_MOMENT  # It is loaded before `install`, so that it keeps the real clock.
from .random_numbers import SYSTEM, seed_numbers

_GUEST = __name__.partition(".")[0]
FIRST_TIME = 1_700_000_000.0
"""What the clock shows when a call begins, in seconds since 1970: 14 November 2023, 22:13:20 UTC."""
_MOST_READS = 2000
"""After so many looks at the clock, each moves it on: the call waits for time to pass."""
_STEP_SECONDS = 0.001
_BITS = 64
_NUMBERS = (int, float)


class Steady:
    """The clock and the random numbers of the calls in this process."""

    def __init__(self) -> None:
        self._elapsed = 0.0
        self._reads = 0
        self._taken = 0

    def begin(self, arguments: str = "", variant: int = 0) -> None:
        """Put everything back to where a call begins.

        Args:
            arguments: calls with others draw other numbers.
            variant: likewise.
        """
        self._elapsed = 0.0
        self._reads = 0
        self._taken = 0
        seed_numbers(zlib.crc32(arguments.encode("utf-8", "surrogatepass"), variant))

    def drawn(self) -> tuple[float, ...]:
        """Return what shows whether two calls drew the same random numbers; draws one itself."""
        generator: Any = sys.modules.get("numpy.random")
        other = float(generator.random_sample()) if generator is not None else 0.0
        return random.getrandbits(_BITS), self._taken, other

    def seconds(self) -> float:
        """Return the seconds since the call began; a look at the clock."""
        self._reads += 1
        if self._reads > _MOST_READS:
            self._elapsed += _STEP_SECONDS
        return self._elapsed

    def time(self) -> float:
        """Return what the clock shows, in seconds since 1970."""
        return FIRST_TIME + self.seconds()

    def sleep(self, seconds: float) -> None:
        """Let time pass, at once; raises as `time.sleep` does."""
        if type(seconds) not in _NUMBERS or not 0 <= seconds < math.inf:
            # Only then it may refuse: giving up the processor takes longer than most calls.
            real_time.sleep(0 * seconds if seconds >= 0 else seconds)
        self._elapsed += seconds

    def urandom(self, size: int) -> bytes:
        """Return bytes as `os.urandom` does, the same in each call."""
        self._taken += size
        return SYSTEM.randbytes(size)


@functools.lru_cache(maxsize=1)
def install() -> Steady:
    """Hold the clock and the random numbers of this process, for modules that are imported from now on."""
    steady = Steady()
    os.urandom = steady.urandom
    random._urandom = steady.urandom  # type: ignore[attr-defined]
    modules = {"time": _time_module(steady), "datetime": _datetime_module(steady)}
    builtins.__import__ = _importing(builtins.__import__, modules)
    return steady


def _importing(original: Callable[..., Any], modules: dict[str, types.ModuleType]) -> Callable[..., Any]:
    """Return an import that gives a program modules of ours."""

    def import_(name: str, importer: Any = None, names: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        found = original(name, importer, names, fromlist, level)
        if level == 0 and name in modules and not _is_trusted(importer):
            return modules[name]
        return found

    return import_


def _is_trusted(importer: dict[str, Any] | None) -> bool:
    """Return whether a module is one of the standard library or of the guest, which need the real clock."""
    name = package_of(importer or {})
    return name == _GUEST or is_standard(name)


def _copy_of(module: types.ModuleType) -> types.ModuleType:
    copy = types.ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update(module.__dict__)
    return copy


def _time_module(steady: Steady) -> types.ModuleType:
    """Return a ``time`` whose clocks are at rest."""
    seconds = steady.seconds

    def time() -> float:
        return steady.time()

    def sleep(seconds: float) -> None:
        steady.sleep(seconds)

    def time_ns() -> int:
        return int(time() * 1e9)

    def monotonic() -> float:
        return FIRST_MOMENT + seconds()

    def monotonic_ns() -> int:
        return int(monotonic() * 1e9)

    def of_moment(function: Callable[[float], Any]) -> Callable[..., Any]:
        def told(moment: float | None = None) -> Any:
            return function(time() if moment is None else moment)

        return told

    localtime = of_moment(real_time.localtime)

    def asctime(moment: Any = None) -> str:
        return real_time.asctime(localtime() if moment is None else moment)

    def strftime(form: str, moment: Any = None) -> str:
        return real_time.strftime(form, localtime() if moment is None else moment)

    for function in (time, sleep, monotonic):
        function.__module__ = real_time.__name__  # By which defaults are known, see `program.signatures.is_clock`.
    copy = _copy_of(real_time)
    copy.__dict__.update(time=time, time_ns=time_ns, sleep=sleep, asctime=asctime, strftime=strftime)
    copy.__dict__.update(localtime=localtime, gmtime=of_moment(real_time.gmtime), ctime=of_moment(real_time.ctime))
    for clock in ("monotonic", "perf_counter", "process_time", "thread_time"):
        copy.__dict__.update({clock: monotonic, clock + "_ns": monotonic_ns})
    return copy


def _datetime_module(steady: Steady) -> types.ModuleType:
    """Return a ``datetime`` whose classes know only the clock at rest; all that they make is of the real classes."""
    utc = dt.timezone.utc

    class StandIn(type):
        """The class of a class that stands in for a real one: what is an instance of one is one of the other."""

        def __instancecheck__(cls, instance: Any) -> bool:
            real = reals.get(cls)
            return isinstance(instance, real) if real is not None else super().__instancecheck__(instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            real = reals.get(cls)
            return issubclass(subclass, real) if real is not None else super().__subclasscheck__(subclass)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return (reals.get(cls) or super().__call__)(*args, **kwargs)

    class date(dt.date, metaclass=StandIn):  # noqa: N801 - the name that it stands for
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(steady.time())

    class datetime(dt.datetime, metaclass=StandIn):  # noqa: N801 - likewise
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(steady.time(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(steady.time(), utc).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    reals: dict[type, Any] = {date: dt.date, datetime: dt.datetime}
    copy = _copy_of(dt)
    for stand_in in (date, datetime):
        stand_in.__module__, stand_in.__qualname__ = "datetime", stand_in.__name__
        copy.__dict__[stand_in.__name__] = stand_in
    return copy
