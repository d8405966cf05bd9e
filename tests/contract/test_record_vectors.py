"""Events, headers and torn rows against answers recorded from the runtime."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from core import EventDecodeError, HeaderDecodeError, decode_event, decode_run_header
from core.records.codec import encode_event, event_document
from core.records.json_text import classify
from tests.support.records import as_row
from tests.support.vector_files import read_vectors

EVENTS = read_vectors("decode")
GROUPS = sorted({vector["name"].split("/")[0] for vector in EVENTS})


def group_of(name: str) -> list[dict[str, Any]]:
    """Return the vectors of events whose name begins so."""
    return [vector for vector in EVENTS if vector["name"].split("/")[0] == name]


def accepts(row: bytes | dict[str, Any]) -> bool:
    """Whether a row is read as an event."""
    try:
        decode_event(row)
    except EventDecodeError:
        return False
    return True


@pytest.mark.parametrize("group", GROUPS)
def test_events_are_accepted_as_recorded(group: str) -> None:
    """A row is read or refused as the runtime did, whether it comes as bytes or as plain JSON types."""
    vectors = group_of(group)
    expected = {vector["name"]: vector["accept"] for vector in vectors}

    assert expected == {vector["name"]: accepts(as_row(vector["event"])) for vector in vectors}
    assert expected == {vector["name"]: accepts(vector["event"]) for vector in vectors}


@pytest.mark.parametrize("group", GROUPS)
def test_events_are_documents_again(group: str) -> None:
    """A document out of an event holds the row's own values, all of them, and nothing else."""
    for vector in group_of(group):
        if vector["accept"]:
            row = copy.deepcopy(vector["event"])
            document = event_document(decode_event(as_row(row)))
            request = row.get("actions", {}).get("permissionRequest")
            if request is not None and "kind" not in request:
                request |= {"kind": "tool_permission", "rememberForTurnAllowed": False}

            assert document == row


@pytest.mark.parametrize("group", GROUPS)
def test_written_rows_are_read_as_the_same_rows(group: str) -> None:
    """What is written for an event is read again, and written the same way again."""
    for vector in group_of(group):
        if vector["accept"]:
            row = encode_event(decode_event(as_row(vector["event"])))

            assert encode_event(decode_event(row)) == row


@pytest.mark.parametrize("vector", read_vectors("header"), ids=lambda vector: vector["name"])
def test_headers_are_accepted_as_recorded(vector: dict[str, Any]) -> None:
    """A header is read or refused as the runtime did."""
    try:
        header = decode_run_header(as_row(vector["header"]))
    except HeaderDecodeError:
        assert not vector["accept"]
    else:
        assert vector["accept"]
        assert header.run_id == vector["header"]["runId"]


@pytest.mark.parametrize("vector", read_vectors("classify"), ids=lambda vector: vector["name"])
def test_torn_texts_are_classified_as_recorded(vector: dict[str, Any]) -> None:
    """A text is complete, the beginning of a document, or neither, as the runtime found it."""
    assert classify(vector["text"]) == vector["expect"]
