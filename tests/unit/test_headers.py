"""Run headers: forms, words of older versions, rules across keys."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import HeaderDecodeError
from core.records.codec import decode_run_header, encode_run_header
from core.records.headers import ContinuationSource
from tests.support.records import ABSENT, DIGEST, OTHER_DIGEST, as_row, changed, header_with

FIRST_FORM = {
    "sourceInvocationId": "",
    "sourceRunId": "r",
    "sourceTurnId": "t",
    "sourceRuntimeEventHighWater": 0,
}
SECOND_FORM = FIRST_FORM | {
    "protocol": "continuation_source_v2",
    "claimId": "c",
    "sourceInvocationId": "i",
    "sourceRuntimeEventHighWater": 7,
    "boundaryDigest": DIGEST,
    "sourcePrefixDigest": OTHER_DIGEST,
    "replayManifestDigest": DIGEST,
}
COMPOSITION = {
    "schemaVersion": 1,
    "composerId": "maka.run-1",
    "composerRevision": "1",
    "sourceRevisions": [{"id": "a.b", "revision": "1"}, {"id": "a.c", "revision": "1"}],
    "baseSystemPromptHash": DIGEST,
    "toolCatalogHash": DIGEST,
    "toolAvailabilityHash": DIGEST,
    "baseProviderOptionsHash": DIGEST,
    "toolNames": ["Bash", "Write"],
    "contextWindow": None,
}


def accepted(document: dict[str, Any]) -> bool:
    """Whether a document is read as a header."""
    try:
        decode_run_header(as_row(document))
    except HeaderDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    ("form", "changes", "good"),
    [
        (FIRST_FORM, {}, True),
        (FIRST_FORM, {"sourceRuntimeEventHighWater": -1}, False),
        (FIRST_FORM, {"sourceRuntimeEventHighWater": 2.0}, True),
        (FIRST_FORM, {"claimId": "c"}, False),
        (SECOND_FORM, {}, True),
        (SECOND_FORM, {"claimId": ABSENT}, False),
        (SECOND_FORM, {"protocol": ABSENT}, False),
        (SECOND_FORM, {"sourceInvocationId": ""}, False),
        (SECOND_FORM, {"sourceRuntimeEventHighWater": 0}, False),
        (SECOND_FORM, {"replayManifestDigest": OTHER_DIGEST}, False),
    ],
)
def test_continuation_sources_have_two_forms(form: dict[str, Any], changes: dict[str, Any], good: bool) -> None:
    """A continuation source is the four keys of old, or the nine keys with equal digests."""
    assert accepted(header_with(continuationSource=changed(form, changes))) is good


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({}, True),
        ({"contextWindow": 200000}, True),
        ({"contextWindow": 0}, False),
        ({"contextWindow": ABSENT}, False),
        ({"schemaVersion": 2}, False),
        ({"composerId": "maka"}, False),
        ({"composerId": "Maka.run"}, False),
        ({"composerId": "a." + "b" * 126}, True),
        ({"composerId": "a." + "b" * 127}, False),
        ({"composerRevision": "\U0001f600" * 64}, True),
        ({"composerRevision": "\U0001f600" * 65}, False),
        ({"toolNames": ["Write", "Bash"]}, False),
        ({"toolNames": ["Bash", "Bash"]}, False),
        ({"toolNames": ["\U0001f600", "\uff5e"]}, True),
        ({"toolNames": ["\uff5e", "\U0001f600"]}, False),
        ({"toolNames": [f"{i:03}" for i in range(257)]}, False),
        ({"toolNames": ["\U0001f600" * 65]}, False),
        ({"sourceRevisions": [{"id": "a.c", "revision": "1"}, {"id": "a.b", "revision": "1"}]}, False),
        ({"sourceRevisions": [{"id": "a.b", "revision": ""}]}, False),
        ({"sourceRevisions": [{"id": "a.b", "revision": "\U0001f600" * 65}]}, False),
        ({"sourceRevisions": []}, True),
    ],
)
def test_compositions(changes: dict[str, Any], good: bool) -> None:
    """A composition has digests, and lists that rise strictly by UTF-16 units."""
    assert accepted(header_with(runComposition=changed(COMPOSITION, changes))) is good


@pytest.mark.parametrize(
    ("causes", "good"),
    [
        (["scheduledTaskId"], True),
        (["automationId"], True),
        (["goalId", "agentGraphWakeAttemptId"], True),
        (["agentGraphWakeAttemptId"], True),
        (["automationId", "agentGraphWakeId"], True),
        (["legacyAutomationId", "agentGraphWakeId"], False),
        (["automationId", "legacyAutomationId"], False),
        (["automationId", "goalId"], False),
        (["automationId", "goalId", "agentGraphWakeId"], False),
        (["scheduledTaskId", "goalId"], False),
        (["scheduledTaskId", "agentGraphWakeId"], False),
    ],
)
def test_a_run_has_one_cause(causes: list[str], good: bool) -> None:
    """A header names at most one cause, an empty name counting; the oldest version took two together."""
    assert accepted(header_with(**dict.fromkeys(causes, ""))) is good


def test_retired_words_come_back_as_todays() -> None:
    """Words and names of older versions are returned as those of today."""
    header = decode_run_header(header_with(status="waiting_permission", permissionMode="execute", automationId="a"))

    assert (header.status, header.permission_mode) == ("waiting_for_user", "ask")
    assert header.legacy_automation_id == "a"


@pytest.mark.parametrize("word", ["toString", "constructor", "__proto__"])
def test_inherited_names_are_no_modes(word: str) -> None:
    """Names that every JavaScript object inherits are no permission modes."""
    assert not accepted(header_with(permissionMode=word))


@pytest.mark.parametrize(
    ("document", "field", "offset"),
    [(b'{"runId":}', None, 9), (b'\xef\xbb\xbf{"runId":1}', None, 0), (as_row(header_with(cwd=1)), "$.cwd", None)],
)
def test_an_unreadable_header_says_where(document: bytes, field: str | None, offset: int | None) -> None:
    """A header that cannot be read has the byte or the field where it goes wrong."""
    with pytest.raises(HeaderDecodeError) as caught:
        decode_run_header(document)

    assert (caught.value.code, caught.value.field, caught.value.offset) == ("header_unreadable", field, offset)


def test_broken_bytes_in_a_header_are_replaced() -> None:
    """Broken UTF-8 in a header's text is replaced, blanks around the document are allowed."""
    document = b" \r\n" + as_row(header_with(cwd="C")).replace(b'"C"', b'"\xff\\ud800"') + b"\n"

    assert decode_run_header(document).cwd == "\ufffd\ud800"


def test_a_written_header_is_read_again() -> None:
    """What is written for a header is read as the same header."""
    document = header_with(continuationSource=SECOND_FORM, runComposition=COMPOSITION, completedAt=2.5, cwd="\ud800")
    header = decode_run_header(document)

    assert isinstance(header.continuation_source, ContinuationSource)
    assert decode_run_header(encode_run_header(header)) == header
