"""Two versions of a module that only readers of their source can tell apart."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.static.same_code import is_same_code

SAME = {
    "layout": ("def f(a):\n    return a+1\n", "# more\ndef f(a):\n\n    return (a + 1)  # one\n"),
    "lines": (
        "def f(a):\n    with a: return 1\n",
        "def f(a):\n    with a:\n        return 1\n",
    ),
    "docstring": ("def f(a):\n    return a\n", 'def f(a):\n    """The same."""\n    return a\n'),
    "only a docstring": ('def f(a):\n    """Old."""\n', "def f(a):\n    pass\n"),
    "local name": ("def f(a):\n    b = a * 2\n    return b\n", "def f(a):\n    twice = a * 2\n    return twice\n"),
    "exchanged branches": (
        "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
        "def f(a):\n    if not a:\n        return 2\n    else:\n        return 1\n",
    ),
    "exchanged values": ("def f(a):\n    return 1 if a else 2\n", "def f(a):\n    return 2 if not a else 1\n"),
    "unread": ("def f(a):\n    return a\n", "def f(a):\n    _unused = None\n    return a\n"),
    "annotated": ("def f(a):\n    b = a\n    return b\n", "def f(a):\n    b: int = a\n    c: str\n    return b\n"),
    "in a method": (
        "class C:\n    def m(self):\n        for x in self.y:\n            yield x\n",
        "class C:\n    def m(self):\n        for one in self.y:\n            pass\n            yield one\n",
    ),
    "beside a reader of its own variables": (
        "def f(a):\n    b = a * 2\n    return b\n\ndef g(x):\n    return locals()\n",
        "def f(a):\n    twice = a * 2\n    return twice\n\ndef g(x):\n    return locals()\n",
    ),
    "beside a reader of docstrings": (
        "def f(a):\n    b = a * 2\n    return b\n\ndef g(x):\n    return x.__doc__\n",
        "def f(a):\n    twice = a * 2\n    return twice\n\ndef g(x):\n    return x.__doc__\n",
    ),
    "beside a docstring that is set": (
        "def f(a):\n    return a\n\nf.__doc__ = 'It.'\n",
        "def f(a):\n    'One.'\n    return a\n\nf.__doc__ = 'It.'\n",
    ),
    "a variable named stack": (
        "def f(stack):\n    b = stack.pop()\n    return b\n",
        "def f(stack):\n    last = stack.pop()\n    return last\n",
    ),
    "added to a class of many": (
        "class C:\n    a = 1\n\n    @property\n    def m(self):\n        return 1\n    b = 2\n",
        'class C:\n    a = 1\n\n    @property\n    def m(self):\n        """One."""\n        return 1\n    b = 2\n',
    ),
    "added to a module of many": ("a = 1\nb = 2\n", 'a = 1\n"""What b is."""\nb = 2\n'),
    "exception": (
        "def f(a):\n    try:\n        return a()\n    except ValueError as e:\n        return str(e)\n",
        "def f(a):\n    try:\n        return a()\n    except ValueError as error:\n        return str(error)\n",
    ),
}
OTHER = {
    "operator": ("def f(a):\n    return a + 1\n", "def f(a):\n    return a - 1\n"),
    "constant": ("def f(a):\n    return a + 1\n", "def f(a):\n    return a + 1.0\n"),
    "attribute": ("def f(a):\n    return a.b\n", "def f(a):\n    return a.c\n"),
    "parameter": ("def f(a):\n    return a\n", "def f(b):\n    return b\n"),
    "default": ("def f(a=1):\n    return a\n", "def f(a=2):\n    return a\n"),
    "variable of the module": ("x = 1\ndef f(a):\n    return x\n", "x = 2\ndef f(a):\n    return x\n"),
    "name of the module": ("x = y = 1\ndef f(a):\n    return x\n", "x = y = 1\ndef f(a):\n    return y\n"),
    "field": ("class C:\n    x: int = 1\n", "class C:\n    x: str = 1\n"),
    "field without value": ("class C:\n    x: int\n", "class C:\n    pass\n"),
    "constant of a class": ("class C:\n    x = 1\n", "class C:\n    pass\n"),
    "class in a function": (
        "def f():\n    class C:\n        x = 1\n    return C\n",
        "def f():\n    class C:\n        pass\n    return C\n",
    ),
    "global": (
        "x = 0\ndef f():\n    global x\n    x = 1\n",
        "x = 0\ndef f():\n    global x\n",
    ),
    "other variable": (
        "def f(a, b):\n    x, y = a, b\n    return x\n",
        "def f(a, b):\n    x, y = a, b\n    return y\n",
    ),
    "without a branch": ("def f(a):\n    if not a:\n        return 1\n", "def f(a):\n    if a:\n        return 1\n"),
    "variables that are read by name": (
        "def f(a):\n    b = a\n    return locals()\n",
        "def f(a):\n    c = a\n    return locals()\n",
    ),
    "variables that another function reads": (
        "import sys\ndef f(a):\n    b = a\n    g()\n\ndef g():\n    return sys._getframe(1).f_locals\n",
        "import sys\ndef f(a):\n    c = a\n    g()\n\ndef g():\n    return sys._getframe(1).f_locals\n",
    ),
    "docstring that another function reads": (
        'def f(a):\n    """One."""\n    return a\n\ndef g(x):\n    return x.__doc__ == "One."\n',
        'def f(a):\n    """Two."""\n    return a\n\ndef g(x):\n    return x.__doc__ == "One."\n',
    ),
    "docstring that is read": (
        'def f(a):\n    """One."""\n    return f.__doc__\n',
        'def f(a):\n    """Two."""\n    return f.__doc__\n',
    ),
    "decorator": ("x = 1\n@a\ndef f():\n    pass\n", "x = 1\n@b\ndef f():\n    pass\n"),
    "base class": ("class C(A):\n    x = 1\n", "class C(B):\n    x = 1\n"),
    "order": ("a()\nb()\nc()\n", "a()\nc()\nb()\n"),
    "said twice": ("a()\na()\n", "a()\n"),
    "on one line": ("a(); b()\n", "a(); c()\n"),
    "annotations that are not evaluated": (
        "def f(a: b): pass\n",
        "from __future__ import annotations\ndef f(a: b): pass\n",
    ),
    "method of another class": (
        "class A:\n    x = 1\n    def f(self): pass\nclass B:\n    x = 1\n",
        "class A:\n    x = 1\nclass B:\n    x = 1\n    def f(self): pass\n",
    ),
    "broken": ("def f(a):\n    return a\n", "def f(a:\n    return a\n"),
    "await": ("async def f(a):\n    return await a\n", "async def f(a):\n    return a\n"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_only_readers_see_makes_no_difference(name: str) -> None:
    one, other = SAME[name]
    assert is_same_code(one, other)
    assert is_same_code(other, one)


@pytest.mark.parametrize("name", OTHER)
def test_what_a_caller_may_see_makes_one(name: str) -> None:
    one, other = OTHER[name]
    assert not is_same_code(one, other)
    assert not is_same_code(other, one)


def test_a_version_is_the_same_as_itself() -> None:
    for one, other in (*SAME.values(), *OTHER.values()):
        for source in (one, other):
            assert is_same_code(source, source) == ("(a:\n" not in source)
