"""Skills and files that a text names inside itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from .scalars import Count, Record, asked, units

MOST_REFERENCES: Final = 32
_LONGEST_VALUE: Final = 4096
_LONGEST_LABEL: Final = 200
_SKILL: Final = r"/skill:[A-Za-z0-9._-]+"
_NOT_RELATIVE: Final = r"/|[A-Za-z]:"


class InlineReference(Record, frozen=True):
    """A skill or a file named inside the shown text, which reads `value` from UTF-16 unit `start` on."""

    kind: Literal["skill", "workspace_file"]
    value: str
    label: str
    start: Count

    def __post_init__(self) -> None:
        """Hold value and label to their lengths, and the value to its kind."""
        if not 1 <= units(self.value) <= _LONGEST_VALUE:
            raise ValueError("value is empty or too long")
        if not 1 <= units(self.label) <= _LONGEST_LABEL:
            raise ValueError("label is empty or too long")
        if self.kind == "skill":
            if not re.fullmatch(_SKILL, self.value):
                raise ValueError("value names no skill")
        elif self.value[0] != "@" or not _is_relative_path(self.value[1:]):
            raise ValueError("value names no file of the workspace")


if TYPE_CHECKING:
    InlineReferences = tuple[InlineReference, ...]
else:
    # They must lie where they say in the text beside them, which they cannot see: the exact way looks.
    InlineReferences = asked("references", lambda value: type(value) is tuple, beside=True)


def check_references(references: Sequence[InlineReference], shown: str) -> None:
    """Raise ValueError unless each reference stands in the shown text where it says, one after the other."""
    if len(references) > MOST_REFERENCES:
        raise ValueError("there are too many references")
    text = shown.encode("utf-16-le", "surrogatepass")
    free_from = 0
    for reference in references:
        value = reference.value.encode("utf-16-le", "surrogatepass")
        begin = 2 * reference.start
        if begin < free_from or not text.startswith(value, begin):
            raise ValueError("a reference does not stand where it says")
        free_from = begin + len(value)


def _is_relative_path(path: str) -> bool:
    if "\0" in path or "\\" in path or re.match(_NOT_RELATIVE, path):
        return False
    return not {"", ".", ".."}.intersection(path.split("/"))
