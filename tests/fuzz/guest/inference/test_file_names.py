"""Which files a folder gets, and what they hold, by the code that looks for them."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.inference.files.contents import Contents, settings_in
from lsp_evalplus.fuzz.guest.inference.files.file_names import beside_in, names_in
from lsp_evalplus.fuzz.guest.static.walking import walk_tree


def nodes_in(text: str) -> tuple[ast.AST, ...]:
    return tuple(walk_tree(ast.parse(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("root.glob('*.py')", {"a.py", "b.py", "sub/a.py", "c.py/", "a.txt"}),
        ("root.rglob('data/**/part-[0-9].csv')", {"data/part-0.csv"}),
        ("path.suffix == '.log'", {"a.log", "b.log"}),
        ("name.endswith(('.c', '_test.h'))", {"a.c", "a_test.h"}),
        ("name.startswith('.')", {".a.txt"}),
        ("root / 'conf' / 'app.toml'", {"conf/app.toml"}),
        ("os.path.join(root, 'data', f'{n}.json')", {"data/1.json"}),
        ("(root / 'cache').iterdir()", {"cache/a.txt"}),
        ("(root / 'LICENSE').read_text()", {"LICENSE"}),
        ("name in ('build', '.git')", {"build/a.txt", ".git/a.txt", "build.txt"}),
        ("skipped = ['build']\nname in skipped", {"build/a.txt"}),
        (r"re.match(r'IMG_\d+\.jpg$', name)", {"IMG_1.jpg"}),
        ("root.iterdir()", {"a.txt", "b.txt", "sub/a.txt"}),
        ("print('no file here: ', 1.5, 'utf-8')", {"a.txt"}),
    ],
)
def test_names_follow_from_code(text: str, expected: set[str]) -> None:
    names = names_in(nodes_in(text), ())
    assert expected <= {*names}
    assert not any(name.startswith(("/", "..")) or "*" in name for name in names)


def test_names_of_folders_may_be_those_of_files() -> None:
    nodes = nodes_in("root / 'cache'")
    assert "cache" in names_in(nodes, (), has_folders=False)
    assert "cache/a.txt" in names_in(nodes, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path.with_suffix('.bak')", ("file.bak",)),
        ("path.with_suffix(path.suffix + '.bak')", ("file.txt.bak",)),
        ("f'{path}.{number}'", ("file.txt.1", "file.txt.2")),
        ("path + '.old'", ("file.txt.old",)),
        ("path.parent / 'extra.txt'", ("extra.txt",)),
        ("path.with_name('other.txt')", ("other.txt",)),
        ("path.read_text()", ()),
    ],
)
def test_names_beside_a_file(text: str, expected: tuple[str, ...]) -> None:
    assert beside_in(nodes_in(text), "file.txt") == expected


def test_settings_have_the_sections_and_options_that_are_asked_for() -> None:
    found = settings_in(nodes_in("p.getint('server', 'port')\np['log']['level']\np.has_section('db')"), ())
    assert found[0] == "[server]\nport = 1\n[log]\nlevel = a\n[db]\n"
    assert "[server]\n[log]\nlevel = a\n[db]\n" in found


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("json.loads(path.read_text())['a']", "b.json", "json.dumps"),
        ("tomllib.loads(path.read_text())['tool']['name']", "b.toml", "[tool]\\nname = 1"),
        ("ConfigParser().read(path)\nsettings['a']['b']", "b.ini", "[a]\\nb = "),
        ("sum('ERROR' in line for line in open(path))", "b.log", "ERROR"),
        ("path.stat().st_size", "b.log", "Literal['', "),
    ],
)
def test_contents_follow_from_what_is_read(text: str, name: str, expected: str) -> None:
    assert expected in Contents(nodes_in(text)).of(name).describe()
