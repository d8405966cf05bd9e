"""Which rows of a damaged ledger are still facts: the rules of the format followed slowly, apart from `core`.

Only the judgement of one record's shape is asked of `core`, which recorded answers hold in place; and it is asked
about the record as another JSON writer spells it, not about the bytes that lie in the file.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from core import RuntimeEvent, decode_event, decode_run_header
from core.errors import DecodeError

BLANKS = frozenset("\t\v\f \u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000\n\r") | {
    chr(c) for c in range(0x2000, 0x200B)
}
DEEPEST = 512
_SPACE = " \t\n\r"


@dataclass
class Survivors:
    """What of a ledger counts."""

    rows: list[bytes] = field(default_factory=list)
    """The committed rows before the first unreadable one, as they lie in the file."""
    events: list[RuntimeEvent] = field(default_factory=list)
    """The same, read from another spelling."""
    readable: bool = True
    torn: bool = False
    bad_line: int = 0
    """1-based line of the first unreadable row; 0 where there is none."""


def survivors(ledger: bytes, session_id: str, run_id: str, header: Any) -> Survivors:
    """Judge a ledger row by row. `header` is the run's header, or None where it cannot be trusted."""
    found = Survivors()
    lines = ledger.split(b"\n")
    texts = [line.decode("utf-8", "replace") for line in lines]
    last = max((number for number, text in enumerate(texts) if not BLANKS.issuperset(text)), default=-1)
    for number, text in enumerate(texts):
        if BLANKS.issuperset(text):
            continue
        verdict, value = read_json(text)
        if verdict != "complete":
            if number == last and not ledger.endswith(b"\n") and verdict == "incomplete-prefix":
                found.torn = True
            else:
                _lose(found, number)
            continue
        event = _event(text, value)
        if event is None or not _belongs(event, session_id, run_id, header):
            _lose(found, number)
        elif found.readable:
            found.rows.append(lines[number])
            found.events.append(event)
    return found


def trusted_header(payload: bytes | None, session_id: str, run_id: str) -> Any:
    """Return a header that names its folder, or None."""
    if payload is None:
        return None
    try:
        header = decode_run_header(payload)
    except DecodeError:
        return None
    return header if (header.session_id, header.run_id) == (session_id, run_id) else None


def read_json(text: str) -> tuple[str, Any]:
    """Judge a text: complete (with its value), incomplete-prefix or invalid."""
    try:
        return "complete", json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        pass
    # Too deep or too long a number for the standard library, or no JSON: only the scanner can tell.
    return scan(text), None


def respelled(value: Any) -> bytes | None:
    """Write a value as another writer would; None where JSON has no spelling for it."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        return None


def _event(text: str, value: Any) -> RuntimeEvent | None:
    payload = respelled(value) if value is not None and not _has_infinity(value) else None
    try:
        return decode_event(payload if payload is not None else text.encode("utf-8", "surrogatepass"))
    except DecodeError:
        return None


def _has_infinity(value: Any) -> bool:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, float) and not math.isfinite(one):
            return True
        if isinstance(one, dict | list):
            waiting.extend(one.values() if isinstance(one, dict) else one)
    return False


def _belongs(event: RuntimeEvent, session_id: str, run_id: str, header: Any) -> bool:
    if (event.session_id, event.run_id) != (session_id, run_id):
        return False
    if header is None:
        return True
    invocation = header.invocation_id
    return event.turn_id == header.turn_id and (not isinstance(invocation, str) or event.invocation_id == invocation)


def _lose(found: Survivors, number: int) -> None:
    found.readable = False
    found.bad_line = found.bad_line or number + 1


def _refuse(word: str) -> Any:
    raise ValueError(word)


def scan(text: str) -> str:
    """Classify a text as the format's scanner does (format: prefix classifier), one character at a time."""
    full = _Scan(text, len(text) + 1).run()
    return full if full != "incomplete-prefix" else _Scan(text, DEEPEST).run()


class _Scan:
    """A pushdown scanner; what it expects next is its state, open brackets are its stack."""

    def __init__(self, text: str, deepest: int) -> None:
        self.text = text
        self.pos = 0
        self.deepest = deepest
        self.stack: list[str] = []

    def run(self) -> str:
        expects = "value"
        while True:
            while self.pos < len(self.text) and self.text[self.pos] in _SPACE:
                self.pos += 1
            if expects == "value" and len(self.stack) > self.deepest:
                return "invalid"
            if self.pos == len(self.text):
                return "complete" if expects == "end" else "incomplete-prefix"
            found = self._step(expects, self.text[self.pos])
            if found in ("invalid", "incomplete-prefix"):
                return found
            expects = found

    def _step(self, expects: str, char: str) -> str:
        if expects in ("value", "value or ]"):
            if char == "]" and expects == "value or ]":
                return self._close()
            if expects == "value or ]" and len(self.stack) > self.deepest:
                return "invalid"
            return self._value(char)
        if expects in ("key", "key or }"):
            if char == "}" and expects == "key or }":
                return self._close()
            return self._string("colon") if char == '"' else "invalid"
        if expects == "colon":
            self.pos += 1
            return "value" if char == ":" else "invalid"
        if expects == "comma":
            inside = self.stack[-1]
            if char == ",":
                self.pos += 1
                return "value" if inside == "[" else "key"
            return self._close() if char == ("]" if inside == "[" else "}") else "invalid"
        return "invalid"

    def _after(self) -> str:
        return "comma" if self.stack else "end"

    def _close(self) -> str:
        self.pos += 1
        self.stack.pop()
        return self._after()

    def _value(self, char: str) -> str:
        if char in "[{":
            self.stack.append(char)
            self.pos += 1
            return "value or ]" if char == "[" else "key or }"
        if char == '"':
            return self._string(self._after())
        if char in "-0123456789":
            return self._number()
        for word in ("true", "false", "null"):
            rest = self.text[self.pos : self.pos + len(word)]
            if rest == word:
                self.pos += len(word)
                return self._after()
            if word.startswith(rest) and self.pos + len(rest) == len(self.text):
                return "incomplete-prefix"
        return "invalid"

    def _string(self, then: str) -> str:
        text, end = self.text, len(self.text)
        self.pos += 1
        while self.pos < end:
            char = text[self.pos]
            if char == '"':
                self.pos += 1
                return then
            if char < " ":
                return "invalid"
            self.pos += 1
            if char != "\\":
                continue
            if self.pos == end:
                return "incomplete-prefix"
            escape = text[self.pos]
            self.pos += 1
            if escape == "u":
                digits = text[self.pos : self.pos + 4]
                if any(digit not in "0123456789abcdefABCDEF" for digit in digits):
                    return "invalid"
                if len(digits) < 4:
                    return "incomplete-prefix"
                self.pos += 4
            elif escape not in '"\\/bfnrt':
                return "invalid"
        return "incomplete-prefix"

    def _number(self) -> str:
        if self.text[self.pos] == "-":
            self.pos += 1
        before = self.pos
        found = self._digits()
        if found != "ok":
            return found
        if self.text[before] == "0" and self.pos - before > 1:
            return "invalid"
        if self.text.startswith(".", self.pos):
            self.pos += 1
            found = self._digits()
            if found != "ok":
                return found
        if self.text[self.pos : self.pos + 1] in ("e", "E"):
            self.pos += 1
            if self.text[self.pos : self.pos + 1] in ("+", "-"):
                self.pos += 1
            found = self._digits()
            if found != "ok":
                return found
        return self._after()

    def _digits(self) -> str:
        start = self.pos
        while self.text[self.pos : self.pos + 1] in tuple("0123456789"):
            self.pos += 1
        if self.pos > start:
            return "ok"
        return "incomplete-prefix" if self.pos == len(self.text) else "invalid"
