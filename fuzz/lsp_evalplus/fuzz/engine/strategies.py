"""Objects that the project's own Hypothesis strategies make: drawn in a guest, known to a check as expressions."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect
from lsp_evalplus.fuzz.index.knowledge import within
from lsp_evalplus.fuzz.model import FunctionTarget, Instances, Oracle, Plain, Strategies
from lsp_evalplus.fuzz.source.project import find_place

CPU_SECONDS = 30.0
WALL_SECONDS = 120.0
"""Time limit for importing the modules that register strategies, and for drawing."""
MOST_TEXTS = 100
LONGEST = 2000
"""No guest is believed that has more expressions of a class, or longer ones."""
MOST_ANSWERS = 64
logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class _Drawn:
    texts: tuple[str, ...]
    modules: tuple[str, ...]


async def with_drawn(target: FunctionTarget, oracle: Oracle, pool: GuestPool) -> Oracle:
    """Return the oracle with the objects that the project's strategies make, for classes that have one."""
    asked = [one.strategies for one in oracle.instances if one.strategies is not None]
    if not asked:
        return oracle
    drawn = await _draw(target, asked, pool)
    instances = [one if one.strategies is None else _filled(one, one.strategies, drawn) for one in oracle.instances]
    return dataclasses.replace(oracle, instances=tuple(one for one in instances if one is not None))


def _filled(one: Instances, strategies: Strategies, drawn: dict[str, _Drawn]) -> Instances | None:
    found = drawn.get(strategies.class_name)
    if found is None:
        return None if strategies.is_needed else dataclasses.replace(one, strategies=None)
    bound = dict(strategies.bound)
    name, *texts = (within(text, strategies.own, bound) for text in (strategies.class_name, *found.texts))
    modules = tuple(name for name in found.modules if name != strategies.own)
    return Instances(name, modules, tuple(texts), is_stated=True)


async def _draw(target: FunctionTarget, asked: Sequence[Strategies], pool: GuestPool) -> dict[str, _Drawn]:
    """Return what strategies make, by class; a guest is asked once for each state of the project."""
    paths = [Path(path) for one in asked for _, path in one.modules if path]
    roots = [root for path in paths for root in find_place(path).search_path]
    folder = Path(target.program.path).parent if target.program.path is not None else Path.cwd()
    request: Plain = {
        "project": {"search_path": list(dict.fromkeys([*target.program.search_path, *roots]))},
        "modules": [list(one) for one in asked[0].modules],
        "classes": [one.class_name for one in asked],
        "root": str(find_place(paths[0]).root if paths else find_place(folder / "module.py").root),
    }
    question = json.dumps([asked[0].edition, request])
    if question not in pool.answers:
        while len(pool.answers) >= MOST_ANSWERS:
            pool.answers.pop(next(iter(pool.answers)))
        pool.answers[question] = await collect(
            pool.start(Job("strategies", request, WALL_SECONDS, cpu_seconds=CPU_SECONDS, hash_seed=0))
        )
        _tell_problems(pool.answers[question], pool)
    read = [_read(reply) for reply in pool.answers[question]]
    return {name: one for name, one in read if name in request["classes"] and one.texts}


def _tell_problems(replies: Sequence[Plain], pool: GuestPool) -> None:
    """Log, once for each pool, why strategies cannot be used."""
    for reply in replies:
        subject = f"the Hypothesis strategy of {reply['class']}" if "class" in reply else "strategies of Hypothesis"
        message = f"lsp-evalplus: {subject} cannot be used: {str(reply.get('problem'))[:300]}"
        if reply.get("problem") and message not in pool.answers:
            pool.answers[message] = []
            logger.warning("%s", message)


def _read(reply: Plain) -> tuple[str, _Drawn]:
    """Return the class of a reply, and what was drawn, as far as that can be believed."""
    texts = [text for text in _strings(reply.get("texts"))[:MOST_TEXTS] if len(text) <= LONGEST and _is_recipe(text)]
    modules = [name for name in _strings(reply.get("modules"))[:MOST_TEXTS] if name.replace(".", "").isidentifier()]
    return str(reply.get("class")), _Drawn(tuple(texts), tuple(modules))


def _strings(value: Any) -> list[str]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def _is_recipe(text: str) -> bool:
    try:
        from_text(text)
    except RecipeError:
        return False
    return True
