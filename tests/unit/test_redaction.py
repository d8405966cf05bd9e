"""What replaces the words of a workspace, and what a redacted repro refuses, names and keeps."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from core import RequestError, RuntimeEvent, Verdict, decode_event, inspect, open_workspace
from core.decision.resume import build_resume_plan
from core.evidence.redaction import Redactor
from core.evidence.redaction_damage import shown_field
from core.evidence.redaction_events import EventRedactor
from core.evidence.redaction_repro import Repro, make_repro
from core.evidence.redaction_slice import smallest_slice
from core.records.args_identity import args_hash
from tests.support.runs import call, dispatch, event, header, response, terminal, text
from tests.support.workspaces import make_run

NOW = 1_796_000_000_000.0


def _redacted(*documents: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [json.dumps(document).encode() for document in documents]
    events = [decode_event(row) for row in rows]
    redactor = EventRedactor(Redactor(rows), events)
    return [redactor.document(one) for one in events]


def _repro(root: Path, *, whole: bool = False) -> Repro:
    with open_workspace(root) as workspace:
        return make_repro(workspace.runs()[0].ledger(), "maka-ledger 1.2.3", whole=whole, now_ms=NOW)


def test_equal_values_become_equal_and_unequal_ones_unequal() -> None:
    """An id keeps meeting itself under its new name, in whatever field it stands."""
    ids = {"runId": "R", "sessionId": "S", "turnId": "T", "invocationId": "I"}
    called, answered = _redacted(call("e1", "secret", **ids), response("e2", "secret", **ids))

    assert called["content"]["id"] == answered["content"]["id"] == called["refs"]["toolCallId"] == "call-1"
    assert (called["id"], answered["id"]) == ("event-1", "event-2")
    assert called["runId"] == answered["runId"] == "run-1"


def test_no_new_name_is_an_old_one() -> None:
    """Where the source has names like ours, ours get a prefix that it has not."""
    (document,) = _redacted(call("event-7", "r-call-1"))

    assert document["id"] == "rr-event-1"
    assert document["content"]["id"] == "rr-call-1"


def test_a_digest_tells_nothing_to_who_has_not_the_source() -> None:
    """The digest of a short text is not its plain digest, and depends on the rest of the source."""
    plain = hashlib.sha256(b"yes").hexdigest()
    one, other = Redactor([b"this row", b"yes"]), Redactor([b"that row", b"yes"])

    assert one.text("texts", "yes") == one.text("texts", "yes") != other.text("texts", "yes")
    assert one.text("texts", "yes").split()[-1] not in plain


def test_what_is_empty_stays_empty() -> None:
    """Empty texts and ids and null arguments hold nothing to withhold, and decide as they did."""
    (document,) = _redacted(call("e1", "", None))

    assert document["content"] == {"kind": "function_call", "id": "", "name": "Bash", "args": None}


def test_a_tool_name_stays_only_where_it_is_a_plain_identifier() -> None:
    """Names explain; a name with anything odd in it is data."""
    plain, odd = "mcp__files__read-all.v2", "rm -rf /srv/secret"
    rows = [call(f"e{n}", f"t{n}") for n in (1, 2)]
    rows[0]["content"]["name"], rows[1]["content"]["name"] = plain, odd

    assert [row["content"]["name"] for row in _redacted(*rows)] == [plain, "r-tool-1"]


@pytest.mark.parametrize("matched", [True, False])
def test_the_digest_of_arguments_fits_exactly_where_it_did(matched: bool) -> None:
    """A dispatch that repeated its call's arguments still does; one that did not still does not."""
    called, started = _redacted(
        call("e1", "t", {"command": "deploy"}), dispatch("e2", "t", args={"command": "deploy" if matched else "else"})
    )
    content = called["content"]
    digest = args_hash(content["name"], json.dumps(content["args"]).encode())

    assert (started["actions"]["toolDispatch"]["canonicalArgsHash"] == digest) is matched


def test_what_is_not_known_to_be_harmless_is_withheld() -> None:
    """Attachments, provider options, usage, state and unknown references do not come through in any form."""
    secret = "s3cret-value"
    said = text("e1", secret, actions={"stateDelta": {secret: secret}, "artifactDelta": {secret: secret}})
    said["content"] |= {"displayText": secret, "quotes": [{"text": secret}], "providerOptions": {secret: secret}}
    said["refs"] = {"artifactId": secret, "storedMessageId": secret}
    failed = event("e2", content={"kind": "error", "message": secret, "code": secret, "details": [secret]})

    documents = _redacted(said, failed)

    assert secret not in json.dumps(documents)
    assert documents[0]["actions"] == {"stateDelta": {"withheld": ["stateDelta", "artifactDelta"]}}
    assert [decode_event(json.dumps(document).encode()).is_terminal for document in documents] == [False, False]


def test_permissions_stay_as_facts_without_their_words() -> None:
    """Who was asked for what kind of thing, and what they answered, is kept; arguments and reasons are not."""
    request = {
        "kind": "tool_permission", "requestId": "ask-me", "toolUseId": "t", "toolName": "Bash",
        "category": "shell_unsafe", "reason": "shell_dangerous", "args": {"command": "s3cret"},
        "rememberForTurnAllowed": True, "hint": "s3cret",
    }  # fmt: skip
    decision = {"requestId": "ask-me", "decision": "deny", "rationale": "s3cret", "riskLevel": "high"}
    asked, decided = _redacted(
        event("e1", actions={"permissionRequest": request}), event("e2", actions={"permissionDecision": decision})
    )

    assert "s3cret" not in json.dumps([asked, decided])
    assert asked["actions"]["permissionRequest"]["category"] == "shell_unsafe"
    assert asked["actions"]["permissionRequest"]["requestId"] == decided["actions"]["permissionDecision"]["requestId"]
    assert decided["actions"]["permissionDecision"]["decision"] == "deny"


def test_a_key_of_the_source_does_not_leave_in_a_path() -> None:
    """Of the path of a damaged field only keys of the format are shown."""
    assert shown_field("$.content.kind") == "$.content.kind"
    assert shown_field("$.content.attachments[2].name") == "$.content.attachments[2].name"
    assert shown_field("$.content.s3cret") == "$.content.*"
    assert shown_field("$.s3cret[...].x y") == "$.*[…].*"
    assert shown_field("$") == "$"
    assert shown_field(None) is None


def test_the_smallest_slice_of_a_long_run_is_the_call_in_doubt() -> None:
    """Thousands of settled calls around one without a response leave no trace in the slice."""
    rows: list[dict[str, Any]] = [text("e0")]
    for number in range(1500):
        rows += [call(f"c{number}", f"t{number}"), response(f"r{number}", f"t{number}")]
    rows += [call("lost", "lost"), terminal("end")]
    events = tuple(decode_event(json.dumps(row).encode()) for row in rows)

    part = smallest_slice(events, build_resume_plan(events))

    assert [events[index].id for index in part.indexes] == ["lost"]
    assert part.minimal


def _many(count: int) -> tuple[RuntimeEvent, ...]:
    return tuple(decode_event(json.dumps(call(f"c{n}", f"t{n}")).encode()) for n in range(count))


def test_a_slice_that_cannot_be_tried_to_the_end_says_so() -> None:
    """Calls in doubt are all kept; whether one could be left out is then not claimed."""
    events = _many(40)

    part = smallest_slice(events, build_resume_plan(events), most_read=400)

    assert len(part.indexes) == 40
    assert not part.minimal


def test_a_run_without_doubt_has_nothing_to_reproduce(tmp_path: Path) -> None:
    """A replayable run is refused with a way out, and taken whole when that is asked for."""
    make_run(tmp_path, [text("e1"), call("e2"), response("e3")])

    with pytest.raises(RequestError, match="replayable"):
        _repro(tmp_path)
    repro = _repro(tmp_path, whole=True)

    assert repro.manifest["source"]["eventNumbers"] == [1, 2, 3]
    assert repro.manifest["whole"] is True
    assert repro.files["runtime-events.jsonl"].count(b"\n") == 3


def test_a_torn_row_is_told_by_its_shape(tmp_path: Path) -> None:
    """Where the torn row is and what it starts like is said; what it says is not, and it is not made anew."""
    make_run(tmp_path, [call("e1")], tail=b'{"id":"e2","content":{"kind":"function_response","id":"t","result":"s3cr')
    repro = _repro(tmp_path)
    torn = repro.manifest["tornTail"]

    assert torn["line"] == 2
    assert torn["length"] == 72
    assert torn["startsLike"] == "function_response"
    assert b"s3cr" not in b"".join(repro.files.values())
    assert repro.files["runtime-events.jsonl"].count(b"\n") == 1


def test_stale_files_are_refused(tmp_path: Path) -> None:
    """Beside a database the JSONL files are no evidence of what happened last."""
    make_run(tmp_path, [call("e1")])
    with open_workspace(tmp_path / "sessions" / "sess-1" / "runs" / "run-1") as workspace:
        ledger = workspace.runs()[0].ledger()
    (tmp_path / "runtime.sqlite").write_bytes(b"")
    with open_workspace(tmp_path / "sessions" / "sess-1" / "runs" / "run-1") as workspace:
        stale = workspace.runs()[0].ledger()

    assert make_repro(ledger, "maka-ledger").manifest["decision"]["disposition"] == "blocked"
    with pytest.raises(RequestError, match="stale"):
        make_repro(stale, "maka-ledger")


def test_the_copy_of_a_crashed_run_is_not_taken_for_one_at_work(tmp_path: Path) -> None:
    """The files say when the source was written, so a fresh copy of an old crash is no run that may be running."""
    written = NOW - 3_600_000
    make_run(tmp_path / "root", [call("e1", ts=written)], written_ms=written)
    with open_workspace(tmp_path / "root") as workspace:
        make_repro(workspace.runs()[0].ledger(), "maka-ledger").write(tmp_path / "repro", workspace)
    with open_workspace(tmp_path / "repro") as workspace:
        inspection = inspect(workspace.runs()[0].ledger(), now_ms=NOW)

    assert inspection.verdict is Verdict.MAY_HAVE_RUN


def test_the_manifest_counts_what_was_withheld(tmp_path: Path) -> None:
    """Kinds, counts and bytes of what is missing, and digests by which the holder of the source knows it again."""
    rows = [text("e1"), call("e2", args={"command": "deploy"})]
    folder = make_run(tmp_path, rows, head=header(cwd="/home/me"))
    lines = (folder / "runtime-events.jsonl").read_bytes().splitlines(keepends=True)
    manifest = _repro(tmp_path).manifest
    withheld = {one["kind"]: (one["count"], one["bytes"]) for one in manifest["withheld"]}

    assert withheld["arguments"] == (1, len('{"command":"deploy"}'))
    assert withheld["paths"] == (1, len("/home/me"))
    assert "texts" not in withheld
    assert manifest["source"]["eventNumbers"] == [2]
    assert manifest["source"]["sliceRowsSha256"] == hashlib.sha256(lines[1]).hexdigest()
    assert manifest["source"]["committedRowsSha256"] == hashlib.sha256(b"".join(lines)).hexdigest()
    assert manifest["keptToolNames"] == ["Bash"]
    assert manifest["madeBy"] == "maka-ledger 1.2.3"
