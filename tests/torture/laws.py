"""What must hold for every run, however it was damaged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from core import (
    CoreError,
    Inspection,
    Ledger,
    Run,
    WhySection,
    Workspace,
    build_resume_plan,
    decode_event,
    encode_document,
    inspect,
    locate,
    open_workspace,
    plan_at,
    report_document,
    report_on_run,
    run_document,
    summarize,
    summarize_run,
    verdict_facts,
    why_markdown,
    why_operation,
    why_run,
)
from core.records.args_identity import args_hash
from core.records.json_text import parse
from core.records.wire import event_document
from tests.support.answers import plan_differences
from tests.support.plan_oracle import Oracle
from tests.torture.corpus import RunFiles
from tests.torture.survivors import Survivors, respelled, survivors, trusted_header

LEDGER, HEADER = "runtime-events.jsonl", "run.json"
_MANY = 2.0**53


def write_run(root: Path, files: RunFiles) -> Path:
    """Write the files of a run into a state root and return its folder; what the run lacks is taken away."""
    session = root / "sessions" / files.session_id
    folder = session / "runs" / files.run_id
    folder.mkdir(parents=True, exist_ok=True)
    partials = folder / "runtime-partials"
    if files.partials:
        partials.mkdir(exist_ok=True)
    for path, payload in (
        (folder / HEADER, files.header),
        (folder / LEDGER, files.ledger),
        (folder / "events.jsonl", files.trace),
        (session / "session.jsonl", files.session),
        *((partials / name, files.partials[name]) for name in files.partials),
    ):
        if payload is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(payload)
    return folder


def broken_laws(root: Path, files: RunFiles, rng: Random, *, thorough: bool) -> Iterator[str]:
    """Write a run, read it, and say which laws do not hold; `thorough` asks all that a person can ask."""
    folder = write_run(root, files)
    header = trusted_header(files.header, files.session_id, files.run_id)
    expect = survivors(files.ledger or b"", files.session_id, files.run_id, header)
    workspace = open_workspace(root)
    (run,) = workspace.runs()
    ledger = run.ledger()
    inspection = inspect(ledger, now_ms=_MANY)
    yield from _rows(ledger, inspection, expect, header)
    yield from _blocks(inspection, expect, header)
    yield from _prefixes(ledger, rng)
    yield from _high_water(ledger)
    summary = summarize_run(run, None, _MANY)
    if summary.blocked != inspection.plan.blocked:
        yield "the list of runs and the run itself decide differently"
    if thorough:
        yield from _clean(root.with_name(root.name + "-clean"), files, inspection, expect, header)
        yield from _slowly(ledger, inspection, expect)
        yield from _documents(workspace, run, inspection)
        yield from _questions(ledger, run, inspection, rng)
    ledger.close()
    workspace.close()
    if (folder / LEDGER).exists() and (folder / LEDGER).read_bytes() != files.ledger:
        yield "reading changed the ledger"


def _rows(ledger: Ledger, inspection: Inspection, expect: Survivors, header: Any) -> Iterator[str]:
    """Hold the committed rows to the surviving ones, and each to what it is in another spelling."""
    if ledger.readable != (expect.readable and header is not None):
        yield f"readable is {ledger.readable}, but rows {expect.readable}, header {header is not None}"
    if [ledger.raw(index) for index in range(len(ledger))] != expect.rows:
        yield f"{len(ledger)} rows are committed, not the {len(expect.rows)} that survive"
        return
    if (ledger.torn_tail is not None) != expect.torn:
        yield f"torn tail: {ledger.torn_tail}"
    first = next((f.line for f in ledger.findings if f.code.startswith("row_")), 0)
    if first != expect.bad_line:
        yield f"the first unreadable row is line {expect.bad_line}, not {first}"
    for event, again in zip(ledger, expect.events, strict=True):
        if not same_value(event_document(event), event_document(again)):
            yield f"event {event.id!r} reads differently in another spelling"


def _blocks(inspection: Inspection, expect: Survivors, header: Any) -> Iterator[str]:
    """Hold a replay to what can be trusted and is settled."""
    plan = inspection.plan
    if plan.blocked:
        return
    if header is None:
        yield "safe_replay without a header that can be trusted"
    if not expect.readable:
        yield "safe_replay with an unreadable row"
    # A hidden call that was never dispatched is the one exception: recorded answers let it pass.
    open_calls = {operation.status for operation in plan.operations if not operation.settled}
    open_calls |= {operation.status for operation in plan.nested_operations if not operation.settled} - {
        "not_dispatched"
    }
    if open_calls:
        yield "safe_replay with an unsettled call"
    if plan.diagnostics or plan.rejection_reasons or plan.requires_verification:
        yield "safe_replay with a reason against it"


def _prefixes(ledger: Ledger, rng: Random) -> Iterator[str]:
    """Every what-if equals the plan of that prefix alone."""
    count = len(ledger)
    chosen = range(count + 1) if count <= 8 else sorted({0, count, *(rng.randint(0, count) for _ in range(4))})
    events = list(ledger)
    for end in chosen:
        alone = build_resume_plan(tuple(events[:end])).as_document()
        if plan_at(ledger.tool_ledger, end, source=ledger).as_document() != alone:
            yield f"the what-if of {end} events is not the plan of these events alone"
        if (alone["disposition"] == "blocked") != bool(end and ledger.tool_ledger.blocked_after[end - 1]):
            yield f"the verdict strip at {end} is not the plan's"


def _high_water(ledger: Ledger) -> Iterator[str]:
    """Only the exact number of events is accepted."""
    count = len(ledger)
    for wrong in {count + 1, count - 1, 0, 2 * count, int(_MANY)} - {count}:
        plan = inspect(ledger, expected_high_water=wrong).plan
        if not plan.blocked or "runtime_offset_mismatch" not in plan.rejection_reasons:
            yield f"an expected high-water of {wrong} was let through"
    if "runtime_offset_mismatch" in inspect(ledger, expected_high_water=count).plan.rejection_reasons:
        yield "the right high-water was refused"


def _clean(root: Path, files: RunFiles, inspection: Inspection, expect: Survivors, header: Any) -> Iterator[str]:
    """Hold the answer to that for the surviving rows alone, written anew to a clean ledger; or it blocks."""
    if header is None or not expect.readable:
        if not inspection.plan.blocked:
            yield "what is damaged must block"
        return
    rows = [_respelled_row(row) for row in expect.rows]
    write_run(root, files.changed(ledger=b"".join(row + b"\n" for row in rows), trace=None, partials={}))
    (run,) = open_workspace(root).runs()
    ledger = run.ledger()
    if inspect(ledger).plan.as_document() != inspection.plan.as_document():
        yield "the plan is not that of the surviving rows alone"
    ledger.close()


def _respelled_row(row: bytes) -> bytes:
    try:
        again = respelled(json.loads(row.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        again = None
    return again if again is not None else row


def _slowly(ledger: Ledger, inspection: Inspection, expect: Survivors) -> Iterator[str]:
    """Hold the plan to the rules, followed slowly."""
    documents = [event_document(event) for event in expect.events]
    if len(documents) > 60:
        return
    with contextlib.suppress(RecursionError):
        slow = Oracle(documents, _hash).plan()
        plan = build_resume_plan(tuple(ledger)).as_document()
        yield from (f"not by the rules: {told}" for told in plan_differences(plan, slow))


def _hash(name: str, args: Any) -> str | None:
    payload = respelled(args)
    return args_hash(name, payload) if payload is not None else None


def _documents(workspace: Workspace, run: Run, inspection: Inspection) -> Iterator[str]:
    """Documents are JSON for a strict parser, and say what the ledger says."""
    ledger = inspection.ledger
    encoded = encode_document(run_document(inspection, "p"))
    try:
        document = strict_json(encoded)
    except CoreError as error:
        yield f"the document is no JSON: {error}"
        return
    told = [*document["plan"]["operations"], *document["plan"].get("nestedOperations", [])]
    for entry, operation in zip(told, (*inspection.operations, *inspection.nested_operations), strict=True):
        if "args" not in entry or not same_value(entry["args"], operation.args):
            yield f"the document has other arguments for {operation.tool_call_id!r}"
    if ledger.header is not None and document["header"].get("cwd") != ledger.header.cwd:
        yield "the document has another cwd"
    report = encode_document(report_document(report_on_run(workspace, run, "p", "torture", _MANY)))
    try:
        strict_json(report)
    except CoreError as error:
        yield f"the report is no JSON: {error}"


def _questions(ledger: Ledger, run: Run, inspection: Inspection, rng: Random) -> Iterator[str]:
    """Whatever a person asks has an answer."""
    facts = verdict_facts(inspection)
    why_markdown(inspection, facts, why_run(inspection))
    for operation in [*inspection.doubts[:2], *inspection.operations[:1]]:
        why = why_operation(inspection, operation)
        why_markdown(inspection, facts, why)
        if not why.lines(WhySection.PROVES):
            yield f"nothing is proved about {operation.tool_call_id!r}"
    for row in ledger.rows[:40]:
        event = ledger.event_at(row)
        if event is not None:
            summarize(event)
    if len(ledger):
        event = ledger[rng.randrange(len(ledger))]
        yield from _finds(ledger, event.id)


def _finds(ledger: Ledger, event_id: str) -> Iterator[str]:
    """Hold the ledger's own ids to be found, unless they read as a number or a time."""
    wanted = event_id.strip()
    if not wanted or wanted != event_id or any(char.isdigit() for char in wanted[:2]) or wanted.startswith("#"):
        return
    try:
        found = locate(ledger, event_id)
    except CoreError as error:
        yield f"an event of the ledger is not found by its id: {error}"
        return
    if decode_event(ledger.raw(found)).id != event_id:
        yield f"{event_id!r} leads to another event"


def strict_json(payload: bytes) -> Any:
    """Read a document as a strict parser does; raises CoreError. Text that is not UTF-8 is no JSON."""
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CoreError(str(error)) from error
    return parse(text)


def same_value(one: Any, other: Any) -> bool:
    """Compare two JSON values of any depth; 3 and 3.0 are the same number, true and 1 are not."""
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if list(left) != list(right):
                return False
            waiting.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            waiting.extend(zip(left, right, strict=True))
        elif isinstance(left, bool) != isinstance(right, bool) or left != right:
            return False
    return True
