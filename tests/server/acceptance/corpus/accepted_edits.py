"""Edits that an AI or another program makes: an agent, a multi-line suggestion, a stream, a paste, a patch."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from . import clients
from .clients import Buffer, Event
from .git_edits import applied_patches
from .material import Function, Versions, functions, module_of, neighbours, versions
from .recording import COUNT, Recording

_WAYS: tuple[Callable[[Buffer, str], Event], ...] = (
    clients.reloaded,
    clients.by_hunks,
    clients.by_tokens,
    clients.by_span,
    clients.whole,
)
_LLM_TOKEN = re.compile(r" ?[A-Za-z]{1,7}|\d{1,3}|_| ?[^\w\s]{1,2}|\n *| +")


def edited_modules(seed: int, count: int, *, few_lines: bool = False) -> Iterator[tuple[str, str]]:
    """Modules before and after functions of theirs were edited: one function in two of three, else two or three."""
    rng = random.Random(seed)
    pairs, pool = versions(seed, few_lines=few_lines), functions(seed)
    for number in range(count):
        edited: dict[str, Versions] = {}
        for pair in rng.sample(pairs, 40):
            edited.setdefault(pair.old.name, pair)
            if few_lines or len(edited) == (1, 1, 2, 3, 1, 1)[number % 6]:
                break
        others = neighbours(rng, pool, 4, list(edited))
        parts: list[tuple[Function, Function]] = [(one, one) for one in others]
        parts += [(pair.old, pair.new) for pair in edited.values()]
        rng.shuffle(parts)
        yield module_of([old for old, _ in parts]), module_of([new for _, new in parts])


def agent(seed: int, *, few_lines: bool = False) -> list[Recording]:
    """An agent writes the file, and the editor reads it again; or it edits the document through the editor."""
    found = []
    for number, (old, new) in enumerate(edited_modules(seed, COUNT, few_lines=few_lines)):
        way = _WAYS[number % len(_WAYS)]
        found.append(Recording(way.__name__, old, [way(Buffer(old), new)]))
    return found


def suggestion(seed: int) -> list[Recording]:
    """A multi-line suggestion is taken: lines of one function are replaced by others, in one change."""
    rng = random.Random(seed + 1)
    pool, found = functions(seed), []
    for number, pair in enumerate(versions(seed)[-COUNT:]):
        parts = [*neighbours(rng, pool, 4, [pair.old.name]), pair.old]
        rng.shuffle(parts)
        buffer = Buffer(module_of(parts))
        old = buffer.text
        start = old.index(pair.old.text)
        if number % 3 == 0:
            events = [[buffer.replace(start, start + len(pair.old.text), pair.new.text)]]
            way = "whole function"
        else:
            new = old[:start] + pair.new.text + old[start + len(pair.old.text) :]
            events = [(clients.reloaded if number % 3 == 1 else clients.by_span)(buffer, new)]
            way = "lines that differ" if number % 3 == 1 else "characters that differ"
        found.append(Recording(way, old, events))
    return found


def _place(rng: random.Random, pool: list[Function], one: Function, number: int) -> tuple[Buffer, int, str]:
    """A document, a place in it, and the code that goes there: a whole function, or the body of one."""
    parts = neighbours(rng, pool, 4, [one.name])
    if number % 2:
        text = module_of(parts)
        return Buffer(text + "\n\n"), len(text) + 2, one.text
    header, body = split_header(one)
    before, after = module_of(parts[:2]) + "\n\n" + header, "\n\n" + "\n\n".join(part.text for part in parts[2:])
    return Buffer(before + after), len(before), body


def split_header(one: Function) -> tuple[str, str]:
    """A function's header with its docstring, and what comes after."""
    lines = one.text.splitlines(keepends=True)
    (node,) = ast.parse(one.text).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    first = node.body[0 if ast.get_docstring(node) is None else 1]
    end = first.lineno - 1
    return "".join(lines[:end]), "".join(lines[end:])


def streamed(seed: int) -> list[Recording]:
    """Code comes piece by piece: lines, a few tokens, or single tokens of a model, also several in a notification."""
    rng = random.Random(seed + 2)
    pool, found = functions(seed), []
    for number in range(COUNT):
        buffer, place, text = _place(rng, pool, pool[-1 - number], number)
        old = buffer.text
        way, chunks = _chunks(rng, text, number)
        events: list[Event] = []
        for chunk in chunks:
            events.append([buffer.replace(place, place, chunk)])
            place += len(chunk)
        if number % 4 == 3:
            events = clients.grouped(rng, events, 6)
            way += ", grouped"
        found.append(Recording(way, old, events))
    return found


def _chunks(rng: random.Random, text: str, number: int) -> tuple[str, list[str]]:
    tokens = _LLM_TOKEN.findall(text)
    match number % 3:
        case 0:
            return "line by line", text.splitlines(keepends=True)
        case 1:
            return "token by token", tokens
        case _:
            chunks = []
            while tokens:
                count = rng.randint(2, 8)
                chunks.append("".join(tokens[:count]))
                tokens = tokens[count:]
            return "a few tokens", chunks


def pasted(seed: int) -> list[Recording]:
    """Code from a chat or a web page is pasted: it is new to the project."""
    rng = random.Random(seed + 3)
    pool, found = functions(seed), []
    for number in range(COUNT):
        buffer, place, text = _place(rng, pool, pool[-1 - COUNT - number], number)
        old = buffer.text
        found.append(Recording("function" if number % 2 else "body", old, [[buffer.replace(place, place, text)]]))
    return found


def patch(seed: int, folder: Path) -> list[Recording]:
    """``git apply``, and the editor reads the files again."""
    modules = list(edited_modules(seed + 100, COUNT))
    found = []
    for number, (path, old, new) in enumerate(applied_patches(folder, modules)):
        way = _WAYS[number % len(_WAYS)]
        found.append(Recording(way.__name__, old, [way(Buffer(old), new)], path=path))
    return found
