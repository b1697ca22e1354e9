"""Strings and streams that a function has parsed by the standard library are in that format."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PARSING = """
import ast
import configparser
import email
import io
import tokenize
import unicodedata


def options(stream):
    parser = configparser.ConfigParser()
    parser.read_string(stream.read())
    found = {}
    for section in parser.sections():
        for key, value in parser[section].items():
            found[key] = ast.literal_eval(value) if "[" in value else value
    return found


def sections(text: str) -> list[str]:
    parser = configparser.ConfigParser(allow_no_value=True)
    parser.read_string(text)
    return [f"{name}:{len(parser[name])}" for name in parser.sections()]


def subject(text: str) -> dict[str, str]:
    message = email.message_from_string(text)
    return {name: value for name, value in message.items() if value}


def arguments(source: str) -> list[str]:
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return [argument.arg for function in functions for argument in function.args.args]


def comments(source: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def accented(word, letter, accent):
    if letter in word:
        if unicodedata.combining(accent):
            place = word.index(letter) + len(letter)
            return word[:place] + accent + word[place:]
        return word.replace(letter, letter + accent)
    return word


def columns(line):
    wide = [one for one in line if unicodedata.east_asian_width(one) in "WF"]
    return len(line) + len(wide)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("options", "found[key] =", "found[section] ="),
        ("sections", "len(parser[name])", "len(name)"),
        ("subject", "if value}", "if name}"),
        ("arguments", "function.args.args]", "function.args.args + function.args.kwonlyargs]"),
        ("comments", "token.type ==", "token.start[1] == 0 and token.type =="),
        ("subject", "message.items()", "message.items()[:1]"),
        ("accented", "+ accent + word[place:]", "+ word[place:]"),
        ("columns", '"WF"', '"W"'),
    ],
)
def test_what_the_library_parses(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PARSING, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("options", "parser[section].items()", "list(parser[section].items())"),
        ("sections", "len(parser[name])", "len(list(parser[name]))"),
        ("arguments", "ast.parse(source)", "ast.parse(source, mode='exec')"),
    ],
)
def test_what_the_library_parses_in_the_same_way(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PARSING, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report.reason


ADDRESSES = """
from urllib.parse import parse_qs, urlparse, urlsplit

SEARCH = {"elasticsearch": "engines.Elastic", "whoosh": "engines.Whoosh"}


def engine(url, name=None):
    url = urlparse(url)
    if url.scheme not in SEARCH:
        raise ValueError("no such engine: " + url.scheme)
    found = {"ENGINE": SEARCH[url.scheme], "HOST": url.hostname}
    return {**found, "NAME": name} if name else found


def queue(url: str):
    parts = urlsplit(url)
    if parts.scheme in ("amqp", "kafkabroker"):
        query = parse_qs(parts.query)
        return parts.hostname, int(query["RETRIES"][0]) if "RETRIES" in query else 0
    return None
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("engine", "engines.Whoosh", "engine.Whoosh"),
        ("engine", "url.hostname", "url.netloc"),
        ("queue", "parts.hostname", "parts.netloc"),
        ("queue", "else 0", "else 1"),
        ("queue", "int(query", "1 + int(query"),
    ],
)
def test_addresses_have_the_schemes_and_keys_that_code_knows(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(ADDRESSES, ADDRESSES.replace(old, new), name, kind="previous", calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason


STYLES = """
def attributes(style: str):
    found = {}
    for key, value in [part.split(":") for part in style.split(";") if part.count(":") == 1]:
        if key.strip() == "vertical-alignment":
            found["valign"] = value.strip()
        elif key.strip() == "background-color" and value != "transparent":
            found["bgcolor"] = value.strip()
    return found
"""


@pytest.mark.parametrize(
    ("old", "new"), [('found["valign"]', 'found["align"]'), (' and value != "transparent"', ""), ("bgcolor", "color")]
)
def test_long_words_between_separators(judge: Any, old: str, new: str) -> None:
    report = judge.edit(STYLES, "attributes", old, new, calls=2500)
    assert report.verdict is Verdict.DIFFERS, report.reason
