"""The identity of a tool call's arguments: the digest that a dispatch fact must repeat (format: argument identity)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from .collation import collation_key
from .json_text import JsonError, decode_value
from .json_write import Ready, number_text, sorted_members, string_text, write_json
from .scalars import SAFE_INTEGER

_UNORDERED: Final = frozenset({"required", "enum"})
_DEEPEST_UNORDERED: Final = 64
"""Lists to be sorted inside lists to be sorted. Each costs a copy of the text inside; no schema comes near."""

_SPECIAL_TEXTS: Final = (b"__proto__", b'"required"', b'"enum"', b"\\u")
_INTEGER_KEY: Final = re.compile(rb'"[0-9]{1,10}"[ \t\n\r]*:')
_BEHIND_SURROGATES: Final = re.compile(rb"[\xee-\xff]")

if TYPE_CHECKING:
    _Plain = Any
else:
    # Without floats: JavaScript spells them in its own way.
    _Scalar = str | bool | Annotated[int, msgspec.Meta(ge=-SAFE_INTEGER, le=SAFE_INTEGER)] | None
    _Plain = _Scalar
    for _ in range(8):
        _Plain = _Scalar | list[_Plain] | dict[str, _Plain]

_PLAIN_ARGS: Final = msgspec.json.Decoder(_Plain)
_SORTED: Final = msgspec.json.Encoder(order="sorted")


def args_hash(tool_name: str, args_json: bytes) -> str | None:
    """Return `sha256:` and the digest of a call's tool and arguments; None where they have no identity.

    Args:
        tool_name: the tool that is called; an empty name has no identity.
        args_json: the arguments as JSON text; infinite numbers have no identity.

    """
    if not tool_name:
        return None
    try:
        args = _plain_text(args_json) or _exact_text(args_json)
    except (ValueError, JsonError):
        return None
    text = b'{"args":%b,"toolName":%b}' % (args, string_text(tool_name).encode())
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def _plain_text(args_json: bytes) -> bytes | None:
    """Return the canonical text of arguments in which nothing is special, None if something may be."""
    if any(special in args_json for special in _SPECIAL_TEXTS) or _INTEGER_KEY.search(args_json):
        return None
    if not args_json.isascii() and _BEHIND_SURROGATES.search(args_json):
        return None
    try:
        return _SORTED.encode(_PLAIN_ARGS.decode(args_json))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _exact_text(args_json: bytes) -> bytes:
    return write_json(decode_value(msgspec.Raw(args_json)), number_text, _Identity().members).encode()


class _Identity:
    """The order of members and lists that the identity goes by."""

    def __init__(self) -> None:
        self._depth = 0

    def members(self, members: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        """Return the members that count, sorted; lists whose order means nothing are written already."""
        return [
            (key, self._in_order(value) if key in _UNORDERED and isinstance(value, list) else value)
            for key, value in sorted_members(members)
            if key != "__proto__"
        ]

    def _in_order(self, items: list[Any]) -> Ready:
        self._depth += 1
        if self._depth > _DEEPEST_UNORDERED:
            raise ValueError("lists without order are nested too deep")
        texts = sorted((write_json(item, number_text, self.members) for item in items), key=collation_key)
        self._depth -= 1
        return Ready(f"[{','.join(texts)}]")
