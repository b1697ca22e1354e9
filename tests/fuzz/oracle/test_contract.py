"""What a text promises and demands is read without running it; see guest/contracts/test_runtime.py for the rest."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.docstrings.raises import read_documented_raises
from lsp_evalplus.fuzz.model import Contract, OracleKind
from lsp_evalplus.fuzz.oracle.contract import contract_oracle, read_contract
from lsp_evalplus.fuzz.source.discover import read_module


def read(text: str, name: str = "f") -> Contract | None:
    module = read_module(text)
    return read_contract(module.target(name), module)


@pytest.mark.parametrize(
    ("text", "styles", "promises"),
    [
        ("import icontract\n@icontract.ensure(lambda result: result)\ndef f(x): return x", ("icontract",), True),
        ("import icontract as i\n@i.require(lambda x: x)\ndef f(x): return x", ("icontract",), False),
        ("from icontract import ensure as e\n@e(lambda result: result)\ndef f(x): return x", ("icontract",), True),
        ("import deal\n@deal.pre(lambda x: x)\ndef f(x): return x", ("deal",), False),
        ("import deal\n@deal.safe\ndef f(x): return x", ("deal",), True),
        ("from deal import chain, post\n@chain(post(lambda r: r))\ndef f(x): return x", ("deal",), True),
        ("def f(x):\n    assert x\n    return x", ("assert",), False),
        ("def f(x):\n    assert x\n    y = x\n    assert y\n    return y", ("assert",), True),
        ("def f(x):\n    assert x\n    y = x\n    assert y\n    y += 1\n    return y", ("assert",), False),
        ("def f(x):\n    assert x\n    if x:\n        y = x\n        assert y\n        return y", ("assert",), True),
        ("def f(x):\n    assert x\n    y = x\n    assert y == x\n    return x + 1", ("assert",), False),
        ("def f(x):\n    assert x\n    x.sort()\n    assert x\n    return x", ("assert",), True),
        ("def f(x):\n    assert x\n    x.sort()\n    assert x[0] <= x[1]", ("assert",), True),
        ("def f(x):\n    y = x\n    assert y\n    return y", None, False),
        ("def f(x):\n    'Doc.'\n    return x", None, False),
        ("ensure = deal = print\n@ensure(1)\ndef f(x): return x", None, False),
        ("def f(x):\n    '''pre: x > 0\n    '''\n    return x", ("pep316",), False),
        ("def f(x):\n    '''post: __return__\n    '''\n    return x", ("pep316",), True),
        ("def f(x):\n    '''pre: not an expression\n    '''\n    return x", None, False),
    ],
)
def test_styles(text: str, styles: tuple[str, ...] | None, promises: bool) -> None:
    contract = read(text)
    assert (contract.styles if contract else None) == styles
    assert (contract.promises if contract else False) == promises
    oracle = contract_oracle(contract)
    assert (oracle.kind if oracle else None) == (OracleKind.CONTRACT if promises else None)


@pytest.mark.parametrize(
    ("name", "promises"),
    [("assert_sorted", False), ("_checkOrder", False), ("validate", False), ("checkerboard", True), ("put", True)],
)
def test_functions_that_are_called_for_their_asserts(name: str, promises: bool) -> None:
    contract = read(f"def {name}(x):\n    assert x\n    y = sorted(x)\n    assert y == x\n", name)
    assert contract is not None
    assert contract.promises is promises


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("    assert x\n    assert x > 1, 'no'\n    return x", (2, 3)),
        ("    'Doc.'\n    for y in x:\n        assert y\n    assert x\n    return x", (3, 5)),
        ("    if x:\n        assert x\n    else:\n        assert not x\n    return x", (2, 5)),
        ("    import math\n    assert x\n    return x", (3, 3)),
        ("    if x:\n        return 1\n    assert x\n    return x", None),
        ("    y = 1\n    assert x\n    return x", None),
    ],
)
def test_leading_asserts(body: str, lines: tuple[int, int] | None) -> None:
    contract = read(f"def f(x):\n{body}\n")
    assert (contract.leading_asserts if contract else None) == lines


def test_pep316_sections() -> None:
    text = '''
class A:
    """A.

    inv: self.x >= 0
    """

    def f(self, a, b):
        """Do it.

        :pre: a  # positive
        pre:
            b > 0
            # nothing here
            isinstance(b, int)

        post[a]:
            len(a) == len(__old__.a)
            __return__ != '#'
        raises: IndexError, KeyError
        """
        return a
'''
    contract = read(text, "A.f")
    assert contract is not None
    assert contract.preconditions == ("a", "b > 0", "isinstance(b, int)", "self.x >= 0")
    assert contract.postconditions == ("len(a) == len(__old__.a)", "__return__ != '#'", "self.x >= 0")
    assert contract.raises == ("IndexError", "KeyError")


@pytest.mark.parametrize(
    ("docstring", "names"),
    [
        (
            "Doc.\n\nRaises:\n    ValueError: if so\n        and more\n    my.KeyError: else\n\nReturns:\n    Thing: x",
            2,
        ),
        (
            "Doc.\n\n  Raises\n  ------\n  ValueError\n    if so\n  my.KeyError\n    else\n\n  See\n  ---\n  Gate",
            2,
        ),
        ("Doc.\n\n:raises ValueError: if so\n:raise my.KeyError: else\n:returns: x", 2),
        ("Raises the roof.\nraises eyebrows: often", 0),
        ("", 0),
    ],
)
def test_documented_raises(docstring: str, names: int) -> None:
    assert list(read_documented_raises(docstring)) == ["ValueError", "my.KeyError"][:names]
