"""Functions that annotations ask for also record their calls, or fail where that is caught."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

HEAD = "from __future__ import annotations\nfrom typing import Any, Callable\n\n"
CAUGHT = """
def attempt(work: Callable[[], int]) -> int:
    try:
        return work()
    except KeyError:
        raise
    except Exception:
        return 0
"""
TOLD = """
def attempt(work: Callable[[], int], fatal: tuple[type[Exception], ...] = (KeyError,)) -> int:
    try:
        return work()
    except fatal:
        raise
    except Exception:
        return 0
"""
STORED = """
class Feed:
    def __init__(self) -> None:
        self.readers: dict[str, list[Callable[[str], Any]]] = {}

    def on(self, topic: str, reader: Callable[[str], Any]) -> None:
        self.readers.setdefault(topic, []).append(reader)

    def send(self, topic: str) -> int:
        for reader in self.readers.get(topic, []):
            reader(topic)
        return len(self.readers)
"""
WAITS = """
class Poll:
    def __init__(self, waits: int = 2, sleep: Callable[[float], None] | None = None):
        self.waits = waits
        self.sleep = sleep or (lambda seconds: None)

    def run(self) -> int:
        for number in range(self.waits):
            self.sleep(number)
        return self.waits
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (CAUGHT, "    except KeyError:\n        raise\n", "", "attempt"),
        (TOLD, "    except fatal:\n        raise\n", "", "attempt"),
        (STORED, "reader(topic)\n        return", "reader('')\n        return", "Feed.send"),
        (WAITS, "            self.sleep(number)\n", "            pass\n", "Poll.run"),
    ],
)
def test_what_is_done_with_an_annotated_function_counts(judge: Any, text: str, old: str, new: str, name: str) -> None:
    assert text.count(old) == 1

    report = judge(HEAD + text, HEAD + text.replace(old, new), name, kind=OracleKind.PREVIOUS, calls=4000, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
    assert "call_recorder" in report.counterexample.call


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (CAUGHT, "    except Exception:", "    except (ValueError, Exception):", "attempt"),
        (STORED, "reader(topic)\n        return", "reader(str(topic))\n        return", "Feed.send"),
        (WAITS, "for number in range(self.waits)", "for number in list(range(self.waits))", "Poll.run"),
    ],
)
def test_what_is_the_same_agrees(judge: Any, text: str, old: str, new: str, name: str) -> None:
    assert text.count(old) == 1

    report = judge(HEAD + text, HEAD + text.replace(old, new), name, kind=OracleKind.PREVIOUS, calls=1000, seconds=30)

    assert report.verdict is Verdict.AGREES, report
