"""Random ledgers for property tests: mostly regular tool traffic, with every kind of contradiction mixed in.

Everything is drawn from tiny pools, so that ids meet again: in other invocations, under other names, out of order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from core import RuntimeEvent, decode_event
from core.records.args_identity import args_hash

Event = dict[str, Any]
MARKER = {"toolBoundary": "t1_after_preflight_v1"}
DIGEST = f"sha256:{'0' * 64}"
EXECUTIONS = (("s1", "i1", "r1", "t1"), ("s1", "i2", "r1", "t1"), ("s1", "i1", "r2", "t1"), ("s2", "i2", "r1", "t2"))
NAMES = ("Bash", "Read", "")
ARGS: tuple[Any, ...] = ({"command": "true"}, {"n": 1.5}, None, {"deep": [{"b": 1, "a": "\ud800"}]})
OBSERVATIONS = ("matches_expected_state", "matches_prior_state", "diverged", "unreadable")
PARKED_BY = {
    "matches_prior_state": "reconcile_matches_prior_state",
    "diverged": "reconcile_diverged",
    "unreadable": "reconcile_unreadable",
}
ODDITIES = (
    *("partial", "status", "branch", "hidden", "execution", "id"),
    *("author", "refs", "name", "marker", "terminal", "delta"),
)


def events_of(documents: Sequence[Event]) -> list[RuntimeEvent]:
    """Decode documents as rows."""
    return [decode_event(json.dumps(document).encode()) for document in documents]


def hash_of(name: str, args: Any) -> str | None:
    """Return the digest of a call's arguments, given as a value."""
    return args_hash(name, json.dumps(args).encode())


def event(event_id: str, execution: Sequence[str] = EXECUTIONS[0], **more: Any) -> Event:
    """Return a text event; a key that is given as None is left out."""
    session, invocation, run, turn = execution
    document = {
        "id": event_id,
        "invocationId": invocation,
        "runId": run,
        "sessionId": session,
        "turnId": turn,
        "ts": 1000,
        "partial": False,
        "role": "model",
        "author": "agent",
        "content": {"kind": "text", "text": "ok"},
        **more,
    }
    return {key: value for key, value in document.items() if value is not None}


def call(event_id: str, call_id: str = "c1", name: str = "Bash", args: Any = None, **more: Any) -> Event:
    """Return a function call."""
    content = {"kind": "function_call", "id": call_id, "name": name, "args": {} if args is None else args}
    return event(event_id, content=content, **{"refs": {"toolCallId": call_id}, **more})


def response(event_id: str, call_id: str = "c1", name: str = "Bash", **more: Any) -> Event:
    """Return a function response; `is_error` and `operation` may be given."""
    failed, operation = more.pop("is_error", None), more.pop("operation", None)
    content = {"kind": "function_response", "id": call_id, "name": name, "result": {"ok": True}}
    refs = {"toolCallId": call_id} | ({"operationId": operation} if operation is not None else {})
    content |= {} if failed is None else {"isError": failed}
    return event(event_id, content=content, **{"role": "tool", "author": "tool", "refs": refs, **more})


def dispatch(event_id: str, call_id: str = "c1", name: str = "Bash", operation: str = "o1", **more: Any) -> Event:
    """Return a dispatch; `args` (for the digest) and `mode` may be given."""
    digest = hash_of(name, more.pop("args", {})) or DIGEST
    fact = {
        "protocol": "t1_after_preflight_v1",
        "operationId": operation,
        "providerToolCallId": call_id,
        "toolName": name,
        "canonicalArgsHash": digest,
        "recoveryMode": more.pop("mode", "never_auto_retry"),
    }
    return _fact(event_id, call_id, operation, {"toolDispatch": fact}, more)


def reconcile(event_id: str, observation: str, call_id: str = "c1", operation: str = "o1", **more: Any) -> Event:
    """Return the fact of what was observed about an operation."""
    payload = {
        "protocol": "tool_reconcile_v1",
        "operationId": operation,
        "observation": observation,
        "observationSchema": "state_identity_v1",
        "observationDigest": DIGEST,
    }
    fact = {"kind": "maka.tool.reconcile_result", "version": 1, "payload": payload}
    return _fact(event_id, call_id, operation, {"toolRecovery": fact}, more)


def decision(
    event_id: str, reason: str, evidence: list[str], outcome: str | None = None, call_id: str = "c1", **more: Any
) -> Event:
    """Return the fact of what was decided: completed with an outcome, else parked; `operation` may be given."""
    operation = more.pop("operation", "o1")
    payload = {
        "protocol": "tool_recovery_v1",
        "operationId": operation,
        "disposition": "parked" if outcome is None else "completed",
        "reasonCode": reason,
        "evidenceEventIds": evidence,
        **({} if outcome is None else {"outcomeEventId": outcome}),
    }
    fact = {"kind": "maka.tool.recovery_decision", "version": 1, "payload": payload}
    return _fact(event_id, call_id, operation, {"toolRecovery": fact}, more)


def _fact(event_id: str, call_id: str, operation: str, actions: Any, more: dict[str, Any]) -> Event:
    facts = {"role": "system", "author": "system", "content": None, "actions": actions}
    return event(event_id, **{**facts, "refs": {"operationId": operation, "toolCallId": call_id}, **more})


PARKED = [
    call("c"),
    dispatch("d", mode="reconcile"),
    reconcile("k", "diverged"),
    decision("x", "reconcile_diverged", ["c", "d", "k"]),
]
"""A call that recovery observed and parked."""

COMPLETED = [
    *PARKED[:2],
    reconcile("k", "matches_expected_state"),
    response("r", operation="o1"),
    decision("x", "reconcile_matches_expected_state", ["c", "d", "k", "r"], "r"),
]
"""A call that recovery observed and settled."""


@dataclass
class _Story:
    """What a random ledger has told of one call so far."""

    call_id: str
    name: str
    args: Any
    operation: str
    execution: Sequence[str]
    hidden: bool
    told: list[tuple[str, str]] = field(default_factory=list)
    """Kind and event id."""
    observation: str = ""


REGULAR, REUSED, ODD = "regular", "reused", "odd"
"""What random ledgers are like: as a healthy writer leaves them; with ids used again by another invocation and events
hidden at will, which no single rule forbids; with anything."""


@st.composite
def ledgers(draw: st.DrawFn, max_size: int = 14, manner: str = ODD) -> list[Event]:
    """Draw a ledger of at most `max_size` events, cut anywhere."""
    documents: list[Event] = []
    stories: list[_Story] = []
    marked = draw(st.booleans())
    for number in range(draw(st.integers(0, max_size))):
        document = _next(draw, stories, f"e{number}", manner)
        if number == 0 and marked and "actions" not in document:
            document["actions"] = {"runtimeProtocol": MARKER}
        if manner == REUSED and draw(st.integers(0, 7)) == 0:
            document["modelVisibility"] = draw(st.sampled_from(("hidden", "visible")))
        if manner == ODD:
            for _ in range(draw(st.integers(0, 9)) // 8 + draw(st.integers(0, 12)) // 12):
                _spoil(draw, document, documents)
        documents.append(document)
    return documents


LEDGERS = st.one_of(ledgers(16, REGULAR), ledgers(16, REUSED), ledgers(12, ODD), ledgers(30, ODD))
"""Ledgers of every manner."""


def _next(draw: st.DrawFn, stories: list[_Story], event_id: str, manner: str) -> Event:
    step = draw(st.integers(0, 9))
    if step == 0:
        return event(event_id, EXECUTIONS[0])
    if step < 4 or not stories:
        return _begin(draw, stories, event_id, manner)
    back = draw(st.integers(0, 2 * len(stories)))
    return _continue(draw, stories[-1 - back if back < len(stories) else -1], event_id, manner)


def _begin(draw: st.DrawFn, stories: list[_Story], event_id: str, manner: str) -> Event:
    place = len(stories)
    number = place if manner == REGULAR else draw(st.integers(1, 3))
    operation = draw(st.integers(1, 3)) if manner == ODD else place
    executions = {REGULAR: EXECUTIONS[:1], REUSED: EXECUTIONS[:2], ODD: (*EXECUTIONS[:1] * 3, *EXECUTIONS)}[manner]
    execution = draw(st.sampled_from(executions))
    if manner == REUSED and any((told.call_id, told.execution) == (f"c{number}", execution) for told in stories):
        return event(event_id, execution)
    names = NAMES if manner == ODD else NAMES[:2]
    hidden = draw(st.integers(0, 3)) == 0
    name, args = draw(st.sampled_from(names)), draw(st.sampled_from(ARGS))
    stories.append(_Story(f"c{number}", name, args, f"o{operation}", execution, hidden))
    first = "call" if manner != ODD or draw(st.integers(0, 7)) else draw(st.sampled_from(("dispatch", "response")))
    return _tell(draw, stories[-1], first, event_id)


def _continue(draw: st.DrawFn, story: _Story, event_id: str, manner: str) -> Event:
    anything = ("call", "dispatch", "response", "reconcile", "decision")
    proper = {
        ("call",): ("dispatch", "response"),
        ("call", "dispatch"): ("response", "reconcile"),
        ("call", "dispatch", "reconcile"): ("response", "decision"),
        ("call", "dispatch", "reconcile", "response"): ("decision",),
    }.get(tuple(kind for kind, _ in story.told), anything if manner == ODD else ())
    if manner == ODD and draw(st.integers(0, 6)) == 0:
        proper = anything
    return _tell(draw, story, draw(st.sampled_from(proper)), event_id) if proper else event(event_id)


def _tell(draw: st.DrawFn, story: _Story, kind: str, event_id: str) -> Event:
    more: dict[str, Any] = {"execution": story.execution}
    if story.hidden:
        more["modelVisibility"] = "hidden"
    dispatched = any(told == "dispatch" for told, _ in story.told)
    if kind == "call":
        document = call(event_id, story.call_id, story.name, story.args, **more)
    elif kind == "dispatch":
        mode = draw(st.sampled_from(("reconcile", "reconcile", "reconcile", "replay_safe")))
        args = {} if story.args is None else story.args
        document = dispatch(event_id, story.call_id, story.name, story.operation, args=args, mode=mode, **more)
    elif kind == "response":
        failed = draw(st.sampled_from((None, False, None, True)))
        operation = story.operation if dispatched else None
        document = response(event_id, story.call_id, story.name, is_error=failed, operation=operation, **more)
    elif kind == "reconcile":
        story.observation = draw(st.sampled_from(OBSERVATIONS[:1] * 2 + OBSERVATIONS))
        document = reconcile(event_id, story.observation, story.call_id, story.operation, **more)
    else:
        evidence = [told for _, told in story.told] or ["e0"]
        answers = [told for name, told in story.told if name == "response"]
        outcome = answers[0] if answers else None
        reason = "reconcile_matches_expected_state"
        if outcome is None:
            reason = PARKED_BY.get(story.observation, "reconcile_diverged")
        document = decision(event_id, reason, evidence, outcome, story.call_id, operation=story.operation, **more)
    story.told.append((kind, event_id))
    return document


def _spoil(draw: st.DrawFn, document: Event, before: list[Event]) -> None:
    """Make one thing of an event unusual; what comes out is still a valid event."""
    oddity = draw(st.sampled_from(ODDITIES))
    actions, content = document.get("actions"), document.get("content", {})
    if oddity == "partial":
        document["partial"] = True
    elif oddity == "status":
        document["status"] = draw(st.sampled_from(("streaming", "completed", "failed")))
    elif oddity == "branch":
        document["branch"] = ""
    elif oddity == "hidden":
        document["modelVisibility"] = draw(st.sampled_from(("hidden", "visible")))
    elif oddity == "execution":
        names = ("sessionId", "invocationId", "runId", "turnId")
        document |= dict(zip(names, draw(st.sampled_from(EXECUTIONS)), strict=True))
    elif oddity == "id" and before:
        document["id"] = draw(st.sampled_from(before))["id"]
    elif oddity == "author":
        document["author"] = draw(st.sampled_from(("user", "host", "tool")))
    elif oddity == "refs":
        document["refs"] = draw(st.sampled_from(({}, {"toolCallId": "c2"}, {"operationId": "o1", "toolCallId": "c1"})))
    elif oddity == "name" and "name" in content:
        content["name"] = draw(st.sampled_from(NAMES))
    elif oddity == "marker":
        document["actions"] = {**(actions or {}), "runtimeProtocol": MARKER}
    elif oddity == "terminal":
        document["actions"] = {**(actions or {}), "endInvocation": True}
    elif oddity == "delta":
        deltas: tuple[Any, ...] = ({"intent": "x"}, {"durationMs": 4}, {}, {"intent": 1}, {"intent": "x", "y": "z"})
        delta = draw(st.sampled_from(deltas))
        document["actions"] = {**(actions or {}), "stateDelta": delta}
