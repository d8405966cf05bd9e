"""The tool facts among plain events, by column: there are some only where each has the usual shape (format: lanes)."""

from __future__ import annotations

from itertools import compress, repeat
from math import isfinite
from typing import Any, Final, NamedTuple

from msgspec import UNSET, UnsetType

from .args_identity import args_hash
from .plain_events import PlainActions, PlainEvent, PlainRefs
from .recovery_facts import ToolDispatch
from .row_kinds import RowKind


class PlainFacts(NamedTuple):
    """All tool facts of some events, each kind in their order; of plain Python types alone. Places count from 0."""

    call_places: list[int]
    call_ids: list[str]
    call_names: list[str]
    call_digests: list[str | None]
    """Of the arguments, None for those without one. Empty where there is no dispatch to compare them with."""
    dispatch_places: list[int]
    dispatched_calls: list[str]
    """Tool-call ids."""
    operation_ids: list[str]
    dispatch_names: list[str]
    dispatch_digests: list[str]
    recovery_modes: list[str]
    """Of the dispatches."""
    response_places: list[int]
    answered_calls: list[str]
    """Tool-call ids."""
    response_names: list[str]
    response_refs: list[tuple[str, str] | None]
    """The operation id and tool-call id that a response refers to; None where it does not name both."""
    failures: list[bool]
    """Whether a response says that it is an error."""


def _only(kind: RowKind) -> bytes:
    return bytes(other == kind for other in range(256))


_CALLS: Final = _only(RowKind.CALL)
_DISPATCHES: Final = _only(RowKind.DISPATCH)
_RESPONSES: Final = _only(RowKind.RESPONSE)


def plain_facts(events: list[PlainEvent], kinds: bytearray) -> PlainFacts | None:
    """Gather the tool facts of events whose kinds are known; None where one is not regular by itself."""
    is_call, is_dispatch, is_response = map(kinds.translate, (_CALLS, _DISPATCHES, _RESPONSES))
    calls, dispatches, responses = (list(compress(events, chosen)) for chosen in (is_call, is_dispatch, is_response))
    facts = _facts(dispatches)
    if facts is None or not (_fit_calls(calls) and _fit_responses(responses)):
        return None
    places = range(len(events))
    made: list[Any] = [event.content for event in calls]
    given: list[Any] = [event.content for event in responses]
    return PlainFacts(
        list(compress(places, is_call)),
        [call.id for call in made],
        [call.name for call in made],
        [args_hash(call.name, bytes(call.args_json)) for call in made] if facts else [],
        list(compress(places, is_dispatch)),
        [fact.provider_tool_call_id for fact in facts],
        [fact.operation_id for fact in facts],
        [fact.tool_name for fact in facts],
        [fact.canonical_args_hash for fact in facts],
        [fact.recovery_mode for fact in facts],
        list(compress(places, is_response)),
        [answer.id for answer in given],
        [answer.name for answer in given],
        [_pair(event.refs) for event in responses],
        [answer.is_error is True for answer in given],
    )


def _fit_calls(events: list[PlainEvent]) -> bool:
    return not [event for event in events if event.role != "model" or event.author != "agent" or event.actions]


def _facts(events: list[PlainEvent]) -> list[ToolDispatch] | None:
    """Return what dispatches say; None where one does not stand as it should."""
    actions = [event.actions for event in events]
    facts = [said.tool_dispatch for said in actions if said]
    fit = (
        not [event for event in events if event.role != "system" or event.author != "system"]
        and actions == list(map(PlainActions, repeat(UNSET), facts))
        and [event.refs for event in events]
        == [PlainRefs(fact.operation_id, fact.provider_tool_call_id) for fact in facts if fact]
    )
    return [fact for fact in facts if fact] if fit else None


def _fit_responses(events: list[PlainEvent]) -> bool:
    actions = [said for event in events if (said := event.actions)]
    deltas = [said.state_delta for said in actions]
    durations = [delta.get("durationMs") for delta in deltas if delta and len(delta) == 1]
    return (
        not [event for event in events if event.role != "tool" or event.author != "tool"]
        and len(durations) == len(actions)
        and not [said for said in durations if type(said) is not float or not isfinite(said)]
        and actions == list(map(PlainActions, deltas))
    )


def _pair(refs: PlainRefs | UnsetType) -> tuple[str, str] | None:
    if not refs or refs.operation_id is UNSET or refs.tool_call_id is UNSET:
        return None
    return (refs.operation_id, refs.tool_call_id)
