"""One line about an event, and the arguments of a call: what a list shows.

The text is the ledger's own: hostile until printed safely.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from ..records.events import Actions, ErrorContent, FunctionCall, FunctionResponse, RuntimeEvent, Text, Thinking

_LIMIT: Final = 400
"""Characters of a summary; what a list shows is shorter still."""

_DECODE_LIMIT: Final = 1 << 16
"""Bytes. A larger value is described by its size instead of being decoded for one line."""

_READ_LIMIT: Final = 1 << 20
"""Bytes. What a person could not read through is not decoded to be read."""

_MAIN_ARGUMENTS: Final = (
    "command", "cmd", "file_path", "filePath", "path", "url",
    "query", "pattern", "code", "prompt", "description", "name",
)  # fmt: skip
"""The arguments that say most about a call, the first present wins."""


def size_text(count: int) -> str:
    """Write a number of bytes for a person: `143 B`, `1.2 KB`, `50.0 MB`."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.95 or unit == "GB":
            break
    return f"{value:.1f} {unit}"


def counted(count: int, noun: str) -> str:
    """Write a count with its noun, which takes a plain `s` for all but one: `1 event`, `1,200 events`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def value_text(value: object) -> str:
    """Write a value on one line: a string as it is, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
    except (RecursionError, ValueError):
        return "a deeply nested value"


def call_summary(call: FunctionCall) -> str:
    """Return the argument that says most about a call."""
    raw = bytes(call.args_json)
    if len(raw) > _DECODE_LIMIT:
        return f"{size_text(len(raw))} of arguments"
    args = call.args
    if isinstance(args, Mapping):
        for key in _MAIN_ARGUMENTS:
            if key in args and isinstance(args[key], str) and args[key]:
                return str(args[key])[:_LIMIT]
        if not args:
            return ""
    return "" if args is None else value_text(args)[:_LIMIT]


def arguments_line(event: RuntimeEvent) -> str:
    """Return the argument that says most about the call that an event is; empty where it is none."""
    return call_summary(event.content) if isinstance(event.content, FunctionCall) else ""


def call_arguments(call: FunctionCall) -> tuple[tuple[str, str], ...]:
    """Return every argument of a call as name and text, in the ledger's order; one entry where they are no object.

    Arguments of more than a megabyte are described by their size.
    """
    raw = bytes(call.args_json)
    if len(raw) > _READ_LIMIT:
        return (("arguments", f"{size_text(len(raw))}, not shown here"),)
    args = call.args
    if isinstance(args, Mapping):
        return tuple((str(key), value_text(value)) for key, value in args.items())
    return (("arguments", value_text(args)),)


def response_summary(response: FunctionResponse) -> str:
    """Return outcome, exit code where the tool gave one, and size."""
    raw = bytes(response.result_json)
    small = response.result if len(raw) <= _DECODE_LIMIT else None
    if response.is_error is True:
        said = _message(small)
        return f"error: {said}"[:_LIMIT] if said else f"error, {size_text(len(raw))}"
    parts = ["ok"]
    if isinstance(small, Mapping):
        for key in ("exitCode", "exit_code", "code"):
            if isinstance(small.get(key), int) and not isinstance(small.get(key), bool):
                parts.append(f"exit {small[key]}")
                break
    parts.append(size_text(len(raw)))
    return ", ".join(parts)


def summarize(event: RuntimeEvent) -> str:
    """Return one line about an event, without its kind."""
    content = event.content
    if isinstance(content, FunctionCall):
        said = call_summary(content)
        return f"{content.name}  {said}" if said else content.name
    if isinstance(content, FunctionResponse):
        return response_summary(content)
    if isinstance(content, Text):
        return _first_line(content.text)
    if isinstance(content, Thinking):
        return _first_line(content.text)
    if isinstance(content, ErrorContent):
        return _first_line(content.message)
    actions = event.actions
    said = action_summary(actions) if isinstance(actions, Actions) else ""
    if event.is_terminal:
        ended = f"run {event.status}" if event.status else "invocation ended"
        return f"{ended}, {said}" if said else ended
    return said or (str(event.status) if event.status else "no content")


def action_summary(actions: Actions) -> str:
    """Return one line about what an event did besides speaking."""
    if actions.tool_dispatch:
        return f"dispatched: {actions.tool_dispatch.tool_name}, {actions.tool_dispatch.recovery_mode}"
    if actions.tool_recovery:
        return _recovery(actions)
    if actions.permission_request:
        return f"asked: {actions.permission_request.category}"
    if actions.permission_decision:
        decision = actions.permission_decision
        who = "auto review" if decision.reviewer == "auto_review" else "user"
        return f"{'allowed' if decision.decision == 'allow' else 'denied'} by {who}"
    if actions.permission_answer_accepted:
        return "answer accepted"
    if actions.permission_closure_accepted:
        return "closed: timed out"
    if actions.user_question_request:
        questions = actions.user_question_request.questions
        return f"asked: {_first_line(questions[0].question)}" if questions else "asked"
    if actions.user_question_answer_accepted:
        return "answer accepted"
    if actions.token_usage:
        usage = actions.token_usage
        return f"{usage.input:,.0f} tokens in, {usage.output:,.0f} out"
    if actions.transfer_to_agent:
        return f"transfer to {actions.transfer_to_agent}"
    if actions.continuation_start:
        return "continues an earlier run"
    if actions.workspace_fact:
        return "workspace fact"
    if actions.runtime_protocol:
        return f"protocol {actions.runtime_protocol.tool_boundary}"
    if actions.state_delta:
        return f"state: {', '.join(list(actions.state_delta)[:6])}"[:_LIMIT]
    if actions.artifact_delta:
        return f"artifacts: {', '.join(list(actions.artifact_delta)[:6])}"[:_LIMIT]
    return ""


def _recovery(actions: Actions) -> str:
    fact = actions.tool_recovery
    payload = getattr(fact, "payload", None)
    observation = getattr(payload, "observation", None)
    if observation:
        return f"observed: {observation}"
    return f"decided: {getattr(payload, 'disposition', 'recovery')}"


def _first_line(text: str) -> str:
    return text[: _LIMIT * 2].strip().split("\n", 1)[0][:_LIMIT]


def _message(result: object) -> str:
    if isinstance(result, str):
        return _first_line(result)
    if isinstance(result, Mapping):
        for key in ("error", "message", "stderr", "output", "text"):
            value = result.get(key)
            if isinstance(value, str) and value.strip():
                return _first_line(value)
            if isinstance(value, Mapping) and isinstance(value.get("message"), str):
                return _first_line(str(value["message"]))
    return ""
