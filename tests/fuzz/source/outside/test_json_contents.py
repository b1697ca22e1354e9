"""What JSON is like that functions read."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.source.outside.json_contents import json_read


@pytest.mark.parametrize(
    ("body", "sample"),
    [
        ("return r.json()['info']['version']", {"info": {"version": "?"}}),
        ("data = json.loads(text)\nreturn [one['name'] for one in data['items']]", {"items": [{"name": "?"}]}),
        (
            "data = r.json()\nfor one in data:\n    print(one.get('id'), one.get('tags', [])[0])",
            [{"id": "?", "tags": ["?"]}],
        ),
        ("return {k: v['size'] for k, v in json.load(f)['files'].items()}", {"files": {"a": {"size": "?"}}}),
        ("data = r.json()\nif data['state'] == 'open' and 'url' in data:\n    return 1", {"state": "open", "url": "?"}),
        ("for n, one in enumerate(r.json() or []):\n    print(n, one['a'])", [{"a": "?"}]),
        ("return sorted(r.json(), key=lambda one: one['date'])[0]", [{"date": "?"}]),
        ("first, second = r.json()\nreturn first['a'] + second['b']", [{"a": "?", "b": "?"}]),
        ("return next(one for one in r.json()['l'] if one['id'] == 7)['b']", {"l": [{"id": 7}]}),
        ("data = r.json()['jobs']\nfor k in data:\n    print(data[k]['id'])", {"jobs": {"a": {"id": "?"}}}),
        ("return text['a']", "?"),
    ],
)
def test_samples(body: str, sample: object) -> None:
    function = ast.parse("def f(r, f, text):\n    " + body.replace("\n", "\n    ")).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert json_read([function]).sample("?") == sample


def test_other_functions_are_followed() -> None:
    tree = ast.parse("""
def load(path):
    with open(path) as file:
        return json.load(file)

def names(path):
    return [name_of(one) for one in load(path)["all"]]

def name_of(entry):
    return entry["name"] or entry["id"]
""")
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    assert json_read(functions).sample(1, 2) == {"all": [{"name": 1, "id": 1}] * 2}


def test_what_holds_itself_ends() -> None:
    tree = ast.parse("""
def walk(text):
    return count(json.loads(text))

def count(node):
    return 1 + sum(count(one) for one in node["children"])
""")
    content = json_read([one for one in tree.body if isinstance(one, ast.FunctionDef)])
    assert "children" in content.to_plain()["keys"]
