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
_ADDRESSES = ("http://a.b/c", "https://a.b:80/c?d=e", "http://a")
_EXPRESSIONS = ("1 + 2 * a", "-a ** 2", "(a - 1) / 3", "2 ** -3", "a % 2 == 1", "a and not b", "1 if a else b")
"""Expressions of Python: arithmetic, comparisons and conditions."""
_SENDING = "get post put patch delete head options"
"""Functions of HTTP libraries whose first argument is an address."""
_FORMATS: dict[str, tuple[str, ...]] = {
    "fromisoformat": ("2024-02-29", "2023-12-31T23:59:59", "2000-01-01"),
    "ip_address": ("127.0.0.1", "10.0.0.255", "::1"),
    "ip_network": ("10.0.0.0/8", "192.168.1.0/24", "::/0"),
    "ip_interface": ("10.0.0.1/8", "192.168.1.1/24"),
    "UUID": ("12345678-1234-5678-1234-567812345678",),
    **dict.fromkeys(("IPv4Address", "IPv6Address"), ("127.0.0.1", "::1")),
    **dict.fromkeys(("IPv4Network", "IPv6Network"), ("10.0.0.0/8", "::/0")),
    "import_module": ("json", "os.path"),
    "parsedate_to_datetime": ("Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 29 Feb 2016 23:59:59 +0200"),
    "Version": ("1.2.3", "1.0rc1", "2.0.post1", "1!1.0.dev2+a"),
    "SpecifierSet": (">=1.0,<2", "==1.*", "!=1.5"),
    "Requirement": ("a>=1.0", 'a[b]<2; python_version < "3.8"', "a @ https://a.b/c"),
    "literal_eval": ("[1, 'a']", "{'a': 1}", "(1,)", "None"),
    "Decimal": ("0.10", "1E+2", "-3.14", "2.5"),
    "Fraction": ("1/2", "-3/4", "0.25"),
    "fromhex": ("00ff", "0A"),
    "unhexlify": ("00ff", "0A"),
    "b64decode": ("YQ==", "YTpi", "YTo=", "YTpiOmM="),
    "urlparse": ("http://a.b:80/c?d=e#f", "/a/b", "mailto:a@b.c", "/a?b="),
    "urlsplit": ("http://a.b:80/c?d=e#f", "/a/b", "mailto:a@b.c", "/a?b="),
    **dict.fromkeys(("urlopen", "urlretrieve", "request.Request"), _ADDRESSES),
    **{f"{owner}.{name}": _ADDRESSES for owner in ("requests", "httpx") for name in _SENDING.split()},
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
    "ast.parse": (*_PYTHON, *_EXPRESSIONS),
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
_OF_HTML, _OF_URLS = ("<", "&", '"', "'"), (" ", "/", "&", "?", "%", "+", "\u00e9")
_OF_PATHS = ("/../", "/./", "//", "/")
_CHANGED: dict[str, tuple[str, ...]] = {
    "unescape": ("&lt;", "&amp;", "&#39;", "&eacute;", "&nbsp;"),
    **dict.fromkeys(("escape", "quoteattr"), (*_OF_HTML, ".", "(")),
    **dict.fromkeys(("quote", "quote_plus", "urlencode"), (*_OF_URLS, "'")),
    **dict.fromkeys(("unquote", "unquote_plus", "unquote_to_bytes"), ("%41", "%2F", "%20", "%C3%A9", "+")),
    "expandvars": ("$HOME", "${HOME}", "$A"),
    "expanduser": ("~/", "~"),
    **dict.fromkeys(("normpath", "abspath", "realpath", "basename", "dirname", "relpath"), _OF_PATHS),
    "splitext": (".a", ".tar.gz", "."),
    **dict.fromkeys(("fnmatch", "fnmatchcase", "glob"), ("*", "?", "[a]")),
    "splitlines": ("\r\n", "\r", "\x0b", "\u2028", "\n"),
    "expandtabs": ("\t",),
    "dedent": ("\n  ", "\n    ", "\n"),
    "shlex.split": ('"a b"', "'a'", "\\ ", " "),
    **dict.fromkeys(("substitute", "safe_substitute"), ("$a", "${b}", "$$")),
    **dict.fromkeys(("unicode_escape", "unicode-escape"), ("\\n", "\\x41", "\\u00e9", "\\")),
}
"""Parts of strings that functions change, or by which they take strings apart, by their names, with the module where
others have that name; codecs, too."""
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


def changed_by(name: str, owner: str) -> tuple[str, ...]:
    """Return parts of strings that a function, or a codec, changes; none for others."""
    return _CHANGED.get(f"{owner}.{name}", _CHANGED.get(name, ()))
