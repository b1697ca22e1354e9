"""Client for OpenAI-compatible endpoints, with retries and workarounds for incomplete implementations.

This is the only module of `fuzz` that opens network connections, and only on a request. `openai` is imported lazily:
the default configuration never loads it.
"""

from __future__ import annotations

import asyncio
import email.utils
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from lsp_evalplus.fuzz.errors import LspEvalplusError, UserError, require_extra

from .replies import Reply, UnusableReplyError, Usage, read_reply, read_usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Json = Mapping[str, Any]

FIRST_WAIT = 0.5
"""Seconds before the first retry, if the endpoint specifies none; exponential backoff with jitter."""
LONGEST_WAIT = 60.0
LONGEST_RETRY_AFTER = 300.0
"""An endpoint with a longer retry delay, in seconds, counts as unavailable."""
_FEWEST_STOPS = 4
"""Number of stop sequences that every endpoint accepts; some accept more."""
_SPENT = re.compile(r"insufficient_quota|billing|credit", re.IGNORECASE)
_ABOUT_THE_PROMPT = re.compile(
    r"content_filter|content management policy|context (?:length|size|window)|context_length", re.IGNORECASE
)
"""Errors that concern this prompt only."""
_OPTIONAL = ("response_format", "stream_options", "max_tokens", "temperature", "stop", "seed", "n")


class LlmError(LspEvalplusError):
    """The endpoint failed on all attempts, or its response is unusable."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint and its key, which comes from the environment or a secret store, never from a repository."""

    model: str
    base_url: str | None = None
    """None: the one in ``OPENAI_BASE_URL``, or OpenAI's own."""
    api_key: str | None = field(default=None, repr=False)
    request_seconds: float = 120.0
    """Wall-clock limit of one attempt, also while data is still arriving."""
    attempts: int = 6


@dataclass(frozen=True, slots=True)
class Question:
    """One request. Either `messages`, for chat endpoints, or `prompt`, for completion endpoints."""

    messages: tuple[tuple[str, str], ...] = ()
    """Role and content of each."""
    prompt: str | None = None
    n: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    schema: Json | None = None
    """A JSON schema for the answer, if the endpoint supports it."""
    continues: bool = False
    """Whether the last message is a prefix of the answer to continue, as vLLM and others support."""


class _AttemptError(Exception):
    """A failed attempt; `wait` is the retry delay the endpoint requested, in seconds."""

    def __init__(self, reason: str, *, again: bool, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.again, self.wait = reason, again, wait


class LlmClient:
    """Client of one endpoint. Concurrent requests share its known limits and retry delays."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        """`on_note` receives one sentence for each unsupported option and for each retry.

        Raises `UserError` if the SDK is not installed.
        """
        require_extra("openai", "a language model", "llm")
        self.endpoint = endpoint
        self.usage = Usage()
        self._sleep, self._clock, self._rng, self._note = sleep, clock, rng or random.Random(), on_note
        self._unknown: set[str] = set()
        self._free_at = 0.0
        self._sdk: AsyncOpenAI | None = None

    async def __aenter__(self) -> LlmClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._sdk is not None:
            await self._sdk.close()
            self._sdk = None

    async def ask(self, question: Question) -> Reply:
        """Return the answers to `question`.

        Raises `UserError` for what only the user can fix (key, model, address) and `LlmError` if the endpoint failed
        on every attempt.
        """
        for attempt in range(self.endpoint.attempts):
            await self._wait_for_pause()
            try:
                async with asyncio.timeout(self.endpoint.request_seconds):
                    reply = await self._attempt(question)
            except TimeoutError:
                failure = _AttemptError(f"no whole answer in {self.endpoint.request_seconds:g} s", again=True)
            except _AttemptError as error:
                failure = error
            else:
                self.usage += reply.usage
                return reply
            await self._recover(failure, attempt)
        raise LlmError(f"{self.endpoint.model}: gave up after {self.endpoint.attempts} attempts.")

    async def stream(self, question: Question) -> AsyncIterator[str]:
        """Yield the content of one chat answer in pieces, as they arrive.

        Retries only until the first piece; a truncated answer ends early. Raises like `ask`.
        """
        started = False
        for attempt in range(self.endpoint.attempts):
            await self._wait_for_pause()
            try:
                async for piece in self._timed(self._pieces(question)):
                    started = True
                    yield piece
            except TimeoutError:
                failure = _AttemptError(f"no whole answer in {self.endpoint.request_seconds:g} s", again=True)
            except _AttemptError as error:
                failure = error
            else:
                return
            if started:
                self._note(f"{self.endpoint.model}: the answer broke off ({failure.reason})")
                return
            await self._recover(failure, attempt)

    async def _timed(self, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
        end = self._clock() + self.endpoint.request_seconds
        while True:
            try:
                yield await asyncio.wait_for(anext(pieces), max(0.0, end - self._clock()))
            except StopAsyncIteration:
                return

    async def _wait_for_pause(self) -> None:
        while (left := self._free_at - self._clock()) > 0:
            await self._sleep(left)

    async def _recover(self, failure: _AttemptError, attempt: int) -> None:
        """Wait before the next attempt, or raise if there is none. Dropping an option takes no wait."""
        if not failure.again or attempt + 1 == self.endpoint.attempts:
            raise LlmError(f"{self.endpoint.model}: {failure.reason}")
        if failure.wait is not None and failure.wait > LONGEST_RETRY_AFTER:
            raise LlmError(f"{self.endpoint.model}: {failure.reason}; asks to wait {failure.wait:g} s")
        if failure.wait is not None:
            self._free_at = max(self._free_at, self._clock() + failure.wait)
        wait = failure.wait
        if wait is None:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt) * self._rng.uniform(0.5, 1.0)
        self._note(f"{self.endpoint.model}: {failure.reason}; next attempt in {wait:.1f} s")
        await self._sleep(wait)

    async def _attempt(self, question: Question) -> Reply:
        """Send the request, and resend it without each option the endpoint rejects as unknown."""
        sdk = self._open()
        create: Any = sdk.chat.completions if question.prompt is None else sdk.completions
        while True:
            options = self._options(question)
            try:
                raw = await create.with_raw_response.create(**options)
                return read_reply(raw.http_response.content, chat=question.prompt is None)
            except UnusableReplyError as error:
                self.usage += error.usage - Usage(error.usage.requests)
                raise _AttemptError(error.reason, again=True) from error
            except Exception as error:  # noqa: BLE001 - sorted below; what is not the endpoint's fault is raised again
                self._sort(error, options)

    async def _pieces(self, question: Question) -> AsyncIterator[str]:
        while True:
            options = {**self._options(question), "stream": True}
            if "stream_options" not in self._unknown:
                options["stream_options"] = {"include_usage": True}
            try:
                completions: Any = self._open().chat.completions
                async with await completions.create(**options) as chunks:
                    empty = True
                    async for chunk in chunks:
                        empty = False
                        usage = read_usage(getattr(chunk, "usage", None))
                        self.usage += usage
                        for piece in _texts_of_chunk(chunk):
                            yield piece
                self.usage += Usage(requests=1)
                if empty:
                    raise _AttemptError("the answer is no stream of events", again=True)
                return
            except GeneratorExit:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                self._sort(error, options)

    def _open(self) -> AsyncOpenAI:
        if self._sdk is None:
            import openai

            try:
                self._sdk = openai.AsyncOpenAI(
                    api_key=self.endpoint.api_key or "none",
                    base_url=self.endpoint.base_url,
                    timeout=self.endpoint.request_seconds,
                    max_retries=0,
                )
            except Exception as error:
                raise UserError(f"--base-url {self.endpoint.base_url!r} cannot be used ({error}).") from error
        return self._sdk

    def _options(self, question: Question) -> dict[str, Any]:
        """Return the request's fields, without those the endpoint does not support."""
        options: dict[str, Any] = {"model": self.endpoint.model}
        if question.prompt is None:
            options["messages"] = [{"role": role, "content": text} for role, text in question.messages]
        else:
            options["prompt"] = question.prompt
        optional = {
            "n": question.n if question.n > 1 else None,
            "temperature": question.temperature,
            "max_tokens": question.max_tokens,
            "stop": list(question.stop[:_FEWEST_STOPS] if "many stops" in self._unknown else question.stop) or None,
            "seed": question.seed,
            "response_format": _response_format(question.schema),
        }
        options |= {key: value for key, value in optional.items() if value is not None and key not in self._unknown}
        if "max_tokens" in self._unknown and question.prompt is None and question.max_tokens is not None:
            options["max_completion_tokens"] = question.max_tokens
        if question.continues:
            options["extra_body"] = {"continue_final_message": True, "add_generation_prompt": False}
        return options

    def _sort(self, error: Exception, options: Mapping[str, Any]) -> None:
        """Classify an error: return if the request may be resent at once with fewer options, else raise."""
        import openai

        if isinstance(error, _AttemptError):
            raise error
        if isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError)):
            if self._drop_option(error, options):
                return
            if "extra_body" in options and "continue_final_message" in _message(error):
                raise UserError(
                    f"{self._where()} cannot go on from the beginning of an answer (--style prefill); use --style chat."
                ) from error
            if _ABOUT_THE_PROMPT.search(f"{getattr(error, 'code', '')} {_message(error)}"):
                raise _AttemptError(f"refuses the prompt: {_message(error)}", again=False) from error
            raise UserError(f"{self._where()} refuses the request: {_message(error)}") from error
        if isinstance(error, openai.APIStatusError):
            raise self._status_failure(error) from error
        if isinstance(error, openai.APITimeoutError):
            raise _AttemptError(f"no answer in {self.endpoint.request_seconds:g} s", again=True) from error
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            raise _AttemptError(f"{self._where()} cannot be reached ({_first_line(cause)})", again=True) from error
        if isinstance(error, (openai.OpenAIError, ValueError, TypeError, KeyError, AttributeError)):
            raise _AttemptError(f"unusable answer ({_first_line(error)})", again=True) from error
        raise error

    def _status_failure(self, error: Any) -> Exception:
        status, message = int(error.status_code), _message(error)
        if status in (401, 403):
            return UserError(f"{self._where()} refuses the key ({status}): {message} Set the right key and try again.")
        if status == 404:
            return UserError(f"{self._where()} does not know model {self.endpoint.model!r} or the path: {message}")
        if status == 402 or (status == 429 and _SPENT.search(message)):
            return UserError(f"{self._where()}: the account has no credit left: {message}")
        wait = _retry_after(error.response.headers)
        return _AttemptError(
            f"status {status}: {message}", again=status in (408, 409, 425, 429) or status >= 500, wait=wait
        )

    def _drop_option(self, error: Any, options: Mapping[str, Any]) -> bool:
        """Find the sent option that an error message names, and omit it from now on."""
        message = f"{getattr(error, 'param', '') or ''} {_message(error)}"
        for name in _OPTIONAL:
            if name in options and re.search(rf"(?<![\w.]){name}\b", message):
                many = name == "stop" and len(options[name]) > _FEWEST_STOPS
                known = "many stops" if many else name
                if known not in self._unknown:
                    self._unknown.add(known)
                    self._note(f"{self.endpoint.model} does not take {name!r} as it was sent: {message.strip()}")
                return True
        return False

    def _where(self) -> str:
        return self.endpoint.base_url or "the endpoint"


def _response_format(schema: Json | None) -> Json | None:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _texts_of_chunk(chunk: Any) -> Sequence[str]:
    choices: Any = getattr(chunk, "choices", None)
    deltas: list[Any] = [getattr(choice, "delta", None) for choice in cast("list[Any]", choices or [])]
    texts: list[Any] = [getattr(delta, "content", None) for delta in deltas]
    return [text for text in texts if isinstance(text, str) and text]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse ``retry-after-ms`` or ``Retry-After``, which may be a date, to seconds."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        if re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", text):
            return float(text) / unit
        parsed = email.utils.parsedate_tz(text)
        if parsed is not None:
            return max(0.0, email.utils.mktime_tz(parsed) - time.time())
    return None


def _message(error: Any) -> str:
    """Return the endpoint's error message in one line."""
    body = getattr(error, "body", None)
    fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    said: Any = fields.get("message")
    inner = cast("dict[str, Any]", said).get("detail") if isinstance(said, dict) else None
    plain = body if isinstance(body, str) and not body.lstrip().startswith("<") else None
    told: list[Any] = [said, _detail(inner), _detail(fields.get("detail")), plain]
    text = next((item for item in told if isinstance(item, str) and item), str(getattr(error, "message", error)))
    return " ".join(text.split())[:300]


def _detail(value: Any) -> Any:
    """Parse FastAPI's error detail: a string, or a list of objects with ``msg`` and ``loc``."""
    if not isinstance(value, list):
        return value
    items = [cast("dict[str, Any]", item) for item in cast("list[Any]", value) if isinstance(item, dict)]
    return "; ".join(f"{item.get('msg')} ({item.get('loc')})" for item in items)


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:160]
