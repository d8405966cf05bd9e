"""Where the command line's words go: in the stream's encoding, with colour or without, until nobody reads them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Final, TextIO

from msgspec import Struct

from core import CoreError, printable

from .styles import ASCII, CONTINUED, DISPOSITIONS, STATUSES, UNICODE, VERDICTS

_COLOURS: Final = {
    "doubt": "1;31",
    "evidence": "33",
    "live": "36",
    "settled": "32",
    "muted": "2",
    "strong": "1",
    "": "",
}

_LOOKS: Final = (*VERDICTS.values(), *STATUSES.values(), *DISPOSITIONS.values(), CONTINUED)
_PLAIN: Final = str.maketrans(
    {
        **{look.glyph: look.plain for look in _LOOKS},
        UNICODE.ellipsis: "...",
        UNICODE.crumb: ASCII.crumb,
        UNICODE.none: ASCII.none,
        UNICODE.arrow: ASCII.arrow,
        UNICODE.between: ASCII.between,
        **{chr(0x2400 + code): f"\\x{code:02x}" for code in range(0x20)},
        "\u2421": "\\x7f",
        "\u2424": "\\n",
    }
)
"""What stands for our own glyphs where a stream cannot hold them: never a question mark, which has a meaning here."""


class Line(Struct, frozen=True):
    """One line; the words of a workspace in it are printed safely when it is made."""

    text: str
    tone: str = ""
    head: int = 0
    """Characters at the start that have the tone, where not the whole line has it."""


def render(line: Line, *, colour: bool, encoding: str | None) -> str:
    """Return the line as the stream can hold it."""
    code = _COLOURS[line.tone]
    if not (colour and code):
        return encodable(line.text, encoding)
    end = line.head or len(line.text)
    head, rest = encodable(line.text[:end], encoding), encodable(line.text[end:], encoding)
    return f"\x1b[{code}m{head}\x1b[0m{rest}"


def encodable(text: str, encoding: str | None) -> str:
    """Write in ASCII what the stream's encoding cannot hold; any other character by its number."""
    name = encoding or "utf-8"
    try:
        text.encode(name)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(name, "backslashreplace").decode(name)
    return text


def holds_glyphs(encoding: str | None) -> bool:
    """Tell whether a stream of that encoding can hold every glyph of ours."""
    glyphs = "".join(look.glyph for look in _LOOKS)
    return encodable(glyphs, encoding) == glyphs


class Output:
    """Standard output and standard error of one command."""

    def __init__(self, *, no_color: bool = False, environ: Mapping[str, str] = os.environ) -> None:
        self._out: TextIO | None = sys.stdout
        self._error: TextIO | None = sys.stderr
        plain = no_color or bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"
        self.is_terminal = _is_terminal(sys.stdout)
        """Whether a person reads along."""
        streams = (sys.stdin, sys.stdout, sys.stderr)
        self.has_screen = all(map(_is_terminal, streams)) and environ.get("TERM") != "dumb"
        """Whether there are a keyboard and a screen that can be drawn on; Textual draws on standard error."""
        self.colour = self.is_terminal and not plain
        self.encoding = getattr(sys.stdout, "encoding", None)
        self.error_encoding = getattr(sys.stderr, "encoding", None)

    def lines(self, lines: Iterable[Line]) -> None:
        """Write lines, each as soon as it is made."""
        for line in lines:
            if self._out is None:
                return
            try:
                self._out.write(render(line, colour=self.colour, encoding=self.encoding) + "\n")
            except OSError as error:
                self._lost(error)

    def document(self, document: Mapping[str, object]) -> None:
        """Write one JSON document, in UTF-8 whatever the stream's encoding is."""
        from core import encode_document

        self.payload(encode_document(document))

    def payload(self, payload: bytes) -> None:
        """Write bytes as they are: a text in UTF-8, whatever the stream's encoding."""
        if self._out is None:
            return
        try:
            self._out.flush()
            self._out.buffer.write(payload)
        except OSError as error:
            self._lost(error)

    def narrate(self, error: CoreError) -> None:
        """Say in one line on standard error what went wrong, where, and what to try next."""
        hint = f"; {error.hint}" if error.hint else ""
        self.note(f"{error}{hint}")

    def note(self, text: str) -> None:
        """Write one line to standard error."""
        if self._error is not None:
            line = encodable(printable(f"maka-ledger: {text}", limit=2000), self._error.encoding)
            try:
                self._error.write(line + "\n")
                self._error.flush()
            except OSError:
                self._error = None

    def finish(self) -> None:
        """Send out what is still held back. Raises CoreError if it cannot be written."""
        if self._out is not None:
            try:
                self._out.flush()
            except OSError as error:
                self._lost(error)

    def _lost(self, error: OSError) -> None:
        """Stop writing. A reader that has left is no error: there is nobody to tell."""
        stream, self._out = self._out, None
        gone = isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)
        if stream is not None:
            # The interpreter flushes the stream at its end and must not stumble over it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not gone:
            said = error.strerror or type(error).__name__
            raise CoreError(f"the output cannot be written: {said}", code="output_failed") from error


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False
