"""What may leave a workspace in the place of what it says: names for ids, size and digest for everything else.

The same value always becomes the same replacement, so whatever was equal stays equal and whatever differed stays
different. Digests are keyed with the source itself: who holds the source can make them again, and nobody else can try
out what a short text might have been.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Final

from ..records.json_write import plain_json

_PLAIN_TOOL_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
_NAMED: Final = (
    *("session", "run", "turn", "invocation", "event", "call", "operation"),
    *("request", "branch", "reference", "tool"),
)
_DIGITS: Final = 32
"""Hex digits of a digest: 128 bits."""


class Redactor:
    """Makes replacements and counts what it withheld. One for one export."""

    def __init__(self, source: Iterable[bytes]) -> None:
        """Take the bytes that the values come from: they make the key, and no new name occurs in them."""
        payloads = list(source)
        digest = hashlib.sha256(b"maka-ledger/repro@1")
        for payload in payloads:
            digest.update(hashlib.sha256(payload).digest())
        self._key = digest.digest()
        self._prefix = _unused_prefix(payloads)
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self.withheld: dict[str, tuple[int, int]] = {}
        """What was withheld, by kind: how many values, and how many bytes of UTF-8 or JSON text."""

    @property
    def renamed(self) -> dict[str, int]:
        """How many different values got a name, by what they name."""
        return dict(self._counts)

    def name(self, kind: str, value: str) -> str:
        """Return the new name of an id, the same one wherever the id stands. The empty id stays empty."""
        if not value:
            return value
        found = self._names.get(value)
        if found is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            found = self._names[value] = f"{self._prefix}{kind}-{self._counts[kind]}"
        return found

    def tool_name(self, value: str) -> str:
        """Return a tool's name as it is where it is a plain identifier, else a new name."""
        return value if _PLAIN_TOOL_NAME.fullmatch(value) else self.name("tool", value)

    def text(self, kind: str, value: str) -> str:
        """Return size and digest in the place of a text. The empty text stays empty."""
        if not value:
            return value
        payload = _bytes(value)
        self._count(kind, len(payload))
        return f"withheld {self._measured(payload)}"

    def json(self, kind: str, payload: bytes) -> object:
        """Return size and digest in the place of a JSON value, given as its text. null stays null."""
        self._count(kind, len(payload))
        return self.stand_in(payload)

    def stand_in(self, payload: bytes) -> object:
        """Return what `json` returns, and count nothing: for looking at a replacement again."""
        return None if payload.strip() == b"null" else {"withheld": self._measured(payload)}

    def value(self, kind: str, value: object) -> object:
        """Return size and digest in the place of a JSON value, given as plain types. null stays null."""
        return self.json(kind, _bytes(plain_json(value)))

    def drop(self, kind: str, value: object) -> None:
        """Count a JSON value that is left out."""
        self._count(kind, len(_bytes(plain_json(value))))

    def digest(self, value: str) -> str:
        """Return a digest in the place of a digest."""
        return f"sha256:{self._digest(_bytes(value)).hex()}"

    def _measured(self, payload: bytes) -> str:
        return f"{len(payload)} bytes {self._digest(payload).hex()[:_DIGITS]}"

    def _count(self, kind: str, size: int) -> None:
        count, total = self.withheld.get(kind, (0, 0))
        self.withheld[kind] = (count + 1, total + size)

    def _digest(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, "sha256")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _unused_prefix(payloads: list[bytes]) -> str:
    """Return what to put before every new name so that none of them can be an old one."""
    prefix = ""
    while any(f"{prefix}{kind}-".encode() in payload for payload in payloads for kind in _NAMED):
        prefix = f"r{prefix}" if prefix else "r-"
    return prefix
