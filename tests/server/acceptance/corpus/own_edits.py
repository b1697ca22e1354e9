"""Edits that people make with their editors: they type, rename, format, insert snippets, undo, move code about."""

from __future__ import annotations

import functools
import io
import keyword
import random
import re
import subprocess
import sys
import textwrap
import tokenize
from importlib.util import find_spec
from pathlib import Path

from . import clients
from .accepted_edits import edited_modules, split_header
from .clients import Buffer, Event
from .git_edits import git, merged_branches, stashed, switched_branches
from .material import Function, functions, module_of, neighbours
from .recording import COUNT, Recording
from .snippets import SNIPPETS
from .typing_person import Typist

_WAYS = (clients.reloaded, clients.by_hunks, clients.by_tokens, clients.by_span, clients.whole)


def typing(seed: int) -> list[Recording]:
    """A function, its body or a few lines are typed; sent key by key, in groups, or as whole texts."""
    rng = random.Random(seed + 4)
    pool, found = functions(seed), []
    for number in range(COUNT):
        one = pool[-1 - 2 * COUNT - number]
        parts = neighbours(rng, pool, 3, [one.name])
        header, body = split_header(one)
        known, typed = [("", one.text), (header, body), (header + body, "")][number % 3]
        before = module_of(parts) + "\n\n" + known
        after = "\n" if number % 2 else "\n\n\n" + parts[0].text.replace("def ", "def another_", 1)
        if not typed:
            line = rng.choice([n for n, line in enumerate(before.splitlines()) if line.startswith("    ")])
            head = before.splitlines(keepends=True)
            before, after = "".join(head[:line]), "".join(head[line:]) + after
            typed = _lines_of(rng.choice(pool), rng)
        typist = Typist(rng, Buffer(before + after), len(before))
        events = typist.type(typed.rstrip("\n"))
        way = ["key by key", "in groups", "whole texts"][number % 5 % 3]
        if way == "in groups":
            events = clients.grouped(rng, events, 6)
        elif way == "whole texts":
            events = _as_whole_texts(before + after, events)
        found.append(Recording(way, before + after, events))
    return found


def _lines_of(one: Function, rng: random.Random) -> str:
    lines = split_header(one)[1].splitlines(keepends=True)
    first = rng.randrange(max(1, len(lines) - 3))
    return "".join(lines[first : first + 4])


def _as_whole_texts(text: str, events: list[Event]) -> list[Event]:
    found: list[Event] = []
    lines = text.splitlines(keepends=True)
    for event in events:
        for change in event:
            start, end = change["range"]["start"], change["range"]["end"]
            padded = [*lines, ""]
            head = padded[start["line"]][: start["character"]]
            tail = padded[end["line"]][end["character"] :]
            new = head + change["text"] + tail
            lines = "".join([*lines[: start["line"]], new, *lines[end["line"] + 1 :]]).splitlines(keepends=True)
        found.append([{"text": "".join(lines)}])
    return found


def rename(seed: int) -> list[Recording]:
    """A name is renamed wherever it stands, in strings too where it is a part of a text."""
    rng = random.Random(seed + 5)
    pool, found = functions(seed), list[Recording]()
    while len(found) < COUNT:
        old = module_of(neighbours(rng, pool, 5))
        names = [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(old).readline)
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string) and token.string != "self"
        ]
        name = rng.choice([one for one in names if names.count(one) > 2] or names)
        fresh = rng.choice(["renamed", f"{name}_", f"new_{name}", f"{name}s", name[:-1] or "x", "node"])
        places = [(one.start(), one.end(), fresh) for one in re.finditer(rf"\b{name}\b", old)]
        new = re.sub(rf"\b{name}\b", fresh, old)
        buffer, number = Buffer(old), len(found)
        if fresh == name or fresh in names:
            continue
        match number % 4:
            case 0 | 1:
                found.append(Recording("places", old, [buffer.replace_all(places)]))
            case 2:
                found.append(Recording("lines", old, [_line_by_line(buffer, new)]))
            case _:
                found.append(Recording("whole", old, [clients.whole(buffer, new)]))
    return found


def _line_by_line(buffer: Buffer, new: str) -> Event:
    """As Neovim tells of an edit in several lines: in each the characters from the first to the last that differ."""
    found, offset = [], 0
    for old_line, new_line in zip(buffer.text.splitlines(keepends=True), new.splitlines(keepends=True), strict=True):
        if old_line != new_line:
            (change,) = (part := Buffer(old_line)) and clients.by_span(part, new_line)
            start = offset + change["range"]["start"]["character"]
            end = offset + change["range"]["end"]["character"]
            found.append((start, end, change["text"]))
        offset += len(old_line)
    return buffer.replace_all(found)


def snippet(seed: int) -> list[Recording]:
    """A snippet is inserted, and some of its places are filled in."""
    rng = random.Random(seed + 6)
    pool, found = functions(seed), []
    for number, text in enumerate(rng.sample(SNIPPETS[seed % 2 :: 2], COUNT)):
        parts = neighbours(rng, pool, 3)
        before = module_of(parts) + "\n\n"
        inner = text
        if number % 2 and "__main__" not in text and "import" not in text:
            before += "class Holder:\n" if text.startswith(("def", "@", "async def")) else "def holder():\n    pass\n"
            inner = textwrap.indent(text, "    ")
        buffer = Buffer(before + "\n\n" + rng.choice(pool).text)
        old, place = buffer.text, len(before)
        events: list[Event] = [[buffer.replace(place, place, inner)]]
        for word in rng.sample(["name", "condition", "items", "args", "value"], 3):
            spots = [one.start() + place for one in re.finditer(rf"\b{word}\b", inner)]
            if not spots or number % 3 == 0:
                continue
            # A word that stands in several places is typed in all of them at once.
            for written, sign in enumerate("rows"):
                events.append(buffer.replace_all(_spots(spots, written, 0 if written else len(word), sign)))
                spots = [spot + index * (1 - (0 if written else len(word))) for index, spot in enumerate(spots)]
            break
        found.append(Recording(text.split("\n", 1)[0], old, events))
    return found


def _spots(spots: list[int], written: int, removed: int, sign: str) -> list[tuple[int, int, str]]:
    return [(spot + written, spot + written + removed, sign) for spot in spots]


def formatter(seed: int, folder: Path) -> list[Recording]:
    """A formatter lays out what was written without care: ruff's, and black where it is installed."""
    rng = random.Random(seed + 7)
    pool = functions(seed)
    texts = [module_of(neighbours(rng, pool, 5)) for _ in range(COUNT)]
    styles = [("single", 48), ("double", 120), ("preserve", 60)]
    messy = [_careless(rng, text) for text in _formatted(folder, texts, styles)]
    laid_out = _formatted(folder, messy, [("double", 88), ("double", 79), ("single", 100)])
    ways = [clients.by_tokens, clients.by_hunks, clients.reloaded, clients.whole, clients.by_span]
    return [
        Recording(ways[number % 5].__name__, old, [ways[number % 5](Buffer(old), new)])
        for number, (old, new) in enumerate(zip(messy, laid_out, strict=True))
        if old != new
    ]


def _careless(rng: random.Random, text: str) -> str:
    """The same code with spaces left out, added at ends of lines, and lines left out or doubled between statements."""
    lines = []
    for line in text.splitlines():
        if rng.random() < 0.4 and not re.search(r"['\"#]", line):
            line = re.sub(r"(?<=[\w)\]]) (==|!=|<=|>=|=|\+|-|\*|<|>) (?=[\w(\[])", r"\1", line)
            line = re.sub(r", ", ",", line)
        lines.append(line)
        if not line.strip() and rng.random() < 0.5:
            lines.append("")
    return "\n".join(lines) + "\n"


def _formatted(folder: Path, texts: list[str], styles: list[tuple[str, int]]) -> list[str]:
    """Each text in one of several styles."""
    has_black = find_spec("black") is not None
    folder.mkdir(parents=True, exist_ok=True)
    found = list(texts)
    for number, (quotes, width) in enumerate(styles):
        group = range(number, len(texts), len(styles))
        place = folder / f"{quotes}{width}"
        place.mkdir(exist_ok=True)
        for index in group:
            (place / f"m{index}.py").write_text(texts[index])
        if has_black and quotes == "double" and width == 79:
            command = ["black", "-q", "-l", str(width), str(place)]
        else:
            style = f"format.quote-style = '{quotes}'"
            command = ["ruff", "format", "-q", "--isolated", "--config", style, "--line-length", str(width), str(place)]
        subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True, timeout=280)
        for index in group:
            found[index] = (place / f"m{index}.py").read_text()
    return found


def own_paste(seed: int) -> list[Recording]:
    """Code of the project is pasted, doubled or moved."""
    rng = random.Random(seed + 8)
    pool, found = functions(seed), []
    for number in range(COUNT):
        one = pool[-1 - 3 * COUNT - number]
        parts = neighbours(rng, pool, 4, [one.name])
        text, other = module_of(parts), module_of([*neighbours(rng, pool, 2, [one.name]), one])
        buffer = Buffer(text)
        place = text.index(parts[2].text)
        code = one.text + "\n\n"
        match number % 5:
            case 0:
                event = [buffer.replace(place, place, code)]
                found.append(Recording("from an open file", text, [event], opened={"other.py": other}))
            case 1:
                event = [buffer.replace(place, place, textwrap.indent(code, "    "))]
                found.append(Recording("from a file of the project", text, [event], files={"other.py": other}))
            case 2:
                event = [buffer.replace(place, place, parts[3].text + "\n\n")]
                found.append(Recording("doubled", text, [event]))
            case 3:
                start = text.index(parts[0].text)
                cut = [buffer.replace(start, start + len(parts[0].text) + 2, "")]
                place = buffer.text.index(parts[2].text)
                event = [buffer.replace(place, place, parts[0].text + "\n\n")]
                found.append(Recording("cut and pasted", text, [cut, event]))
            case _:
                found.append(Recording("moved up", text, _moved_up(rng, buffer, parts[2])))
    return found


def _moved_up(rng: random.Random, buffer: Buffer, one: Function) -> list[Event]:
    """Lines are moved up, one line a key: the line above them is put below."""
    lines = one.text.splitlines(keepends=True)
    first = rng.randrange(2, len(lines) - 1)
    start = buffer.text.index(one.text) + len("".join(lines[:first]))
    moved = "".join(lines[first : first + 3])
    events = []
    for _ in range(2):
        above = buffer.text.rfind("\n", 0, start - 1) + 1
        line, end = buffer.text[above:start], start + len(moved)
        events.append([buffer.replace(end, end, line), buffer.replace(above, start, "")])
        start = above
    return events


def undo(seed: int) -> list[Recording]:
    """What was typed, pasted, streamed, deleted, renamed or written by an agent is taken back, and done again."""
    rng = random.Random(seed + 9)
    pool, edited, found = functions(seed), list(edited_modules(seed + 200, COUNT)), []
    for number in range(COUNT):
        one = pool[-1 - 4 * COUNT - number]
        parts = neighbours(rng, pool, 4, [one.name])
        buffer = Buffer(module_of(parts))
        old, place = buffer.text, buffer.text.index(parts[2].text)
        before: list[Event] = []
        match number % 6:
            case 0:
                way, before = "typed", Typist(rng, buffer, place).type(one.text)
            case 1:
                way, before = "pasted", [[buffer.replace(place, place, one.text + "\n\n")]]
            case 2:
                way = "deleted"
                before = [[buffer.replace(place, place + len(parts[2].text), "")]]
            case 3:
                old, new = edited[number]
                buffer = Buffer(old)
                way, before = "agent", [(clients.by_hunks if number % 4 == 1 else clients.reloaded)(buffer, new)]
            case 4:
                way = "streamed"
                for line in (one.text + "\n\n").splitlines(keepends=True):
                    before.append([buffer.replace(place, place, line)])
                    place += len(line)
            case _:
                way = "renamed"
                before = [buffer.replace_all([(m.start(), m.end(), "own") for m in re.finditer(r"\bself\b", old)])]
                before += [[buffer.replace(place, place + len(parts[2].text), "")]]
        groups = list(buffer.groups)
        events = [buffer.undo(group) for group in reversed(groups)]
        events += [buffer.redo(group) for group in groups]
        found.append(Recording(way, old, events, before=before))
    return found


def checkout(seed: int, folder: Path) -> list[Recording]:
    """Another branch is checked out, and the editor reads its files again."""
    files = switched_branches(folder, list(edited_modules(seed + 300, COUNT)))
    return _read_again(files)


def merge(seed: int, folder: Path) -> list[Recording]:
    """A branch is merged; half of the recordings are of a merge that stops: one of three of its files has conflicts."""
    modules: list[tuple[str, str, str]] = []
    for number, (base, there) in enumerate(edited_modules(seed + 400, 2 * COUNT)):
        here = base.replace("import sys\n", "import sys\nimport re\n", 1)
        if number > COUNT and number % 3 == 0:
            here = there.replace("return", "return not", 1)
        modules.append((base, here, there))
    clean = merged_branches(folder / "clean", modules[:COUNT])
    stopped = merged_branches(folder / "stopped", modules[COUNT:])
    return _read_again([*clean[: COUNT // 2], *stopped])[:COUNT]


def stash(seed: int, folder: Path) -> list[Recording]:
    """Changes that ``git stash`` put away before the document was opened come back by ``git stash pop``."""
    found: list[Recording] = []
    for number, (old, new) in enumerate(edited_modules(seed + 500, COUNT)):
        place = folder / f"{number:03}"
        path, before, after = stashed(place, old, new, moves_on=number % 2 == 1)
        way = _WAYS[number % len(_WAYS)]
        pop = functools.partial(git, place, "stash", "pop", "-q")
        found.append(Recording(way.__name__, before, [way(Buffer(before), after)], path=path, command=pop))
    return found


def _read_again(files: list[tuple[Path, str, str]]) -> list[Recording]:
    return [
        Recording(_WAYS[number % 5].__name__, old, [_WAYS[number % 5](Buffer(old), new)], path=path)
        for number, (path, old, new) in enumerate(files)
        if old != new
    ]
