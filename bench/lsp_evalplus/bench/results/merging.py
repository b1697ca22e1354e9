"""The parts that shards have written, put together to the result file of a run without shards, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.samples.shards import Shard, whole_path
from lsp_evalplus.fuzz.errors import UserError

from .results import pass_at_k, read_results, scores_in

_OF_A_PART = ("shard", "order", "layers_off", "killed")


def to_part(results: dict[str, Any], shard: Shard, order: Sequence[str]) -> dict[str, Any]:
    """The content of a part: results of the tasks of one shard; `order` are the tasks of all."""
    return results | {"lsp_evalplus": {**results["lsp_evalplus"], "shard": str(shard), "order": list(order)}}


def group_parts(paths: Sequence[Path]) -> dict[Path, list[Path]]:
    """The parts of each result file. Raises `UserError` for a file that is not called like a part."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault(whole_path(path), []).append(path)
    return groups


def merge_parts(paths: Sequence[Path]) -> dict[str, Any]:
    """The results of all shards of one run.

    Raises `UserError` if one is missing or there twice, if they are not of the same run, or if one is damaged.
    """
    parts = {path: read_results(path) for path in paths}
    blocks = {path: _block_of(path, results) for path, results in parts.items()}
    first = paths[0]
    for path in paths:
        if _run_of(blocks[path]) != _run_of(blocks[first]) or parts[path].get("hash") != parts[first].get("hash"):
            raise UserError(f"{path} and {first} are not of the same run: samples, options or environment differ.")
    _check_complete(blocks)
    ours = blocks[first]
    order: list[str] = ours["order"]
    tasks = {task: entries for results in parts.values() for task, entries in results["eval"].items()}
    if set(tasks) != set(order) or sum(len(results["eval"]) for results in parts.values()) != len(order):
        raise UserError(f"{first} and the other parts do not hold each task once; run the shards again with --fresh.")
    layers_off = {name: why for block in blocks.values() for name, why in block["layers_off"].items()}
    whole = parts[first] | {"eval": {task: tasks[task] for task in order}}
    judged = [Part.BASE] if ours["base_only"] else [Part.BASE, Part.PLUS]
    whole["pass_at_k"] = {part: pass_at_k(scores_in(whole, part, first)) for part in judged}
    kept = {name: value for name, value in ours.items() if name not in _OF_A_PART}
    whole["lsp_evalplus"] = {**kept, "layers_off": dict(sorted(layers_off.items()))}
    killed = [program for block in blocks.values() for program in block.get("killed", ())]
    if killed:
        whole["lsp_evalplus"]["killed"] = sorted(killed)
    return whole


def _block_of(path: Path, results: Mapping[str, Any]) -> dict[str, Any]:
    block: Any = results.get("lsp_evalplus")
    fields = cast("dict[str, Any]", block) if isinstance(block, dict) else {}
    order: Any = fields.get("order")
    is_part = isinstance(fields.get("shard"), str) and isinstance(fields.get("layers_off"), dict)
    if not is_part or not isinstance(order, list) or "base_only" not in fields:
        raise UserError(f"{path} is not the part of a shard; `bench --shard` writes those.")
    if not all(isinstance(task, str) for task in cast("list[Any]", order)) or not _is_killed(fields.get("killed", [])):
        raise UserError(f"{path} is not the part of a shard; `bench --shard` writes those.")
    return fields


def _is_killed(programs: Any) -> bool:
    """Whether this is a list of programs that the system killed, by task and digest."""
    if not isinstance(programs, list):
        return False
    each = cast("list[Any]", programs)
    return all(isinstance(one, list) and list(map(type, cast("list[Any]", one))) == [str, str] for one in each)


def _run_of(block: Mapping[str, Any]) -> dict[str, Any]:
    """What the parts of one run have in common."""
    _, _, count = block["shard"].partition("/")
    own = ("shard", "layers_off", "killed")
    return {name: value for name, value in block.items() if name not in own} | {"shards": count}


def _check_complete(blocks: Mapping[Path, Mapping[str, Any]]) -> None:
    """Raise `UserError` unless each shard is there once."""
    found: dict[str, Path] = {}
    for path, block in blocks.items():
        shard: str = block["shard"]
        if shard in found:
            raise UserError(f"{found[shard]} and {path} are both of shard {shard}; name one of them.")
        found[shard] = path
    _, _, count = next(iter(found)).partition("/")
    number = int(count) if count.isdecimal() and len(count) <= 7 else 0
    missing = [shard for index in range(number) if (shard := f"{index}/{count}") not in found]
    if missing or len(found) != number:
        raise UserError(
            f"{len(missing)} of {count} shards have no part here, such as {', '.join(missing[:5])}; run them, or the "
            "same command without --shard, which judges what is missing."
        )
