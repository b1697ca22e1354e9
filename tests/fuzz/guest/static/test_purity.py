"""Which programs may share a process with others: none that could do anything to them, most that people write."""

from __future__ import annotations

import ast
import time

import pytest

from lsp_evalplus.fuzz.guest.static.purity import is_forgetful, is_harmless

EXPRESSIONS = """
eval('1')
exec('1')
__import__('os')
open('x')
input()
breakpoint()
globals()
locals()
vars()
dir(x)
getattr(x, 'y')
setattr(x, 'y', 1)
hasattr(x, 'y')
delattr(x, 'y')
compile('1', '', 'eval')
memoryview(b'')
object()
property()
super()
type('A', (), {})
type(x)
type(*x) == int
type(x, x, x) == int
(type)(x)
[type]
id(x)
hash(x)
exit()
quit()
help()
__builtins__
__file__
__spec__
__loader__
__debug__
x.__class__
x._y
f.__globals__
f.__wrapped__
(x for x in x).gi_frame
x.cr_frame
x.ag_frame
x.f_back
x.tb_frame
x.co_code
x.mro()
x.register(int)
x.with_traceback(None)
x.add_note('')
x.obj
x.throw(ValueError)
x.modules
x.sys
x.fget
x.copy_with(())
x.__dict__
x.__ｃlass__
x._＿class__
ｅval('1')
'{0.x}'.format(x)
'{x[0]}'.format(x=x)
'{:{0.x}}'.format(x)
'{!r:{x.y}}'.format(x, x=x)
x.format(x)
str.format('{0.x}', x)
map(str.format, x)
x.format_map(x)
('{0' + '.x}').format(x)
f'{x.__class__}'
f'{x:{x._y}}'
(y async for y in x)
[y for z in x async for y in z]
(y for z in [1] async for y in z)
math.pi
""".strip().split("\n")
STATEMENTS = """
import os
import sys, os
import os.path
import collections.abc
import random
import threading
import gc
import weakref
import atexit
import solution
from . import x
from os import path
from sys import modules
from sys import setrecursionlimit
from sys import stdout
from functools import wraps
from functools import singledispatch
from functools import total_ordering
from functools import update_wrapper
from collections import namedtuple
from collections import UserDict
from string import Formatter
from operator import attrgetter
from operator import methodcaller
from operator import setitem
from typing import NamedTuple
from typing import Generic
from typing import get_type_hints
from decimal import getcontext
from decimal import localcontext
from re import purge
from math import __loader__
import math as __builtins__
import string as __builtins__
import math as __name__
from string import digits as __builtins__
from string import digits as __name__
import math; math = 1
import math; y = math
import math; y = [math]
import math; math.pi = 3
import math; del math.pi
import math; math.__dict__
import math; math.sqrt.__self__
import sys; sys.modules
import sys; sys.setrecursionlimit(10)
import sys; sys.stdout
import re; re.purge()
import re; re._cache
import typing; typing.sys
import functools; functools.singledispatch(x)
import math as m, string as m
from operator import *; attrgetter('x')
from sys import *; modules
from functools import *; wraps(x)
from decimal import *; getcontext().prec = 3
from typing import *; get_type_hints(x)
from heapq import *; eval('1')
x.y = 1
x.y += 1
del x.y
(x.y, z) = 1, 2
for x.y in z: pass
[0 for x.y in z]
eval = 1
len = eval
__name__ = '__main__'
del __name__
global x
class A: pass
async def g(): pass
with x: pass
with x as y: pass
def __build_class__(): pass
def __name__(): pass
def open(): pass
def g(__builtins__): pass
def g(eval): pass
def g(*eval): pass
lambda input: 1
def g(x: eval('1')): pass
def g(x) -> eval('1'): pass
def g(x=eval('1')): pass
@eval
def g(): pass
try: pass
except E as __builtins__: pass
try: pass
except E as eval: pass
def g():
    try: yield
    finally: print(1)
def g():
    try: pass
    except E: pass
g = lambda: (yield)
from typing import Type
try: Type.x
except AttributeError as e: t = e.obj
""".strip()
ORDINARY = r'''
"""Text."""
from typing import List

def f(xs: List[int]) -> "int":
    """More."""
    return sum(xs)
---
from __future__ import annotations
import math, re
import collections as c
from collections import *
def f(x):
    return math.floor(x) + len(c.Counter(x)) + len(re.findall(r'[a-z]+', x)) + len(Counter(x))
---
def f(x):
    try:
        return int(x)
    except (ValueError, TypeError) as e:
        return str(e)
    except:
        raise
    finally:
        pass
---
def f(x):
    for i, y in enumerate(x):
        x[i] = y = {'a': [*x], **{}}
        del x[i:i + 2]
        if type(y) == dict and type(x) is not list or isinstance(y, dict):
            continue
    else:
        return lambda a, *b, c=1, **d: a
---
def f(n):
    def g(k):
        nonlocal n
        n += k
        yield n
        yield from range(n)
    return list(g(1))
---
import functools
@functools.lru_cache(maxsize=None)
def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)
---
def f(x, y):
    return '{} {:>{}} {!r} {x:.2f} {{}}'.format(x, y, 3, y, x=1.5) + f'{x!r:>{y}}' + '%s' % (x,)
---
def f(x):
    assert (y := len(x)) > 0, 'no'
    print(x, end='', flush=True)
    return x if y else None
---
import hashlib
def f(x):
    return hashlib.md5(x.encode('ascii')).hexdigest() if x else None
---
from datetime import datetime
def f(x):
    return datetime.strptime(x, '%m-%d-%Y').month
---
from decimal import Decimal, ROUND_HALF_UP
def f(x):
    return int(Decimal(x).quantize(Decimal('1'), rounding=ROUND_HALF_UP))
---
from itertools import chain
from functools import reduce, cmp_to_key
import heapq
import string
def f(x):
    h = list(chain.from_iterable(x))
    heapq.heapify(h)
    return reduce(lambda a, b: a * b, sorted(h, key=cmp_to_key(lambda a, b: a - b)), string.ascii_lowercase[0])
---
def f(x):
    return math.ceil(x)
---
def f(x):
    return [__name__, NotImplemented]

if __name__ == '__main__':
    print(f(1))
---
def f(x):
    global_ = x
    match = case = _ = global_
    return match @ case
---
def f(x, /, y, *, z: 'eval(1)' = 3):
    return x
'''.strip().split("\n---\n")
KEEPS_NOTHING = [
    *ORDINARY,
    "N = -1\nA, B = 'a', (1, N)\nC: int = 10 ** 9 + 7\nD = A if N else B[0]\nE = D.upper\nF: str\npass\n",
    "def f(x=(), y=-1, z=None):\n    return x\nf([])\nassert f() == ()\ng = f\n",
    "if __name__ == '__main__':\n    x = []\nelse:\n    pass\n",
]
KEEPS = """
x = []
x = {}
x = set()
x = [y for y in 'a']
x = ([],)
x = 1, []
x = None or []
x = iter('a')
x = (y for y in 'a')
x = lambda: 1
x: list = []
x = y = []
*x, y = 1, 2
(x) = []
[x] = [[]]
x[0] = 1
x += 1
é = []
import math; x = []
x = 'a'; y = []
x = f'{(y := [])}'
(x := [])
assert (x := [1])
print(x := [])
for x in [[]]: pass
while x: pass
try: x = []
except E: pass
if True: x = []
if __name__ != '__main__': x = []
if __name__: x = []
if __name__ == '__main__' or True: x = []
def f(x=[]): pass
def f(x=(), y=[]): pass
def f (x, *, y={}): pass
def f(x=([])): pass
def f(x=None or []): pass
def f(x=(y := [])): pass
def f(x=lambda y=[]: y): pass
def f(x=g()): pass
def f(x: (y := [])): pass
def f(*x: (y := [])): pass
def f() -> (y := []): pass
""".strip()


def programs(text: str) -> list[str]:
    """The statements of a text: a line that begins with a space or `except`, or comes after a decorator, goes on."""
    found: list[str] = []
    for line in text.split("\n"):
        if found and (line.startswith((" ", "except", "try: Type")) or found[-1].startswith("@")):
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_that_are_refused(expression: str) -> None:
    unknown = expression == "math.pi"
    for program in (
        expression,
        f"def f(x):\n    return [{expression}]\n",
        f"def f(x, y=({expression})):\n    return x\n",
    ):
        assert is_harmless(ast.parse(program)) == unknown, "a module that was not imported is none"


@pytest.mark.parametrize("statement", programs(STATEMENTS))
def test_statements_that_are_refused(statement: str) -> None:
    tree = ast.parse(statement)
    assert not is_harmless(tree)
    assert not is_harmless(ast.Module([ast.parse("def f(x):\n    return x\n").body[0], *tree.body], []))


@pytest.mark.parametrize("program", ORDINARY)
def test_ordinary_programs_are_accepted(program: str) -> None:
    assert is_harmless(ast.parse(program))


@pytest.mark.parametrize("program", KEEPS_NOTHING)
def test_programs_that_keep_nothing(program: str) -> None:
    tree = ast.parse(program)
    assert is_forgetful(tree) == ("@functools" not in program)


@pytest.mark.parametrize(
    "program", [*programs(KEEPS), "@once\ndef f(x): return x", "def g():\n    x = []\n    return x\ny = g()"]
)
def test_programs_that_may_keep_something(program: str) -> None:
    assert not is_forgetful(ast.parse(program))


def test_the_time_grows_with_the_program_and_not_faster() -> None:
    program = "def f(x):\n    y = [len(z) for z in x if z > 1]\n    return sorted(y, key=lambda z: (z, -z))[:3]\n"

    def seconds(copies: int) -> float:
        tree, taken = ast.parse(copies * program), []
        for _ in range(5):
            began = time.process_time()
            assert is_harmless(tree)
            assert is_forgetful(tree)
            taken.append(time.process_time() - began)
        return min(taken)

    assert seconds(400) < 4 * 4 * seconds(100)
