"""What msgspec says about a record, in our words and with the path of the field."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_PATHS: Final = re.compile(r" - at `(?:key` in `)?\$([^`]*)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_TYPES: Final = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_BOUND: Final = re.compile(r"Expected `(?:int|float)` (>=|<=) (\S+)")
_LENGTH: Final = re.compile(r"Expected `(str|array)` of length (>= |<= )?(\d+)")
_WORD: Final = re.compile(r"Invalid (?:enum )?value (.*)", re.DOTALL)
_KINDS: Final = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "true or false"}


def complaint_of(error: Exception) -> tuple[str, str]:
    """Return the complaint of an error of msgspec, and the JSON path of the field that it speaks of."""
    if not isinstance(error, msgspec.ValidationError):
        return "a key or a word is none that a record has", "$"
    text = str(error)
    places = list(_PATHS.finditer(text))
    # An error out of a part that was read on its own has its own path first and the path to the part behind it.
    path = "$" + "".join(place[1] for place in reversed(places))
    said = text[: places[0].start()] if places else text
    if match := _UNKNOWN.fullmatch(said):
        return "this key is not allowed here", f"{path}.{match[1]}"
    if match := _MISSING.fullmatch(said):
        return "this key is missing", f"{path}.{match[1]}"
    return _complaint(said), path


def _complaint(said: str) -> str:
    if match := _TYPES.match(said):
        return f"{_kind(match[1])} is expected, not {_kind(match[2])}"
    if match := _BOUND.match(said):
        return f"the number must be {'at least' if match[1] == '>=' else 'at most'} {match[2]}"
    if match := _LENGTH.match(said):
        bound = {"": "exactly", ">= ": "at least", "<= ": "at most"}[match[2] or ""]
        return f"the length must be {bound} {match[3]}"
    if said.startswith("Expected `str` matching"):
        return "the text has not the form that it must have"
    if match := _WORD.match(said):
        return f"{match[1]} is not one of the words allowed here"
    return said


def _kind(name: str) -> str:
    shown = " or ".join(_KINDS.get(part, part) for part in name.split(" | "))
    return {"object": "an object", "array": "a list", "references": "a list", "closure": "an object"}.get(shown, shown)
