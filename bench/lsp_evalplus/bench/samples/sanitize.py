"""Extraction of the requested function from model output, with its dependencies and without code that would run.

Cases where upstream loses a correct answer, each handled here: cubic search for the longest parsable stretch,
constants under a module-level ``if``, functions without ``return``, reasoning blocks, several, unclosed or nested
fences, no fences at all, repeated prompts, truncated tails, methods of a ``Solution`` class.
"""

from __future__ import annotations

import builtins
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .sanitize_blocks import Block, BlockKind, parse, split_blocks
from .sanitize_mending import is_damaged, mended, texts_in_json
from .sanitize_regions import Region, find_regions, find_wide_fence, split_reasoning

_CONFIGURES = re.compile(
    r"(?:setrecursionlimit|set_int_max_str_digits|getcontext|setcontext|seed|set_start_method|filterwarnings|simplefilter"
    r"|setlocale|seterr|set_printoptions)\("
)
_BETTER = re.compile(
    r"\b(?:correct(?:ed|ion)|fix(?:ed|es)?|mistake|bug|wrong|wait|actually|revis\w+|updated?|improve[ds]?|better"
    r"|optimi[sz]ed|efficient|final|complete|full|refactored)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:alternativ\w+|another|or|shorter|one-?liner|without|if you|example|usage|tests?|naive|brute|incorrect"
    r"|original)\b",
    re.IGNORECASE,
)
"""Introductions of a code block: as better than the previous one, or as an alternative."""
_KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


@dataclass(frozen=True, slots=True)
class Sanitized:
    """Code extracted from model output."""

    code: str
    found: bool
    """Whether `code` defines the requested function with a body."""
    truncated: bool = False
    """Whether an invalid end of that function was cut off."""
    note: str = ""
    """Its origin, if unusual: ``completion``, ``class``, ``reasoning``, ``whole text``."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    blocks: tuple[Block, ...]
    """The blocks of one region."""
    others: tuple[Block, ...]
    """Blocks from elsewhere that may supply missing names, best first."""
    completion: bool = False


def sanitize(raw: str, entry_point: str | None = None, prompt: str | None = None) -> str:
    """Return the code of `extract`."""
    return extract(raw, entry_point, prompt).code


def extract(raw: str, entry_point: str | None = None, prompt: str | None = None) -> Sanitized:
    """Extract the code from model output, in linear time.

    Args:
        raw: the model output: chat, Markdown, code, or the continuation of `prompt`.
        entry_point: the requested function; None keeps every definition.
        prompt: the prompt that the model continued; supplies the function header of completions and names that an
            answer presupposes (imports, given functions).

    If the function is not found, the largest piece of code is returned rather than nothing.
    """
    answer = split_reasoning(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _extract_mended(answer.text, entry_point, prompt)
        if not found.found and answer.reasoning:
            drafted = _extract_answer(answer.reasoning, entry_point, prompt)
            if drafted.found:
                return Sanitized(drafted.code, found=True, truncated=drafted.truncated, note="reasoning")
    return found


def _extract_mended(text: str, entry_point: str | None, prompt: str | None) -> Sanitized:
    """Extract from the text as it is or, if the result is not sound, after a repair. JSON is never a program."""
    regions = [region.text for region in find_regions(text) if "def " in region.text or "lambda" in region.text]
    for inside in texts_in_json((text, *regions)) if entry_point is not None else ():
        found = _extract_answer(inside, entry_point, prompt)
        if found.found and not found.truncated:
            return found
    found = _extract_answer(text, entry_point, prompt)
    if entry_point is None or (found.found and not found.truncated and not is_damaged(found.code)):
        return found
    for repaired in mended(text):
        other = _extract_answer(repaired, entry_point, prompt)
        if other.found and not other.truncated and not is_damaged(other.code):
            return replace(other, note=other.note or "repaired")
    return found


def _extract_answer(text: str, entry_point: str | None, prompt: str | None) -> Sanitized:
    regions = _order_regions(text)
    if entry_point is None:
        return _keep_everything(regions, text)
    best: Sanitized | None = None
    for candidate in _candidates(text, regions, entry_point, prompt):
        for choice in (_choose_function(candidate, entry_point), _choose_method(candidate, entry_point)):
            if choice is not None and not choice.truncated:
                return choice
            best = best or choice
    return best or _stub(text, entry_point, prompt) or _keep_everything(regions, text)


def _stub(text: str, entry: str, prompt: str | None) -> Sanitized | None:
    """A program even for a completion without code: the function header with the model's output below it."""
    if prompt is None or _first_line(text)[:1] not in (" ", "\t"):
        return None
    for candidate in _completions(prompt, text, ()):
        heads = [block for block in candidate.blocks if block.stub and entry in block.binds]
        if heads:
            return Sanitized(_assemble(candidate, heads[0], {entry}), found=False, note="completion")
    return None


def _order_regions(text: str) -> list[Region]:
    """Fenced Python first, then other fences, then the text around them."""
    return sorted(find_regions(text), key=lambda region: (not region.fenced, not region.python))


def _candidates(text: str, regions: Sequence[Region], entry: str, prompt: str | None) -> Iterator[_Candidate]:
    """Possible readings of the answer, the most likely first; each is computed only when the earlier ones failed."""
    given = tuple(split_blocks(prompt)) if prompt else ()
    opened = prompt is not None and any(block.stub and entry in block.binds for block in given)
    if opened and prompt is not None and text[:1] in (" ", "\t", "\n") and _first_line(text)[:1] in (" ", "\t"):
        yield from _completions(prompt, text, given)
    if parse(text) is not None:
        yield _Candidate(tuple(split_blocks(text)), given)
    blocks = _order_versions(regions, [tuple(split_blocks(region.text)) for region in regions], entry)
    for own in blocks:
        rest = tuple(block for other in blocks if other is not own for block in other)
        yield _Candidate(own, rest + given)
    wide = find_wide_fence(text)
    if wide is not None:
        yield _Candidate(tuple(split_blocks(wide.text)), given)
    for indented in _indented(text, entry):
        yield _Candidate(tuple(split_blocks(indented)), given)
    if opened and prompt is not None:
        for region in regions:
            yield from _completions(prompt, region.text, given)


def _order_versions(regions: Sequence[Region], blocks: list[tuple[Block, ...]], entry: str) -> list[tuple[Block, ...]]:
    """Among versions of the function, put the one introduced as better first, then the longest, as evalplus does.

    Everything else keeps its place.
    """
    places = [
        place
        for place, (region, own) in enumerate(zip(regions, blocks, strict=True))
        if region.fenced and region.python and any(_defines(block, entry) and not block.truncated for block in own)
    ]

    def merit(place: int) -> tuple[bool, bool, int, int]:
        lead = regions[place].lead
        lines = sum(1 for line in regions[place].text.split("\n") if line.strip())
        return bool(_BETTER.search(lead)), not _OTHER.search(lead), lines, place

    ordered = list(blocks)
    for place, best in zip(places, sorted(places, key=merit, reverse=True), strict=True):
        ordered[place] = blocks[best]
    return ordered


def _first_line(text: str) -> str:
    return next((line for line in text.split("\n") if line.strip()), "")


def _completions(prompt: str, body: str, given: tuple[Block, ...]) -> Iterator[_Candidate]:
    """Read `body` as the continuation of `prompt`, with its original indentation and with plausible corrections.

    A ``return`` at module level shows that an indentation is wrong.
    """
    head = prompt if prompt.endswith("\n") else prompt + "\n"
    for continued in dict.fromkeys((body, _mend_first_line(body), _indent(body))):
        blocks = tuple(split_blocks(head + continued))
        if not any(_returns(block) for block in blocks):
            yield _Candidate(blocks, given, completion=True)


def _returns(block: Block) -> bool:
    """Whether a module-level statement returns, which is only valid in a function."""
    if block.kind is BlockKind.DEFINITION or "return" not in block.text:
        return False
    try:
        compile(block.text, "<block>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return "outside function" in str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return False
    return False


def _mend_first_line(body: str) -> str:
    """Restore the indentation of the first line, which endpoints strip."""
    first, _, rest = body.lstrip().partition("\n")
    depths = [len(line) - len(line.lstrip()) for line in rest.split("\n") if line.strip() and line[0] in " \t"]
    return " " * min(depths, default=4) + first + "\n" + rest


def _indent(body: str) -> str:
    return textwrap.indent(textwrap.dedent(body), "    ")


def _indented(text: str, entry: str) -> Iterator[str]:
    """Indented code between prose, as in a list or a Markdown code block."""
    head = re.search(rf"^([ \t]+)(?:async[ ]+)?def[ ]+{re.escape(entry)}\b", text, re.MULTILINE)
    if head is not None:
        width = len(head[1])
        yield "\n".join(line[width:] if line[:width] == head[1] else "" for line in text.split("\n"))


def _choose_function(candidate: _Candidate, entry: str) -> Sanitized | None:
    """Return the function with its dependencies, if the candidate defines it."""
    blocks = candidate.blocks
    defining = [block for block in blocks if _defines(block, entry)]
    if not defining:
        return None
    whole = [block for block in defining if not block.truncated]
    ordered = whole or defining
    chosen = ordered[0] if candidate.completion else ordered[-1]
    code = _assemble(candidate, chosen, {entry})
    note = "completion" if candidate.completion else ""
    return Sanitized(code, found=True, truncated=chosen.truncated, note=note)


def _defines(block: Block, entry: str) -> bool:
    """Whether a block defines the function with a body, or binds its name to an object that has one."""
    if entry not in block.binds or block.stub or block.kind is BlockKind.MAIN or _only_uses(block, entry):
        return False
    if block.kind is not BlockKind.IMPORT:
        return True
    module = re.match(r"(?:from|import)\s+(\w+)", block.text)  # ``from solution import f`` is an example of its use
    return module is not None and module[1] in sys.stdlib_module_names


def _only_uses(block: Block, entry: str) -> bool:
    """Whether a block only uses the name: ``f = f(3)`` does; ``f = cache(f)`` is a definition that needs another."""
    return block.kind is BlockKind.STATEMENT and entry in block.uses


def _choose_method(candidate: _Candidate, entry: str) -> Sanitized | None:
    """Make a method of a class callable under its name, for answers in the style of contest sites."""
    for block in candidate.blocks:
        if entry in block.methods and not block.truncated:
            name = next(iter(re.findall(r"^class\s+(\w+)", block.text, re.MULTILINE)), None)
            if name is not None:
                code = _assemble(candidate, block, {name})
                return Sanitized(f"{code}\n\n{entry} = {name}().{entry}\n", found=True, note="class")
    return None


def _assemble(candidate: _Candidate, chosen: Block, wanted: set[str]) -> str:
    """Return the chosen block with its dependencies, in their original order."""
    own = _without_rivals(candidate.blocks, chosen, wanted)
    needed = _close(own, wanted | chosen.uses)
    kept = _keep(own, chosen, needed)
    bound = frozenset(name for block in kept for name in block.binds)
    star = any(block.star for block in kept)
    supplied = [] if star else _supply(candidate.others, needed - bound - _KNOWN)
    return _join([*supplied, *kept])


def _without_rivals(blocks: Sequence[Block], chosen: Block, wanted: set[str]) -> list[Block]:
    """Keep one definition of each function, the last complete one; a rebinding that uses the old value stays."""
    last: dict[str, Block] = {}
    for block in blocks:
        if block.kind is BlockKind.DEFINITION and not block.stub and not (block.truncated and block.binds & set(last)):
            last.update(dict.fromkeys(block.binds, block))
    last.update(dict.fromkeys(wanted & chosen.binds, chosen))
    return [
        block
        for block in blocks
        if block.kind is not BlockKind.DEFINITION
        or block.extends
        or any(last.get(name) in (None, block) for name in block.binds)
    ]


def _close(blocks: Sequence[Block], names: set[str]) -> set[str]:
    """The transitive closure of `names` under the needs of the blocks that bind or change them."""
    makers: dict[str, list[Block]] = {}
    for block in blocks:
        if block.kind is not BlockKind.MAIN:
            for name in block.binds | block.extends:
                makers.setdefault(name, []).append(block)
    needed: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            for block in makers.get(name, ()):
                if name in block.binds or _changes_data(block):
                    pending.extend(block.uses)
    return needed


def _changes_data(block: Block) -> bool:
    """Whether a block is a bare call on a name (``table.update(...)``), other than printing and running tests."""
    return not re.match(r"(?:unittest|doctest|pytest|sys\.(?:exit|stdout|stderr)|print)\b", block.text)


def _keep(blocks: Sequence[Block], chosen: Block, needed: set[str]) -> list[Block]:
    """Keep what is needed, the imports above the function, and calls that configure the interpreter for it."""
    functions = frozenset(name for block in blocks if block.kind is BlockKind.DEFINITION for name in block.binds)
    configuring = [block for block in blocks if block.kind is BlockKind.STATEMENT and _CONFIGURES.search(block.text)]
    needed = needed | {name for block in configuring for name in block.uses}
    place = next(number for number, block in enumerate(blocks) if block is chosen)
    return [
        block
        for number, block in enumerate(blocks)
        if block is chosen
        or block in configuring
        or (number < place and block.kind is BlockKind.IMPORT)
        or _is_needed(block, needed, functions)
    ]


def _is_needed(block: Block, needed: set[str], functions: frozenset[str]) -> bool:
    if block.kind is BlockKind.MAIN:
        return False
    if block.star or block.binds & needed or block.text.startswith("from __future__"):
        return True
    if not block.extends & needed or not _changes_data(block):
        return False
    return not (_is_call(block) and block.extends <= functions)


def _is_call(block: Block) -> bool:
    """Whether a block is a call, which defines nothing if it is on a function: ``f.show()``, not ``f.cache = {}``."""
    return re.match(r"[\w.]+\(", block.text) is not None


def _supply(others: Sequence[Block], missing: set[str]) -> list[Block]:
    """Take definitions of missing names from other regions and the prompt."""
    taken: list[Block] = []
    pending = set(missing)
    for _ in range(len(others)):
        block = next((block for block in others if _supplies(block, pending) and block not in taken), None)
        if block is None:
            break
        taken.append(block)
        pending = (pending | (block.uses - _KNOWN)) - {name for done in taken for name in done.binds}
    return [block for block in others if block in taken]


def _supplies(block: Block, names: set[str]) -> bool:
    usable = block.kind in (BlockKind.DEFINITION, BlockKind.IMPORT) or bool(
        re.match(r"[A-Z_][A-Z_0-9]*\s*[:=]", block.text)
    )
    return usable and not block.stub and not block.truncated and bool(block.binds & names)


def _join(blocks: Sequence[Block]) -> str:
    future = [block for block in blocks if block.text.startswith("from __future__")]
    ordered = [*future, *(block for block in blocks if block not in future)]
    pieces: list[str] = []
    for previous, block in zip([None, *ordered], ordered):
        if previous is not None:
            simple = BlockKind.DEFINITION not in (previous.kind, block.kind) and previous.kind == block.kind
            pieces.append("\n" if simple else "\n\n\n")
        pieces.append(block.text.rstrip())
    return "".join(pieces) + "\n" if pieces else ""


def _keep_everything(regions: Sequence[Region], text: str) -> Sanitized:
    """Without a requested function: the definitions of the region that has most of them, or the text unchanged."""
    best = ""
    for region in regions:
        blocks = [block for block in split_blocks(region.text) if block.kind is not BlockKind.MAIN]
        kept = [block for block in blocks if block.kind is not BlockKind.STATEMENT or block.binds or block.extends]
        code = _join(kept) if any(block.kind is BlockKind.DEFINITION for block in kept) else ""
        best = max(best, code, key=len)
    if best:
        return Sanitized(best, found=False, note="whole text")
    fenced = [region.text for region in regions if region.fenced]
    return Sanitized(fenced[0] if fenced else text.strip("\n") + "\n", found=False, note="whole text")
