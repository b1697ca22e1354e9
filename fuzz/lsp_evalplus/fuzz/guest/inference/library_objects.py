"""Values of the classes of the standard library, and of those of numpy and pandas that others are made of.

Objects through which threads and tasks speak to each other are as others have left them.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..values.dynamic import LIST, is_subclass, type_of
from ..values.library_objects import VALUE_MODULES
from ..values.makers.sqlite_database import DatabasePath, sqlite_file
from ..values.recipes.model import ASSIGNMENT, Name, New, Prepared
from ..values.shapes import (
    ANY,
    ANYTHING,
    BYTES,
    INSPECTED,
    INT,
    NONE,
    NUMBER,
    STR,
    CallShape,
    ChoiceShape,
    ConstructorShape,
    DictShape,
    FixedDictShape,
    IntShape,
    ListShape,
    RecordShape,
    Shape,
    UnionShape,
    union_of,
)
from ..values.shapes.times import CLOCK, DATE, DATETIME, DAY, MICROSECOND, ZONE
from .records.match_objects import matches


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


_SNIPPETS: Final = (
    "x = f(a, b=1)[0] + -2\n1\n",
    "def f(x: int, *a, y=1, **k) -> str:\n    'Text.'\n    if x and not y:\n        return 'a'\n    raise ValueError\n",
    "class A(B):\n    x: int = 1\n    @staticmethod\n    def f():\n        pass\n",
    "import a.b as c\nfrom .d import e\n",
    "for i in range(3):\n    print(f'{i}', [j for j in i], {'k': i.a}, (1, None), sep='')\n",
    "async def f():\n    await g(lambda: x)\n",
    "try:\n    with open(p) as q:\n        a, *b = q\nexcept (A, B) as e:\n    x += 1 if e else 0\n",
    "while a < 1 <= b:\n    del a\n",
)
"""Source with most kinds of syntax."""


_DECODED: Final = ("utf-8", b"a\xff", 1, 2, "a")
_ENCODED: Final = ("ascii", "a\xe9", 1, 2, "a")
_NUMBERED: Final = ((2, "a", "b"), (2, "a"), ("a",))
"""Numbers, texts and file names of errors of the system."""
_WITH_TEXT: Final = (("a",), ())
ARGUMENTS_OF_EXCEPTIONS: Final[tuple[tuple[type, tuple[tuple[Any, ...], ...]], ...]] = (
    (UnicodeDecodeError, (_DECODED,)),
    (UnicodeEncodeError, (_ENCODED,)),
    (UnicodeTranslateError, (_ENCODED[1:],)),
    (OSError, _NUMBERED),
    (SyntaxError, (("a", ("b", 1, 2, "c")), ("a",))),
    (SystemExit, ((), (1,), ("a",))),
    (StopIteration, ((), (1,))),
    (KeyError, (("a",), (1,))),
)
"""What classes that are made otherwise take."""
_COMMON_EXCEPTIONS: Final = (ValueError, KeyError, TypeError, OSError, RuntimeError, AttributeError, UnicodeDecodeError)
"""Those that stand for any."""
_MOST_EXCEPTIONS: Final = 8


def is_made_as_builtins(kind: type) -> bool:
    """Whether the constructor of a class of exceptions is a builtin one."""
    return is_subclass(kind, BaseException) and type_of(kind.__init__) is types.WrapperDescriptorType


def own_exceptions(kind: type) -> Shape | None:
    """Return the shape of exceptions of a program's class whose constructor is a builtin one, and of those that derive
    from it; None for other classes."""
    if not is_made_as_builtins(kind):
        return None
    classes = [one for one in (kind, *type.__subclasses__(kind)) if is_made_as_builtins(one)][:_MOST_EXCEPTIONS]
    made = [[New(one.__qualname__, arguments) for arguments in _arguments_of(one)] for one in classes]
    first, others = [listed[0] for listed in made], [one for listed in made for one in listed[1:]]
    return ChoiceShape((*first, *others))


def exceptions(kind: type) -> Shape | None:
    """Return the shape of exceptions of a builtin class; None for other classes."""
    if not is_subclass(kind, BaseException) or getattr(builtins, kind.__name__, None) is not kind:
        return None
    classes = list(_exceptions_below(kind))[:_MOST_EXCEPTIONS]
    made = [[New(one.__name__, arguments) for arguments in _arguments_of(one)] for one in classes]
    if not any(made):
        return None
    first = [listed[0] for listed in made if listed]
    others = [one for listed in made for one in listed[1:]]
    cause = Prepared(first[0], (New(ASSIGNMENT, ("__cause__", New("KeyError", ("b",)))),))
    fixed = ChoiceShape((*first, cause, *others))
    with_texts = [one for one in classes if _arguments_of(one) is _WITH_TEXT][:1]
    calls = [CallShape(one.__name__, (STR,)) for one in with_texts]
    calls += [CallShape(one.__name__, (INT, STR, STR)) for one in classes if one is OSError]
    return UnionShape((fixed, *calls)) if calls else fixed


def _exceptions_below(kind: type) -> Iterator[type]:
    """Yield the class and those that derive from it, the common ones where there are many."""
    if kind not in (BaseException, Exception):
        yield kind
    common = [one for one in _COMMON_EXCEPTIONS if one is not kind and issubclass(one, kind)]
    yield from common
    if kind is BaseException:
        yield KeyboardInterrupt
    elif kind is Exception:
        yield kind
    for one in type.__subclasses__(kind):
        if one not in common and getattr(builtins, one.__name__, None) is one and not issubclass(one, Warning):
            yield one


def _arguments_of(kind: type) -> tuple[tuple[Any, ...], ...]:
    """Return lists of arguments that a class of exceptions takes."""
    if kind.__name__.endswith("ExceptionGroup"):
        return (("a", [New("ValueError", ("b",))]),)
    return next((arguments for one, arguments in ARGUMENTS_OF_EXCEPTIONS if issubclass(kind, one)), _WITH_TEXT)


NEW_DATABASE: Final = CallShape(sqlite_file.__name__, ())
"""Paths of databases that have no tables yet."""


def derived_objects(kind: type) -> Shape | None:
    """Return the shape of objects of a class that shares its base with many; None for other classes."""
    return NEW_DATABASE if kind is DatabasePath else syntax_trees(kind) or exceptions(kind)


def syntax_trees(kind: type) -> Shape | None:
    """Return the shape of nodes of a class of the module `ast`; None for other classes."""
    if not is_subclass(kind, ast.AST):
        return None
    if kind in (ast.AST, ast.Module, ast.mod):
        return made_by("ast.parse", ChoiceShape(_SNIPPETS))
    nodes = [one for text in _SNIPPETS for one in ast.walk(ast.parse(text)) if isinstance(one, kind)]
    known = sorted({ast.dump(one): one for one in nodes}.items(), key=lambda pair: len(pair[0]))
    return ChoiceShape(tuple([_written_out(one) for _, one in known[:_MOST_NODES]])) if known else None


_MOST_NODES: Final = 12


def _written_out(value: Any) -> Any:
    """Return the calls that make a node and its parts, with their places in the source."""
    if isinstance(value, ast.AST):
        fields = {name: _written_out(part) for name, part in ast.iter_fields(value) if part is not None}
        places = {name: getattr(value, name) for name in ("lineno", "col_offset") if hasattr(value, name)}
        return New(f"ast.{type(value).__name__}", (), {**fields, **places})
    return [_written_out(one) for one in LIST.__iter__(value)] if type_of(value) is list else value


def is_namespace(shape: Shape) -> bool:
    """Whether objects of a shape have the attributes that they are made with, and no class says which."""
    return isinstance(shape, ConstructorShape) and shape.name.rpartition(".")[2] in ("Namespace", "SimpleNamespace")


def made_by(name: str, *arguments: Shape, keywords: tuple[str, ...] = ()) -> Shape:
    """Return the shape of what a function or class makes of arguments; the last ones are passed by these names."""
    return CallShape(name, arguments, keywords)


def _written(name: str, strings: tuple[str, ...]) -> Shape:
    """Return the shape of a library class constructed from one of the strings."""
    return made_by(name, ChoiceShape(strings))


_BORDER = UnionShape((NONE, INT))
_BETWEEN = (ChoiceShape((0, 1, 2, 7, 30)), ChoiceShape((0, 60, 900, 1800, 3600)))
"""Days and seconds that lie between times which belong together."""
_WEEKDAY_AND_ON = (IntShape(0, 6), IntShape(1, 366), IntShape(-1, 1))
_MOMENT = RecordShape((*DAY, *CLOCK, *_WEEKDAY_AND_ON))
_MODES = (0o100644, 0o40755, 0o120777, 0o100755, 0o100600)
"""Files, a folder and a link."""
_STATUS = RecordShape((ChoiceShape(_MODES), *[IntShape(0, 3)] * 5, *[IntShape(0, 10000)] * 4))
_DECIMALS = ChoiceShape(
    ("0", "1", "-1", "0.1", "2.5", "0.5", "1e10", "-3.14", "100", "0.005", "0.01", "-0.01", "1.5", "99.99")
)
_INSIDE = union_of([STR, ChoiceShape(("a/b/c.txt", "a.tar.gz"))])
"""Paths: any string, one inside of two folders, and one with two suffixes."""
_PATH = made_by("pathlib.PurePosixPath", _INSIDE)
_ADDRESSES = {
    "IPv4Address": ("127.0.0.1", "0.0.0.0", "10.0.0.1", "192.168.0.1", "8.8.8.8", "224.0.0.1", "255.255.255.255"),  # noqa: S104 - inputs: nothing listens there.
    "IPv6Address": ("::1", "::", "2001:db8::1", "fe80::1", "fd00::1", "ff02::1", "2606:4700::1111"),
    "IPv4Network": ("10.0.0.0/8", "0.0.0.0/0", "192.168.0.0/24", "127.0.0.1/32", "8.8.8.0/30"),
    "IPv6Network": ("2001:db8::/32", "::/0", "fe80::/64", "::1/128"),
}
_IDENTIFIERS = (
    "00000000-0000-0000-0000-000000000000",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "16fd2706-8baf-433b-82eb-8c7fada847da",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
)
_ADDRESSES_OF_PAGES = (
    "https://example.com/a/b?x=1&y=2#top",
    "http://localhost:8080/",
    "//user:secret@example.com",
    "mailto:a@example.com",
    "a/b",
    "",
)
_MAILS = (
    "From: a@example.com\nTo: b@example.com, c@example.com\nSubject: Hi\nContent-Type: text/plain\n\nText\n",
    "Subject: Hi\n\n",
    "",
)
_SETTINGS = ("[a]\nx = 1\ny = text\n", "[DEFAULT]\nx = yes\n[b]\ny = no\nz =\n")
_READ = tuple([(New("read_string", (one,)),) for one in _SETTINGS])
_ELEMENTS = ("<a/>", "<a>1</a>", '<a x="1"><b>text</b><b/>tail</a>', "<a><b><c>1</c></b><b>2</b></a>")
_TIMES = ("created", "msecs", "relativeCreated")
"""What records have from the clock, and therefore get."""
_RAISED = (Name("ValueError"), New("ValueError", ("a",)), None)
"""An exception as `sys.exc_info` gives it, without the lines at which it was raised."""
_LEVELS = {"levelname": ChoiceShape(("INFO", "ERROR", "WARNING", "DEBUG")), "levelno": ChoiceShape((20, 40, 30, 10))}


def _record(needed: Mapping[str, Shape], further: Mapping[str, Shape]) -> Shape:
    """Return what makes a record of a log."""
    needed = {**dict.fromkeys(_TIMES, ChoiceShape((0.0,))), **needed}
    parts = {**needed, **further, **_LEVELS, "exc_info": ChoiceShape((None, _RAISED))}
    return made_by("logging.makeLogRecord", FixedDictShape(tuple(parts), tuple(parts.values()), tuple(needed)))


_RECORD = UnionShape(
    (
        _record({}, {"name": STR, "msg": STR, "lineno": IntShape(1, 99), "funcName": STR}),
        _record({"msg": ChoiceShape(("%s b", "a %s")), "args": RecordShape((STR,))}, {}),
    )
)
_TEXT_STREAM = made_by("io.StringIO", STR)
BYTE_STREAM: Final = made_by("io.BytesIO", BYTES)


def makes_library_value(name: str) -> bool:
    """Return whether a call of that dotted name makes a value of the standard library: a date, say, or a decimal."""
    module, _, member = name.partition(".")
    return module in VALUE_MODULES and bool(member)


_CLIENTS: Final = ("httpx.Client", "httpx.AsyncClient", "requests.sessions.Session", "aiohttp.client.ClientSession")
"""Classes whose objects speak with others: stand-ins take their place, by what is used of them."""

LIBRARY: Final[Mapping[str, Shape]] = {
    **dict.fromkeys(_CLIENTS, ANYTHING),
    "re.Match": matches(()),
    "datetime.date": DATE,
    "datetime.datetime": DATETIME,
    "datetime.time": made_by("datetime.time", *CLOCK),
    "datetime.timezone": ZONE,
    "datetime.tzinfo": ZONE,
    "datetime.timedelta": UnionShape(
        (
            made_by("datetime.timedelta", IntShape(-400, 400), IntShape(-90000, 90000), MICROSECOND),
            made_by("datetime.timedelta", *_BETWEEN),
        )
    ),
    "decimal.Decimal": made_by("decimal.Decimal", union_of([_DECIMALS, INT])),
    "fractions.Fraction": made_by("fractions.Fraction", IntShape(-20, 20), IntShape(1, 12)),
    "re.Pattern": _written("re.compile", ("a", "[0-9]+", r"\w+", "(a)(b)?", r"(\d+)", "")),
    **{f"pathlib.{name}": made_by("pathlib.Path", _INSIDE) for name in ("Path", "PosixPath")},
    **{f"pathlib.{name}": _PATH for name in ("PurePath", "PurePosixPath")},
    "pathlib.PureWindowsPath": made_by("pathlib.PureWindowsPath", STR),
    **{f"ipaddress.{name}": _written(f"ipaddress.{name}", strings) for name, strings in _ADDRESSES.items()},
    "argparse.Namespace": made_by("argparse.Namespace"),
    "urllib.parse.ParseResult": _written("urllib.parse.urlparse", _ADDRESSES_OF_PAGES),
    "urllib.parse.SplitResult": _written("urllib.parse.urlsplit", _ADDRESSES_OF_PAGES),
    "sqlite3.Connection": _written("sqlite3.connect", (":memory:",)),
    "email.message.Message": _written("email.message_from_string", _MAILS),
    "configparser.ConfigParser": _made("configparser.ConfigParser", *_READ),
    "configparser.RawConfigParser": _made("configparser.RawConfigParser", *_READ),
    "xml.etree.ElementTree.Element": _written("xml.etree.ElementTree.fromstring", _ELEMENTS),
    "argparse.ArgumentParser": _written("argparse.ArgumentParser", ("prog",)),
    "logging.LogRecord": _RECORD,
    "logging.Logger": _written("logging.Logger", ("a",)),
    "random.Random": made_by("random.Random", IntShape(0, 9)),
    "zoneinfo.ZoneInfo": _written("zoneinfo.ZoneInfo", ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")),
    "types.MappingProxyType": made_by("types.MappingProxyType", DictShape(STR, ANY)),
    "inspect.Signature": made_by("inspect.signature", INSPECTED),
    "os.stat_result": made_by("os.stat_result", _STATUS),
    "os.terminal_size": made_by("os.terminal_size", RecordShape((IntShape(1, 200), IntShape(1, 60)))),
    "time.struct_time": made_by("time.struct_time", _MOMENT),
    "uuid.UUID": _written("uuid.UUID", _IDENTIFIERS),
    "numpy.ndarray": made_by("numpy.array", UnionShape((ListShape(NUMBER), ListShape(RecordShape((NUMBER, NUMBER)))))),
    "pandas.Series": made_by("pandas.Series", ListShape(NUMBER)),
    "pandas.DataFrame": made_by("pandas.DataFrame", DictShape(ChoiceShape(("a", "b", "c")), ListShape(INT, 2, 2))),
    **library_objects(),
    "collections.deque": made_by("collections.deque", ListShape(ANY)),
    **dict.fromkeys(("_io.StringIO", "_io.TextIOWrapper", "io.TextIOBase", "typing.TextIO", "typing.IO"), _TEXT_STREAM),
    **dict.fromkeys(("_io.BytesIO", "io.BufferedIOBase", "io.RawIOBase", "io.IOBase", "typing.BinaryIO"), BYTE_STREAM),
    **dict.fromkeys(("_io.BufferedReader", "_io.BufferedWriter", "_io.BufferedRandom"), BYTE_STREAM),
    **dict.fromkeys(("typing.SupportsInt", "typing.SupportsIndex", "typing.SupportsRound", "numbers.Integral"), INT),
    **dict.fromkeys(("typing.SupportsFloat", "typing.SupportsAbs", "typing.SupportsComplex"), NUMBER),
    **dict.fromkeys(("numbers.Number", "numbers.Real", "numbers.Complex", "numbers.Rational"), NUMBER),
    "collections.abc.Hashable": union_of([INT, STR]),
    "os.PathLike": _PATH,
    **dict.fromkeys(("collections.abc.ByteString", "collections.abc.Buffer", "typing_extensions.Buffer"), BYTES),
    "builtins.bytearray": made_by("bytearray", BYTES),
    "builtins.slice": made_by("slice", _BORDER, _BORDER, ChoiceShape((None, 1, 2, -1))),
    "builtins.range": made_by("range", IntShape(-5, 20), IntShape(-5, 20)),
}
"""Shapes of the values of classes of the standard library, numpy and pandas, by their full names."""
_OF_ZONES = re.compile(r"\b(?:timezone|tzinfo|zoneinfo|ZoneInfo|pytz|astimezone|utcoffset|dst)\b")
_SUMMER_TIME = ChoiceShape((New("zoneinfo.ZoneInfo", ("America/New_York",)),))


def times_of_zones(source: str) -> dict[type, Shape]:
    """Return the shapes of times of day by class, in zones with summer time, too, where a program works with zones: how
    much time lies between two of them is no difference of what clocks show."""
    zones = made_by("datetime.datetime", *DAY, *CLOCK, _SUMMER_TIME, keywords=("tzinfo",))
    library: Any = sys.modules.get("datetime") if _OF_ZONES.search(source) else None
    return {} if library is None else {library.datetime: union_of([LIBRARY["datetime.datetime"], zones])}
