"""Finds the executor that ``--on`` names: ``ray``, or any `concurrent.futures.Executor` by its dotted name."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from concurrent.futures import Executor

from lsp_evalplus.fuzz.errors import UserError

RAY = "ray"


def executor_maker(name: str) -> Callable[[], Executor]:
    """Return what makes the executor with a name: ``ray``, or ``package.module:attribute``.

    The attribute is an executor, or what gives one when it is called without arguments. Modules of the current folder
    are found too. Raises `UserError` where there is none.
    """
    if name == RAY:
        from .ray_executor import connect

        return connect
    module, colon, attribute = name.partition(":")
    if not (colon and attribute.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise UserError(f"--on {name}: it takes 'ray', or an executor as 'package.module:name'.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise UserError(f"--on {name}: {module} cannot be imported ({error}).") from None
    except AttributeError:
        raise UserError(f"--on {name}: {module} has no {attribute}.") from None
    return lambda: _made(name, found)


def _made(name: str, found: object) -> Executor:
    made = found if isinstance(found, Executor) else found() if callable(found) else None
    if not isinstance(made, Executor):
        raise UserError(f"--on {name}: it gives {type(made).__name__}, which is no concurrent.futures.Executor.")
    return made
