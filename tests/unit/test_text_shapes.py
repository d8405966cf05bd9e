"""Closed shapes of texts of later versions, and of other content."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.records import ABSENT, DIGEST, accepts_event, changed, event_with


def text_with(**keys: Any) -> dict[str, Any]:
    """Return an event with a text and more keys in it."""
    return event_with(content={"kind": "text", "text": "use /skill:a.b-c_1 on @src/x.py \U0001f600@y"} | keys)


REFERENCE = {"kind": "skill", "value": "/skill:a.b-c_1", "label": "skill", "start": 4}
FILE = {"kind": "workspace_file", "value": "@src/x.py", "label": "x", "start": 22}


@pytest.mark.parametrize(
    ("references", "good"),
    [
        ([], True),
        ([REFERENCE], True),
        ([REFERENCE, FILE], True),
        ([FILE, REFERENCE], False),
        ([REFERENCE, REFERENCE], False),
        ([changed(REFERENCE, {"start": 5})], False),
        ([changed(REFERENCE, {"start": 4.0})], True),
        ([changed(REFERENCE, {"start": 4.5})], False),
        ([changed(REFERENCE, {"start": -1})], False),
        ([changed(REFERENCE, {"value": "/skill:a.b"})], True),
        ([changed(REFERENCE, {"value": "/skill:a.b"}), changed(REFERENCE, {"value": "-c_1", "start": 14})], False),
        ([changed(REFERENCE, {"value": "/skill:"})], False),
        ([changed(REFERENCE, {"value": ""})], False),
        ([changed(REFERENCE, {"label": ""})], False),
        ([changed(REFERENCE, {"label": "é" * 200})], True),
        ([changed(REFERENCE, {"label": "\U0001f600" * 101})], False),
        ([changed(REFERENCE, {"kind": "tool"})], False),
        ([changed(REFERENCE, {"more": 1})], False),
        ([changed(REFERENCE, {"label": ABSENT})], False),
        ([changed(FILE, {"value": "@y", "start": 34})], True),
        ([changed(FILE, {"value": "@y", "start": 33})], False),
        (None, False),
        ({}, False),
        ([None], False),
    ],
)
def test_inline_references_stand_where_they_say(references: object, good: bool) -> None:
    """Each reference is found in the shown text at its offset in UTF-16 units, one behind the other."""
    assert accepts_event(text_with(inlineReferences=references)) is good


def test_inline_references_look_at_what_was_shown() -> None:
    """The shown text counts if there is one, even an empty one."""
    shown = changed(REFERENCE, {"start": 0})

    assert accepts_event(text_with(inlineReferences=[shown], displayText="/skill:a.b-c_1"))
    assert not accepts_event(text_with(inlineReferences=[REFERENCE], displayText=""))
    assert not accepts_event(text_with(inlineReferences=[REFERENCE] * 33))


@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("a", True),
        ("a/b.c", True),
        ("...", True),
        ("", False),
        ("/a", False),
        ("a//b", False),
        ("a/", False),
        ("./a", False),
        ("a/../b", False),
        ("a\\b", False),
        ("a\0b", False),
        ("C:a", False),
        ("CC:a", True),
    ],
)
def test_inline_files_are_inside_the_workspace(path: str, good: bool) -> None:
    """A named file is a relative path in its plainest spelling."""
    reference = {"kind": "workspace_file", "value": f"@{path}", "label": "x", "start": 0}

    assert (
        accepts_event(event_with(content={"kind": "text", "text": f"@{path}", "inlineReferences": [reference]})) is good
    )


def test_a_reference_may_end_inside_a_pair() -> None:
    """Offsets and lengths count UTF-16 units, so a value may end in half a pair."""
    reference = {"kind": "workspace_file", "value": "@a\ud83d", "label": "x", "start": 0}

    assert accepts_event(event_with(content={"kind": "text", "text": "@a\U0001f600", "inlineReferences": [reference]}))


@pytest.mark.parametrize(
    ("origin", "good"),
    [
        ({"kind": "automation", "automationId": ""}, True),
        ({"kind": "legacy_automation", "automationId": "a"}, True),
        ({"kind": "scheduled_task", "scheduledTaskId": "a"}, True),
        ({"kind": "goal", "goalId": "a"}, True),
        ({"kind": "agent_graph", "graphId": "g", "wakeId": "w", "attemptId": "a"}, True),
        ({"kind": "agent_graph", "graphId": "g", "wakeId": "w"}, False),
        ({"kind": "goal", "automationId": "a"}, False),
        ({"goalId": "a"}, False),
    ],
)
def test_texts_have_an_origin(origin: dict[str, str], good: bool) -> None:
    """A text names its origin in one of five forms."""
    assert accepts_event(text_with(origin=origin)) is good


@pytest.mark.parametrize(
    ("document", "good"),
    [
        (event_with(origin="code_mode", modelVisibility="hidden", author="host"), True),
        (event_with(origin="user"), False),
        (event_with(refs={"sourceMessageDigest": DIGEST, "parentToolCallId": "", "parentOperationId": ""}), True),
        (event_with(refs={"sourceMessageDigest": DIGEST[:-1]}), False),
        (event_with(content={"kind": "text", "text": "", "attachments": [], "steering": True}), True),
        (
            event_with(
                content={"kind": "function_response", "id": "", "name": "", "result": None, "providerOptions": {}}
            ),
            False,
        ),
        (
            event_with(content={"kind": "function_call", "id": "", "name": "", "args": None, "providerExecuted": None}),
            False,
        ),
        (event_with(content={"kind": "function_call", "id": "", "name": ""}), False),
        (event_with(actions={}), True),
        (event_with(actions=None), False),
    ],
)
def test_other_later_keys(document: dict[str, Any], good: bool) -> None:
    """Later keys are taken in their own form, in their own place, and never as null."""
    assert accepts_event(document) is good
