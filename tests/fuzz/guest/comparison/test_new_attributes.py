"""An attribute that a newer class has added to its objects is no difference to its older version's."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.comparison.equality import same

OLDER = """
class Sum:
    def __init__(self, amount):
        self.amount = amount
"""


def made(source: str) -> Any:
    """An object of the class of a program, which may do more with it."""
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(source, namespace)
    return namespace.get("it") or namespace["Sum"](3)


def test_what_the_newer_class_adds() -> None:
    newer = OLDER + "        self.is_zero = amount == 0\n"
    assert same(made(OLDER), made(newer))
    assert same([made(OLDER)], [made(newer)])
    assert not same(made(newer), made(OLDER))
    assert not same(made(OLDER), made(newer.replace("= amount\n", "= amount + 1\n")))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLDER, OLDER + "it = Sum(3)\nit.is_zero = False\n"),
        (OLDER + "    def reset(self):\n        del self.is_zero\n", OLDER + "        self.is_zero = False\n"),
        (
            OLDER + "    @property\n    def is_zero(self):\n        return 0\n",
            OLDER + "        self.__dict__['is_zero'] = 1\n",
        ),
        (OLDER + "        vars(self).update({})\n", OLDER + "        self.is_zero = False\n"),
    ],
)
def test_what_it_does_not_add(older: str, newer: str) -> None:
    """Other code stores it, the older class knows it, or may have attributes of any name."""
    assert not same(made(older), made(newer))
