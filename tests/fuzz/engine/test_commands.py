"""Functions that an object of a library keeps and stands for: commands, whose options tell the types of parameters."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

pytest.importorskip("click")

SOURCE = """
import sys

import click


@click.group()
@click.option("--verbose", "-v", count=True)
@click.pass_context
def main(ctx, verbose):
    ctx.ensure_object(dict)
    ctx.obj["verbose"] = verbose


@main.command()
@click.argument("words", nargs=-1)
@click.option("--upper/--no-upper", default=False)
@click.option("--style", type=click.Choice(["plain", "list"]), default="plain")
@click.option("--times", type=click.IntRange(1, 5), default=1)
@click.option("--at", type=click.Tuple([int, float]), nargs=2)
def echo(words, upper, style, times, at):
    line = ("\\n" if style == "list" else "/").join(words)
    for _ in range(times):
        click.echo(line.upper() if upper else line)
    if at and at[0] > 2:
        click.echo(at[1] + 1)


@main.command()
@click.argument("source", type=click.File("r"))
def count(source):
    words = source.read().split()
    if not words:
        sys.exit(3)
    click.echo(len(words))


@main.command()
@click.pass_obj
@click.argument("name")
def greet(settings, name):
    if settings["verbose"] > 1:
        click.echo("to " + name, err=True)
    click.echo(f"Hello {name.title()}")


def pairs(ctx, param, value):
    return dict(one.partition("=")[::2] for one in value)


@main.command()
@click.option("--define", "-D", multiple=True, callback=pairs)
def show(define):
    for key in sorted(define):
        click.echo(f"{key}: {define[key]}")
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main", '["verbose"] = verbose', '["verbose"] = verbose + 1'),
        ("echo", "line.upper()", "line.title()"),
        ("echo", 'else "/"', 'else "."'),
        ("echo", "range(times)", "range(times - 1)"),
        ("echo", "at[1] + 1", "at[1] + 2"),
        ("count", "sys.exit(3)", "sys.exit(2)"),
        ("count", "len(words)", "len(set(words))"),
        ("greet", "name.title()", "name.upper()"),
        ("greet", "> 1", "> 2"),
        ("show", "sorted(define)", "define"),
    ],
)
def test_commands(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert f"{name}.callback" in report.counterexample.call


def test_a_callable_object_of_the_project_is_called_itself(judge: Any) -> None:
    source = """
class Doubled:
    def __init__(self, function):
        self.function = function

    def __call__(self, number: int) -> int:
        return 2 * self.function(number)


@Doubled
def following(number: int) -> int:
    return number + 1
"""
    report = judge(source, source.replace("number + 1", "number + 2"), "following", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert ".function" not in report.counterexample.call
