"""Which call an event speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import EventLinks, Ledger, open_workspace
from core.inspection.summary import summarize
from tests.support.runs import call, dispatch, event, response, text
from tests.support.workspaces import make_run


def asked(event_id: str, call_id: str, request_id: str) -> dict[str, Any]:
    """Return a request for permission."""
    request = {
        "kind": "tool_permission",
        "requestId": request_id,
        "toolUseId": call_id,
        "toolName": "Bash",
        "category": "network_send",
        "reason": "network",
        "args": {},
        "rememberForTurnAllowed": False,
    }
    return event(event_id, role="system", author="system", actions={"permissionRequest": request})


def decided(event_id: str, request_id: str) -> dict[str, Any]:
    """Return an answer to such a request."""
    decision = {"requestId": request_id, "decision": "allow"}
    return event(event_id, role="system", author="system", actions={"permissionDecision": decision})


def took(event_id: str, action: str, **keys: Any) -> dict[str, Any]:
    """Return an event by which the runtime says what it did with a request."""
    return event(event_id, role="system", author="system", actions={action: keys})


def ledger_of(root: Path, rows: list[dict[str, Any]]) -> Ledger:
    """Write a run and read it."""
    make_run(root, rows)
    return open_workspace(root).runs()[0].ledger()


def linked(ledger: Ledger) -> list[int | None]:
    """Return the operation of every event, as far as it can be known."""
    links = EventLinks(ledger)
    links.complete()
    return [links.number(index) for index in range(len(ledger))]


def test_every_kind_of_event_about_a_call(tmp_path: Path) -> None:
    """Call, dispatch, response, permission and heartbeat lead to their operation; plain text leads nowhere."""
    rows = [
        text("e1"),
        call("e2", "a"),
        dispatch("e3", "a"),
        call("e4", "b"),
        asked("e5", "b", "r1"),
        asked("e6", "a", "r2"),
        decided("e7", "r1"),
        decided("e8", "unknown"),
        response("e9", "a"),
        event("e10", role="tool", author="tool", partial=True, refs={"toolCallId": "b"}),
        response("e11", "nobody"),
    ]
    ledger = ledger_of(tmp_path, rows)

    assert linked(ledger) == [None, 0, 0, 1, 1, 0, 1, None, 0, 1, 2]
    at_once = EventLinks(ledger)
    assert [at_once.number(index) for index in range(11)] == [
        None, 0, 0, 1, None, None, None, None, 0, None, 2,
    ]  # fmt: skip


def test_what_the_runtime_took_of_an_answer_leads_to_the_call(tmp_path: Path) -> None:
    """Questions, and answers and closures that were accepted, belong to the call whose request they name."""
    choices = [{"label": "yes", "description": ""}, {"label": "no", "description": ""}]
    question = {"question": "Go on?", "options": choices}
    rows = [
        call("e1", "a"),
        call("e2", "b"),
        asked("e3", "a", "r1"),
        asked("e4", "b", "r2"),
        took("e5", "userQuestionRequest", requestId="q1", toolUseId="b", questions=[question]),
        took("e6", "permissionAnswerAccepted", requestId="r2"),
        took("e7", "permissionClosureAccepted", requestId="r1", reason="timed_out"),
        took("e8", "userQuestionAnswerAccepted", requestId="q1"),
        took("e9", "userQuestionAnswerAccepted", requestId="unknown"),
    ]
    ledger = ledger_of(tmp_path, rows)

    assert ledger.findings == ()
    assert linked(ledger) == [0, 1, 0, 1, 1, 1, 0, 1, None]
    assert [summarize(event) for event in ledger][4:] == [
        "asked: Go on?",
        "answer accepted",
        "closed: timed out",
        "answer accepted",
        "answer accepted",
    ]


def test_rows_outside_of_the_prefix_lead_nowhere(tmp_path: Path) -> None:
    """A position that the ledger does not have is no mistake, just no link."""
    links = EventLinks(ledger_of(tmp_path, [call("e1")]))

    assert links.number(-1) is None
    assert links.number(7) is None


def test_reading_for_links_has_an_end(tmp_path: Path) -> None:
    """Of a ledger full of permissions only so many rows are read as were allowed."""
    ledger = ledger_of(tmp_path, [call("e1", "a"), asked("e2", "a", "r1"), asked("e3", "a", "r2")])
    links = EventLinks(ledger)

    links.complete(at_most=1)

    assert [links.number(index) for index in range(3)] == [0, 0, None]


def test_repeated_events_lead_to_the_first_call(tmp_path: Path) -> None:
    """A call that stands twice under one id is one operation, and both rows lead to it."""
    ledger = ledger_of(tmp_path, [call("e1", "a"), call("e2", "a"), response("e3", "a"), response("e4", "a")])

    assert linked(ledger) == [0, 0, 0, 0]
