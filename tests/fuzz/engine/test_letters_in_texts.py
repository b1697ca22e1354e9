"""Letters outside of ASCII stand in each part of a structured text, also of one that an object is made of."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

ADDRESSES = '''
class Address:
    """A web address.

    >>> Address("http://user@example.org/path").host()
    'example.org'
    """

    def __init__(self, url: str) -> None:
        self.scheme, _, rest = url.partition("://")
        self.place, _, self.path = rest.partition("/")

    def host(self) -> str:
        """The host as it is sent.

        >>> Address("http://user@example.org/path").host()
        'example.org'
        """
        return self.place.rpartition("@")[2].encode("idna").decode()


def host(url: str) -> str:
    """The host of an address.

    >>> host("http://user@example.org/path")
    'example.org'
    """
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2].encode("idna").decode()
'''


@pytest.mark.parametrize("name", ["Address.host", "host"])
def test_a_host_with_another_letter(judge: Any, name: str) -> None:
    changed = ADDRESSES.replace('.encode("idna").decode()', "")
    report = judge(ADDRESSES, changed, name, kind="previous", calls=1200)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_host_that_is_read_in_the_same_way(judge: Any) -> None:
    changed = ADDRESSES.replace('.encode("idna").decode()', '.encode("idna").decode("ascii")')
    assert judge(ADDRESSES, changed, "Address.host", kind="previous", calls=300).verdict is Verdict.AGREES


STREAMS = """
import io
import typing


class Chunks(typing.NamedTuple):
    items: typing.Iterable[bytes]
    length: typing.Optional[int]


def chunks(body: typing.Optional[typing.Any], size: int):
    if body is None or isinstance(body, (str, bytes)):
        return body
    if isinstance(body, io.TextIOBase):

        def readable():
            while block := body.read(size):
                yield block.encode("latin-1")

        return Chunks(readable(), None)
    return None
"""


def test_a_letter_in_a_stream_that_a_parameter_declared_as_any_may_be(judge: Any) -> None:
    report = judge(STREAMS, STREAMS.replace("latin-1", "utf-8"), "chunks", kind="previous", calls=6000)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "StringIO" in report.counterexample.call


def test_a_stream_that_is_read_in_the_same_way(judge: Any) -> None:
    report = judge(STREAMS, STREAMS.replace("latin-1", "iso8859-1"), "chunks", kind="previous", calls=1000)
    assert report.verdict is Verdict.AGREES, report.reason
