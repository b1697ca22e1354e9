"""Objects from the Hypothesis strategies that a project registers for its classes."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import load_settings
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job
from lsp_evalplus.fuzz.index.indexes import ProjectIndexes
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

from ...conftest import Judge

CART = """
import decimal
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum

class Lines:
    def __init__(self, key, prices):
        if key != "k-19":
            raise ValueError(key)
        self.prices = prices

class Cart:
    def __init__(self, lines):
        if not isinstance(lines, Lines):
            raise TypeError(lines)
        self.lines = lines
        self.voucher = None

    def redeem(self, voucher):
        self.voucher = voucher

    @classmethod
    def of(cls, *prices):
        return cls(Lines("k-19", list(prices)))

class Season(Enum):
    SPRING = "spring"
    AUTUMN = "autumn"

@dataclass(frozen=True)
class Offer:
    season: Season
    limit: decimal.Decimal

    def __post_init__(self):
        if self.limit != decimal.Decimal("2.75"):
            raise ValueError(self.limit)

Spot = namedtuple("Spot", "code row")
"""
USES = """
from shop.cart import Cart, Offer, Spot

def total(cart: Cart) -> int:
    return sum(cart.lines.prices) - (5 if cart.voucher == "spring" else 0)

def is_over(offer: Offer) -> bool:
    return offer.season.value == "spring" and offer.limit > 2

def place(spot: Spot) -> str:
    return spot.code[2:] + str(spot.row)
"""
PRELUDE = """
import decimal
from hypothesis import strategies as st
from shop.cart import Cart, Lines, Offer, Season, Spot
"""
COMPOSITE = """
@st.composite
def carts(draw):
    cart = Cart(Lines("k-19", draw(st.lists(st.integers(1, 50), max_size=4))))
    if draw(st.booleans()):
        cart.redeem(draw(st.sampled_from(["autumn", "spring"])))
    return cart

st.register_type_strategy(Cart, carts())
"""
LIMIT = "sum(cart.lines.prices)", "min(sum(cart.lines.prices), 30)"
VOUCHER = '5 if cart.voucher == "spring"', "5 if cart.voucher"


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """Has Hypothesis imported before guests are forked; without, each guest that is asked would import it."""
    with asyncio.Runner() as runner:
        interpreter = find_interpreter(sys.executable, Path())
        pool = GuestPool(interpreter, Confinement(), size=3, preload=("asyncio", "hypothesis.strategies"))
        try:
            yield Judge(runner, pool)
        finally:
            runner.run(pool.close())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    for folder in ("shop", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shop/__init__.py").write_text("")
    (tmp_path / "shop/cart.py").write_text(CART)
    return tmp_path


def prepared(project: Path, name: str, change: tuple[str, str]) -> tuple[FunctionTarget, Oracle]:
    """A changed function of the module of uses, to be compared with the module as it was."""
    path = project / "shop/uses.py"
    path.write_text(USES.replace(*change))
    assert path.read_text() != USES
    module, settings = read_module(path.read_text(), path), load_settings(project)
    target = module.target(name)
    knowledge = ProjectIndexes(is_fixed=True).knowledge(module, settings)
    previous = PreviousVersion(USES, "HEAD")
    return target, oracles_for(target, module, path, settings, previous=previous, project=lambda: knowledge)[0]


def checked(project: Path, judge: Any, name: str, change: tuple[str, str]) -> Report:
    target, oracle = prepared(project, name, change)
    return judge.check(target, oracle, Budget(6.0, 100, 0))


MAPPED = "st.register_type_strategy(Cart, st.lists(st.integers(20, 50)).map(lambda prices: Cart.of(*prices)))"
SHARED = "st.register_type_strategy(Cart, st.sampled_from([Cart.of(7), Cart.of(60, 1)]))"
FUNCTION = "st.register_type_strategy(Cart, lambda _kind: st.integers(20, 50).map(Cart.of))"
LOOP = "for kind in (Cart,):\n    st.register_type_strategy(kind, st.integers(20, 50).map(Cart.of))"
OFFERS = "st.register_type_strategy(Offer, st.builds(Offer, st.sampled_from(Season), st.just(decimal.Decimal('2.75'))))"
SPOTS = "st.register_type_strategy(Spot, st.builds(Spot, st.sampled_from(['a-9', 'b-33']), st.integers(1, 9)))"


@pytest.mark.parametrize(
    ("strategy", "name", "change", "call"),
    [
        (COMPOSITE, "total", VOUCHER, "total((it := Cart(shop.cart.Lines('k-19', [8])), it.redeem('autumn'), it)[-1])"),
        pytest.param(COMPOSITE, "total", LIMIT, "total(Cart(shop.cart.Lines('k-19', [", marks=pytest.mark.slow),
        (MAPPED, "total", LIMIT, "total(Cart(shop.cart.Lines('k-19', ["),
        pytest.param(SHARED, "total", LIMIT, "total(Cart(shop.cart.Lines('k-19', [60, 1])))", marks=pytest.mark.slow),
        (LOOP, "total", LIMIT, "total(Cart(shop.cart.Lines('k-19', ["),
        (
            OFFERS,
            "is_over",
            ("limit > 2", "limit > 3"),
            "is_over(Offer(shop.cart.Season.SPRING, decimal.Decimal('2.75')))",
        ),
        (SPOTS, "place", ("code[2:]", "code[2:3]"), "place(Spot('b-33', "),
    ],
)
def test_strategies_make_the_objects(
    strategy: str, name: str, change: tuple[str, str], call: str, project: Path, judge: Any
) -> None:
    (project / "tests/conftest.py").write_text(PRELUDE + strategy)

    report = checked(project, judge, name, change)

    assert report.counterexample is not None, report
    assert call.partition("[8]")[0] in report.counterexample.call


OWN = """
class Box:
    def __init__(self, mark, sizes):
        if mark != "z-7":
            raise ValueError(mark)
        self.sizes = sizes

    def largest(self):
        return max(self.sizes, default=0)

def smallest(box: Box) -> int:
    return min(box.sizes, default=0)
"""


@pytest.mark.parametrize(
    ("name", "change", "call"),
    [
        ("Box.largest", ("max(self", "sum(self.sizes) or max(self"), "Box('z-7', ["),
        pytest.param(
            "smallest", ("min(box.sizes,", "min(box.sizes[:1],"), "smallest(Box('z-7', [", marks=pytest.mark.slow
        ),
    ],
)
def test_functions_and_methods_beside_the_class(
    name: str, change: tuple[str, str], call: str, project: Path, judge: Any
) -> None:
    path = project / "shop/box.py"
    path.write_text(OWN.replace(*change))
    strategy = "st.builds(Box, st.just('z-7'), st.lists(st.integers(1, 9)))"
    imports = "from hypothesis import strategies as st\nfrom shop.box import Box\n"
    (project / "tests/conftest.py").write_text(f"{imports}st.register_type_strategy(Box, {strategy})\n")
    module = read_module(path.read_text(), path)
    knowledge = ProjectIndexes(is_fixed=True).knowledge(module, load_settings(project))
    target, older = module.target(name), PreviousVersion(OWN, "HEAD")
    oracle = oracles_for(target, module, path, previous=older, project=lambda: knowledge)[0]

    report = judge.check(target, oracle, Budget(6.0, 100, 0))

    assert report.counterexample is not None, report
    assert call in report.counterexample.call


def test_there_are_no_other_objects_of_the_class(project: Path, judge: Any) -> None:
    """Neither from the class' constructor, nor from calls in the project's code."""
    (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION.replace("20, 50", "1, 20"))
    (project / "shop/sales.py").write_text("from shop.cart import Cart\n\nSALE = Cart.of(20, 44)\n")

    assert checked(project, judge, "total", LIMIT).verdict is Verdict.AGREES


def test_settings_say_more_than_strategies(project: Path, judge: Any) -> None:
    (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION)
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus.types]\n"shop.cart.Cart" = ["shop.cart.Cart.of(4)"]\n')

    assert checked(project, judge, "total", LIMIT).verdict is Verdict.AGREES


def test_settings_name_modules_whose_text_shows_no_strategy(project: Path, judge: Any) -> None:
    registers = (
        "def add(module):\n    getattr(module, 'register_' + 'type_strategy')(Cart, st.integers(20, 50).map(Cart.of))\n"
    )
    (project / "shop/testing.py").write_text(f"{PRELUDE}\n{registers}\nadd(st)\n")
    assert checked(project, judge, "total", LIMIT).verdict is not Verdict.DIFFERS
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus]\nstrategies = ["shop.testing"]\n')

    assert checked(project, judge, "total", LIMIT).verdict is Verdict.DIFFERS


def test_files_of_one_name_all_register(project: Path, judge: Any) -> None:
    """Projects have several files ``conftest.py``, and none of them needs to be in a package."""
    (project / "conftest.py").write_text(PRELUDE + SPOTS)
    (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION)

    assert checked(project, judge, "total", LIMIT).verdict is Verdict.DIFFERS
    assert checked(project, judge, "place", ("code[2:]", "code[2:3]")).verdict is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("strategy", "problem"),
    [
        (
            f"import no_such_module\n{FUNCTION}",
            "conftest cannot be imported (ModuleNotFoundError: No module named 'no_such_module')",
        ),
        (
            "st.register_type_strategy(Cart, st.integers().map(lambda n: 1 // 0))",
            "shop.cart.Cart cannot be used: it raises ZeroDivisionError",
        ),
        ("st.register_type_strategy(Cart, st.integers().map(lambda n: Cart.of(object())))", "written as an expression"),
    ],
)
def test_strategies_that_give_nothing_are_told(
    strategy: str, problem: str, project: Path, judge: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """What the project's code shows is tried, then."""
    (project / "tests/conftest.py").write_text(f"{PRELUDE}\n{strategy}\n")
    (project / "shop/sales.py").write_text(
        "from shop.cart import Cart, Lines\n\nSALE = Cart(Lines('k-19', [20, 44]))\n"
    )

    with caplog.at_level(logging.WARNING):
        report = checked(project, judge, "total", LIMIT)

    assert report.verdict is Verdict.DIFFERS
    assert problem in caplog.text


def test_modules_that_register_run_in_guests_alone(project: Path, judge: Any) -> None:
    """They are confined as checked code is."""
    writes = f"try:\n    open({str(project / 'written')!r}, 'w').close()\nexcept OSError:\n    pass\n"
    (project / "tests/conftest.py").write_text(f"{PRELUDE}\n{writes}\nimport sys\nsys.met_here = True\n{FUNCTION}\n")

    assert checked(project, judge, "total", LIMIT).verdict is Verdict.DIFFERS
    assert not (project / "written").exists()
    assert not hasattr(sys, "met_here")


@contextmanager
def counted(pool: GuestPool) -> Generator[list[str]]:
    """The kinds of jobs that a pool starts."""
    kinds, start = list[str](), pool.start

    def noted(job: Job) -> Any:
        kinds.append(job.kind)
        return start(job)

    pool.start = noted  # type: ignore[method-assign]
    yield kinds


def test_strategies_are_asked_once_for_each_state_of_the_project(project: Path) -> None:
    (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION)

    async def run() -> list[list[str]]:
        async with GuestPool(find_interpreter(sys.executable, project), Confinement(), size=2) as pool:
            found = list[list[str]]()
            with counted(pool) as kinds:
                for _ in range(2):
                    target, oracle = prepared(project, "total", LIMIT)
                    assert (await check(target, oracle, Budget(6.0, 100, 0), pool)).verdict is Verdict.DIFFERS
                    found.append([kind for kind in kinds if kind == "strategies"])
                (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION.replace("20, 50", "1, 20"))
                target, oracle = prepared(project, "total", LIMIT)
                assert (await check(target, oracle, Budget(6.0, 100, 0), pool)).verdict is Verdict.AGREES
                found.append([kind for kind in kinds if kind == "strategies"])
            return found

    assert [len(one) for one in asyncio.run(run())] == [1, 1, 2]


def test_an_environment_may_lack_hypothesis(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")], check=True)
    (project / "tests/conftest.py").write_text(PRELUDE + FUNCTION)
    (project / "shop/sales.py").write_text(
        "from shop.cart import Cart, Lines\n\nSALE = Cart(Lines('k-19', [20, 44]))\n"
    )
    target, oracle = prepared(project, "total", LIMIT)

    async def run() -> Report:
        async with GuestPool(
            find_interpreter(str(project / ".venv/bin/python"), project), Confinement(), size=2
        ) as pool:
            return await check(target, oracle, Budget(6.0, 100, 0), pool)

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(run()).verdict is Verdict.DIFFERS
    assert "strategies of Hypothesis cannot be used: Hypothesis cannot be imported" in caplog.text
