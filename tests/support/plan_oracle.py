"""The plan, worked out the slow and obvious way from JSON documents, to hold the fold against.

It knows no prefix, no column and no index: every answer is computed again from the whole list. Operations are told as
in the vectors; keys of ours that the vectors lack are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Event = dict[str, Any]
MARKER = {"toolBoundary": "t1_after_preflight_v1"}
ISSUE_ORDER = (
    "duplicate_call",
    "duplicate_operation",
    "duplicate_dispatch",
    "duplicate_response",
    "orphan_response",
    "canonical_args_hash_conflict",
    "identity_conflict",
    "event_order_conflict",
)
OBSERVED = {
    "matches_prior_state": "reconcile_matches_prior_state",
    "diverged": "reconcile_diverged",
    "unreadable": "reconcile_unreadable",
}


def _ids(event: Event) -> tuple[str, ...]:
    return tuple(event[key] for key in ("sessionId", "invocationId", "runId", "turnId"))


def _kind(event: Event) -> str | None:
    return event.get("content", {}).get("kind")


def _lane(event: Event) -> str:
    """Return call, dispatch, response, recovery, ordinary or conflict."""
    actions = event.get("actions", {})
    kinds = [
        *(["call"] if _kind(event) == "function_call" else []),
        *(["dispatch"] if "toolDispatch" in actions else []),
        *(["response"] if _kind(event) == "function_response" else []),
        *(["recovery"] if "toolRecovery" in actions else []),
    ]
    if not kinds:
        return "ordinary"
    if len(kinds) > 1 or event["partial"] or "status" in event or "branch" in event:
        return "conflict"
    kind, who = kinds[0], (event["role"], event["author"])
    if kind == "call":
        delta = actions.get("stateDelta")
        fits = "actions" not in event or (
            set(actions) == {"stateDelta"}
            and bool(delta)
            and set(delta) <= {"activityKind", "displayName", "intent"}
            and all(isinstance(value, str) for value in delta.values())
        )
        return "call" if who == ("model", "agent") and fits else "conflict"
    if kind == "response":
        delta = actions.get("stateDelta", {})
        duration = delta.get("durationMs")
        fits = "actions" not in event or (
            set(actions) == {"stateDelta"}
            and set(delta) == {"durationMs"}
            and isinstance(duration, int | float)
            and not isinstance(duration, bool)
            and abs(duration) < float("inf")
        )
        return "response" if who == ("tool", "tool") and fits else "conflict"
    refs = set(event.get("refs", {}))
    if "content" in event or who != ("system", "system") or len(actions) != 1:
        return "conflict"
    allowed = [{"operationId", "toolCallId"}]
    if kind == "dispatch":
        allowed.append({"operationId", "toolCallId", "parentToolCallId", "parentOperationId"})
    return kind if refs in allowed else "conflict"


class _Operation:
    def __init__(self, call_id: str, name: str) -> None:
        self.call_id = call_id
        self.name = name
        self.call: Event | None = None
        self.dispatch: Event | None = None
        self.response: Event | None = None
        self.operation_id: str | None = None
        self.recovery: list[Event] = []
        self.order: dict[int, int] = {}
        self.issues: list[str] = []


class Oracle:
    """Everything that the whole list of events says; `args_hash(tool name, args)` gives the digest or None."""

    def __init__(self, events: list[Event], args_hash: Callable[[str, Any], str | None]) -> None:
        self.events = events
        self.args_hash = args_hash
        self.operations: dict[tuple[str, str], _Operation] = {}
        self.bound: dict[str, _Operation] = {}
        self.issues: list[tuple[str, str]] = []
        self.marker_issues: list[str] = []
        self.marked = False
        self._scan()

    def _scan(self) -> None:
        seen: set[str] = set()
        triples: dict[str, tuple[str, ...]] = {}
        for index, event in enumerate(self.events):
            marker = event.get("actions", {}).get("runtimeProtocol")
            if "runtimeProtocol" in event.get("actions", {}):
                if index == 0 and marker == MARKER:
                    self.marked = True
                else:
                    self.marker_issues.append(event["id"])
            if event["id"] in seen:
                self.issues.append(("duplicate_event_id", event["id"]))
                continue
            seen.add(event["id"])
            triple = (event["sessionId"], event["runId"], event["turnId"])
            if triples.setdefault(event["invocationId"], triple) != triple:
                self.issues.append(("invocation_identity_conflict", event["id"]))
            lane = _lane(event)
            if lane == "conflict":
                self.issues.append(("semantic_lane_conflict", event["id"]))
            elif lane != "ordinary" and not event["partial"]:
                getattr(self, f"_{lane}")(index, event)

    def _issue(self, code: str, event: Event, *operations: _Operation) -> None:
        self.issues.append((code, event["id"]))
        for operation in operations:
            operation.issues.append(code)

    def _call(self, index: int, event: Event) -> None:
        content = event["content"]
        key = (event["invocationId"], content["id"])
        operation = self.operations.get(key)
        if operation is None:
            operation = self.operations[key] = _Operation(content["id"], content["name"])
        if operation.call is not None:
            self._issue("duplicate_call", event, operation)
            return
        operation.call = event
        operation.order[id(event)] = index
        if operation.name != content["name"]:
            self._issue("identity_conflict", event, operation)

    def _dispatch(self, index: int, event: Event) -> None:
        fact, refs = event["actions"]["toolDispatch"], event["refs"]
        call_id = fact["providerToolCallId"]
        key = (event["invocationId"], call_id)
        operation = self.operations.get(key)
        if operation is None:
            operation = self.operations[key] = _Operation(call_id, fact["toolName"])
            self._issue("event_order_conflict", event, operation)
        if operation.dispatch is not None:
            self._issue("duplicate_dispatch", event, operation)
            return
        operation.dispatch = event
        operation.order[id(event)] = index
        owner = self.bound.get(fact["operationId"])
        if owner is not None and owner is not operation:
            self._issue("duplicate_operation", event, owner, operation)
            return
        self.bound[fact["operationId"]] = operation
        operation.operation_id = fact["operationId"]
        pair = {"operationId": fact["operationId"], "toolCallId": call_id}
        call = operation.call
        if (
            fact["toolName"] != operation.name
            or {key: refs.get(key) for key in pair} != pair
            or (call is not None and _ids(call) != _ids(event))
        ):
            self._issue("identity_conflict", event, operation)
        if call is not None and fact["canonicalArgsHash"] != self.args_hash(
            call["content"]["name"], call["content"]["args"]
        ):
            self._issue("canonical_args_hash_conflict", event, operation)
        if operation.response is not None:
            self._issue("event_order_conflict", event, operation)
            refs = operation.response.get("refs", {})
            if {key: refs.get(key) for key in pair} != pair or _ids(operation.response) != _ids(event):
                self._issue("identity_conflict", operation.response, operation)

    def _response(self, index: int, event: Event) -> None:
        content, refs = event["content"], event.get("refs", {})
        key = (event["invocationId"], content["id"])
        operation = self.operations.get(key)
        if operation is None:
            operation = self.operations[key] = _Operation(content["id"], content["name"])
            operation.response = event
            self._issue("orphan_response", event, operation)
            return
        if operation.response is not None:
            self._issue("duplicate_response", event, operation)
            return
        operation.response = event
        operation.order[id(event)] = index
        bound = operation.operation_id
        if (
            operation.name != content["name"]
            or operation.call is None
            or _ids(operation.call) != _ids(event)
            or (bound is not None and (refs.get("operationId"), refs.get("toolCallId")) != (bound, operation.call_id))
        ):
            self._issue("identity_conflict", event, operation)

    def _recovery(self, index: int, event: Event) -> None:
        operation = self.bound.get(event["actions"]["toolRecovery"]["payload"]["operationId"])
        if operation is None:
            self._issue("event_order_conflict", event)
            return
        operation.recovery.append(event)
        operation.order[id(event)] = index

    def _bundle(self, operation: _Operation) -> str | None:
        """Return completed, a parked reason, or None for facts that form no valid bundle."""
        facts = {
            kind: [e for e in operation.recovery if e["actions"]["toolRecovery"]["kind"] == f"maka.tool.{kind}"]
            for kind in ("reconcile_result", "recovery_decision")
        }
        call, dispatch, response = operation.call, operation.dispatch, operation.response
        if call is None or dispatch is None or any(len(found) != 1 for found in facts.values()):
            return None
        (reconcile,), (decision,) = facts["reconcile_result"], facts["recovery_decision"]
        pair = {"operationId": operation.operation_id, "toolCallId": operation.call_id}
        answered = [response] if response is not None else []
        chain = [call, dispatch, reconcile, *answered, decision]
        order = [operation.order[id(event)] for event in chain]
        carriers = [dispatch, reconcile, decision, *answered]
        observed = reconcile["actions"]["toolRecovery"]["payload"]
        decided = decision["actions"]["toolRecovery"]["payload"]
        if (
            dispatch["actions"]["toolDispatch"]["recoveryMode"] != "reconcile"
            or order != sorted(order)
            or any(_ids(event) != _ids(call) for event in chain)
            or any({key: event.get("refs", {}).get(key) for key in pair} != pair for event in carriers)
            or {observed["operationId"], decided["operationId"]} != {operation.operation_id}
            or decided["evidenceEventIds"] != [event["id"] for event in chain[:-1]]
        ):
            return None
        if decided["disposition"] == "completed":
            ended_well = response is not None and response["content"].get("isError") is not True
            matches = observed["observation"] == "matches_expected_state"
            named = response is not None and decided["outcomeEventId"] == response["id"]
            return "completed" if ended_well and matches and named else None
        reason = OBSERVED.get(observed["observation"])
        return reason if response is None and decided["reasonCode"] == reason else None

    def decide(self, operation: _Operation) -> tuple[str, str]:
        """Return the status and the reason of an operation."""
        for code in ISSUE_ORDER:
            if code in operation.issues:
                if operation.call is None:
                    return "corruption", "orphan_dispatch" if operation.dispatch is not None else "orphan_response"
                return "corruption", code
        if operation.recovery:
            bundle = self._bundle(operation)
            if bundle is None:
                return "corruption", "recovery_fact_corruption"
            return ("succeeded", "recovery_bundle_completed") if bundle == "completed" else ("parked", bundle)
        if operation.response is not None:
            failed = operation.response["content"].get("isError") is True
            return "failed" if failed else "succeeded", "matching_response"
        if operation.dispatch is not None:
            return "indeterminate", "dispatch_without_response"
        if self.marked:
            return "not_dispatched", "new_protocol_before_dispatch"
        return "indeterminate", "legacy_dispatch_unknown"

    def plan(self, expected: float | None = None) -> dict[str, Any]:
        """Return the plan document, keys and order of the vectors."""
        shown, nested = [], []
        for operation in self.operations.values():
            if operation.call is not None:
                twins = [e for e in self.events if e["id"] == operation.call["id"] and _kind(e) == "function_call"]
                (nested if twins[-1].get("modelVisibility") == "hidden" else shown).append((operation, twins[-1]))
        diagnostics = list(self._diagnostics(shown, nested, expected))
        statuses = [self.decide(operation)[0] for operation, _ in (*shown, *nested)]
        reasons = {
            "runtime_offset_mismatch" if d["code"] == "runtime_offset_mismatch" else "dangling_tool_state"
            for d in diagnostics
        }
        return {
            "disposition": "blocked" if diagnostics or "indeterminate" in statuses else "safe_replay",
            "operations": [self._document(operation, call) for operation, call in shown],
            "diagnostics": diagnostics,
            "rejectionReasons": sorted(reasons, reverse=True),
            "requiresVerification": "indeterminate" in statuses,
            "sourceRuntimeEventHighWater": len(self.events),
            "replayRuntimeEventIds": [event["id"] for event in self.events if self._replayed(event)],
        }

    def _document(self, operation: _Operation, call: Event) -> dict[str, Any]:
        document = {
            "toolCallId": call["content"]["id"],
            "toolName": call["content"]["name"],
            "status": self.decide(operation)[0],
            "callRuntimeEventId": call["id"],
        }
        if operation.response is not None:
            document["responseRuntimeEventId"] = operation.response["id"]
            document["responseIsError"] = operation.response["content"].get("isError") is True
        return document

    def _diagnostics(self, shown: Any, nested: Any, expected: float | None) -> Any:
        codes = {
            "indeterminate": "pending_tool_result",
            "not_dispatched": "tool_not_dispatched",
            "corruption": "tool_recovery_corruption",
            "parked": "tool_recovery_parked",
        }

        def told(operations: Any, *statuses: str) -> Any:
            for operation, call in operations:
                status = self.decide(operation)[0]
                if status in statuses:
                    content = call["content"]
                    yield {
                        "code": codes[status],
                        "eventId": call["id"],
                        "toolCallId": content["id"],
                        "toolName": content["name"],
                    }

        if expected is not None and expected != len(self.events):
            detail = {"expectedRuntimeEventHighWater": expected, "actualRuntimeEventHighWater": len(self.events)}
            yield {"code": "runtime_offset_mismatch", "detail": detail}
        yield from told(shown, *codes)
        yield from ({"code": "protocol_marker_invalid", "eventId": event_id} for event_id in self.marker_issues)
        for code, event_id in self.issues:
            if code in ("duplicate_event_id", "semantic_lane_conflict"):
                yield {"code": code, "eventId": event_id}
            else:
                yield {"code": "tool_ledger_corruption", "eventId": event_id, "detail": {"issueCode": code}}
        for operation in self.operations.values():
            if operation.call is None and self.decide(operation)[1] != "orphan_response":
                event = operation.dispatch or operation.response
                assert event is not None
                named = {"toolName": operation.name} if operation.name else {}
                yield {"code": codes["corruption"], "eventId": event["id"], "toolCallId": operation.call_id, **named}
        yield from told(nested, "indeterminate")
        yield from told(nested, "parked", "corruption")
        names = {call["content"]["id"]: call["content"]["name"] for _, call in shown}
        for event in self.events:
            if event["partial"] or event.get("modelVisibility") == "hidden" or _kind(event) != "function_response":
                continue
            content = event["content"]
            about = {"eventId": event["id"], "toolCallId": content["id"], "toolName": content["name"]}
            if content["id"] not in names:
                yield {"code": "unmatched_tool_result", **about}
            elif names[content["id"]] != content["name"]:
                detail = {"callToolName": names[content["id"]], "responseToolName": content["name"]}
                yield {"code": "tool_name_mismatch", **about, "detail": detail}

    def _replayed(self, event: Event) -> bool:
        if event["partial"] or event.get("modelVisibility") == "hidden":
            return False
        if _kind(event) not in ("function_call", "function_response"):
            return True
        operation = self.operations.get((event["invocationId"], event["content"]["id"]))
        if operation is None or operation.call is None or operation.response is None:
            return False
        halves = {half.get("modelVisibility") == "hidden" for half in (operation.call, operation.response)}
        return len(halves) == 1 and self.decide(operation)[0] in ("succeeded", "failed")
