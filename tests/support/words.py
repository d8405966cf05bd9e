"""What a redacted document may say: the words of the format, and the exact forms of what replaces everything else."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal

from msgspec import Struct

from core.records import content as events_content
from core.records import events, headers
from core.records import permission as events_permission
from core.records import recovery_facts as events_recovery

REPLACED = re.compile(
    r"withheld \d+ bytes [0-9a-f]{32}|\d+ bytes [0-9a-f]{32}|(?:sha256:)?[0-9a-f]{64}"
    r"|(?:r+-)?(?:session|run|turn|invocation|event|call|operation|request|branch|reference|tool)-\d+"
)
"""Sizes with digests, digests, new names."""

PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


def strings(value: Any, *, keys: bool = True) -> Iterator[str]:
    """Yield every string in a JSON value, by default also the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        if keys:
            yield from value
        for item in value.values():
            yield from strings(item, keys=keys)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, keys=keys)


def format_words() -> frozenset[str]:
    """Return the keys and the words of closed lists that the format itself has."""
    modules = (events, events_content, events_permission, events_recovery, headers)
    return frozenset(word for module in modules for word in _words(module))


def _words(module: ModuleType) -> Iterator[str]:
    for kind in list(vars(module).values()):
        if isinstance(kind, type) and issubclass(kind, Struct):
            yield from kind.__struct_encode_fields__
            yield from (kind.__struct_config__.tag_field or "kind", str(kind.__struct_config__.tag))
            for hint in typing.get_type_hints(kind, include_extras=True).values():
                yield from _literals(hint)


def _literals(hint: Any) -> Iterator[str]:
    if typing.get_origin(hint) is Literal:
        yield from (word for word in typing.get_args(hint) if isinstance(word, str))
    for part in typing.get_args(hint):
        if not isinstance(part, str):
            yield from _literals(part)


def leaks(source: set[str], allowed: frozenset[str], said: Iterator[str]) -> set[str]:
    """Return the strings of a source, of four characters and more, that stand in what is said.

    Words that are allowed are none of the source's own, and neither are the replacements.
    """
    own = {word for word in source if len(word) >= 4 and word not in allowed}
    rest = "\n".join({REPLACED.sub("", text) for text in said if text not in allowed})
    return {word for word in own if word in rest}
