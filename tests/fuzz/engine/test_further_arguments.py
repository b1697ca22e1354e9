"""Instances are made with what their constructors take beside the arguments that they need."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class Base:
    def __init__(self, name, width=4, *, fill=" "):
        self.name = name
        self.width = width
        self.fill = fill

class Wide(Base):
    def __init__(self, *args, mark="", **kwargs):
        super().__init__(*args, **kwargs)
        self.mark = mark

    def shown(self):
        return self.name.rjust(self.width, self.fill) + self.mark

class Marked(Base):
    def __init__(self, mark, **kwargs):
        super().__init__("x", **kwargs)
        self.mark = mark

    def shown(self):
        return self.mark + self.fill * self.width

class Framed(Base):
    def __init__(self, *args, **kwargs):
        self.frame = kwargs.pop("frame", "")
        super().__init__(*args, **kwargs)

    def shown(self):
        return self.frame + self.name[:9] + self.frame

class Fields:
    def __init__(self, *fields):
        self.fields = fields

    def joined(self, text):
        return text + "".join(self.fields)

class Path:
    def __init__(self, *parts: str, sep: str = "/"):
        self.parts = parts
        self.sep = sep

    def shown(self):
        return self.sep.join(self.parts)

class Options:
    def __init__(self, name, **options):
        self.name = name
        self.options = options

    def label(self):
        return self.name.upper() if self.options.get("loud") else self.name

class Bag:
    def __init__(self, **values):
        for key, value in values.items():
            setattr(self, key, value)

    def shown(self):
        return sorted(vars(self).items())

class Cart:
    def __init__(self, items=None):
        self.items = items or []

    def total(self):
        return sum(item.price * item.count for item in self.items)

class Rows:
    def __init__(self, rows):
        self.rows = rows

    def corner(self):
        return self.rows[0][0]

    def firsts(self):
        return [row[0] for row in self.rows]

class Mode(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = 0

    def total(self):
        return sum(self.values())
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("Fields.joined", '"".join(self.fields)', '"".join(list(self.fields))', '"".join(self.fields[1:])'),
        ("Path.shown", "self.sep.join(self.parts)", "str.join(self.sep, self.parts)", "self.sep.join(self.parts[:1])"),
        ("Wide.shown", "self.width, self.fill)", "self.width, (self.fill))", 'self.width, " ")'),
        pytest.param("Wide.shown", ") + self.mark", ") + str(self.mark)", ")", marks=pytest.mark.slow),
        ("Framed.shown", "self.name[:9]", "self.name[0:9]", "self.name[:8]"),
        pytest.param("Framed.shown", "[:9] + self.frame", "[:9] + (self.frame)", "[:9]", marks=pytest.mark.slow),
        ("Marked.shown", "self.fill * self.width", "self.width * self.fill", "self.fill * 4"),
        ("Options.label", "self.name.upper() if", "(self.name.upper()) if", "self.name if"),
        ("Bag.shown", "sorted(vars(self).items())", "sorted([*vars(self).items()])", "list(vars(self))"),
        ("Cart.total", "item.price * item.count", "item.count * item.price", "item.price + item.count"),
        pytest.param("Rows.corner", "rows[0][0]", "rows[0][-0]", "rows[0][-1]", marks=pytest.mark.slow),
        pytest.param("Mode.total", "sum(self.values())", "sum([*self.values()])", "len(self)", marks=pytest.mark.slow),
    ],
)
def test_a_method_is_compared(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    for new, verdict in ((wrong, Verdict.DIFFERS), (harmless, Verdict.AGREES)):
        assert TEXT.count(old) == 1
        report = judge.edit(TEXT, name, old, new, calls=900, seconds=30)
        assert report.verdict is verdict, report


GUARDED = """
class Names:
    def __init__(self, *names):
        self.names = names

    def update(self, data, value):
        for name in self.names:
            if name in data:
                data[name] = value
        return data
"""


def test_a_new_guard_whose_failure_depends_on_another_argument(judge: Any) -> None:
    newer = GUARDED.replace("for name in self.names:", "for name in self.names if data is not None else ():")
    report = judge(GUARDED, newer, "Names.update", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "None" in report.counterexample.call


CIRCLE = """
from __future__ import annotations
from typing import Optional

class Server:
    def __init__(self, name: str, *, client: Optional[Client] = None, loud: bool = False) -> None:
        self.name = name
        self.client = client
        self.loud = loud

    def shown(self) -> str:
        return self.name.upper() if self.loud else self.name

class Client:
    def __init__(self, *servers: Server, other: Optional[Server] = None) -> None:
        self.servers = servers
        self.other = other

    def names(self) -> list[str]:
        return [one.name for one in self.servers]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Server.shown", "self.name.upper()", "self.name.lower()"), ("Client.names", "in self.servers", "in ()")],
)
def test_classes_that_take_each_other(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CIRCLE, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


UNPACKED = """
from typing import TypedDict, Unpack

class Options(TypedDict, total=False):
    loud: bool

class Named:
    def __init__(self, name: str, **options: Unpack[Options]) -> None:
        self.name = name
        self.options = options

    def shown(self) -> str:
        return self.name.upper() if self.options.get("loud") is True else self.name
"""


def test_names_that_the_annotation_of_options_states(judge: Any) -> None:
    newer = UNPACKED.replace("self.name.upper()", "self.name")
    report = judge(UNPACKED, newer, "Named.shown", kind=OracleKind.PREVIOUS, calls=600, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


LEFT_OUT = """
from __future__ import annotations
from typing import NotRequired, Required, TypedDict

class Options(TypedDict):
    name: str
    times: NotRequired[int]

class Place(TypedDict, total=False):
    street: Required[str]
    number: int

def described(options: Options, place: Place) -> str:
    return f"{options['name']}: {options.get('times', 3)} {place.get('street', '-')}"
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"), [("times', 3", "times', 0", Verdict.DIFFERS), ("'-'", "'?'", Verdict.AGREES)]
)
def test_keys_that_may_be_left_out_where_annotations_are_strings(
    judge: Any, old: str, new: str, verdict: Verdict
) -> None:
    """The class itself does not know of ``NotRequired`` and ``Required`` then."""
    report = judge.edit(LEFT_OUT, "described", old, new, calls=300, seconds=30)
    assert report.verdict is verdict, report
