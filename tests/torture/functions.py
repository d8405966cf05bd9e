"""The public pure functions over hostile input: an answer, or an error of ours; documents are JSON and say the same."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from random import Random
from typing import Any

from core import (
    ROW_FIELDS,
    RUN_FIELDS,
    CoreError,
    RawJson,
    ago,
    build_resume_plan,
    call_arguments,
    clock_time,
    day,
    decode_event,
    decode_run_header,
    duration_text,
    encode_document,
    error_document,
    parse_filter,
    printable,
    printable_lines,
    replay_events,
    short_time,
    size_text,
    summarize,
    value_text,
)
from core.inspection.fragment import read_fragment
from core.records.events import FunctionCall
from core.records.json_text import classify
from tests.torture.corpus import handed_headers, handed_rows
from tests.torture.damage_bytes import BYTES_DAMAGES
from tests.torture.damage_json import NUMBERS, STRINGS, damage_row
from tests.torture.laws import same_value, strict_json
from tests.torture.outcome import Hang, Outcome, deadline
from tests.torture.survivors import read_json, respelled, scan

Check = Callable[[Random], str | None]
_SECONDS = 20.0


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Ask every function that many questions in turn."""
    outcome = Outcome("functions")
    for number in range(cases):
        rng = Random(f"functions {seed}:{number}")
        check = CHECKS[number % len(CHECKS)]
        case = f"functions {seed}:{number} {check.__name__}"
        try:
            with deadline(_SECONDS):
                told = check(rng)
        except Hang as hang:
            told = str(hang)
        except Exception:
            # Any exception that a check lets through is the finding.
            told = traceback.format_exc(limit=-5)
        outcome.cases += 1
        if told:
            outcome.fail(case, told)
        if number % 1000 == 999:
            progress(number + 1)
    return outcome


def _row(rng: Random) -> bytes:
    rows = handed_rows()
    row = damage_row(rng, rng.choice(rows), rows)
    return rng.choice(BYTES_DAMAGES)(rng, row, rng.choice(rows)) if rng.random() < 0.3 else row


def _text(rng: Random) -> str:
    pieces = (
        lambda: rng.choice(STRINGS),
        lambda: chr(rng.randrange(0x110000)),
        lambda: rng.choice(
            ("kind:", "tool:", "status:", "text:", "!", '"', "'", "\\", ":", " ", "call", "#", "12", "T")
        ),
        lambda: chr(rng.randrange(0x300)) * rng.randrange(4),
    )
    return _as_read("".join(rng.choice(pieces)() for _ in range(rng.choice((0, 1, 3, 12)))))


def _as_read(text: str) -> str:
    """Return a text as a JSON reader gives it: two halves that stand side by side are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def decoding(rng: Random) -> str | None:
    """Decode a row or meet an EventDecodeError; another spelling of it is the same event."""
    row = _row(rng)
    try:
        event = decode_event(row)
    except CoreError as error:
        return None if error.code.startswith("row_") else f"code {error.code}"
    summarize(event)
    if isinstance(event.content, FunctionCall):
        call_arguments(event.content)
    verdict, value = read_json(row.decode("utf-8", "replace"))
    if verdict != "complete":
        return f"decoded what is {verdict}: {row[:300]!r}"
    again = respelled(value) if value is not None else None
    if again is not None and decode_event(again).id != event.id:
        return f"another spelling is another event: {row[:300]!r}"
    return None


def headers(rng: Random) -> str | None:
    """Decode a header or meet a HeaderDecodeError."""
    header = damage_row(rng, rng.choice(handed_headers()), handed_headers())
    if rng.random() < 0.5:
        header = rng.choice(BYTES_DAMAGES)(rng, header, rng.choice(handed_headers()))
    try:
        decode_run_header(header)
    except CoreError as error:
        return None if error.code == "header_unreadable" else f"code {error.code}"
    return None


def mappings(rng: Random) -> str | None:
    """Plain Python values, also those that JSON has not, decode or are refused."""
    odd: Any = rng.choice(
        (math.nan, math.inf, 1 << 80, b"x", {1}, object, (1, 2), {1: 2}, {None: 1}, "\ud800", -0.0, 1j, [[]])
    )
    loop: list[Any] = []
    loop.append(loop)
    record = {"id": "e", "content": {"kind": "text", "text": rng.choice((odd, loop))}, rng.choice(STRINGS): odd}
    for decode in (decode_event, decode_run_header):
        try:
            decode(record)
        except CoreError:
            continue
    return None


def plans(rng: Random) -> str | None:
    """Any events have a plan, twice the same, and it replays no event that it was not given."""
    events = []
    for _ in range(rng.randrange(12)):
        try:
            events.append(decode_event(_row(rng)))
        except CoreError:
            continue
    plan = build_resume_plan(tuple(events))
    if plan.as_document() != build_resume_plan(tuple(events)).as_document():
        return "two plans of the same events differ"
    if {event.id for event in replay_events(tuple(events))} - {event.id for event in events}:
        return "an event came into the replay from nowhere"
    expected: Any = rng.choice((len(events) + 1, -1, 0.5, math.nan, math.inf, True, "3", 10**400, 1e308))
    try:
        wrong = build_resume_plan(tuple(events), expected_high_water=expected)
    except CoreError:
        return None
    return None if wrong.blocked else f"an expected high-water of {expected!r} was let through"


def texts(rng: Random) -> str | None:
    """Print any text: no cursor moves, it is one line, and printing that again changes nothing."""
    text = _text(rng)
    limit = rng.choice((None, 0, 1, 5, 100))
    for shown in (printable(text, limit=limit), *printable_lines(text, limit=limit)):
        if any(char < " " or "\x7f" <= char < "\xa0" or "\ud800" <= char <= "\udfff" for char in shown):
            return f"a control character in {shown!r}"
        if printable(shown, limit=limit) != shown or (limit is not None and len(shown) > limit):
            return f"not the same again: {shown!r}"
    return None


def filters(rng: Random) -> str | None:
    """Read a filter or see it refused; it can say what it keeps."""
    try:
        chosen = parse_filter(_text(rng), rng.choice((ROW_FIELDS, RUN_FIELDS)))
    except CoreError:
        return None
    return None if chosen.description else "a filter without words"


def fragments(rng: Random) -> str | None:
    """Look at the beginning of a row, good or bad."""
    row = _row(rng)
    fragment = read_fragment(row[: rng.randint(0, len(row))])
    return None if fragment.says else "nothing"


def classes(rng: Random) -> str | None:
    """Classify a text as a scanner of single characters does."""
    row = _row(rng)
    text = row[: rng.randint(0, len(row))].decode("utf-8", "replace")
    found, expected = classify(text), scan(text)
    return None if found == expected else f"{found}, not {expected}: {text[-200:]!r}"


def documents(rng: Random) -> str | None:
    """Write a document; for a strict parser it is JSON and holds what was put in."""
    raw = rng.choice((*NUMBERS, '"\\ud800"', '"é"', "[" * 2000 + "]" * 2000, '{"a":1,"a":2}', "null"))
    plain: dict[str, Any] = {
        "text": _text(rng), "more": [_as_read(rng.choice(STRINGS)), rng.randrange(-(1 << 63), 1 << 64), None, True],
        _as_read(rng.choice(STRINGS)): rng.choice((1.5, -0.0, 5e-324, 1 << 70, {}, [])),
    }  # fmt: skip
    read = strict_json(encode_document({**plain, "raw": RawJson(raw.encode())}))
    if not same_value(read.pop("raw"), strict_json(raw.encode())):
        return f"raw JSON came out changed: {raw[:80]!r}"
    for key in list(plain):
        if isinstance(plain[key], list):
            plain[key] = [float(one) if type(one) is int and abs(one) > 2**53 else one for one in plain[key]]
        elif type(plain[key]) is int and abs(plain[key]) > 2**53:
            plain[key] = float(plain[key])
    if not same_value(read, plain):
        return f"a document came out changed: {plain!r}"
    strict_json(encode_document(error_document(CoreError(_text(rng), path=_text(rng), hint=_text(rng)))))
    return None


def times(rng: Random) -> str | None:
    """Any number is a time, an age, a duration and a size."""
    number = rng.choice(
        (rng.uniform(-1e18, 1e18), math.inf, -math.inf, math.nan, 1.7e308, -1.7e308, 0.0, rng.uniform(-1e6, 1e6))
    )
    for write in (ago, duration_text, clock_time, day, short_time):
        if not write(number).isprintable():
            return f"{write.__name__}({number})"
    size_text(rng.randrange(1 << 70))
    value_text(rng.choice((number, [number], {"a": _text(rng)}, _text(rng))))
    return None


CHECKS: tuple[Check, ...] = (
    decoding, decoding, decoding, headers, mappings, plans, texts, filters, fragments, classes, documents, times,
)  # fmt: skip
