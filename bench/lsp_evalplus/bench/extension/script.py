"""Mistakes as a script of plain Python that calls references and programs and prints what they do."""

from __future__ import annotations

from collections.abc import Sequence

from .against import Mistake

_HEAD = '''"""Programs that pass all tests of {name} and are wrong.

Run it with any Python 3.9 or newer: it needs no packages, calls each reference and each program on one input, and
prints what both do. It ends with 1 if a difference does not show. The programs were written by language models, and
are run here without a sandbox.

    python {file}              # all
    python {file} {task}       # one task
"""

import ast
import sys

CASES = [
'''

_TAIL = '''
]


def outcome(source, name, arguments):
    """What a program does on the arguments, which are made anew for each call."""
    module = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), module)
    try:
        return "returns " + repr(module[name](*ast.literal_eval(arguments)))
    except Exception as error:
        return "raises " + type(error).__name__ + ": " + str(error)


def main():
    missing = 0
    for case in CASES:
        if sys.argv[1:] and case["task"] not in sys.argv[1:]:
            continue
        expected = outcome(case["reference"], case["name"], case["arguments"])
        actual = outcome(case["program"], case["name"], case["arguments"])
        print(case["task"], case["call"])
        print("  the reference", expected)
        print("  the program  ", actual, "(" + ", ".join(case["runs"]) + ")")
        if expected == actual:
            missing += 1
            print("  NO DIFFERENCE")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
'''


def to_script(mistakes: Sequence[Mistake], name: str, file: str) -> str:
    """The script that shows `mistakes`, to be written to `file`; `name` is the data set whose tests they pass."""
    head = _HEAD.format(name=name, file=file, task=mistakes[0].task_id if mistakes else "HumanEval/0")
    return head + "".join(map(_to_case, mistakes)) + _TAIL.lstrip("\n")


def _to_case(mistake: Mistake) -> str:
    fields = {
        "task": repr(mistake.task_id),
        "name": repr(mistake.entry_point),
        "runs": repr(list(mistake.runs)),
        "call": _quoted(mistake.call),
        "arguments": _quoted(mistake.arguments),
        "reference": _quoted(mistake.reference),
        "program": _quoted(mistake.solution),
    }
    return "    {\n" + "".join(f"        {key!r}: {text},\n" for key, text in fields.items()) + "    },\n"


def _quoted(text: str) -> str:
    """A literal of the text, over several lines where it has them."""
    is_simple = "\n" in text and text.isprintable() is False and "'''" not in text and "\\" not in text
    if is_simple and text.isascii() and "\r" not in text and not text.endswith("'"):
        return f"'''\\\n{text}'''"
    return ascii(text)
