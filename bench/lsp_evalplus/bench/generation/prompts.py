"""What a model is asked, word for word as evalplus asks it, so that scores can be compared."""

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
"""Where evalplus ends every text, most of them for base models."""
_DIRECT_STOPS = {
    Family.HUMANEVAL: ("\ndef ", "\nclass ", "\nimport ", "\nfrom ", "\nassert "),
    Family.MBPP: ('\n"""', "\nassert"),
    Family.CUSTOM: ("\ndef ", "\nclass ", "\nassert "),
}


class Style(StrEnum):
    """How a model is asked."""

    CHAT = "chat"
    """One user message: the instruction and the prompt in a fence. What evalplus does with the OpenAI back end."""
    PREFILL = "prefill"
    """The same, and the beginning of the answer, which the endpoint goes on from. What evalplus does with vLLM."""
    COMPLETION = "completion"
    """The bare prompt to a completion endpoint, ended by stop sequences. For base models."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question about one task."""

    messages: tuple[tuple[str, str], ...]
    """Role and text of each; empty for completion endpoints."""
    text: str | None
    """For completion endpoints."""
    stop: tuple[str, ...]


def build_prompt(problem: Problem, style: Style) -> Prompt:
    """Returns the question for `problem` in `style`."""
    prompt = problem.prompt.strip()
    if style is Style.COMPLETION:
        return Prompt((), prompt + "\n", (*_DIRECT_STOPS[problem.family], *STOPS))
    if style is Style.CHAT:
        return Prompt((("user", f"{INSTRUCTION}\n```python\n{prompt}\n```"),), None, ())
    asked = f"{INSTRUCTION}\n```\n{prompt}\n```\n"
    return Prompt((("user", asked), ("assistant", f"{RESPONSE}\n```python\n")), None, ("\n```\n", *STOPS))


def cut_at_stop(text: str, stop: tuple[str, ...]) -> str:
    """Returns `text` up to the first stop sequence: endpoints take few of them, or none."""
    ends = [place for word in stop if (place := text.find(word)) >= 0]
    return text[: min(ends, default=len(text))]
