"""Objects of which only the attributes are known that a function uses, beside an older version of it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Report, Verdict

OBJECTS = """
def total(node):
    return node.left + node.right


def names(node, depth=0):
    if node.kind == "leaf":
        return [node.name]
    found = []
    for child in node.children:
        found += names(child, depth + 1)
    return found


def height(tree):
    if tree is None:
        return 0
    return 1 + max(height(tree.left), height(tree.right))


def wide(boxes):
    return [box.label.upper() for box in boxes if box.width > 10]


def grow(counter, by: int):
    counter.value += by
    return counter.value


def told(logger, name: str):
    logger.log(1, "start " + name)


def measured(shape, scale: int):
    return shape.area() * scale


def end(span):
    return span.start + span.length


def fitting(checker, limit, values):
    return [value for value in values if checker.is_kind(value, "text") and len(value) < limit]


def joined(source, names):
    for name in names:
        yield from source.lines_of(name)


def greeting(person):
    if person.title() == "Dr":
        return "Dear Doctor"
    return "Dear " + person.name


def marked(groups):
    found = []
    for name, group in groups.items():
        for key, value in group.items():
            if name.upper() in group:
                found.append(key)
    return found
"""
PARTS = """
import enum


class Kind(enum.Enum):
    LINK = 1
    IMAGE = 2


def target(node):
    if node.kind is Kind.LINK:
        return node.href
    return node.title


def body(section):
    return "\\n".join(section.lines).strip()


def missing(section, wanted):
    return [name for name in wanted.names if name not in section.names]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # A constant that the newer version alone compares an attribute with.
        ("target", "is Kind.LINK", "in (Kind.LINK, Kind.IMAGE)"),
        # `join` goes through what the newer version has a loop for.
        ("body", "section.lines", '[line for line in section.lines if line.startswith(" ")]'),
        # Something may be sought in a list, too.
        ("missing", "not in section.names", "not in section.names and name"),
    ],
)
def test_what_parts_of_objects_may_be(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PARTS, name, old, new, calls=500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("target", "is Kind.LINK", "in (Kind.LINK,)"),
        ("body", "section.lines", "[line for line in section.lines]"),
        pytest.param("missing", "name not in section.names", "not name in section.names", marks=pytest.mark.slow),
        # The newer version alone has the constant: no object of the older one can be compared with it.
        pytest.param(
            "target",
            "    IMAGE = 2\n\n\ndef target(node):\n    if node.kind is Kind.LINK",
            "    IMAGE = 2\n    VIDEO = 3\n\n\ndef target(node):\n    if node.kind in (Kind.LINK, Kind.VIDEO)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_parts_of_objects_that_are_used_alike(judge: Any, name: str, old: str, new: str) -> None:
    assert old in PARTS
    report = judge(PARTS, PARTS.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


CHECKERS = """
class Checker:
    def __init__(self, kinds):
        self.kinds = dict(kinds)

    def is_kind(self, value, kind):
        return isinstance(value, self.kinds[kind])


def fits(checker, limit, value):
    return checker.is_kind(value, "text") and len(value) < limit
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "node.left + node.right", "node.left - node.right"),
        ("names", "[node.name]", "[node.name, node.name]"),
        pytest.param("names", "found += names", "found = names", marks=pytest.mark.slow),
        ("height", "1 + max", "max"),
        ("wide", "> 10", ">= 10"),
        pytest.param("wide", "label.upper()", "label.upper() + box.label", marks=pytest.mark.slow),
        ("grow", "value += by", "value -= by"),
        pytest.param("measured", "* scale", "+ scale", marks=pytest.mark.slow),
        ("fitting", "len(value) < limit", "len(value) <= limit"),
        pytest.param("joined", "source.lines_of(name)", "source.lines_of(name)\n        break", marks=pytest.mark.slow),
        ("greeting", '"Dear Doctor"', '"Dear doctor"'),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(OBJECTS, name, old, new, calls=500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "types.SimpleNamespace(" in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "node.left + node.right", "node.right + node.left"),
        pytest.param("names", "    found = []", "    unused = found = []", marks=pytest.mark.slow),
        (
            "height",
            "1 + max(height(tree.left), height(tree.right))",
            "max([height(tree.right), height(tree.left)]) + 1",
        ),
        pytest.param("wide", "box.width > 10", "not box.width <= 10", marks=pytest.mark.slow),
        ("grow", "counter.value += by", "counter.value = counter.value + by"),
        # Nobody knows what its methods have to do with each other, nor with their arguments.
        ("fitting", "if checker", 'if checker.is_kind(value, "any") and checker'),
        pytest.param("joined", "for name in names:", "for name in list(names):", marks=pytest.mark.slow),
        ("greeting", 'person.title() == "Dr"', 'person.title() in ("Dr",)'),
        # What has a method `items` may well be a dict.
        ("marked", "for key, value in group.items()", "for key in group"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(OBJECTS, OBJECTS.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # What attributes have to do with each other, nobody knows.
        ("end", "span.start + span.length", "span.stop"),
        pytest.param("names", 'node.kind == "leaf"', "not node.children", marks=pytest.mark.slow),
        # A method that is called for its effect, which nobody sees.
        ("told", '"start "', '"begin "'),
    ],
)
def test_nothing_is_said(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(OBJECTS, name, old, new)
    assert report.verdict is Verdict.NOT_CHECKED, report.reason


def test_a_class_of_the_program_goes_first(judge: Any) -> None:
    source = (
        "class Node:\n    def __init__(self, left: int, right: int):\n        self.left, self.right = left, right\n\n\n"
    )
    source += "def total(node):\n    return node.left + node.right\n"
    report = judge(source, source.replace("left + node", "left - node"), "total", kind="previous")
    assert report.counterexample is not None
    assert report.counterexample.call.startswith("total(Node(")


def test_a_class_that_nobody_can_make_use_of(judge: Any) -> None:
    """Its instances accept no kind, so that an object which only has the methods stands for one."""
    report = judge(CHECKERS, CHECKERS.replace("< limit", "<= limit"), "fits", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "is_kind=lambda *args, **kwargs: True" in report.counterexample.call


ABSTRACT = """
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol


class Store(Protocol):
    def get(self, key: str) -> int: ...

    def is_open(self) -> bool: ...


class Figure(ABC):
    size: int

    @abstractmethod
    def area(self) -> float: ...

    @property
    @abstractmethod
    def name(self) -> str: ...


def total(store: Store, keys: list[str]) -> int:
    return sum(store.get(key) for key in keys) if store.is_open() else -1


def described(figure: Figure, digits: int) -> str:
    return f"{figure.name.upper()} {figure.size}: {round(figure.area(), digits)}"
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "sum(store.get(key) for key in keys)", "sum(store.get(key) for key in keys[:1])"),
        ("total", "else -1", "else 0"),
        # The class says that the area is a float, and the name a string.
        ("described", "area(), digits)", "area(), digits + 1)"),
        pytest.param("described", "name.upper()", "name.lower()", marks=pytest.mark.slow),
        pytest.param("described", "{figure.size}", "{figure.size + 1}", marks=pytest.mark.slow),
    ],
)
def test_objects_of_annotated_classes_without_implementation(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(ABSTRACT, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    same = judge(ABSTRACT, ABSTRACT.replace("figure.size", "(figure.size)"), name, kind="previous")
    assert same.verdict is Verdict.AGREES, same.reason


NOT_MADE = """
KINDS = {}  # A lexer fills it.


class Token:
    def __init__(self, node):
        self.kind = KINDS[node.kind]
        self.row = node.row
        self.text = node.text

    def indent_by(self, columns):
        self.columns = columns


def align(token, previous):
    if previous is None:
        return None
    row = previous.row + previous.text.count("|")
    token.indent_by(row if token.text else 0)
    return row
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("row if token.text else 0", "row if token.text else 1"),
        ("return row", "return row - previous.text.endswith('/')"),
        ("return None", "return 0"),
    ],
)
def test_none_that_ends_a_function_at_once_is_not_all_there_is(judge: Any, old: str, new: str) -> None:
    report = judge.edit(NOT_MADE, "align", old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_versions_alike_beside_none_agree(judge: Any) -> None:
    changed = NOT_MADE.replace("is None:\n        return None", "is None:\n        return")
    changed = changed.replace('previous.row + previous.text.count("|")', 'previous.text.count("|") + previous.row')
    report = judge(NOT_MADE, changed, "align", kind="previous", calls=1000)
    assert report.verdict is Verdict.AGREES, report.reason


COLLABORATORS = """
def announced(mailer, names):
    count = 0
    for name in names:
        mailer.send(name, "Hi")
        count += 1
    mailer.hang_up()
    return count


def started(factory, name: str):
    made = factory(name)
    made.begin(name)
    return made


def titles(open_page, addresses):
    found = []
    for address in addresses:
        page = open_page(address)
        found.append(page.heading.strip())
    return found


async def delivered(mailer, name: str):
    await mailer.deliver(name, 1)
    return name


def filled(basket, names):
    basket.put_one("first")
    basket.put_many(names)
    return len(names)
"""


def changed(judge: Any, name: str, old: str, new: str) -> Report:
    """Compare one of the functions above with its version before a change."""
    text = COLLABORATORS.replace(old, new)
    assert text != COLLABORATORS
    return judge(COLLABORATORS, text, name, kind="previous", calls=600)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("announced", "    mailer.hang_up()\n", ""),
        ("started", "    made.begin(name)\n", ""),
        ("titles", "page.heading.strip()", "page.heading"),
        ("delivered", "(name, 1)", "(name, 2)"),
        ("delivered", "    await mailer.deliver(name, 1)\n", ""),
    ],
)
def test_a_lost_call_and_what_functions_return(judge: Any, name: str, old: str, new: str) -> None:
    """Whatever else an object has, a call for its effect alone that is gone is seen by who made the object."""
    report = changed(judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "filled",
            'basket.put_one("first")\n    basket.put_many(names)',
            'for name in ["first", *names]:\n        basket.put_one(name)',
        ),
        ("announced", "    mailer.hang_up()\n    return count", "    with mailer:\n        return count"),
        ("started", "made = factory(name)\n    made.begin(name)\n    return made", "return factory(name, begin=True)"),
    ],
)
def test_the_same_by_other_calls(judge: Any, name: str, old: str, new: str) -> None:
    report = changed(judge, name, old, new)
    assert report.verdict is not Verdict.DIFFERS, report.reason


SHAPES = """
from collections.abc import Sequence
from typing import Protocol

class Shape(Protocol):
    def area(self) -> float: ...

def total(shapes: Sequence[Shape], *, scale: float = 1.0) -> float:
    return sum(shape.area() for shape in shapes) * scale

def largest(shapes: tuple[Shape, ...]) -> float:
    return max((shape.area() for shape in shapes), default=-1.0)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("total", ") * scale", ")", Verdict.DIFFERS),
        ("total", "sum(shape", "sum(1 + shape", Verdict.DIFFERS),
        ("total", "sum(shape.area() for shape in shapes) *", "sum([one.area() for one in shapes]) *", Verdict.AGREES),
        ("largest", "max(", "min(", Verdict.DIFFERS),
    ],
)
def test_items_of_an_annotated_interface(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    report = judge.edit(SHAPES, name, old, new, calls=800)
    assert report.verdict is verdict, report


CART = """
from typing import Protocol

class Pricing(Protocol):
    def price(self, name: str) -> float: ...

class Cart:
    def __init__(self, pricing: Pricing) -> None:
        self.pricing = pricing

    def total(self, names: list[str]) -> float:
        try:
            return sum(self.pricing.price(name) for name in names)
        except AttributeError:
            return -1.0
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"), [("-1.0", "-2.0", Verdict.AGREES), ("in names)", "in names[1:])", Verdict.DIFFERS)]
)
def test_constructors_get_objects_of_their_interfaces(judge: Any, old: str, new: str, verdict: Verdict) -> None:
    """Nobody who keeps to the annotation passes a number there."""
    report = judge.edit(CART, "Cart.total", old, new, calls=600)
    assert report.verdict is verdict, report
