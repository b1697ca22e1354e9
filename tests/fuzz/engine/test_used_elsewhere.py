"""Functions of a module tell what the attributes of its classes hold; values that may stand in the place of one another
are alike."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

ORDERS = """
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass
class Line:
    sku: str
    price: Any
    count: int = 1
    tags: list = field(default_factory=list)


@dataclass
class Order:
    number: Any
    lines: list = field(default_factory=list)
    coupon: Optional[dict] = None


class Customer:
    def __init__(self, name, addresses, preferences: dict = None):
        self.name = name
        self.addresses = addresses
        self.preferences = preferences or {}


def subtotal(order):
    return sum(line.price * line.count for line in order.lines if "gift" not in line.tags)


def discount(order):
    coupon = order.coupon
    if not coupon:
        return 0
    base = subtotal(order)
    amount = base * coupon["value"] / 100 if coupon["type"] == "percent" else coupon["value"]
    return min(amount, base)


def cities(customer: Customer):
    return sorted({one["city"].title() for one in customer.addresses if one.get("active", True)})


def language(customer: Customer, fallback="en"):
    return customer.preferences.get("language", fallback)
"""
FALLBACKS = """
def in_place_of_none(rates: dict, code="US"):
    rate = rates.get(code, rates["default"])
    return rate["base"] + rate.get("extra", 0)


def in_place_of_false(rates, code):
    rate = rates.get(code) or rates["default"]
    return rate["base"] + rate.get("extra", 0)


def chosen(rates, code):
    rate = rates[code] if code in rates else rates["default"]
    return rate["base"]


def about(order):
    if order.count > 3:
        return "many"
    return "%d of %s" % (order.count, order.name)


class Parser:
    def start(self, token, last=0):
        column, line = token.start - token.line_start, token.line
        if column < 0:
            column += last
            line -= 1
        return column, line
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (ORDERS, "subtotal", ' if "gift" not in line.tags', ""),
        (ORDERS, "discount", "min(amount, base)", "amount"),
        (ORDERS, "discount", "/ 100", "/ 10"),
        (ORDERS, "cities", ".title()", ""),
        (ORDERS, "cities", ' if one.get("active", True)', ""),
        (ORDERS, "language", '"language", fallback', '"language"'),
        (FALLBACKS, "in_place_of_none", '"extra", 0', '"extra", 1'),
        (FALLBACKS, "in_place_of_none", 'rates.get(code, rates["default"])', 'rates["default"]'),
        (FALLBACKS, "in_place_of_false", 'rates.get(code) or rates["default"]', 'rates["default"]'),
        (FALLBACKS, "chosen", 'rates[code] if code in rates else rates["default"]', 'rates["default"]'),
        (FALLBACKS, "Parser.start", "+= last", "-= last"),
    ],
)
def test_a_difference_shows(judge: Any, source: str, name: str, old: str, new: str) -> None:
    report = judge.edit(source, name, old, new, calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (ORDERS, "subtotal", '"gift" not in line.tags', 'not ("gift" in line.tags)'),
        (ORDERS, "discount", "if not coupon:", "if coupon is None or not coupon:"),
        (ORDERS, "cities", 'one["city"].title()', 'str.title(one["city"])'),
        (FALLBACKS, "in_place_of_none", 'rate.get("extra", 0)', '(rate["extra"] if "extra" in rate else 0)'),
        (
            FALLBACKS,
            "chosen",
            'rates[code] if code in rates else rates["default"]',
            'rates.get(code, rates["default"])',
        ),
        (FALLBACKS, "Parser.start", "line -= 1", "line = line - 1"),
        (FALLBACKS, "about", '"%d of %s" % (order.count, order.name)', 'f"{order.count} of {order.name}"'),
    ],
)
def test_the_same_in_other_words_agrees(judge: Any, source: str, name: str, old: str, new: str) -> None:
    report = judge.edit(source, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report.reason
