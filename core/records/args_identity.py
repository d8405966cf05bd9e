"""The identity of a tool call's arguments: the digest that a dispatch fact must repeat (format: argument identity)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final

import msgspec
import orjson

from .collation import collation_key
from .json_text import JsonError, decode_value
from .json_write import Ready, number_text, sorted_members, string_text, write_json

_UNORDERED: Final = frozenset({"required", "enum"})
_DEEPEST_UNORDERED: Final = 64
"""Lists to be sorted inside lists to be sorted. Each costs a copy of the text inside; no schema comes near."""

_SHORT: Final = 1 << 12
"""Bytes of arguments whose keys are remembered: what is remembered must not grow with the ledger."""
_SCALARS: Final = frozenset({str, bool, int, type(None)})
_MOST: Final = (1 << 53) - 1
_Safe = Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)]
_FLAT: Final = msgspec.json.Decoder(dict[str, str | _Safe | bool | None]).decode
_SORTED: Final = msgspec.json.Encoder(order="sorted").encode
"""Arguments as most tools have them, with nothing inside that is spelled in more than one way."""
_CANONICAL: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
"""Refuses integers that no double holds beside all their smaller neighbours."""

_SPECIAL_KEYS: Final = frozenset({"__proto__", *_UNORDERED})


def args_hash(tool_name: str, args_json: bytes) -> str | None:
    """Return `sha256:` and the digest of a call's tool and arguments; None where they have no identity.

    Args:
        tool_name: the tool that is called; an empty name has no identity.
        args_json: the arguments as JSON text; infinite numbers have no identity.

    """
    if not tool_name:
        return None
    text = _flat_call(tool_name, args_json) or _plain_call(tool_name, args_json)
    if text is None:
        try:
            text = b'{"args":%b,"toolName":%b}' % (_exact_text(args_json), string_text(tool_name).encode())
        except (ValueError, JsonError):
            return None
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def _flat_call(tool_name: str, args_json: bytes) -> bytes | None:
    """Return the canonical text of a call with a few plain scalars, None if it may be another one."""
    if len(args_json) > _SHORT:
        return None
    try:
        args = _FLAT(args_json)
        return _SORTED({"args": args, "toolName": tool_name}) if _known_keys(tuple(args)) else None
    except (ValueError, RecursionError):
        return None


def _plain_call(tool_name: str, args_json: bytes) -> bytes | None:
    """Return the canonical text of a call in which nothing is special, None if something may be."""
    try:
        args = orjson.loads(args_json)
        return orjson.dumps({"args": args, "toolName": tool_name}, option=_CANONICAL) if _is_plain(args) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _is_plain(value: object) -> bool:
    """Tell whether JavaScript would write a value as orjson does: it spells fractions in its own way."""
    if isinstance(value, dict):
        if not _plain_keys(tuple(value)):
            return False
        members: Collection[object] = value.values()
    else:
        members = value if isinstance(value, list) else (value,)
    if _SCALARS.issuperset(map(type, members)):
        return True
    others = [member for member in members if type(member) not in _SCALARS]
    return all(not isinstance(member, float) and _is_plain(member) for member in others)


def _plain_keys(keys: tuple[str, ...]) -> bool:
    """Tell whether an object with these keys is written in the order of its characters, and none of them is special."""
    return _SPECIAL_KEYS.isdisjoint(keys) and all(key.isascii() and not key.isdigit() for key in keys)


_known_keys: Final = lru_cache(maxsize=512)(_plain_keys)


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
