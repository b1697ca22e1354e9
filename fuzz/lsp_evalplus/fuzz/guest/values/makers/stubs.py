"""Stubs for programs that a function starts and for requests that it sends: each gets a canned answer, and is recorded.

A test stub (Meszaros, "xUnit Test Patterns", 2007) stands in for what a call depends on and tests cannot have. What was
started and sent is part of the result. This module is written into scripts as a whole.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from ..dynamic import type_of

_OK = 200
_REASONS = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 404: "Not Found", 500: "Server Error"}
_USUAL_HEADERS = frozenset(
    "accept accept-encoding connection content-length content-type host transfer-encoding user-agent".split()
)
"""Headers that are no part of a request by themselves."""
_OF_POPEN = inspect.signature(subprocess.Popen.__init__)


class Answers:
    """The answers that are left for one call, and what was asked for.

    Args:
        programs: for each program that is started, its standard output; a pair of an exit code and the standard error
            for one that fails; None for one that is not there. The last one holds for all further ones.
        responses: for each request that is sent, the body of the response, written as JSON unless it is a string or
            bytes; a pair of the status and the body; None where there is no connection.
    """

    def __init__(self, programs: Sequence[Any], responses: Sequence[Any]) -> None:
        self._left = {"programs": list(programs), "responses": list(responses)}
        self.asked: list[Any] = []
        """Commands as lists of strings, or as the string for a shell; requests as strings such as ``GET https://…``;
        either as a dict where there is more to be told."""

    def next(self, kind: str, default: Any) -> Any:
        """Return the next answer of a kind."""
        left = self._left[kind]
        return (left.pop(0) if len(left) > 1 else left[0]) if left else default


def stubbed(
    function: Callable[..., Any], programs: Sequence[Any] = (), responses: Sequence[Any] = ()
) -> Callable[..., Any]:
    """Return the function, called with these answers of programs and servers, see `Answers`; its result is a pair where
    it started or sent any: what it returns, and these."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        answers = Answers(programs, responses)
        with _standing_for_programs(answers, _namespace_of(function)), _standing_for_servers(answers):
            result = function(*args, **kwargs)
        return (result, answers.asked) if answers.asked else result

    return call


def _namespace_of(function: Any) -> dict[str, Any]:
    return getattr(inspect.unwrap(function), "__globals__", {})


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Generator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def _standing_for_programs(answers: Answers, namespace: dict[str, Any]) -> Generator[None]:
    """Start no programs within the block; names of a module that were imported before are bound to the stubs too."""
    stubs: list[tuple[Any, str, Any]] = [
        (subprocess, "Popen", started := type("Popen", (_Started,), {"answers": answers})),
        (os, "system", functools.partial(_system, started)),
    ]
    held = {id(getattr(owner, name)): stub for owner, name, stub in stubs}
    own = {name: value for name, value in namespace.items() if id(value) in held}
    with contextlib.ExitStack() as stack:
        for owner, name, stub in stubs:
            stack.enter_context(_replaced(owner, name, stub))
        namespace.update({name: held[id(value)] for name, value in own.items()})
        stack.callback(namespace.update, own)
        yield


def _system(started: type[_Started], command: Any) -> int:
    return started(command, shell=True).wait() << 8  # noqa: S604 - nothing is started.


class _Started(subprocess.Popen):  # type: ignore[type-arg]
    """A program that has run already."""

    answers: Answers

    def __init__(self, args: Any, *more: Any, **options: Any) -> None:
        given = _OF_POPEN.bind(self, args, *more, **options).arguments
        self._child_created = False
        self.args, self.pid, self.returncode = args, 1, None
        asked = self.answers.asked
        self._place = len(asked)
        asked.append(_command(given))
        answer = self.answers.next("programs", "")
        if answer is None:
            name = _words(args)[0] if not isinstance(args, (str, bytes)) else str(args)
            raise FileNotFoundError(2, "No such file or directory", name)
        self._code, out, error = (answer[0], b"", answer[1]) if type_of(answer) is tuple else (0, answer, b"")
        self._is_text = any(given.get(name) for name in ("text", "universal_newlines", "encoding", "errors"))
        self._coding = given.get("encoding") or "utf-8", given.get("errors") or "strict"
        out, error = _bytes_of(out), _bytes_of(error)
        if given.get("stderr") == subprocess.STDOUT:
            out, error = out + error, b""
        self.stdout = self._stream(given.get("stdout"), out)
        self.stderr = self._stream(given.get("stderr"), error)
        self.stdin = self._stream(given.get("stdin"), b"")

    def _stream(self, place: Any, content: bytes) -> Any:
        """Return what a program's stream is read from, if it is a pipe; what goes to a file is written there."""
        if place == subprocess.PIPE:
            return self._opened(content)
        if hasattr(place, "write") and content:
            is_binary = isinstance(place, (io.RawIOBase, io.BufferedIOBase))
            place.write(content if is_binary else content.decode("utf-8", "surrogateescape"))
        return None

    def _opened(self, content: bytes) -> Any:
        raw = io.BytesIO(content)
        return io.TextIOWrapper(raw, *self._coding) if self._is_text else raw

    def communicate(self, input: Any = None, timeout: Any = None) -> Any:  # noqa: A002 - the name of the library
        """Return what it wrote to pipes."""
        if input:
            self._note(input)
        read = [None if one is None else one.read() for one in (self.stdout, self.stderr)]
        self.wait()
        return tuple(read)

    def poll(self) -> int:
        """Return its exit code."""
        return self.wait()

    def wait(self, timeout: Any = None) -> int:
        """Return its exit code, and note what was written to it."""
        if self.returncode is None:
            self.returncode = self._code
        given: Any = self.stdin
        if given is not None and not given.closed:
            given.flush()
            written = (given.buffer if self._is_text else given).getvalue()
            if written:
                self._note(written)
            given.close()
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Do nothing: it has ended."""

    def __exit__(self, *error: object) -> None:
        """Wait for it."""
        self.wait()

    def __del__(self, *_: object) -> None:
        """Leave nothing behind."""

    def _note(self, given: Any) -> None:
        told = self.answers.asked[self._place]
        told = told if type_of(told) is dict else {"args": told}
        self.answers.asked[self._place] = {**told, "input": _shown(_bytes_of(given))}


def _command(given: Mapping[str, Any]) -> Any:
    """Return how a started program is told: its command, with the folder and the variables it is given, if any."""
    args = given["args"]
    command = _shown(args) if isinstance(args, (str, bytes, os.PathLike)) else _words(args)
    told: dict[str, Any] = {"args": command}
    if given.get("cwd") is not None:
        told["cwd"] = os.fspath(given["cwd"])
    env = given.get("env")
    if env is not None:
        names = sorted({*env, *os.environ})
        changed = {name: env.get(name) for name in names if env.get(name) != os.environ.get(name)}
        told.update({"env": changed} if changed else {})
    return told if len(told) > 1 else command


def _words(args: Any) -> list[Any]:
    return [_shown(one) for one in args]


def _shown(value: Any) -> Any:
    path: Any = getattr(value, "__fspath__", None)
    shown: Any = value if path is None else path()
    if type_of(shown) is bytes:
        with contextlib.suppress(UnicodeDecodeError):
            return shown.decode("utf-8")
    return shown


def _bytes_of(content: Any) -> bytes:
    if type_of(content) is bytes:
        return content  # type: ignore[no-any-return]
    text = content if type_of(content) is str else json.dumps(content)
    return text.encode("utf-8", "surrogatepass")


@contextlib.contextmanager
def _standing_for_servers(answers: Answers) -> Generator[None]:
    """Send no requests within the block, by the libraries that are loaded."""
    with contextlib.ExitStack() as stack:
        for name, owner, method, stub in _SENDERS:
            if name in sys.modules:
                place = getattr(importlib.import_module(name), owner)
                stack.enter_context(_replaced(place, method, _method(stub, answers)))
        yield


def _method(stub: Callable[..., Any], answers: Answers) -> Any:
    def send(_self: Any, *args: Any, **kwargs: Any) -> Any:
        return stub(answers, *args, **kwargs)

    return send


def _answer(
    answers: Answers, method: Any, url: Any, headers: Mapping[str, Any], body: Any
) -> tuple[int, bytes, dict[str, str]] | None:
    """Record a request; return the status, the body and the headers of its response, None if there is no connection."""
    answers.asked.append(_request(str(method).upper(), str(url), headers, body))
    answer = answers.next("responses", "")
    if answer is None:
        return None
    status, content = answer if type_of(answer) is tuple else (_OK, answer)
    kind = "text/plain; charset=utf-8" if type_of(content) in (str, bytes) else "application/json"
    return int(status), _bytes_of(content), {"Content-Type": kind}


def _request(method: str, url: str, headers: Mapping[str, Any], body: Any) -> Any:
    """Return how a request is told: the method and the URL, with the body and the headers of its own, if any."""
    kind = str(next((value for name, value in headers.items() if name.lower() == "content-type"), ""))
    told: dict[str, Any] = {}
    content = body if body is None or type_of(body) in (str, bytes) else b"".join(map(_bytes_of, _chunks(body)))
    if content:
        _, _, boundary = kind.partition("boundary=")
        content = _bytes_of(content).replace(boundary.encode(), b"boundary") if boundary else content
        told["body"] = _shown(content)
        if "json" in kind:
            with contextlib.suppress(ValueError):
                told = {"json": json.loads(content)}
    own = {name: _shown(value) for name, value in headers.items() if name.lower() not in _USUAL_HEADERS}
    told.update({"headers": dict(sorted(own.items()))} if own else {})
    return {"request": f"{method} {url}", **told} if told else f"{method} {url}"


def _chunks(body: Any) -> Iterator[Any]:
    yield from [body.read()] if hasattr(body, "read") else body


def _send_by_requests(answers: Answers, request: Any, *_: Any, **__: Any) -> Any:
    requests = importlib.import_module("requests")
    found = _answer(answers, request.method, request.url, request.headers, request.body)
    if found is None:
        raise requests.ConnectionError("no connection", request=request)
    response = requests.Response()
    response.status_code, response._content, headers = found
    response._content_consumed = True
    response.headers.update(headers)
    response.url, response.request, response.reason = request.url, request, _REASONS.get(found[0], "")
    response.encoding = "utf-8" if "text" in headers["Content-Type"] else None
    response.raw = io.BytesIO(found[1])
    return response


def _without_environment(
    _answers: Answers, _url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
) -> dict[str, Any]:
    """Return the settings of a request of requests, which looks for proxies among all variables otherwise."""
    return {"proxies": proxies or {}, "stream": stream, "verify": verify, "cert": cert}


def _send_by_urllib(answers: Answers, _connection: Any, request: Any, **_: Any) -> Any:
    error, response = importlib.import_module("urllib.error"), importlib.import_module("urllib.response")
    found = _answer(answers, request.get_method(), request.full_url, dict(request.header_items()), request.data)
    if found is None:
        raise error.URLError("no connection")
    headers = importlib.import_module("email.message").Message()
    for name, value in found[2].items():
        headers[name] = value
    answer = response.addinfourl(io.BytesIO(found[1]), headers, request.full_url, found[0])
    answer.msg = answer.reason = _REASONS.get(found[0], "")
    return answer


def _send_by_httpx(answers: Answers, request: Any) -> Any:
    httpx = importlib.import_module("httpx")
    found = _answer(answers, request.method, request.url, request.headers, request.read())
    if found is None:
        raise httpx.ConnectError("no connection", request=request)
    return httpx.Response(found[0], content=found[1], headers=found[2])


_SENDERS: tuple[tuple[str, str, str, Callable[..., Any]], ...] = (
    ("requests.adapters", "HTTPAdapter", "send", _send_by_requests),
    ("requests.sessions", "Session", "merge_environment_settings", _without_environment),
    ("urllib.request", "AbstractHTTPHandler", "do_open", _send_by_urllib),
    ("httpx", "HTTPTransport", "handle_request", _send_by_httpx),
)
"""Where each library sends a request: a module that is loaded with it, a class, its method, and the stub."""
