"""The ledger of a run in a database: rows in their places, and a word about each that is not as it should be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core import (
    Finding,
    Ledger,
    LedgerChanged,
    Verdict,
    encode_document,
    inspect,
    open_workspace,
    report_document,
    report_on_workspace,
    triage,
)
from core.sqlite.database import DatabaseClosed
from tests.support.databases import SCHEMA, Statement, flip, plain, write_database
from tests.support.runs import INVOCATION, RUN, SESSION, TURN, call, dispatch, header, response, terminal, text

OPERATIONS = """
CREATE TABLE tool_operations (operation_id TEXT PRIMARY KEY, invocation_id TEXT, run_id TEXT,
    provider_tool_call_id TEXT, tool_name TEXT, canonical_args_hash TEXT, recovery_mode TEXT, current_state TEXT,
    call_event_id TEXT, dispatch_event_id TEXT, result_event_id TEXT)
"""
ROWS = [text("e1"), call("e2"), dispatch("e3"), response("e4", refs={"toolCallId": "t", "operationId": "op-1"})]


def add_row(number: int, document: dict[str, Any], **columns: Any) -> Statement:
    """Return the statement that adds a row as Maka would; `columns` are written otherwise."""
    names = ("id", "sessionId", "invocationId", "runId", "turnId")
    values = {name: document[name] for name in names}
    values |= {"number": number, "kind": "k", "payload": json.dumps(document), "at": 1000 + number} | columns
    return "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", tuple(values.values())


def summary(**columns: Any) -> Statement:
    """Return the statement that adds the summary of the one operation; `columns` are written otherwise."""
    fact = ROWS[2]["actions"]["toolDispatch"]
    values = {
        "operation": fact["operationId"], "invocation": INVOCATION, "run": RUN, "call": "t", "tool": "Bash",
        "hash": fact["canonicalArgsHash"], "mode": fact["recoveryMode"], "state": "outcome_committed",
        "asked": "e2", "dispatched": "e3", "answered": "e4",
    } | columns  # fmt: skip
    return "INSERT INTO tool_operations VALUES (?,?,?,?,?,?,?,?,?,?,?)", tuple(values.values())


def made(tmp_path: Path, *statements: Statement, head: dict[str, Any] | None = None) -> Path:
    """Write a database with the run's header and these rows."""
    record = json.dumps(header() if head is None else head)
    run = ("INSERT INTO core_agent_runs VALUES (?,?,?,?)", (SESSION, RUN, 1, record))
    return write_database(tmp_path / "runtime.sqlite", [*plain(*SCHEMA, OPERATIONS), run, *statements])


def read(main: Path) -> Ledger:
    """Read the one run; it can be read on as long as somebody has it."""
    return open_workspace(main).run(RUN).ledger()


def numbered(rows: Sequence[dict[str, Any]]) -> list[Statement]:
    """Return the statements that add rows with the numbers that follow."""
    return [add_row(number, row) for number, row in enumerate(rows, start=1)]


def told(ledger: Ledger) -> list[tuple[str, int | None, str | None]]:
    """Return code, row and field of every finding."""
    return [(finding.code, finding.line, finding.field) for finding in ledger.findings]


def test_rows_are_events_and_their_keys_are_offsets(tmp_path: Path) -> None:
    """Raw bytes are the payload, rows are numbered, sizes are those of the payloads."""
    ledger = read(made(tmp_path, *numbered(ROWS), summary()))

    assert [event.id for event in ledger] == ["e1", "e2", "e3", "e4"]
    assert [(row.line, row.offset, row.number) for row in ledger.rows] == [(n, n, n) for n in (1, 2, 3, 4)]
    assert json.loads(ledger.raw(3)) == ROWS[3]
    assert ledger.committed_bytes == sum(len(json.dumps(row)) for row in ROWS)
    assert ledger.place(2, 2) == "row 2, key 2"
    assert (ledger.findings, ledger.readable, ledger.keyed) == ((), True, True)


@pytest.mark.parametrize(
    ("payload", "columns", "expect"),
    [
        ('{"id":', {}, ("row_invalid_json", 2, None)),
        (json.dumps({**ROWS[1], "role": "bard"}), {}, ("row_invalid_event", 2, "$.role")),
        (json.dumps({**ROWS[1], "turnId": "another"}), {"turnId": "another"}, ("row_foreign_identity", 2, "$.turnId")),
        (json.dumps({**ROWS[1], "id": "another"}), {}, ("payload_damaged", 2, "$.id")),
        (json.dumps(ROWS[1]), {"invocationId": "another"}, ("payload_damaged", 2, "$.invocationId")),
        (json.dumps(ROWS[1]), {"turnId": "another"}, ("payload_damaged", 2, "$.turnId")),
        (json.dumps(ROWS[1]).encode(), {}, ("payload_damaged", 2, None)),
    ],
)
def test_a_refused_row_stands_in_its_place_and_blocks(
    tmp_path: Path, payload: Any, columns: dict[str, Any], expect: tuple[str, int, str | None]
) -> None:
    """The events are those before it; every other row is still there; the row can be looked at."""
    rows = [add_row(1, ROWS[0]), add_row(2, ROWS[1], payload=payload, **columns), add_row(3, text("e9"))]
    ledger = read(made(tmp_path, *rows))

    assert told(ledger) == [expect]
    assert ([event.id for event in ledger], len(ledger.rows)) == (["e1"], 3)
    assert ledger.raw(1) == (payload if isinstance(payload, bytes) else payload.encode())
    assert not ledger.readable
    assert inspect(ledger).verdict is Verdict.UNREADABLE
    assert "runtime_events rowid 2" in str(ledger.findings[0].detail)


def test_two_events_in_a_payload_are_none(tmp_path: Path) -> None:
    """Also where the next payload is empty: there are as many events as rows then, and each is in the wrong one."""
    both = json.dumps(ROWS[1]) + json.dumps(text("e3"))
    rows = [add_row(1, ROWS[0]), add_row(2, ROWS[1], payload=both), add_row(3, text("e3"), payload="")]
    ledger = read(made(tmp_path, *rows))

    assert [code for code, *_ in told(ledger)] == ["row_invalid_json", "row_invalid_json"]
    assert [event.id for event in ledger] == ["e1"]


def test_a_number_left_out_is_told_and_decides_nothing(tmp_path: Path) -> None:
    """A row may have been removed with all that points to it: the events that are there count."""
    rows = [add_row(1, ROWS[0]), add_row(3, text("e3")), add_row(6, terminal("e6"))]
    ledger = read(made(tmp_path, *rows))

    assert told(ledger) == [("number_gap", 2, None), ("number_gap", 3, None)]
    assert [finding.message.split(":")[0] for finding in ledger.findings] == [
        "no row has the number 2",
        "no row has the number 4 to 5",
    ]
    assert (ledger.readable, inspect(ledger).plan.blocked) == (True, False)


def test_a_number_that_comes_twice_blocks(tmp_path: Path) -> None:
    """Nobody knows which of two rows of one number came first: the timeline is not relied on from there."""
    other = {**text("e2"), "invocationId": "inv-2"}
    ledger = read(made(tmp_path, add_row(1, text("e1")), add_row(1, other), head=header(invocationId=None)))

    assert told(ledger)[0] == ("page_corrupt", 2, None)
    assert "the number 1 stands where 2 or more belongs" in ledger.findings[0].message
    assert [event.id for event in ledger] == ["e1"]
    assert inspect(ledger).verdict is Verdict.UNREADABLE
    assert ledger.raw(1) == b""


def test_line_feeds_in_payloads_change_nothing(tmp_path: Path) -> None:
    """A payload is one document however it is laid out."""
    rows = [add_row(number, row, payload=json.dumps(row, indent=1)) for number, row in enumerate(ROWS, start=1)]
    ledger = read(made(tmp_path, *rows, summary()))

    assert ([event.id for event in ledger], ledger.findings) == (["e1", "e2", "e3", "e4"], ())
    assert inspect(ledger).plan == inspect(read(made(tmp_path / "plain", *numbered(ROWS), summary()))).plan


def test_rows_that_only_another_index_knows_block(tmp_path: Path) -> None:
    """An index that lost the last row gives no error: the other one still counts it."""
    main = made(tmp_path, *numbered([text("e1"), call("e2")]))
    data = main.read_bytes()
    entry = f"{SESSION}{RUN}".encode() + b"\x02"
    flip(main, data.rindex(entry) + len(SESSION) + len(RUN) - 1)
    ledger = read(main)

    assert told(ledger) == [("rows_missing", 2, None)]
    assert ([event.id for event in ledger], len(ledger.rows)) == (["e1"], 2)
    assert inspect(ledger).plan.blocked


@pytest.mark.parametrize("column", ["sessionId", "runId"])
@pytest.mark.parametrize("stored", [b"run-1", "CAST(x'72FF' AS TEXT)", "CAST(x'72EDA080' AS TEXT)"])
def test_rows_whose_id_is_damaged_block(tmp_path: Path, column: str, stored: bytes | str) -> None:
    """A question for their run does not find them; that is no reason to say that nothing is in doubt there."""
    statement, values = add_row(1, call("e1"))
    place = ("id", "sessionId", "invocationId", "runId").index(column)
    marks, kept = ["?"] * len(values), list(values)
    if isinstance(stored, bytes):
        kept[place] = stored
    else:
        marks[place] = stored
        del kept[place]
    main = made(tmp_path, (statement.replace(",".join("?" * len(values)), ",".join(marks)), kept))
    for limit in (-1, 1 << 30):
        with open_workspace(main, copy_limit=limit) as workspace:
            for run in workspace.runs():
                assert not any(inspect(run.ledger()).plan.operations)
            astray = [run for run in workspace.runs() if "rows_missing" in {finding.code for finding in run.findings}]
            assert astray
            assert all(inspect(run.ledger()).verdict is Verdict.UNREADABLE for run in astray)
            news = astray[0].follow().poll(0.0)
            assert news is not None
            assert inspect(news.ledger).plan.blocked


def test_halves_of_a_character_in_ids_are_no_fault(tmp_path: Path) -> None:
    """JSON can hold them and a database cannot: it has a sign in their place, and then row and columns differ."""
    odd = {"invocationId": "inv \ud800", "turnId": "turn \udfff"}
    statement, values = add_row(1, call("e1", **odd))
    stored = [
        value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value
        for value in values
    ]
    with open_workspace(made(tmp_path, (statement, stored), head=header(**odd))) as workspace:
        (run,) = workspace.runs()
        ledger = run.ledger()
        assert [(finding.code, finding.field) for finding in ledger.findings] == [("payload_damaged", "$.invocationId")]
        assert inspect(ledger).plan.blocked
        assert run.interactions == ()


@pytest.mark.parametrize(
    "damage",
    [
        ["DROP TABLE runtime_events"],
        ["ALTER TABLE runtime_events RENAME TO runtime_evenus"],
        ["ALTER TABLE runtime_events RENAME TO kept", "CREATE VIEW runtime_events AS SELECT * FROM kept"],
        ["ALTER TABLE runtime_events RENAME COLUMN run_id TO rum_id"],
        ["ALTER TABLE runtime_events RENAME COLUMN session_id TO session_ie"],
        ["ALTER TABLE runtime_events ADD COLUMN rowid TEXT"],
        ["ALTER TABLE runtime_events ADD COLUMN RowId INTEGER DEFAULT 7"],
    ],
)
def test_without_its_table_of_events_no_run_may_be_replayed(tmp_path: Path, damage: list[str]) -> None:
    """One flipped bit in its name makes a table another one: then nothing is known of any run, and that is said."""
    main = made(tmp_path, add_row(1, call("e1")), *plain(*damage))
    for limit in (-1, 1 << 30):
        with open_workspace(main, copy_limit=limit) as workspace:
            (run,) = workspace.runs()
            assert inspect(run.ledger()).verdict is Verdict.UNREADABLE
            assert "table_unreadable" in {finding.code for finding in workspace.findings}


@pytest.mark.parametrize("value", ["NULL", "9e999", "-9e999", "x'FF'", "'x'", "17"])
def test_no_value_of_a_column_is_a_fault(tmp_path: Path, value: str) -> None:
    """A damaged record has anything in any column: a row is refused for it, or it decides nothing; all can be asked."""
    columns = ("event_id", "invocation_id", "turn_id", "event_seq", "event_kind", "committed_at")
    loose = [statement.replace(" NOT NULL", "") for statement in SCHEMA]
    for column in columns:
        run = ("INSERT INTO core_agent_runs VALUES (?,?,?,?)", (SESSION, RUN, 1, json.dumps(header())))
        change = f"UPDATE runtime_events SET {column} = {value} WHERE rowid = 2"
        rows = [add_row(1, call("e1")), add_row(2, response("e2")), add_row(3, call("e3", "u"))]
        main = write_database(tmp_path / column / "runtime.sqlite", [*plain(*loose), run, *rows, *plain(change)])
        with open_workspace(main) as workspace:
            assert all(one.blocked for one in triage(workspace))
            report = report_document(report_on_workspace(workspace, "p", "x", 1e12))
            assert json.loads(encode_document(report))["schema"].startswith("maka-ledger/report")


def test_names_of_tables_and_columns_count_in_any_case(tmp_path: Path) -> None:
    """SQLite sees no difference, and neither does Maka."""
    damage = ["ALTER TABLE runtime_events RENAME TO kept", "ALTER TABLE kept RENAME TO Runtime_Events"]
    damage += ["ALTER TABLE Runtime_Events RENAME run_id TO kept", "ALTER TABLE Runtime_Events RENAME kept TO RUN_ID"]
    with open_workspace(made(tmp_path, add_row(1, call("e1")), *plain(*damage))) as workspace:
        assert [event.id for event in workspace.runs()[0].ledger()] == ["e1"]
        assert workspace.findings == ()


def test_a_damaged_header_blocks_and_hides_no_row(tmp_path: Path) -> None:
    """Rows of a database carry their ids, so they are still known to be this run's."""
    for head in ({"runId": RUN}, header(runId="another"), "text"):
        ledger = read(made(tmp_path / str(len(str(head))), *numbered(ROWS), summary(), head=head))
        assert ([code for code, _, _ in told(ledger)], len(ledger)) == (["header_unreadable"], 4)
        assert "source_run_unreadable" in inspect(ledger).plan.rejection_reasons


DIFFERENT = {
    "state": ({"state": "prepared"}, "its state is prepared, by the events outcome_committed"),
    "response": ({"answered": "e1"}, "it names a response that the call does not have"),
    "no response": ({"answered": None}, "it has no response, the events do"),
    "dispatch": ({"dispatched": "e1"}, "it names another event as the dispatch"),
    "arguments": ({"hash": "sha256:0"}, "another id, tool, digest of arguments or recovery mode"),
    "call": ({"asked": "e7"}, "the events hold no such call"),
}


@pytest.mark.parametrize(("columns", "said"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_summary_that_says_otherwise_is_told(tmp_path: Path, columns: dict[str, Any], said: str) -> None:
    """The events count, and decide as if the summary were not there."""
    ledger = read(made(tmp_path, *numbered(ROWS), summary(**columns)))
    found = [finding for finding in ledger.findings if finding.code == "projection_differs"]

    assert any(said in finding.message for finding in found)
    assert found[0].detail == "operation op-1"
    assert (ledger.readable, inspect(ledger).plan.blocked) == (True, False)


def test_a_summary_without_a_dispatch_is_told(tmp_path: Path) -> None:
    """The database counts an operation that the events never dispatched: the events count, and it is said."""
    ledger = read(made(tmp_path, *numbered([text("e1"), call("e2")]), summary(state="prepared", answered=None)))

    (finding,) = ledger.findings
    assert "the events hold no dispatch of the call" in finding.message
    assert inspect(ledger).plan.blocked


def test_a_dispatch_without_a_summary_is_told(tmp_path: Path) -> None:
    """Where the call is, too."""
    (finding,) = read(made(tmp_path, *numbered(ROWS))).findings
    assert (finding.code, finding.line) == ("projection_differs", 3)
    assert "a dispatch of which it has no summary" in finding.message


def test_many_differences_are_counted(tmp_path: Path) -> None:
    """Twenty are told one by one, the rest in one line."""
    rows = []
    for n in range(30):
        rows += [call(f"c{n}", f"t{n}"), dispatch(f"d{n}", f"t{n}", f"op-{n}")]
    found: list[Finding] = list(read(made(tmp_path, *numbered(rows))).findings)
    assert len(found) == 21
    assert found[-1].message == "10 more summaries of calls differ from the events"


def test_reading_reports_and_can_be_stopped(tmp_path: Path) -> None:
    """With rows done and rows in all; what the callback raises comes through."""
    main = made(tmp_path, *numbered([text(f"e{n}", "x" * 3000) for n in range(100)]))
    steps: list[tuple[int, int]] = []
    with open_workspace(main) as workspace:
        workspace.runs()[0].ledger(lambda done, total: steps.append((done, total)))

        def stop(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            workspace.runs()[0].ledger(stop)
    assert steps[-1] == (100, 100)
    assert len(steps) > 1


def test_a_closed_workspace_says_so(tmp_path: Path) -> None:
    """It is no damage: a run raises, a row that was indexed is gone."""
    with open_workspace(made(tmp_path, *numbered(ROWS))) as workspace:
        run = workspace.runs()[0]
        ledger = run.ledger()
    with pytest.raises(DatabaseClosed, match="closed"):
        run.ledger()
    with pytest.raises(LedgerChanged, match="closed"):
        ledger.raw(0)


def test_ids_of_runs_are_kept_apart(tmp_path: Path) -> None:
    """A run of the same id in another session has its own rows."""
    other = {**text("f1"), "sessionId": "sess-2"}
    main = made(tmp_path, *numbered(ROWS[:1]), add_row(1, other, invocationId="inv-2", payload=json.dumps(
        {**other, "invocationId": "inv-2"}
    )))  # fmt: skip
    with open_workspace(main) as workspace:
        assert [(run.session_id, [e.id for e in run.ledger()]) for run in workspace.runs()] == [
            (SESSION, ["e1"]),
            ("sess-2", ["f1"]),
        ]
        assert workspace.runs()[0].ledger().header is not None
        assert workspace.runs()[0].ledger()[0].turn_id == TURN
