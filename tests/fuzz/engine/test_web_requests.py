"""Functions that Flask calls in a request: they are called in one, whose parts are inputs."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from dataclasses import dataclass

from flask import Blueprint, Flask, abort, current_app, g, jsonify, request, session

app = Flask(__name__)
app.config["TOKEN"] = "sesame"
pages = Blueprint("pages", __name__)


@dataclass
class Item:
    key: str
    name: str
    price: float = 0.0


ITEMS = {"a1": Item("a1", "Lamp", 20.0), "b2": Item("b2", "Desk", 5.0)}


def shown(item):
    return {"key": item.key, "price": item.price}


@app.get("/items")
def listed():
    page = request.args.get("page", 1, type=int)
    if page < 1:
        abort(400)
    found = [one for one in ITEMS.values() if request.args.get("q", "").strip() in one.name]
    return jsonify(items=[shown(one) for one in found], page=page)


@app.get("/items/<key>")
def found(key):
    if key.lower() not in ITEMS:
        abort(404)
    return jsonify(shown(ITEMS[key.lower()]))


@app.post("/items")
def made():
    data = request.get_json(silent=True) or {}
    if not data.get("key") or not data.get("name"):
        return jsonify(error="incomplete"), 422
    if data["key"] in ITEMS:
        return {"error": "exists"}, 409
    return jsonify(shown(Item(data["key"], data["name"]))), 201


@app.delete("/items/<int:number>")
def removed(number):
    if request.headers.get("X-Token") != current_app.config["TOKEN"]:
        abort(403)
    return "", 204


@pages.route("/cart", methods=["GET", "POST"])
def cart():
    keys = session.get("cart", [])
    if request.method == "POST":
        session["cart"] = [*keys, request.form["key"]]
    return {"count": len(keys)}


@app.before_request
def logged_in():
    header = request.headers.get("Authorization", "")
    g.user = header[7:] if header.startswith("Bearer ") else None
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("listed", "page < 1", "page < 0"),
        ("listed", "abort(400)", "abort(404)"),
        ("listed", '"").strip() in', '"") in'),
        ("found", "key.lower() not", "key not"),
        ("made", 'not data.get("key") or', 'not data.get("key") and'),
        ("made", "409", "400"),
        ("made", 'data["key"], data["name"]', 'data["name"], data["key"]'),
        ("removed", '"X-Token"', '"Token"'),
        ("cart", 'session["cart"] =', 'session["keys"] ='),
        ("cart", '== "POST"', '== "GET"'),
        ("logged_in", '"Bearer ")', '"Bearer")'),
    ],
)
def test_views(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("made", 'return {"error": "exists"}, 409', 'return jsonify(error="exists"), 409'),
        ("listed", "page < 1", "1 > page"),
        ("found", "abort(404)", "abort(404, None)"),
        ("cart", "[*keys, request.form", "keys + [request.form"),
        ("removed", "current_app.config", "app.config"),
        ("logged_in", "header[7:]", 'header.removeprefix("Bearer ")'),
    ],
)
def test_the_same_views(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.inputs


HELPERS = """
from functools import wraps

from flask import Flask, abort, jsonify, request, session

app = Flask(__name__)
ITEMS = ["Lamp", "Desk", "Chair"]
TOKENS = {"sesame": "ann"}


def page_number():
    page = request.args.get("page", default=1, type=int)
    if page < 1:
        abort(400)
    return page


def current_user():
    return TOKENS.get(request.headers.get("X-Token"))


def payload():
    data = request.get_json(silent=True)
    if not isinstance(data, dict):
        return {}
    return data


def token_required(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        if request.headers.get("Authorization") != "Bearer sesame":
            return jsonify(error="no"), 401
        return function(*args, **kwargs)

    return wrapper


def is_admin():
    return session.get("role") == "admin"


def words():
    return split_words(request.args.get("q", ""))


def split_words(text):
    return [one for one in text.split(",") if one]


@app.get("/items")
def listed():
    page = page_number()
    start = (page - 1) * 2
    return jsonify(items=ITEMS[start:start + 2], page=page, is_first=page == 1)


@app.get("/me")
def me():
    user = current_user()
    if user is None:
        return {"error": "unknown"}, 401
    return {"user": user}


@app.post("/items")
def made():
    data = payload()
    if len(data.get("name", "")) < 3:
        return {"error": "short"}, 422
    return {"name": data["name"]}, 201


@app.delete("/items/<int:number>")
@token_required
def removed(number):
    if number >= len(ITEMS):
        abort(404)
    return "", 204


@app.get("/admin")
def admin():
    if not is_admin():
        abort(403)
    return {"count": len(ITEMS)}


@app.get("/search")
def search():
    return jsonify([one for one in ITEMS if all(word in one for word in words())])
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("listed", "page == 1", "page <= 2"),
        ("me", '{"user": user}', '{"user": user.title()}'),
        ("made", 'data.get("name", "")) < 3', 'data.get("name", "")) < 2'),
        ("removed", "number >= len", "number > len"),
        ("removed", '"", 204', '"", 200'),
        ("admin", '"count": len(ITEMS)', '"count": len(ITEMS) + 1'),
        ("search", "word in one", "one in word"),
    ],
)
def test_parts_that_helpers_and_decorators_read(judge: Any, name: str, old: str, new: str) -> None:
    assert HELPERS.count(old) == 1
    report = judge.edit(HELPERS, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_a_library_function_that_never_returns_raises_is_raised_on_purpose(judge: Any) -> None:
    report = judge(HELPERS, HELPERS.replace("page < 1", "page < 0"), "page_number", kind="previous")
    assert report.counterexample is not None, report.reason
    assert report.counterexample.call == "in_request(page_number, args={'page': 0})()"
    assert report.counterexample.expected.text.startswith("BadRequest: 400")


@pytest.mark.parametrize("name", ["listed", "me", "made", "removed", "admin", "search", "page_number"])
def test_the_same_helpers(judge: Any, name: str) -> None:
    newer = HELPERS.replace("page < 1", "1 > page").replace("TOKENS.get(request", "TOKENS.get(\n        request")
    newer = newer.replace('jsonify(error="no"), 401', '({"error": "no"}, 401)')
    report = judge(HELPERS, newer, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.inputs > 20


def test_a_call_shows_the_parts_of_its_request(judge: Any) -> None:
    report = judge(SOURCE, SOURCE.replace("page < 1", "page < 0"), "listed", kind="previous")
    assert report.counterexample is not None
    assert report.counterexample.call == "answer_of(listed, args={'page': 0})()"
    assert report.counterexample.expected.text == "{'status': 400}"
