"""A generic class whose constructor takes objects of its own is read once for each binding of its variables."""

from __future__ import annotations

from typing import Any

from lsp_evalplus.fuzz.model import OracleKind, Verdict

FIELDS = "low high first last small large step unit rest base".split()
SUM = f"""
from typing import Any, Dict, Generic, List, Optional, TypeVar, Union

T = TypeVar("T")


class Sum(Generic[T]):
    def __init__(self, amount: int, {", ".join(f'{one}: Optional[Union["Sum[Any]", int]] = None' for one in FIELDS)}):
        self.amount = amount

    def doubled(self):
        return self.amount * 2
"""


def test_its_own_objects_as_arguments(judge: Any) -> None:
    newer = SUM.replace("self.amount * 2", "self.amount + self.amount")
    report = judge(SUM, newer, "Sum.doubled", kind=OracleKind.PREVIOUS, calls=300, seconds=30)
    assert report.verdict is Verdict.AGREES, report
