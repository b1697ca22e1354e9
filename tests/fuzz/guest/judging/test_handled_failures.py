"""Beside an older version, its failures count where new code takes care of them, and by no other change."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.invocation import CallForm
from lsp_evalplus.fuzz.guest.calling.subject import Programs, Subject
from lsp_evalplus.fuzz.guest.judging.factory import Bench, Brief, demands_of, make_judge
from lsp_evalplus.fuzz.guest.judging.judge import CODES


def judged(older: str, newer: str, row: tuple[Any, ...], clock: CallClock, *, is_previous: bool = True) -> str:
    subjects = [Subject({"source": text, "qualname": "f"}) for text in (newer, older)]
    programs = Programs(*subjects)
    brief = Brief("reference", {}, is_previous=is_previous)
    judge = make_judge(brief, programs, Bench(CallForm(), clock, None), demands_of(brief, programs))
    found = judge.run(row)
    return found.difference if CODES[found.code] == "differ" else CODES[found.code]


FIRST = "def f(x):\n    return x[0]"
GROUP = "import re\ndef f(x):\n    m = re.match('a', x)\n    return m.group()"
DECODE = "def f(x):\n    return x.decode()"
TRANSLATED = """class BadText(Exception): ...
def f(x):
    try:
        return x.decode()
    except Exception:
        raise BadText(x)"""
LENIENT_SPLIT = "def f(x):\n    a, b = x.split('=', 1)\n    return b"
REFUSED, REFUSED_ALIKE = "raise ValueError('x')", "raise IndexError('x')"
PARTS = "def f(x):\n    if 'a' in x:\n        b = x['b']\n        return [b + y for y in x['a']]\n    return [x['b']]"
TURNED = "def f(x):\n    if 'a' not in x: return [x['b']]\n    return [x['b'] + y for y in x['a']]"
CASES: list[tuple[str, str, tuple[Any, ...], str]] = [
    (FIRST, "def f(x):\n    if not x: return None\n    return x[0]", ([],), "handled"),
    (FIRST, "def f(x):\n    return x[0] if len(x) else None", ([],), "handled"),
    (FIRST, "def f(x):\n    try: return x[0]\n    except IndexError: return 0", ([],), "handled"),
    (FIRST, "def f(x):\n    if x is None: return 0\n    return x[0]", (None,), "handled"),
    # The other version asks the same, for the other answer: it is luck that the new one gets by without the key.
    (PARTS, TURNED, ({"a": []},), "rejected"),
    (GROUP, GROUP.replace("m.group()", "m and m.group()"), ("b",), "handled"),
    ("def f(x): return x['a']", "def f(x): return x.get('a')", ({},), "handled"),
    ("def f(x): return sum(x) / len(x)", "def f(x): return sum(x) / (len(x) or 1)", ([],), "handled"),
    ("def f(x):\n    for y in x: z = y\n    return z", "def f(x):\n    return x[-1] if x else 0", ([],), "handled"),
    (DECODE, TRANSLATED, (b"\xff",), "handled"),
    # The exception says that the type is not supported: that another one is raised means nothing.
    (DECODE, TRANSLATED, (3,), "rejected"),
    # So it is with a condition that decides about it.
    ("def f(x): return 1 / x", "def f(x):\n    if not x: raise ValueError('x')\n    return 1 / x", (0,), "handled"),
    ("def f(x): return x.lower()", f"def f(x):\n    if x is None: {REFUSED}\n    return x.lower()", (None,), "handled"),
    ("def f(x): return x.lower()", f"def f(x):\n    if x in (3, 4): {REFUSED}\n    return x.lower()", (3,), "rejected"),
    (FIRST, f"def f(x):\n    if x is None: {REFUSED}\n    return x[0]", ([],), "rejected"),
    # Who catches the older exception catches the newer one.
    (FIRST, f"def f(x):\n    if not x: {REFUSED_ALIKE}\n    return x[0]", ([],), "rejected"),
    ("def f(x): x.remove(1); return x", "def f(x): x.discard(1); return x", ({2},), "handled"),
    ("def f(x): return max(x)", "def f(x): return max(x, default=0)", ([],), "handled"),
    ("def f(x):\n    a, b = x.split('=')\n    return b", LENIENT_SPLIT, ("a=b=c",), "handled"),
    (DECODE, "def f(x):\n    return x.decode(errors='replace')", (b"\xff",), "handled"),
    # A lenient method of another type says nothing of what the older version fails on.
    (DECODE, "def f(x):\n    return x.decode(errors='replace')", (3,), "rejected"),
    ("def f(x): return x[0] == 'a'", "def f(x): return x.startswith('a')", ("",), "handled"),
    ("def f(x): return x[0] == 'a'", "def f(x): return x.startswith('a')", (None,), "rejected"),
    # The newer version takes no care of what the older one fails on.
    ("def f(x): return x[2] == 'a'", "def f(x): return x.startswith('a')", ("",), "rejected"),
    # No argument is to blame for what a module lacks, or for a name that is not there.
    ("import string\ndef f(x): return string.letters + x", "def f(x): return 'ab' + x", ("a",), "handled"),
    (
        "import time\ndef g(): return time.clock()\ndef f(x): return g() and x",
        "import time\ndef g(): return time.time()\ndef f(x): return g() and x",
        (3,),
        "handled",
    ),
    ("def f(x): return unicode(x)", "def f(x): return str(x)", (3,), "handled"),
    # It is what was asked for by an argument, or a library that is not installed here.
    ("import string\ndef f(x): return getattr(string, x)", "def f(x): return x", ("letters",), "rejected"),
    (
        "try: import no_such_library as fast\nexcept ImportError: pass\ndef f(x): return fast.turned(x)",
        "def f(x): return x[::-1]",
        ("ab",),
        "rejected",
    ),
    ("def f(x): return x.letters", "def f(x): return x", ("letters",), "rejected"),
    # Rewritten lines that work for more types than the old ones.
    ("def f(x): return '<%s>' % x", "def f(x): return f'<{x}>'", ((1, 2),), "rejected"),
    ("def f(x): return [y for y in x.keys()]", "def f(x): return [y for y in x]", ([1],), "rejected"),
    (
        "def f(x):\n    if len(x) == 0: return 0\n    return x[0]",
        "def f(x):\n    if not x: return 0\n    return x[0]",
        (None,),
        "rejected",
    ),
    # The new condition has nothing to do with the failure.
    ("def f(x): return x.keys()", "def f(x):\n    if x is None: return 0\n    return list(x)", ([1],), "rejected"),
    # A condition on a value, made for values of the type that the older version supports.
    ("def f(x): return x.lower()", "def f(x): return x.lower() if x else ''", (0,), "rejected"),
    (
        "def f(x):\n    if len(x) > 3: return 9\n    y = x.get('a')\n    assert y is not None\n    return y + 1",
        "def f(x):\n    if len(x) > 3: return 9\n    y = x.get('a')\n    if y is None: return 0\n    return y + 1",
        ({},),
        "handled",
    ),
    (
        "def f(x):\n    n = 0\n    for y in x:\n        assert y\n        n += len(y)\n    return n",
        "def f(x):\n    n = 0\n    for y in x:\n        if y is not None: n += len(y)\n    return n",
        ([None],),
        "handled",
    ),
    (
        "def f(x):\n    for y in x:\n        assert y\n    return len(x)",
        "def f(x):\n    for y in x:\n        if y is None: return len(y)\n    return len(x)",
        ([None],),
        "rejected",
    ),
    # An assertion that nothing takes the place of.
    (
        "def f(x):\n    if len(x) > 3: return 9\n    y = x.get('a')\n    assert y is not None\n    return [y]",
        "def f(x):\n    if len(x) > 3: return 9\n    y = x.get('a')\n    return [y]",
        ({},),
        "rejected",
    ),
    # A precondition of the older version.
    ("def f(x):\n    assert x\n    return x[0]", "def f(x): return x[0] if x else 0", ([],), "rejected"),
    (FIRST, FIRST, ([],), "rejected"),
]


@pytest.mark.parametrize(("older", "newer", "row", "expected"), CASES)
def test_failures(older: str, newer: str, row: tuple[Any, ...], expected: str, clock: CallClock) -> None:
    assert judged(older, newer, row, clock) == expected


def test_a_reference_that_is_no_older_version_is_not_asked(clock: CallClock) -> None:
    newer = "def f(x): return x[0] if x else None"

    assert judged(FIRST, newer, ([],), clock, is_previous=False) == "rejected"
    assert judged(FIRST, newer, ([1],), clock) == "agree"
