"""Prompts for the model, verbatim as in evalplus, so that scores are comparable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lsp_evalplus.bench.problem import Family, Problem

INSTRUCTION = (
    "Please provide a self-contained Python script that solves the following problem in a markdown code block:"
)
RESPONSE = (
    "Below is a Python script with a self-contained function that solves the problem and passes corresponding tests:"
)
STOPS = ("<|endoftext|>", "<|endofmask|>", "</s>", "\nif __name__", "\ndef main(", "\nprint(")
"""Stop sequences of evalplus, most of them for base models."""
_DIRECT_STOPS = {
    Family.HUMANEVAL: ("\ndef ", "\nclass ", "\nimport ", "\nfrom ", "\nassert "),
    Family.MBPP: ('\n"""', "\nassert"),
    Family.CUSTOM: ("\ndef ", "\nclass ", "\nassert "),
}


class Style(StrEnum):
    """The form of a prompt."""

    CHAT = "chat"
    """One user message: the instruction and the prompt in a fence, as in evalplus with the OpenAI back end."""
    PREFILL = "prefill"
    """The same, and the beginning of the answer, which the endpoint continues, as in evalplus with vLLM."""
    COMPLETION = "completion"
    """The bare prompt to a completion endpoint, with stop sequences. For base models."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt for one task."""

    messages: tuple[tuple[str, str], ...]
    """Role and content of each message; empty for completion endpoints."""
    text: str | None
    """For completion endpoints."""
    stop: tuple[str, ...]


def build_prompt(problem: Problem, style: Style) -> Prompt:
    """Build the prompt for `problem` in `style`."""
    prompt = problem.prompt.strip()
    if style is Style.COMPLETION:
        return Prompt((), prompt + "\n", (*_DIRECT_STOPS[problem.family], *STOPS))
    if style is Style.CHAT:
        return Prompt((("user", f"{INSTRUCTION}\n```python\n{prompt}\n```"),), None, ())
    asked = f"{INSTRUCTION}\n```\n{prompt}\n```\n"
    return Prompt((("user", asked), ("assistant", f"{RESPONSE}\n```python\n")), None, ("\n```\n", *STOPS))


def cut_at_stop(text: str, stop: tuple[str, ...]) -> str:
    """Truncate `text` at the first stop sequence, as endpoints support few of them or none."""
    ends = [place for word in stop if (place := text.find(word)) >= 0]
    return text[: min(ends, default=len(text))]
