"""Damage to the JSON structure of a row: values, keys, numbers, strings, ids, nesting, and odd ways to spell them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Tree = Any
Place = tuple[Any, Any]
"""A dict or list, and the key or index of a value in it."""

NUMBERS = (
    "0", "-0", "-0.0", "1", "-1", "3.0", "3e0", "30e-1", "0.5", "1e400", "-1e400", "1e-400", "9007199254740991",
    "9007199254740992", "9007199254740993", "18446744073709551616", "1" + "0" * 400, "0." + "0" * 400 + "1", "1E+2",
    "123456789012345678901234567890", "1.7976931348623157e308", "5e-324", "253402300800000", "-62135596800001",
    "8.64e15", "1e22", "1e21", "0.1",
)  # fmt: skip
"""Spelled as they are, since a parsed number would lose its spelling."""
BAD_NUMBERS = ("NaN", "Infinity", "-Infinity", "01", "+1", ".5", "5.", "1e", "0x10", "1_000", "٣")
STRINGS = (
    "", " ", "\x00", "\ud800", "\udfff", "\ud83d\ude00", "a\ud83d", "\u2028", "\u0085", "\ufeff", "é", "e\u0301",
    "../../etc/passwd",
    "/etc/passwd", "..", ".", "C:\\x", "\\\\host\\share", "\x1b]0;x\x07", "\x1b[31m", "[red]x[/]", "__proto__",
    "constructor",
    "toString", "\u202e", "\u200b", "%s%n", "{0}", "${x}", "x" * 129, "y" * 5000, "\U0001f469\u200d\U0001f4bb",
    "true", "null", "0",
    "sha256:" + "a" * 64, "t1_after_preflight_v1", "-", "\n", "a\nb", "\r", "\t", "\\", '"', "`", "<script>", "'",
    "1e400",
)  # fmt: skip
KEYS = (
    "id", "kind", "args", "result", "name", "content", "actions", "refs", "partial", "status", "branch", "role",
    "author", "ts",
    "modelVisibility", "origin", "toolDispatch", "toolRecovery", "runtimeProtocol", "stateDelta", "endInvocation",
    "toolCallId",
    "operationId", "isError", "providerExecuted", "continuationSource", "__proto__", "constructor", "", "\ud800",
    "Id", "ID ",
    "extra", "permissionRequest", "permissionDecision", "tokenUsage", "displayText", "steering", "inlineReferences",
)  # fmt: skip
WORDS = (
    "user", "model", "tool", "system", "agent", "host", "streaming", "completed", "failed", "aborted", "cancelled",
    "running",
    "hidden", "visible", "text", "thinking", "function_call", "function_response", "error", "provider", "code_mode",
    "created",
    "waiting_permission", "waiting_for_user", "reconcile", "never_auto_retry", "replay_safe", "outcome_unknown",
    "parked",
)  # fmt: skip
_MARK = "\ue000{}\ue001"


class _Spelled:
    """Puts text into JSON that `json.dumps` would never write."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def put(self, text: str) -> str:
        """Return a stand-in for the text."""
        self.texts.append(text)
        return _MARK.format(len(self.texts) - 1)

    def write(self, text: str) -> str:
        """Replace the stand-ins, whichever way they were written."""
        for number, spelled in enumerate(self.texts):
            mark = _MARK.format(number)
            for form in (json.dumps(mark), json.dumps(mark, ensure_ascii=False)):
                text = text.replace(form, spelled)
        return text


def damage_row(rng: Random, row: bytes, others: tuple[bytes, ...]) -> bytes:
    """Change one to three things about the JSON structure of a row; a row that is no JSON object stays as it is."""
    try:
        tree = json.loads(row.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return row
    if not isinstance(tree, dict):
        return row
    spelled = _Spelled()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice(_CHANGES)(rng, tree, spelled, others)
    return respell(rng, tree, spelled)


def respell(rng: Random, tree: Tree, spelled: _Spelled | None = None) -> bytes:
    """Write a tree in one of many ways that mean the same: escapes, blanks, raw or ASCII text."""
    blanks = rng.choice(((",", ":"), (",", ":"), (", ", ": "), ("\t,\r", " :\t")))
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5, separators=blanks)
    text = spelled.write(text) if spelled is not None else text
    if rng.random() < 0.1:
        text = text.replace('"id"', '"\\u0069d"').replace("a", "\\u0061", 1) if rng.random() < 0.5 else f" {text} "
    return text.encode("utf-8", "surrogatepass")


def _places(tree: Tree) -> Iterator[Place]:
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _place(rng: Random, tree: Tree) -> Place:
    places = list(_places(tree))
    return rng.choice(places) if places else (tree, "id")


def _set_value(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    holder, key = _place(rng, tree)
    holder[key] = _value(rng, spelled)


def _value(rng: Random, spelled: _Spelled) -> Tree:
    depth = rng.choice((3, 40, 600, 1500))
    return rng.choice(
        (
            lambda: spelled.put(rng.choice(NUMBERS)),
            lambda: spelled.put(rng.choice(NUMBERS)),
            lambda: rng.choice(STRINGS),
            lambda: rng.choice(STRINGS),
            lambda: rng.choice(WORDS),
            lambda: rng.choice((None, True, False, {}, [], [None], {"a": 1})),
            lambda: spelled.put("[" * depth + "]" * depth),
            lambda: spelled.put('{"a":' * depth + "1" + "}" * depth),
            lambda: spelled.put(rng.choice(BAD_NUMBERS)),
            lambda: spelled.put("[" * rng.choice((1, 600))),
        )
    )()


def _drop_key(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    holder, key = _place(rng, tree)
    if isinstance(holder, dict):
        holder.pop(key, None)
    else:
        del holder[key]


def _rename_key(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    holder, key = _place(rng, tree)
    if isinstance(holder, dict) and key in holder:
        holder[rng.choice(KEYS)] = holder.pop(key)


def _add_key(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    objects = [tree, *(holder[key] for holder, key in _places(tree) if isinstance(holder[key], dict))]
    rng.choice(objects)[rng.choice(KEYS)] = _value(rng, spelled)


def _double_key(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    """Give an object a key twice; the last counts."""
    objects = [holder[key] for holder, key in _places(tree) if isinstance(holder[key], dict) and holder[key]]
    chosen = rng.choice([tree, *objects])
    if not chosen:
        return
    key = rng.choice(list(chosen))
    first = json.dumps(_value(rng, _Spelled()))
    both = [(key, first), *((name, json.dumps(value)) for name, value in chosen.items())]
    text = "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in both) + "}"
    if chosen is tree:
        tree["content"] = spelled.put(text)
    else:
        for holder, place in _places(tree):
            if holder[place] is chosen:
                holder[place] = spelled.put(spelled.write(text))
                return


def _swap_subtree(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    """Take a value from another row."""
    try:
        other = json.loads(rng.choice(others))
    except (ValueError, RecursionError, IndexError):
        return
    if not isinstance(other, dict) or not other:
        return
    if rng.random() < 0.6:
        key = rng.choice(list(other))
        tree[key] = other[key]
        return
    holder, key = _place(rng, tree)
    source, name = rng.choice(list(_places(other)))
    holder[key] = source[name]


def _change_id(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    """Change an id: of the event, of a call, of an operation; to another row's, or to one that is odd."""
    names = [
        (holder, key)
        for holder, key in _places(tree)
        if isinstance(key, str) and (key == "id" or key.endswith("Id")) and isinstance(holder[key], str)
    ]
    if not names:
        return
    holder, key = rng.choice(names)
    same_row, name = rng.choice(names)
    holder[key] = rng.choice((rng.choice(STRINGS), same_row[name], _id(rng, others)))


def _id(rng: Random, others: tuple[bytes, ...]) -> str:
    try:
        other = json.loads(rng.choice(others))
        places = [holder[key] for holder, key in _places(other) if key in ("id", "toolCallId", "operationId")]
        return str(rng.choice(places))
    except (ValueError, RecursionError, IndexError, TypeError):
        return "e1"


def _change_word(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    words = [(holder, key) for holder, key in _places(tree) if isinstance(holder[key], str)]
    if words:
        holder, key = rng.choice(words)
        holder[key] = rng.choice(WORDS)


def _escape_badly(rng: Random, tree: Tree, spelled: _Spelled, others: tuple[bytes, ...]) -> None:
    """Write a string value with escapes, good or bad."""
    holder, key = _place(rng, tree)
    body = rng.choice(
        (r"\ud800", r"\udc00\ud800", r"\u00e9", r"\/", r"\x41", r"\u12", "\\", r"\u0000", "\x01", "\t", r"\b\f")
    )
    holder[key] = spelled.put(f'"{body}"')


_CHANGES: tuple[Callable[[Random, Tree, _Spelled, tuple[bytes, ...]], None], ...] = (
    _set_value, _set_value, _drop_key, _rename_key, _add_key, _double_key, _swap_subtree, _swap_subtree, _change_id,
    _change_id, _change_word, _change_word, _escape_badly,
)  # fmt: skip
