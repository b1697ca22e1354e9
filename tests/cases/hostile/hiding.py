"""Wrong candidates that try to hide that they are wrong, as (name, source); each defines ``f``.

The reference is ``def f(x: int) -> int: return 2 * x + 1``. Unless its attack succeeds, a candidate is wrong on every
input. No attack may end as an agreement, crash the command, or speak in the tool's words.
"""

from __future__ import annotations

from textwrap import dedent, indent

REFERENCE = "def f(x: int) -> int:\n    return 2 * x + 1\n"
CASES: list[tuple[str, str]] = []

_WALK = '''
import gc, sys

def channels():
    return [one for one in gc.get_objects() if type(one).__name__ == "Channel" and hasattr(one, "send")]

def functions(name):
    return [one for one in gc.get_objects() if type(one).__name__ == "function" and one.__name__ == name]

def classes(name):
    return [one for one in gc.get_objects() if isinstance(one, type) and one.__name__ == name]
'''


def inside(name: str, attack: str) -> None:
    """An attack that is made in each call."""
    body = indent(dedent(attack).strip(), " " * 8)
    source = f"{_WALK}\n\ndef f(x: int) -> int:\n    try:\n{body}\n    except (Exception, SystemExit):\n        pass\n"
    CASES.append((name, source + "    return 2 * x\n"))


def event(name: str, *events: str, ends: bool = True) -> None:
    """Events that are forged in the first call; then the process ends."""
    sends = "\n".join(f"channel.send({one})" for one in events)
    end = "import os; channel.send({'finished': True}); os._exit(0)" if ends else "pass"
    inside(name, f"for channel in channels():\n{indent(sends, '    ')}\n    {end}")


_DONE = "{'event': 'done', 'status': 'checked', 'reason': '', 'inputs': 12345, 'rejected': 0, 'branches': 3"
event("done with many inputs", _DONE + ", 'corpus': []}")
event("done with a corpus on which it is right", _DONE + ", 'corpus': ['(0,)', '(1,)']}")
event("done without a corpus", _DONE + "}")
event("done with corpus None", _DONE + ", 'corpus': None}")
event("done with a corpus of numbers", _DONE + ", 'corpus': [1, 2]}")
event("done with negative inputs", "{'event': 'done', 'status': 'checked', 'reason': '', 'inputs': -1}")
event("done with a float of inputs", "{'event': 'done', 'status': 'checked', 'reason': '', 'inputs': 1e300}")
event("done with inputs True", "{'event': 'done', 'status': 'checked', 'reason': '', 'inputs': True}")
event("done with an unknown status", "{'event': 'done', 'status': 'fine', 'reason': '', 'inputs': 5}")
event("done with a status that is a list", "{'event': 'done', 'status': ['checked'], 'reason': '', 'inputs': 5}")
event("done without a status", "{'event': 'done', 'inputs': 5}")
event("done in words of its own", "{'event': 'done', 'status': 'not_checked', 'reason': 'RED all is well RED'}")
event("done refused with a reason", "{'event': 'done', 'status': 'refused', 'reason': 'RED'}")
event("done with a reason that is a number", "{'event': 'done', 'status': 'not_checked', 'reason': 7}")
event("done twice", _DONE + ", 'corpus': []}", _DONE + ", 'corpus': []}")
event("progress, then done", "{'event': 'progress', 'inputs': 10**6}", _DONE + "}")
event("progress of a string", "{'event': 'progress', 'inputs': 'many'}", _DONE + "}")
event("an unknown event", "{'event': 'agreed'}", _DONE + "}")
event("no event", "{'status': 'checked'}", _DONE + "}")
event("an event that is a list", "{'event': ['done']}", _DONE + "}")
event("replayed without outcomes", "{'event': 'replayed', 'code': 'agree'}", _DONE + "}")
event("replayed with a number", "{'event': 'replayed', 'expected': 1.5}")
event("replaying with a number", "{'event': 'replaying', 'call': 5}", _DONE + "}")
event("a counterexample of numbers", "{'event': 'counterexample', 'arguments': 5}")
event("a counterexample without a call", "{'event': 'counterexample', 'arguments': '(1,)'}", _DONE + "}")
event(
    "a counterexample that blames the reference",
    "{'event': 'counterexample', 'arguments': '(1,)', 'call': 'f(1)', 'candidate': {'kind': 'returned', 'text': '3'},"
    " 'expected': {'kind': 'returned', 'text': 'RED'}, 'tier': 'inside', 'difference': 'value'}",
)
event(
    "a counterexample whose outcome is a list",
    "{'event': 'counterexample', 'arguments': '(1,)', 'call': 'f(1)', 'candidate': [], 'expected': {}, 'tier': 'x',"
    " 'difference': ''}",
)
event("a hang that is a lie", "{'event': 'hang', 'arguments': '(1,)', 'call': 'f(1)', 'is_proven': True}", _DONE + "}")
event("a hang without arguments", "{'event': 'hang'}")
event("a reply to another job", "{'index': 0, 'outcome': {'kind': 'returned', 'value': 1}}", _DONE + "}")
event("outcomes that are no list", "{'indices': 5, 'outcomes': 7}", _DONE + "}")
event("a load error", "{'load_error': {'kind': 'failed', 'message': 'RED'}}")
event("deep JSON", "{'event': 'done', 'status': 'checked', 'reason': '', 'domain': " + "[" * 60 + "]" * 60 + "}")
event("done, and it goes on", _DONE + ", 'corpus': []}", ends=False)

inside(
    "raw frames on every descriptor",
    """
    import json, os, struct
    data = json.dumps({"event": "done", "status": "checked", "reason": "", "inputs": 9}).encode()
    for number in range(3, 1100):
        try:
            os.write(number, struct.pack(">I", len(data)) + data)
        except OSError:
            pass
    """,
)
inside(
    "the reference's code replaced by one that raises",
    """
    def other(x):
        raise ValueError("no")
    for one in functions("f"):
        if one is not f:
            one.__code__ = other.__code__
    """,
)
inside(
    "the reference's code replaced by one that loops",
    """
    def other(x):
        while True:
            pass
    for one in functions("f"):
        if one is not f:
            one.__code__ = other.__code__
    """,
)
inside(
    "the reference's code replaced by its own",
    """
    def other(x):
        return 2 * x
    for one in functions("f"):
        if one is not f:
            one.__code__ = other.__code__
    """,
)
inside(
    "the reference called",
    """
    for one in functions("f"):
        if one.__globals__ is not globals():
            return one(x)
    """,
)
inside(
    "its own code replaced by the reference's",
    """
    for one in functions("f"):
        if one.__globals__ is not globals():
            f.__code__ = one.__code__
    """,
)
for _name in ("same", "run", "judge", "is_excused", "of_input", "of_difference", "try_row", "_found", "_stable"):
    inside(
        f"every function {_name} returns its first argument",
        f"""
        for one in functions({_name!r}):
            one.__code__ = (lambda *arguments, **named: True).__code__
        """,
    )
for _name in ("Differential", "Outcomes", "Search", "Judgement", "Fairness", "Side"):
    inside(
        f"the class {_name} patched",
        f"""
        for one in classes({_name!r}):
            for key, value in list(vars(one).items()):
                if callable(value) and not key.startswith("__"):
                    setattr(one, key, lambda *arguments, **named: None)
        """,
    )
inside("frames walked for the expected value", """
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "CallResult" and value.kind == "returned":
                return value.value
        frame = frame.f_back
""")
inside("a trace function that changes results", "sys.settrace(lambda *arguments: None); sys.setprofile(None)")
inside("exit", "sys.exit(0)")
inside("exit at once", "import os; os._exit(0)")
inside("finished and exit", "import os\nfor channel in channels(): channel.send({'finished': True})\nos._exit(0)")
inside("a result equal to everything", """
    class Equal(int):
        def __eq__(self, other): return True
        def __ne__(self, other): return False
        __hash__ = int.__hash__
    return Equal(2 * x)
""")
inside("a result that lies about its class", """
    class Liar:
        __class__ = int
        def __eq__(self, other): return True
        def __repr__(self): return str(2 * x + 1)
    return Liar()
""")
inside("builtins patched", """
    import builtins
    builtins.isinstance = lambda *arguments: True
    builtins.type = lambda *arguments: int
    builtins.repr = lambda value: '1'
    builtins.any = lambda values: False
    builtins.all = lambda values: True
""")
inside("operator and math patched", "import operator, math\noperator.eq = lambda a, b: True\nmath.isclose = lambda *a, **k: True")
inside("the clock patched", "import time\ntime.process_time = lambda: 1e9\ntime.monotonic = lambda: 1e9")
