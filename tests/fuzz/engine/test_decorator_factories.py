"""What decorators with arguments do with the functions that they are given, and with the objects of these."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

REQUIRES = """
import functools

class Denied(Exception):
    pass

def requires(*roles, any_of=False):
    def decorate(view):
        @functools.wraps(view)
        def wrapper(user, *args, **kwargs):
            if not user.active:
                raise Denied("inactive")
            if any_of:
                allowed = any(role in user.roles for role in roles)
            else:
                allowed = all(role in user.roles for role in roles)
            if not allowed:
                raise Denied(view.__name__)
            return view(user, *args, **kwargs)

        return wrapper

    return decorate
"""
LOCKED = """
import functools

def locked(name="_lock"):
    def decorate(method):
        @functools.wraps(method)
        def wrapper(self, *args):
            with getattr(self, name):
                return method(self, *args)

        return wrapper

    return decorate
"""
RETRY = """
import functools
import time

def retry(times=3, errors=(Exception,), delay=0.1, sleep=time.sleep, on_failure=None):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            wait = delay
            for attempt in range(1, times + 1):
                try:
                    return function(*args, **kwargs)
                except errors as error:
                    if on_failure is not None:
                        on_failure(attempt, error)
                    if attempt == times:
                        raise
                    sleep(wait)
                    wait *= 2

        return wrapper

    return decorate
"""
MEMO = """
import functools

def memoize(size):
    def decorate(function):
        cache = {}

        @functools.wraps(function)
        def wrapper(*args):
            if args in cache:
                cache[args] = cache.pop(args)
                return cache[args]
            value = function(*args)
            cache[args] = value
            if len(cache) > size:
                cache.pop(next(iter(cache)))
            return value

        return wrapper

    return decorate
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (REQUIRES, "allowed = any(", "allowed = all(", "requires"),
        (REQUIRES, "not user.active", "user.active is None", "requires"),
        (REQUIRES, "view(user, *args, **kwargs)", "view(user, *args)", "requires"),
        (LOCKED, "return method(self, *args)", "method(self, *args)", "locked"),
        (RETRY, "on_failure(attempt, error)", "on_failure(error, attempt)", "retry"),
        (RETRY, "except errors as error", "except Exception as error", "retry"),
        (RETRY, "wait *= 2", "wait += 2", "retry"),
        (RETRY, "if attempt == times", "if attempt > times", "retry"),
        (MEMO, "cache[args] = cache.pop(args)\n", "pass\n", "memoize"),
    ],
)
def test_a_decorator_differs(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (REQUIRES, "any(role in user.roles for role in roles)", "not user.roles.isdisjoint(roles)", "requires"),
        (REQUIRES, "all(role in user.roles for role in roles)", "set(roles) <= user.roles", "requires"),
        (REQUIRES, "any(role in user.roles for role in roles)", "bool(set(roles) & set(user.roles))", "requires"),
        (LOCKED, "with getattr(self, name):", "lock = getattr(self, name)\n            with lock:", "locked"),
        (RETRY, "wait *= 2", "wait = wait * 2", "retry"),
        (
            MEMO,
            "cache[args] = cache.pop(args)\n",
            "kept = cache.pop(args)\n                cache[args] = kept\n",
            "memoize",
        ),
    ],
)
def test_the_same_decorator_agrees(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.AGREES, report
