"""Which libraries are imported before a program of BigCodeBench is run, by what it and its tests name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsp_evalplus.bench.bigcodebench.guest_profile import ModuleGroups, modules_for
from lsp_evalplus.bench.datasets.bigcodebench import Task
from lsp_evalplus.fuzz.guest.boot import PACKAGE


def task(number: int, *libraries: str) -> Task:
    prompt = "".join(f"import {library}\n" for library in libraries) + "def task_func():\n"
    return Task(f"BigCodeBench/{number}", prompt, "", "", "    pass\n", "", "task_func", libraries)


def tasks(plain: int, tables: int, learning: int) -> list[Task]:
    kinds = [("json",)] * plain + [("pandas", "requests")] * tables + [("sklearn", "numpy", "pandas")] * learning
    return [task(number, *libraries) for number, libraries in enumerate(kinds)]


GROUPS = ModuleGroups(tasks(30, 150, 30))
USUAL = {"unittest.mock", "tempfile"}
SMALL = {*USUAL, "json", "requests"}
TABLES = {*SMALL, "numpy", "numpy.random", "pandas"}


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import os, json\nfrom collections.abc import Mapping", SMALL),
        ("def task_func():\n    from  requests.exceptions import Timeout", SMALL),
        ("import json as j, numpy as np", TABLES),
        ("from pandas import DataFrame", TABLES),
        ("with patch('pandas.read_csv') as read:", TABLES),
        ("xpandas = numpy_like = 1", SMALL),
        ("from sklearn.cluster import KMeans", None),
        ("import pandas\nread = __import__('sklearn').datasets", None),
    ],
)
def test_the_smallest_group_with_what_a_text_names(text: str, modules: set[str] | None) -> None:
    found = GROUPS.modules_of(text)
    assert (None if found is None else {*found}) == modules


def test_what_another_library_imports_is_not_known_so_all_are_there() -> None:
    """Were numpy imported by it, that would be after the generators of random numbers were seeded."""
    assert GROUPS.modules_of("from wordcloud import WordCloud") is None


def test_a_zygote_for_a_few_programs_does_not_pay() -> None:
    text = "import json"
    few = ModuleGroups(tasks(3, 2, 100))
    assert few.modules_of(text) is None
    some = ModuleGroups(tasks(40, 2, 100)).modules_of(text)
    assert some is not None
    assert {*some} == SMALL


def test_no_group_has_what_no_task_needs() -> None:
    alike = [task(number, "json") for number in range(200)]
    assert ModuleGroups(alike).modules_of("import json") is None
    assert {*modules_for(alike)} == {*USUAL, "json"}


def test_what_few_tasks_need_is_not_imported_once() -> None:
    assert {*modules_for([task(number, "json", "numpy", "turtle") for number in range(1)])} == USUAL


def test_libraries_that_only_tests_import_count() -> None:
    tested = [replace(task(number, "json"), test="from faker import Faker\n") for number in range(30)]
    groups = ModuleGroups([*tested, *tasks(0, 0, 30)])
    assert {*(groups.modules_of("from faker import Faker") or ())} == {*USUAL, "faker:Faker", "json"}


def test_the_first_figure_is_drawn_once_where_many_tasks_draw() -> None:
    drawn = f"{PACKAGE}.process.first_use:draw_figures"
    few, many = ([task(number, "matplotlib") for number in range(count)] for count in (39, 40))
    assert drawn not in modules_for(few)
    assert modules_for(many)[-2:] == ("matplotlib.pyplot", drawn)
    others = [task(number, "sklearn") for number in range(40)]
    assert drawn not in (ModuleGroups([*tasks(40, 0, 0), *many, *others]).modules_of("import json") or ())
