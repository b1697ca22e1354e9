"""Formats of strings that functions of the standard library parse: numbers, dates, addresses, JSON, programs."""

from __future__ import annotations

import re

_PYTHON = (
    "a = 1\n",
    "import a.b as c\nfrom d import e, f as g\n",
    "def f(a, *b, c=1):\n    if a:\n        # d\n        return b\n    return {'a': [a, *b]}\n",
    'class A(B):\n    """C."""\n\n    d: int = 1\n\n    @property\n    def e(self):\n        return f"{self.d!r}"\n',
    "for a in b:\n  a()\n  # c\nelse:\n\td += 1\n",
    "a = (1,\n     'b' \"c\")  # d\nb = a \\\n  + a\n",
    "try:\n    with a as b:\n        raise\nexcept (E, F) as e:\n    pass\n",
    "async def f(): return [await a async for a in b if not a]\n",
    "lambda a: a[0:1] if a else -a.b",
)
_TOML = ("a = 1\n", "[a]\nb = 'c'\n\n[[d.e]]\nf = [1.5, true]\n", 'a.b = {c = "d"}')
_FORMATS: dict[str, tuple[str, ...]] = {
    "fromisoformat": ("2024-02-29", "2023-12-31T23:59:59", "2000-01-01"),
    "ip_address": ("127.0.0.1", "10.0.0.255", "::1"),
    "ip_network": ("10.0.0.0/8", "192.168.1.0/24", "::/0"),
    "ip_interface": ("10.0.0.1/8", "192.168.1.1/24"),
    "UUID": ("12345678-1234-5678-1234-567812345678",),
    "literal_eval": ("[1, 'a']", "{'a': 1}", "(1,)", "None"),
    "Decimal": ("0.10", "1E+2", "-3.14", "2.5"),
    "Fraction": ("1/2", "-3/4", "0.25"),
    "fromhex": ("00ff", "0A"),
    "unhexlify": ("00ff", "0A"),
    "b64decode": ("YQ==", "YTpi", "YTo=", "YTpiOmM="),
    "urlparse": ("http://a.b:80/c?d=e#f", "/a/b", "mailto:a@b.c", "/a?b="),
    "urlsplit": ("http://a.b:80/c?d=e#f", "/a/b", "mailto:a@b.c", "/a?b="),
    "parse_qs": ("a=1&b=2", "a=1&a=2", "a="),
    "parse_qsl": ("a=1&b=2", "a=1&a=2", "a="),
    "fromstring": ("<a/>", "<a b='c'>d</a>", "<a><b>1</b><b/></a>"),
    "parseString": ("<a/>", "<a b='c'>d</a>", "<a><b>1</b><b/></a>"),
    "read_string": ("[a]\nb = 1", "[a]\nb = [c]\nd =", "[a]\nb = c\n  d\n[e]\nb = \u00e9"),
    "read_file": ("[a]\nb = 1", "[a]\nb = [c]\nd =", "[a]\nb = c\n  d\n[e]\nb = \u00e9"),
    "safe_load": ("a: 1", "a:\n- 1\n- b: c", "- a\n- 1.5"),
    "message_from_string": ("A: b\n\nc", "A: b\n c\nD: e\n\n", "a"),
    "reader": ("a,b", 'a,"b,c"', "1,2,3"),
    "DictReader": ("a,b\n1,2", "a\n\n"),
    "ast.parse": _PYTHON,
    "generate_tokens": _PYTHON,
    "tokenize.tokenize": _PYTHON,
    **dict.fromkeys(("normalize", "is_normalized", "decomposition"), ("\u00e9", "e\u0301", "\ufb01")),
    "combining": ("\u0301", "\u0323"),
    "unicodedata.category": ("a", "A", "1", " ", ".", "+", "\u0301", "\u4e2d"),
    "east_asian_width": ("\u4e2d", "\uff21", "\uff71", "\u00e9"),
    "bidirectional": ("\u05d0", "\u0627", "1", " "),
    "unicodedata.digit": ("7", "\u0663", "\u00b2"),
    "unicodedata.decimal": ("7", "\u0663", "\u00b2"),
    "unicodedata.numeric": ("7", "\u0663", "\u00bd", "\u4e94"),
    "tomllib.loads": _TOML,
    "tomli.loads": _TOML,
}
"""Formats that functions of the standard library parse, by their names, with the module where others have that name."""
DATE_FIELDS: dict[str, tuple[str, ...]] = {
    "Y": ("2024", "2000", "1999", "2023", "1900"),
    "y": ("24", "00", "99"),
    "m": ("01", "12", "02", "06"),
    "d": ("01", "31", "29", "28", "15"),
    "H": ("00", "23", "12", "01"),
    "I": ("12", "01", "11"),
    "M": ("00", "59", "30"),
    "S": ("00", "59", "01"),
    "f": ("000000", "500000", "1"),
    "j": ("001", "366", "060"),
    "p": ("AM", "PM"),
    "b": ("Jan", "Feb", "Dec"),
    "B": ("January", "February", "May"),
    "a": ("Mon", "Sun"),
    "A": ("Monday", "Sunday"),
    "z": ("+0000", "-0530", "+0200"),
    "Z": ("UTC",),
    "%": ("%",),
}
"""What the fields of ``strptime`` stand for, by their letters."""
DATE_FIELD = re.compile(r"%[YymdHIMSfjpbBaAzZ%]")


def formats_of(name: str, owner: str) -> tuple[str, ...]:
    """Return strings that a function parses, by its name and that of its module; none for other functions."""
    return _FORMATS.get(name, _FORMATS.get(f"{owner}.{name}", ()))
