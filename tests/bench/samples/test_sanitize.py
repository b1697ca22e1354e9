"""Each way of answering that lost a correct solution somewhere must keep it here: the result is run and asked."""

# ruff: noqa: E501 - answers are data, one to a line

from __future__ import annotations

import ast
import gzip
import json
import os
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.samples.sanitize import extract, sanitize
from lsp_evalplus.bench.samples.sanitize_regions import find_regions, split_reasoning

ADD = "def add(a, b):\n    return a + b\n"
PROMPT = 'from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    """Adds."""\n'


@dataclass(frozen=True)
class Case:
    """An answer; `add(2, 3)` of the result must be 5, and none of `absent` may be in it."""

    name: str
    raw: str
    absent: tuple[str, ...] = ()
    prompt: str | None = None


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}```\n"


CASES = [
    Case("bare code", ADD),
    Case("fence", "Here it is:\n\n" + fenced(ADD) + "\nIt adds.", ("Here", "It adds")),
    Case("fence without language", "Sure!\n" + fenced(ADD, "")),
    Case("fence with a capital letter", fenced(ADD, "Python3")),
    Case("tilde fence", f"~~~py\n{ADD}~~~"),
    Case("long fence", f"````python\n{ADD}````"),
    Case("unclosed fence", "Here:\n```python\n" + ADD),
    Case("fence opened by the prompt", ADD + "```\n\nThis function adds two numbers.", ("This", "```")),
    Case("fence on one line", "Use ```python add = lambda a, b: a + b``` for it."),
    Case("fence in a list", "1. First:\n   ```python\n" + textwrap.indent(ADD, "   ") + "   ```\n2. Done."),
    Case("code in an indented Markdown block", "The code:\n\n" + textwrap.indent(ADD, "    ") + "\nThat is it."),
    Case(
        "chat text without fences",
        f"To add, we do this.\n\n{ADD}\nLet's test the function:\n\nassert add(1, 2) == 3\n",
        ("assert",),
    ),
    Case("prose with an apostrophe and brackets", f"It's easy (really:\n\n{ADD}\nDon't worry [about it."),
    Case("prose that starts like code", f"import the function below\nfrom the list (see below\nfor example:\n\n{ADD}"),
    Case(
        "helper in an earlier fence",
        fenced("def plus(a, b):\n    return a + b\n") + "and\n" + fenced("def add(a, b):\n    return plus(a, b)\n"),
    ),
    Case(
        "import in an earlier fence",
        fenced("import operator\n") + "then\n" + fenced("def add(a, b):\n    return operator.add(a, b)\n"),
    ),
    Case("shell fence first", fenced("pip install numpy\n", "bash") + fenced(ADD)),
    Case("usage fence after it", fenced(ADD) + "Example:\n" + fenced("print(add(1, 2))\n"), ("print",)),
    Case("naive version first", fenced("def add(a, b):\n    ...\n") + "Better:\n" + fenced(ADD)),
    Case(
        "docstring with a fence",
        fenced('def add(a, b):\n    """Adds.\n\n    ```\n    add(1, 2)\n    ```\n    """\n    return a + b\n'),
    ),
    Case(
        "class with a static method", "class Solution:\n    @staticmethod\n    def add(a, b):\n        return a + b\n"
    ),
    Case(
        "class with a method",
        fenced("class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b\n"),
    ),
    Case("helper after the function", "def add(a, b):\n    return plus(a, b)\n\ndef plus(a, b):\n    return a + b\n"),
    Case(
        "helper class",
        "class Box:\n    def __init__(self, v):\n        self.v = v\n\ndef add(a, b):\n    return Box(a).v + b\n",
    ),
    Case("unneeded function", f"def other():\n    return 1\n\n{ADD}", ("other",)),
    Case("main block", f'{ADD}\nif __name__ == "__main__":\n    print(add(1, 2))\n', ("__name__", "print")),
    Case(
        "example usage",
        f"{ADD}\nprint(add(1, 2))\nresult = add(3, 4)\nassert add(1, 1) == 2\n",
        ("print", "result", "assert"),
    ),
    Case("input at the end", f"{ADD}\na = int(input())\nb = int(input())\nprint(add(a, b))\n", ("input",)),
    Case(
        "unit tests",
        f"import unittest\n{ADD}\nclass TestAdd(unittest.TestCase):\n    def test(self):\n        self.assertEqual(add(1, 2), 3)\n\nunittest.main()\n",
        ("TestAdd", "main"),
    ),
    Case("constant", "ZERO = 0\n\ndef add(a, b):\n    return a + b + ZERO\n"),
    Case(
        "constant under if",
        "import sys\nif sys.version_info > (3,):\n    ZERO = 0\nelse:\n    ZERO = 1\n\ndef add(a, b):\n    return a + b + ZERO\n",
    ),
    Case(
        "constant under try",
        "try:\n    import missing_module as m\nexcept ImportError:\n    m = None\n\ndef add(a, b):\n    return a + b if m is None else 0\n",
    ),
    Case(
        "table filled by a loop",
        "T = {}\nfor i in range(10):\n    T[i] = i\n\ndef add(a, b):\n    return T[a] + T[b]\n",
    ),
    Case("table changed by a call", "T = [0]\nT.append(0)\n\ndef add(a, b):\n    return a + b + T[1]\n"),
    Case("attribute of a function", "def add(a, b):\n    add.calls += 1\n    return a + b\n\nadd.calls = 0\n"),
    Case(
        "recursion limit",
        "import sys\nsys.setrecursionlimit(3000)\n\ndef add(a, b):\n    return a + b if sys.getrecursionlimit() == 3000 else 0\n",
    ),
    Case(
        "function without return",
        "out = [0]\n\ndef put(v):\n    out[0] = v\n\ndef add(a, b):\n    put(a + b)\n    return out[0]\n",
    ),
    Case(
        "only function has no return",
        "def add(a, b):\n    yield a + b\n\nadd = (lambda g: lambda a, b: next(g(a, b)))(add)\n",
    ),
    Case("decorator of their own", "def twice(f):\n    return f\n\n@twice\ndef add(a, b):\n    return a + b\n"),
    Case(
        "library decorator",
        "import functools\n\n@functools.lru_cache(maxsize=None)\ndef add(a, b):\n    return a + b\n",
    ),
    Case(
        "single dispatch",
        "from functools import singledispatch\n\n@singledispatch\ndef add(a, b):\n    return 0\n\n@add.register(int)\ndef _(a, b):\n    return a + b\n",
    ),
    Case("alias", "def plus(a, b):\n    return a + b\n\nadd = plus\n"),
    Case("lambda", "add = lambda a, b: a + b\n"),
    Case("annotated alias", "from typing import Callable\n\nadd: Callable[[int, int], int] = lambda a, b: a + b\n"),
    Case(
        "star import",
        "from operator import *\n\ndef plus(a, b):\n    return a + b\n\ndef add(a, b):\n    return plus(a, b)\n",
    ),
    Case("future import", f"from __future__ import annotations\n\nimport math\n\n{ADD}"),
    Case(
        "looked up by string",
        "def plus(a, b):\n    return a + b\n\ndef add(a, b):\n    return globals()['plus'](a, b)\n",
    ),
    Case("parameter named like an example's variable", f"{ADD}\na = input()\n", ("input",)),
    Case(
        "class attribute", "class K:\n    zero = 0\n    one = zero + 1\n\ndef add(a, b):\n    return a + b + K.zero\n"
    ),
    Case("default value", "N = 0\n\ndef add(a, b, c=N):\n    return a + b + c\n"),
    Case(
        "comment at column zero inside",
        "def add(a, b):\n# sum\n    c = a + b\n# done\n    return c\n\nThe end of it.\n",
    ),
    Case(
        "multi-line signature",
        "Text first.\ndef add(\n    a,\n    b,\n):\n    return (\n        a\n        + b\n    )\nText last.\n",
        ("Text",),
    ),
    Case(
        "docstring at column zero",
        'Text.\ndef add(a, b):\n    """\nAdds.\n    """\n    return a + b\nMore text here.\n',
        ("More",),
    ),
    Case("truncated second function", f"{ADD}\ndef check(candidate):\n    assert candidate(1, (2", ("check",)),
    Case("truncated string after it", f'{ADD}\ndef main():\n    """Run the thi', ("main",)),
    Case("truncated tail of the function", "def add(a, b):\n    return a + b\n    for x in range(a,", ("range",)),
    Case(
        "truncated try",
        "def add(a, b):\n    c = a + b\n    if c == c:\n        return c\n    try:\n        x = 1\n        y = 2\n        z = (1, 2",
    ),
    Case("stub again after it", f"{ADD}\ndef add(a, b):\n    pass\n"),
    Case("console session", "```pycon\n>>> def add(a, b):\n...     return a + b\n...\n>>> add(1, 2)\n3\n```"),
    Case("carriage returns", ADD.replace("\n", "\r\n")),
    Case("byte order mark and NUL", "\ufeff" + ADD + "\0"),
    Case("end-of-text token", ADD + "<|endoftext|>import os\n<|im_end|>", ("<|", "import os")),
    Case("two statements on a line", "x = 0; y = 0\n\ndef add(a, b): c = a + b; return c + y\n"),
    Case("notebook magics", fenced("!pip install foo\n%matplotlib inline\n" + ADD), ("pip", "%")),
    Case(
        "reasoning",
        f"<think>\nFirst: def add(a, b): return a - b\n```python\ndef add(a, b):\n    return a - b\n```\n</think>\n{fenced(ADD)}",
        ("a - b",),
    ),
    Case(
        "reasoning opened by the prompt",
        f"Hmm, maybe\n```python\ndef add(a, b):\n    return a - b\n```\n</think>\n\n{fenced(ADD)}",
        ("a - b",),
    ),
    Case("reasoning that never ended, draft inside", f"<think>I would write\n{fenced(ADD)}and then"),
    Case(
        "channels",
        f"<|channel|>analysis<|message|>def add(a, b): return 0<|end|><|start|>assistant<|channel|>final<|message|>{fenced(ADD)}",
    ),
    Case("tag inside a string", 'def add(a, b):\n    tag = "<think>"\n    return a + b\n'),
    Case("completion", "    return a + b\n", (), PROMPT),
    Case(
        "completion that goes on",
        "    return a + b\n\n\nfrom django.http import HttpResponse\n\ndef test():\n    assert add(1, 2)\n",
        ("django", "test"),
        PROMPT,
    ),
    Case(
        "completion that defines it again",
        "    return a + b\n\n\ndef add(a, b):\n    return a - b\n",
        ("a - b",),
        PROMPT,
    ),
    Case("completion without its first indentation", "c = a + b\n    return c\n", (), PROMPT),
    Case("completion without any indentation", "c = a + b\nreturn c\n", (), PROMPT),
    Case("completion in a fence", fenced("    return a + b\n"), (), PROMPT),
    Case("completion with three spaces", "   return a + b\n", (), PROMPT),
    Case("repeated prompt", PROMPT + "    return a + b\n", (), PROMPT),
    Case("prompt in the completion of the prompt", PROMPT + PROMPT + "    return a + b\n"),
    Case("answer relies on the prompt's import", "def add(a: List, b: List):\n    return a + b\n", (), PROMPT),
    Case(
        "answer relies on the prompt's function",
        "def add(a, b):\n    return plus(a, b)\n",
        (),
        "def plus(a, b):\n    return a + b\n\n\n" + PROMPT,
    ),
    Case(
        "completion whose first lines end in a branch",
        "c = a\nif c != a:\n    return 0\nelse:\n    return c + b\n",
        (),
        PROMPT,
    ),
    Case("fence that closes behind the code", "```python\n" + ADD.rstrip() + "```\nDone, ```add``` works."),
    Case(
        "quoted Markdown",
        "Answer:\n\n> ```python\n> def add(a, b) -> int:\n>     # a > b\n>\n>     return a + b\n> ```\n",
    ),
    Case(
        "entities",
        fenced(
            "def add(a, b):\n    if a &lt; b &amp;&amp; False: pass\n    return a + b\n".replace("&amp;&amp;", "and")
        ),
    ),
    Case("entities that Python can read", fenced("def add(a, b):\n    c = a &lt; b\n    return a + b\n")),
    Case(
        "entities in a string", fenced("def add(a, b):\n    c = 'x &lt; y'\n    assert len(c) == 8\n    return a + b\n")
    ),
    Case("unbreakable spaces", fenced(ADD.replace("    ", "\u00a0" * 4))),
    Case("typographic quotes", fenced("def add(a, b):\n    c = \u201cx\u201d + \u2018y\u2019\n    return a + b\n")),
    Case(
        "console of IPython",
        fenced(
            "In [1]: def add(a, b):\n   ...:     return a + b\n   ...:\n\nIn [2]: add(1, 2)\nOut[2]: 3\n", "ipython"
        ),
    ),
    Case("line numbers", fenced("1 def add(a, b):\n2     c = a\n3\n4     return c + b\n")),
    Case("line numbers with bars", fenced(" 9 | def add(a, b):\n10 |     return a + b\n")),
    Case("patch", fenced("@@ -0,0 +1,2 @@\n-def add(a, b): return 0\n+def add(a, b):\n+    return a + b\n", "diff")),
    Case("JSON", json.dumps({"language": "python", "code": ADD}), (), PROMPT),
    Case("JSON in a fence", fenced(json.dumps({"solution": {"code": ADD}}, indent=1) + "\n", "json"), (), PROMPT),
    Case("inside of a string", ADD.replace("\n", "\\n")),
    Case(
        "the better version comes last",
        "First try:\n"
        + fenced("def add(a, b):\n    c = 1\n    return a - b\n")
        + "That is wrong. Corrected:\n"
        + fenced(ADD),
    ),
    Case(
        "the better version comes first",
        fenced(ADD) + "A naive alternative would be:\n" + fenced("def add(a, b):\n    c = 1\n    return a - b\n"),
    ),
    Case(
        "the longer of two versions",
        fenced("def add(a, b):\n    return a - b\n")
        + "And:\n"
        + fenced("def add(a, b):\n    c = a\n    return c + b\n"),
    ),
    Case(
        "an import of the answer is no answer",
        fenced(ADD) + "Complete example:\n" + fenced("from solution import add\n\nx = add(1, 2)\nprint(x)\n"),
    ),
    Case("truncated completion", "    if a == a:\n        return a + b\n    else:\n        return (a", (), PROMPT),
]


def run(code: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "sample"}
    exec(compile(code, "<sanitized>", "exec", dont_inherit=True), space)
    return space


@pytest.fixture(autouse=True)
def limit_of_recursion() -> Iterator[None]:
    """Samples run in this process, and some of them set its limit of recursion."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_correct_answer_survives(case: Case) -> None:
    result = extract(case.raw, "add", case.prompt)

    assert result.found, result
    assert run(result.code)["add"](2, 3) == 5
    assert [text for text in case.absent if text in result.code] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sanitizing_twice_changes_nothing(case: Case) -> None:
    once = sanitize(case.raw, "add", case.prompt)

    assert sanitize(once, "add", case.prompt) == once


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "I cannot do that.",
        "Sorry",
        '{"tool": "search"}',
        "```\n```",
        "def add(a, b):\n",
        "def add(",
        "    pass\n",
        "```python\ndef other():\n    return 1\n```",
        "\ud800",
        "(" * 5000,
    ],
)
def test_an_answer_without_the_function_is_told_and_not_emptied(raw: str) -> None:
    result = extract(raw, "add", PROMPT)

    assert not result.found
    assert raw.strip().strip("`\n") == "" or result.code.strip()


def test_a_broken_end_is_told() -> None:
    assert extract("def add(a, b):\n    c = a + b\n    return (c", "add").truncated
    assert not extract(ADD, "add").truncated


def test_without_an_entry_point_every_definition_stays() -> None:
    code = sanitize("Hi\n```python\nK = 1\ndef f():\n    return K\n\ndef g():\n    return 2\n\nprint(f())\n```\n")

    assert {"K", "f", "g"} <= set(run(code))
    assert "print" not in code


def test_regions_are_found_in_order() -> None:
    regions = find_regions("a\n```python\nb\n```\nc\n```bash\nd\n```")

    assert [(region.text, region.fenced, region.python) for region in regions] == [
        ("a\n", False, True),
        ("b", True, True),
        ("c\n", False, True),
        ("d", True, False),
    ]


def test_reasoning_is_set_aside() -> None:
    answer = split_reasoning("<think>a</think>b\n<thinking>\nc\n</thinking>\nd")

    assert answer.text.split() == ["b", "d"]
    assert "a" in answer.reasoning


def _growth(make: Any, sizes: tuple[int, int]) -> float:
    """Returns how much longer the larger input takes, as the best of three each."""

    def best(size: int) -> float:
        text, times = make(size), []
        for _ in range(3):
            start = time.process_time()
            extract(text, "add", PROMPT)
            times.append(time.process_time() - start)
        return min(times)

    small, large = (best(size) for size in sizes)
    return large / max(small, 1e-3)


LONG = {
    "prose lines": lambda n: "It's (a line of text\n" * n + ADD,
    "open brackets": lambda n: "x = (\n" * n + ADD,
    "open strings": lambda n: 'def f():\n    """a\n' * n + ADD,
    "think tags": lambda n: "<think>\n" * n + ADD,
    "fences": lambda n: "```python\nx = 1\n" * n + ADD,
    "backticks": lambda n: "`" * n + "x `\n" + ADD,
    "functions": lambda n: "".join(f"def f{i}():\n    return f{i + 1}()\n\n" for i in range(n // 3)) + ADD,
    "broken functions": lambda n: "def f():\n    x = (1,\n" * n + ADD,
    "truncated body": lambda n: "def add(a, b):\n    return a + b\n" + "    x = 1\n" * n + "    y = (",
    "spaces": lambda n: "```" + " " * n + "\n" + ADD,
    "channels": lambda n: "<|channel|>final" * n + ADD,
    "entities": lambda n: "a &lt; b (\n" * n + ADD,
    "plus signs": lambda n: "+ a (\n" * n + ADD,
    "closed fences": lambda n: "```json\n{def \n```\n" * n + ADD,
    "escaped": lambda n: "x = (\\n" * n + "\n" + ADD,
    "imports": lambda n: "import os\n" * n + "def add(a, b):\n    return os.path and a + b\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_time_grows_with_the_text_and_not_faster(name: str) -> None:
    assert _growth(LONG[name], (500, 4000)) < 8 * 4


@pytest.mark.dataset
@pytest.mark.slow
def test_right_solutions_survive_every_wrapping() -> None:
    """The same code comes out of each way of answering as out of the bare solution."""
    folder = os.environ.get("LSP_EVALPLUS_DATA")
    if not folder:
        pytest.skip("LSP_EVALPLUS_DATA is not set")
    solutions = [json.loads(line) for line in (Path(folder) / "correct_dev.jsonl").read_text().splitlines()]
    wrappings = [
        lambda code: f"Sure, here's the code (it's easy):\n\n```python\n{code}\n```\nDon't hesitate [to ask.",
        lambda code: f"Here's my solution:\n\n{code}\n\nThis works because it's right (see above.\n",
        lambda code: (
            f"<think>\n```python\ndef f(): pass\n```\n</think>\n1. Code:\n   ```py\n{textwrap.indent(code, '   ', lambda line: True)}\n   ```\n"
        ),
        lambda code: f"{code}\n\ndef check(candidate):\n    assert candidate(1, (2,",
        lambda code: f"```\n{code}",
    ]

    lost = [
        (solution["task_id"], number)
        for solution in solutions
        for number, wrap in enumerate(wrappings)
        if _essence(sanitize(wrap(solution["candidate"]), solution["entry_point"]))
        != _essence(sanitize(solution["candidate"], solution["entry_point"]))
    ]

    assert len(solutions) > 100
    assert lost == []


def _essence(code: str) -> str:
    return ast.dump(ast.parse(code))


@pytest.mark.dataset
def test_raw_model_output_keeps_its_function() -> None:
    """In 176 of the 183 chat answers the function has the name that was asked for; each must be found."""
    folder = os.environ.get("LSP_EVALPLUS_DATA")
    if not folder:
        pytest.skip("LSP_EVALPLUS_DATA is not set")
    names = {}
    with gzip.open(Path(folder) / "MbppPlus.jsonl.gz", "rt") as file:
        names = {task["task_id"]: task["entry_point"] for task in map(json.loads, file)}
    with gzip.open(Path(folder) / "raw_dev.jsonl.gz", "rt") as file:
        chats = [record for record in map(json.loads, file) if record["form"] == "chat"]

    lost = [
        record["task_id"]
        for record in chats
        if f"def {names[record['task_id']]}(" in record["raw"]
        and not extract(record["raw"], names[record["task_id"]]).found
    ]

    assert len(chats) > 100
    assert lost == []
