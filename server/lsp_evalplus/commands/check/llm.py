"""Optional use of a language model in ``check``: as a source of inputs and of implementations to compare with."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.contract import contract_of
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE

from .items import Item

logger = logging.getLogger(__name__)

ANSWERS_WAITED_FOR: Final = 8
"""Functions that may wait for the model's answers, in addition to those that run."""

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--llm-seeds", is_flag=True, help="Also try inputs of a language model; sends the function's text."),
    click.option(
        "--llm-oracle",
        is_flag=True,
        help="Where nothing else can judge: compare with implementations by a model; sends signature and docstring.",
    ),
    click.option("--model", "-m", metavar="NAME", help="The model that is asked."),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint.  [default: OpenAI's]"),
    click.option("--api-key-env", metavar="NAME", help="Environment variable with the key.  [default: OPENAI_API_KEY]"),
)


def llm_options(command: Command) -> Command:
    """Add the options that enable a language model."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_llm_options(options: dict[str, Any]) -> dict[str, object]:
    """The settings given by the options; empty if no model is used.

    Raises:
        UserError: a model is named without a use for it, or the reverse.
    """
    details = {name: options[name] for name in ("model", "base_url", "api_key_env") if options[name] is not None}
    asks = options["llm_seeds"] or options["llm_oracle"]
    if not (asks or options["fix"] or (options["interactive"] and details)):
        if details:
            raise UserError(
                "--model, --base-url and --api-key-env go with --llm-seeds or --llm-oracle, --fix or --interactive."
            )
        return {}
    if options["pairs"] is not None:
        raise UserError("--pairs brings its own functions; a language model is for files of a project.")
    if "model" not in details:
        said = "--llm-seeds and --llm-oracle need" if asks else "--fix needs" if options["fix"] else "--base-url needs"
        raise UserError(f"{said} --model, the name of the model that is asked.")
    details.setdefault("base_url", os.environ.get("OPENAI_BASE_URL") or None)
    return {"llm": {"enabled": True, "seeds": options["llm_seeds"], **details}}


def check_consent(items: Iterable[Item]) -> None:
    """Ensure that the user allowed the endpoint for every project in the check, before anything runs.

    Raises:
        UserError: a project is not allowed.
    """
    roots = {item.root: item.settings for item in items if item.settings.llm.enabled}
    if not roots:
        return
    # Imported lazily: the default configuration needs none of this.
    from lsp_evalplus.fuzz.llm.consent import open_consents
    from lsp_evalplus.fuzz.llm.setup import endpoint_of

    for root, settings in roots.items():
        if not open_consents().allows(root, settings.llm.base_url):
            endpoint = settings.llm.base_url or "OpenAI"
            raise UserError(
                f"nothing was sent: {root} has no consent for {endpoint}; `lsp-evalplus seeds --allow` gives it."
            )
        endpoint_of(settings.llm, None, os.environ)


def is_opinion_wanted(item: Item) -> bool:
    """Whether to judge the function by implementations of a model, because it has no other oracle."""
    asked_for = item.settings.llm.enabled and OracleKind.MODEL.value in item.settings.oracles
    return asked_for and item.target is not None and item.reason == NO_ORACLE


@dataclass(slots=True)
class Adviser:
    """Queries the model and counts the results."""

    asked_for_inputs: int = 0
    inputs: int = 0
    asked_for_code: int = 0
    implemented: int = 0

    async def check(
        self,
        target: FunctionTarget,
        item: Item,
        oracle: Oracle,
        budget: Budget,
        pool: GuestPool,
        seeds: Sequence[ArgumentsText],
    ) -> Report:
        """`engine.check` with inputs of the model merged in, if requested and available."""
        llm = item.settings.llm
        if not (llm.enabled and llm.seeds) or item.path is None:
            return await check(target, oracle, budget, pool, seeds=seeds)
        from lsp_evalplus.fuzz.llm.seeds import check_with_llm
        from lsp_evalplus.fuzz.llm.setup import open_seeds

        source = open_seeds(llm, item.root, Path(item.path).absolute())
        if isinstance(source, str):  # No content of the file may be sent.
            logger.info("%s: no inputs of a model: %s", item.path, source)
            return await check(target, oracle, budget, pool, seeds=seeds)
        self.asked_for_inputs += 1
        async with source:
            return await check_with_llm(target, oracle, budget, pool, source, seeds=seeds, on_seed=self._count)

    async def judge(self, target: FunctionTarget, item: Item, pool: GuestPool) -> Report:
        """Compare the function with implementations by the model, which sees only signature and docstring."""
        from lsp_evalplus.fuzz.llm.oracle import check_by_agreement, propose_oracle
        from lsp_evalplus.fuzz.llm.setup import open_client, open_ledger

        settings = item.settings
        client = open_client(settings.llm, item.root, Path(item.path or "").absolute())
        if isinstance(client, str):
            return Report(Verdict.NOT_CHECKED, f"{NO_ORACLE}; no model was asked: {client}", None)
        self.asked_for_code += 1
        try:
            async with client:
                proposal = await propose_oracle(client, target)
        finally:
            open_ledger().add(client.usage)
        if proposal is None:
            return Report(Verdict.NOT_CHECKED, f"{NO_ORACLE}; {settings.llm.model} gave no implementations of it", None)
        self.implemented += 1
        budget = Budget(settings.budget, seed=settings.seed)
        return await check_by_agreement(target, proposal, budget, pool, contract=contract_of(target))

    def _count(self, _text: ArgumentsText) -> None:
        self.inputs += 1
