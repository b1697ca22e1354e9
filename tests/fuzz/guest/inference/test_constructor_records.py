"""Records that a constructor takes: their keys are read off the constructor, and off what methods do with them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

CLASSES = {
    "settings without annotation": """
class A:
    def __init__(self, config):
        self.name = config["name"]
        self.size = config.get("size", 3)
        self.port = int(config["port"])

    def f(self):
        return self.name, self.port + self.size
""",
    "an annotated dict beside another parameter": """
from typing import Any, Dict, Optional

class A:
    def __init__(self, level: int, config: Optional[Dict[str, Any]]):
        self.name = config["name"] if config else ""
        self.title = config["title"] if config else ""
        self.level = level

    def f(self):
        return [self.name * self.level, self.title + self.name]
""",
    "keys that methods look up": """
from typing import Any

class A:
    def __init__(self, data: dict[str, Any]):
        self._data = data

    @property
    def title(self):
        return self._data["title"]

    def f(self):
        return [one["id"] + 1 for one in self._data["entries"]], len(self.title)
""",
    "a field of a dataclass": """
from dataclasses import dataclass, field
from typing import Any

@dataclass
class A:
    kind: str
    payload: dict[str, Any]
    links: list[str] = field(default_factory=list)

    def f(self):
        user = self.payload["user"]
        return user["name"].upper() + self.kind, user["age"] + 1
""",
    "a record of bytes": """
from typing import Any

class A:
    def __init__(self, scope: dict[str, Any], receive):
        self.headers = {}
        for name, value in scope["headers"]:
            self.headers[name.lower()] = value
        self.query = scope["query_string"].decode("latin-1")
        self.path = scope["path"] or "/"

    def f(self):
        return self.path + "?" + self.query
""",
}


@pytest.mark.parametrize("name", CLASSES)
def test_methods_are_compared_on_instances_that_have_the_keys(judge: Any, name: str) -> None:
    program = CLASSES[name]
    changed = program[: program.rindex("return")] + program[program.rindex("return") :].replace("+", "and", 1)

    assert judge(program, f"{program}# Changed.\n", name="A.f").verdict is Verdict.AGREES
    assert judge(program, changed, name="A.f").verdict is Verdict.DIFFERS


OF_BYTES = {
    "decoded": "def f(data):\n    head = data.decode('ascii')\n    return head[:4], len(data) + 1\n",
    "split at bytes": "def f(data):\n    rows = data.split(b'\\n')\n    return [len(one) + 1 for one in rows]\n",
    "unpacked": """
import struct

def f(data):
    kind, size = struct.unpack("!BH", data[:3].ljust(3))
    if kind > 3:
        raise ValueError(kind)
    return kind, size + 1
""",
    "unpacked by a class": """
import struct

class Frame:
    def __init__(self, kind, size):
        self.kind, self.size = kind, size

    @classmethod
    def parse(cls, raw):
        return cls(len(raw), int.from_bytes(raw[1:4], "big"))

def f(data):
    return Frame.parse(data).size + 1
""",
}


@pytest.mark.parametrize("name", OF_BYTES)
def test_what_is_used_as_bytes_is_bytes(judge: Any, name: str) -> None:
    program = OF_BYTES[name]

    assert judge(program, program.replace("+ 1", "+ 2")).verdict is Verdict.DIFFERS
