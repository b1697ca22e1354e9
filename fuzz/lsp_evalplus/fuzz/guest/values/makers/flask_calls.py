"""Calls inside of a request to Flask. Tests and scripts get the definitions of this module."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Callable

from ..dynamic import type_of

LIBRARY = "flask"
_APPLICATION = "_lsp_application_"
_USUAL = ("Content-Type", "Content-Length", "Location", "Set-Cookie", "Vary")
"""Headers that are no part of an answer by themselves."""


def answer_of(view: Callable[..., Any], **parts: Any) -> Callable[..., Any]:
    """Return the view, called in a request of these parts: its result is what the client gets, as a dict.

    What it keeps in the session, or in the object for one request, is a part of it where it changed.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        with _request(view, parts) as (application, changes):
            try:
                response = application.make_response(view(*args, **kwargs))
            except _refusals() as raised:
                error: Any = raised
                if not _is_on_purpose(error):
                    raise
                usual: Any = vars(type_of(error)).get("description")
                stated = {} if error.description == usual else {"description": error.description}
                return {"status": error.code, **stated, **changes()}
            return {**_content(response), **changes()}

    return call


def in_request(function: Callable[..., Any], **parts: Any) -> Callable[..., Any]:
    """Return the function, called in a request of these parts; where it changes the session, or the object for one
    request, its result is a pair of what it returns and what these hold."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with _request(function, parts) as (_, changes):
            result = function(*args, **kwargs)
            changed = changes()
            return (result, changed) if changed else result

    return call


@contextlib.contextmanager
def _request(function: Any, parts: Mapping[str, Any]) -> Any:
    """Enter a request; the value is its application, and a function that returns what a call left in the context."""
    flask, sessions_module = importlib.import_module(LIBRARY), importlib.import_module(f"{LIBRARY}.sessions")
    application = _application(inspect.unwrap(function).__globals__, flask)
    config, sessions = dict(application.config), application.session_interface
    before = dict(parts.get("session") or {})
    session = sessions_module.SecureCookieSession(copy.deepcopy(before))
    application.session_interface = sessions_module.SessionInterface()

    def opened(*_: Any) -> Any:
        return session

    def changes() -> dict[str, Any]:
        kept = {"session": dict(session)} if session != before else {}
        left: dict[str, Any] = {**vars(flask.g._get_current_object())}
        return {**kept, **({"g": left} if left else {})}

    application.session_interface.open_session = opened
    try:
        application.config.update(parts.get("config") or {})
        with application.test_request_context("/", **_sent(parts)):
            yield application, changes
    finally:
        application.session_interface = sessions
        application.config.clear()
        application.config.update(config)


def _sent(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of werkzeug's builder that make a request of these parts."""
    json, form = parts.get("json"), _strings(parts.get("form"))
    headers, cookies = _strings(parts.get("headers")), _strings(parts.get("cookies"))
    if cookies:
        headers["Cookie"] = "; ".join([f"{name}={value}" for name, value in cookies.items()])
    method = parts.get("method") or ("GET" if json is None and not form else "POST")
    if form and json is None:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    content = {"data": form} if json is None else {"json": json}
    return {"method": method, "query_string": _strings(parts.get("args")), "headers": headers, **content}


def _application(namespace: dict[str, Any], flask: Any) -> Any:
    """Return the application of a module, or a new one with its blueprints."""
    values = list(namespace.values())
    own = [one for one in values if isinstance(one, flask.Flask)]
    if own:
        return own[0]
    made = flask.Flask(namespace.get("__name__") or "application")
    made.secret_key = "secret"  # noqa: S105 - protects nothing.
    for one in values:
        if isinstance(one, flask.Blueprint):
            made.register_blueprint(one)
    namespace[_APPLICATION] = made
    return made


def _strings(values: Any) -> dict[str, Any]:
    """Return the fields of a form, of a query or of headers: what is None is left out."""
    given = dict(values or {})
    return {
        str(name): list(map(str, value)) if type(value) in (list, tuple) else str(value)
        for name, value in given.items()
        if value is not None
    }


def _refusals() -> Any:
    return importlib.import_module("werkzeug.exceptions").HTTPException


def _is_on_purpose(error: Any) -> bool:
    """Whether a program refused a request, and not the library, which did not find what was asked for in it."""
    trace, home = error.__traceback__, ""
    while trace is not None:
        home, trace = str(trace.tb_frame.f_globals.get("__name__")), trace.tb_next
    is_missing_key = type(error).__name__ == "BadRequestKeyError"
    return not is_missing_key and home not in ("flask.wrappers", "werkzeug.wrappers.request")


def _content(response: Any) -> dict[str, Any]:
    """Return what a client gets: the status, JSON or a string, where it is sent to, and headers of the program's."""
    found: dict[str, Any] = {"status": response.status_code}
    if response.is_json:
        found["json"] = response.get_json()
    elif not response.is_streamed or response.is_sequence:
        body = response.get_data()
        with contextlib.suppress(UnicodeDecodeError):
            body = body.decode("utf-8")
        found.update({"body": body} if body else {})
    if not response.is_json and response.mimetype != "text/html":
        found["type"] = response.mimetype
    if response.location:
        found["location"] = response.location
    if "Set-Cookie" in response.headers:
        found["cookies"] = sorted(response.headers.getlist("Set-Cookie"))
    further = {name: value for name, value in response.headers if name not in _USUAL}
    return {**found, **({"headers": further} if further else {})}
