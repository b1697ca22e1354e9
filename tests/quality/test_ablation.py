"""The rule sets of the ablation name what the guest has, and their neutral functions take effect."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.host.backend import guest_folder

sys.path.insert(0, str(Path(__file__).parent))
from rule_sets import RULE_SETS, RuleSet, UnknownNameError, copy_without, lines_of, replace_functions

SOURCE = """
def f(x):
    return x


class C:
    def f(self):
        return 1
"""


@pytest.mark.parametrize(
    ("name", "replacement", "expected"),
    [
        ("f", "def f(x):\n    return None", (None, 1)),
        ("C.f", "def f(self):\n    return 2", (3, 2)),
    ],
)
def test_a_function_is_replaced(name: str, replacement: str, expected: tuple[object, int]) -> None:
    namespace: dict[str, object] = {}
    exec(replace_functions(SOURCE, {name: replacement}) + "\nfound = f(3), C().f()", namespace)

    assert namespace["found"] == expected


@pytest.mark.parametrize("name", ["g", "C.g", "D.f", "C"])
def test_a_function_that_is_gone_is_an_error(name: str) -> None:
    with pytest.raises(UnknownNameError):
        replace_functions(SOURCE, {name: "def g(): ..."})


def test_a_module_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        copy_without(RuleSet("gone", modules=("docstrings/gone.py",)), tmp_path / "guest")


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
def test_a_rule_set_names_what_the_guest_has(rules: RuleSet) -> None:
    guest = Path(guest_folder())

    assert rules.disabled or rules.neutral
    assert lines_of(rules, guest) > 0 or rules.disabled
    for module, neutral in rules.neutral.items():
        source = (guest / module).read_text(encoding="utf-8")
        replaced = replace_functions(source, neutral)
        assert all(ast.unparse(ast.parse(one)).splitlines()[1] in replaced for one in neutral.values())


def test_a_copy_of_the_guest_differs_only_in_the_rules(tmp_path: Path) -> None:
    rules = next(one for one in RULE_SETS if one.name == "docstring types")
    copy_without(rules, tmp_path / "guest")

    original, copy = Path(guest_folder()), tmp_path / "guest"
    files = [path.relative_to(copy) for path in copy.rglob("*.py")]
    changed = [str(name) for name in files if (original / name).read_bytes() != (copy / name).read_bytes()]
    assert changed == ["docstrings/types.py"]
