"""Which completions were accepted: what our extension tells the server, judged by VS Code's own knowledge.

Every scenario is done with the keyboard and the mouse. The witness is `detailedReason`, an API that the stand-in may
use and our extension may not. At the end the reports and the witness's events are compared one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from documents import Documents, slice_of
from waiting import wait_for
from workbench import ROOT, Workbench

BODY = "total = 0\n    for x in xs:\n        total += x\n    return total"
HEAD = "def add(xs):\n    "
ACCEPT_SOURCES = ("inlineCompletionAccept", "inlineCompletionPartialAccept")


@dataclass(frozen=True)
class Scene:
    """One scenario's file in the editor."""

    vscode: Workbench
    path: Path

    def offer(self, after: str, text: str, **more: object) -> None:
        """Let the stand-in offer `text` behind `after`."""
        self.offer_all({"after": after, "text": text, **more})

    def offer_all(self, *items: dict[str, object]) -> None:
        self.vscode.ask("offer", items=[{"file": self.path.name, **item} for item in items])

    def start(self, text: str, line: int | None = None) -> None:
        """Open the file with this text and the cursor at the end of a line, the last one unless told."""
        self.path.write_bytes(text.encode())
        lines = text.replace("\r\n", "\n").split("\n")
        line = len(lines) - 1 if line is None else line
        self.vscode.open(self.path, line, len(lines[line].encode("utf-16-le")) // 2)

    def ghost(self) -> None:
        """Wait until a completion is shown."""
        self.vscode.ghost().wait_for()

    def no_ghost(self) -> None:
        self.vscode.ghost().wait_for(state="hidden")

    def expect(self, text: str) -> None:
        """Wait until the document is exactly this."""
        wait_for(
            lambda: self.vscode.text(self.path) == text, f"the text to be {text!r}, not {self.vscode.text(self.path)!r}"
        )


SCENARIOS: list[tuple[str, Callable[[Scene], None]]] = []


def scenario(act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Adds a scenario under its function's name."""
    SCENARIOS.append((act.__name__, act))
    return act


@scenario
def a_block_by_tab(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect(HEAD + BODY)


@scenario
def one_line_by_tab(scene: Scene) -> None:
    scene.offer("return", " sum(xs)")
    scene.start(HEAD)
    scene.vscode.type("return")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect(HEAD + "return sum(xs)")


@scenario
def typed_into_then_tab(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.type("tot")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect(HEAD + BODY)


@scenario
def two_words_then_the_rest(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    for _ in range(2):
        before = scene.vscode.text(scene.path)
        scene.vscode.press("Control+ArrowRight")
        wait_for(lambda before=before: scene.vscode.text(scene.path) != before, "a word to be accepted")
        assert (HEAD + BODY).startswith(scene.vscode.text(scene.path) or "?")
        scene.ghost()
    scene.vscode.press("Tab")
    scene.expect(HEAD + BODY)


@scenario
def rewrites_the_line_like_copilot(scene: Scene) -> None:
    scene.offer("def add", "(xs):\n    return sum(xs)", replaceLine=True)
    scene.start("")
    scene.vscode.type("def add")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect("def add(xs):\n    return sum(xs)")


@scenario
def keys_typed_right_behind_tab(scene: Scene) -> None:
    scene.offer("return", " sum(xs)")
    scene.start(HEAD)
    scene.vscode.type("return")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.vscode.type(" + 1 - bias * scale")
    scene.expect(HEAD + "return sum(xs) + 1 - bias * scale")


@scenario
def twenty_in_a_row(scene: Scene) -> None:
    scene.offer_all(*({"after": f"x{n} =", "text": f" {n} + {n}"} for n in range(20)))
    scene.start("")
    for n in range(20):
        scene.vscode.type(f"x{n} =")
        scene.ghost()
        scene.vscode.press("Tab")
        scene.vscode.type("\n")
    scene.expect("".join(f"x{n} = {n} + {n}\n" for n in range(20)))


@scenario
def windows_line_ends(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start("a = 1\r\n" + HEAD[:-1].replace("\n", "\r\n"))
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect("a = 1\r\n" + (HEAD + BODY).replace("\n", "\r\n"))


@scenario
def behind_wide_characters(scene: Scene) -> None:
    scene.offer('"𝔘😀" if', " xs else '😀'")
    scene.start("def f(xs):\n    return ")
    scene.vscode.type('"𝔘😀" if')
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect("def f(xs):\n    return \"𝔘😀\" if xs else '😀'")


@scenario
def undone_and_done_again(scene: Scene) -> None:
    scene.offer("return", " sum(xs) + sum(xs)")
    scene.start(HEAD)
    scene.vscode.type("return")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect(HEAD + "return sum(xs) + sum(xs)")
    scene.offer_all()
    scene.vscode.press("Control+z")
    scene.expect(HEAD + "return")
    scene.vscode.press("Control+Shift+z")
    scene.expect(HEAD + "return sum(xs) + sum(xs)")


@scenario
def from_the_palette(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.run_command("Accept Inline Suggestion")
    scene.expect(HEAD + BODY)


@scenario
def from_the_toolbar(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    accept = scene.vscode.page.locator(".inlineSuggestionsHints .action-label", has_text="Accept").first
    wait_for(lambda: hover(scene.vscode, accept), "the toolbar of the completion", every=0.3)
    accept.click()
    scene.expect(HEAD + BODY)


def hover(vscode: Workbench, toolbar: Any) -> bool:
    """Move the mouse over the ghost text, from outside, until its toolbar shows."""
    box = vscode.ghost().bounding_box()
    if box is None:
        return False
    vscode.page.mouse.move(box["x"] + 200, box["y"] + 200)
    vscode.page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    vscode.page.mouse.move(box["x"] + 14, box["y"] + box["height"] / 2)
    return toolbar.is_visible()


@scenario
def with_a_key_of_the_users_own(scene: Scene) -> None:
    scene.offer("    ", BODY)
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.press("Control+Alt+a")
    scene.expect(HEAD + BODY)


@scenario
def the_next_line_with_a_key_of_the_users_own(scene: Scene) -> None:
    scene.offer("    ", "total = sum(x for x in xs)\n    return total")
    scene.start(HEAD[:-1])
    scene.vscode.type(" ")
    scene.ghost()
    scene.vscode.press("Control+Alt+l")
    wait_for(lambda: "for x in xs)" in (scene.vscode.text(scene.path) or ""), "the line")


@scenario
def a_next_edit_elsewhere(scene: Scene) -> None:
    before = "    return base * scael"
    scene.offer_all({"edit": {"line": 4, "before": before, "text": "    return base * scale"}})
    scene.start("def area(base, scal):\n    pass\n\ndef scaled(base, scale):\n" + before + "\n", line=0)
    scene.vscode.press("Home", *["ArrowRight"] * 18)
    scene.vscode.type("e")
    page = scene.vscode.page
    wait_for(
        lambda: page.locator(".inline-edits-view *, .inlineEditSideBySide *, .inline-edit *").count(), "the next edit"
    )
    wait_for(lambda: tab_until_changed(scene, before), "the next edit to be accepted", every=0.4)


def tab_until_changed(scene: Scene, before: str) -> bool:
    """The first Tab jumps, the next accepts."""
    if before not in (scene.vscode.text(scene.path) or ""):
        return True
    scene.vscode.press("Tab")
    return before not in (scene.vscode.text(scene.path) or "")


# What is no acceptance, and must stay what it is without the extension.


@scenario
def plain_tab_indents(scene: Scene) -> None:
    scene.offer_all()
    scene.start("x = 1\ny = 2\n")
    scene.vscode.press("Tab")
    scene.vscode.type("z = 3")
    scene.vscode.press("Shift+ArrowUp", "Shift+ArrowUp", "Tab")
    scene.expect("    x = 1\n    y = 2\n        z = 3")
    scene.vscode.press("Shift+Tab")
    scene.expect("x = 1\ny = 2\n    z = 3")


@scenario
def a_dismissed_completion(scene: Scene) -> None:
    scene.offer("x =", " 123456 + 123456")
    scene.start("")
    scene.vscode.type("x =")
    scene.ghost()
    scene.vscode.press("Escape")
    scene.no_ghost()
    scene.vscode.press("Tab")
    scene.expect("x = ")


@scenario
def indentation_first(scene: Scene) -> None:
    scene.offer(":", "\n    return 1")
    scene.offer_all({"after": "", "text": "        return 1"})
    scene.start("def f():\n")
    scene.vscode.run_command("Trigger Inline Suggestion")
    scene.ghost()
    scene.vscode.press("Tab")
    scene.expect("def f():\n    ")
    scene.offer_all()


@scenario
def a_snippet_by_key(scene: Scene) -> None:
    scene.offer_all()
    scene.start("def f(xs):\n    ")
    scene.vscode.press("Control+Alt+s")
    scene.expect("def f(xs):\n    for item in items:\n        print(item)\n        ")
    scene.vscode.type("row")
    scene.vscode.press("Tab")
    scene.vscode.type("xs")
    scene.vscode.press("Tab", "Tab")
    scene.expect("def f(xs):\n    for row in xs:\n        print(row)\n        ")


@scenario
def a_snippet_from_the_list(scene: Scene) -> None:
    scene.offer_all()
    scene.start("def f(xs):\n    ")
    scene.vscode.type("loo")
    widget = scene.vscode.page.locator(".suggest-widget.visible .monaco-list-row", has_text="loop").first
    wait_for(lambda: widget.is_visible() or scene.vscode.press("Control+Space"), "the list of suggestions", every=1)
    scene.vscode.press("Tab")
    scene.expect("def f(xs):\n    for item in items:\n        print(item)\n        ")


@scenario
def a_name_from_the_list(scene: Scene) -> None:
    scene.offer_all()
    scene.start("extraordinary_value = 1\n")
    scene.vscode.type("extr")
    widget = scene.vscode.page.locator(".suggest-widget.visible .monaco-list-row", has_text="extraordinary").first
    wait_for(lambda: widget.is_visible() or scene.vscode.press("Control+Space"), "the list of suggestions", every=1)
    scene.vscode.press("Tab")
    scene.expect("extraordinary_value = 1\nextraordinary_value")


@scenario
def a_paste(scene: Scene) -> None:
    scene.offer_all()
    scene.vscode.ask("clipboard", text=BODY)
    scene.start(HEAD)
    scene.vscode.press("Control+v")
    scene.expect(HEAD + BODY)


@scenario
def a_paste_of_what_was_just_cut(scene: Scene) -> None:
    scene.offer_all()
    scene.start("a = [1, 2]\nb = a + a\n", line=1)
    scene.vscode.press("Control+x")
    scene.expect("a = [1, 2]\n")
    scene.vscode.press("Control+v")
    scene.expect("a = [1, 2]\nb = a + a\n")


@scenario
def typed_at_full_speed(scene: Scene) -> None:
    scene.offer_all()
    scene.start("")
    scene.vscode.type("def f(xs, ys):\nreturn [x for x in xs if x not in ys]\n")
    wait_for(lambda: "not in ys]\n" in (scene.vscode.text(scene.path) or ""), "the typed text")


@pytest.mark.parametrize(("name", "act"), SCENARIOS, ids=[name for name, _ in SCENARIOS])
def test_scenario(vscode: Workbench, name: str, act: Callable[[Scene], None]) -> None:
    """Each does what the user meant; whether it was reported rightly is judged below, over all of them."""
    vscode.press("Escape")
    act(Scene(vscode, vscode.folder / f"{name}.py"))


def settled(vscode: Workbench) -> list[dict[str, Any]]:
    """The witness's events, once the server has every change that VS Code has."""
    events = vscode.ask("witnessed", clear=False)
    last = {event["uri"]: event["version"] for event in events}

    def sent_all() -> bool:
        documents = Documents()
        for entry in vscode.all_sent():
            documents.take(entry["message"])
        return all(documents.versions.get(uri) == version for uri, version in last.items())

    wait_for(sent_all, "the server to have every change")
    return events


def test_reports_are_right(vscode: Workbench) -> None:
    """Recall of at least 95 %, no false report, and every range holds what was accepted, in the server's own copy."""
    events = settled(vscode)
    names = {(vscode.folder / f"{name}.py").as_uri() for name, _ in SCENARIOS}
    true = {(e["uri"], e["version"]): e for e in events if e["source"] in ACCEPT_SOURCES and e["uri"] in names}
    reports, documents = {}, Documents()
    for entry in vscode.all_sent():
        message = entry["message"]
        documents.take(message)
        if message.get("method") == "lspEvalplus/accepted":
            params = message["params"]
            uri, version = params["textDocument"]["uri"], params["textDocument"]["version"]
            if uri not in names:
                continue
            assert documents.versions[uri] >= version, "a report came before its change"
            text = documents.texts[uri] if documents.versions[uri] == version else None
            reports[uri, version] = (
                params,
                [slice_of(text, r) for r in params["ranges"]] if text is not None else None,
            )

    write_summary(true, reports)
    false = sorted(set(reports) - set(true))
    missed = sorted(set(true) - set(reports))
    assert false == [], "reported, but not accepted"
    assert len(true) >= 30
    assert len(SCENARIOS) >= 16
    assert len(missed) <= 0.05 * len(true), f"accepted, but not reported: {missed}"
    for key, (params, held) in reports.items():
        assert held is None or any(text in part for text in true[key]["texts"] for part in held), (key, params, held)


def write_summary(true: dict[Any, Any], reports: dict[Any, Any]) -> None:
    """The numbers, for people and for CI."""
    by_source: dict[str, int] = {}
    for params, _ in reports.values():
        by_source[params["source"]] = by_source.get(params["source"], 0) + 1
    summary = {
        "scenarios": len(SCENARIOS),
        "accepted": len(true),
        "reported": len(set(reports) & set(true)),
        "false": len(set(reports) - set(true)),
        "by": by_source,
        "missed": [Path(uri).name for uri, _ in sorted(set(true) - set(reports))],
    }
    path = ROOT / "artifacts" / "acceptance.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(summary, indent=1) + "\n")
