"""How the viewer hears its terminal: Textual's own way, which noise on the line does not end, and a cut line does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from textual.driver import Driver

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.platform != "win32":
    import os
    import selectors
    from codecs import getincrementaldecoder
    from contextlib import suppress

    from textual._parser import ParseError
    from textual._xterm_parser import XTermParser
    from textual.drivers.linux_driver import LinuxDriver

    _HANGUP = 129
    """The exit code of whoever a hangup ends."""

    class PatientDriver(LinuxDriver):
        """Passes over what is no UTF-8, or no number that a terminal can mean, and hears all that stands around it."""

        def __init__(self, *args: Any, **options: Any) -> None:
            """Prepare it as Textual does."""
            super().__init__(*args, **options)
            self._file = cast("Any", _Line(self._file))

        def run_input_thread(self) -> None:
            """Read the keyboard until the end, or until the terminal is gone: then the viewer leaves."""
            decode = getincrementaldecoder("utf-8")("replace").decode
            parser = XTermParser(self._debug)
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    heard = _read(self.fileno) if selector.select(0.1) else None
                    if heard == b"":
                        self._app.call_later(self._app.exit, None, _HANGUP)
                        break
                    try:
                        self._hear(parser, decode(heard) if heard else "")
                    except (ValueError, OverflowError):
                        parser = XTermParser(self._debug)
            with suppress(EOFError, ParseError):
                # Nothing to hear: the parser is told of the end.
                list(parser.feed(""))

        def _hear(self, parser: XTermParser, text: str) -> None:
            # No text would be the end to the parser, and is none here.
            for message in parser.feed(text) if text else ():
                self.process_message(message)
            for message in parser.tick():
                self.process_message(message)

    class _Line:
        """The way to the terminal. Once it is cut, what is sent is lost; a thread that failed would hold up others."""

        def __init__(self, file: Any) -> None:
            self.fileno: Callable[[], int] = file.fileno
            self._file = file

        def write(self, text: str) -> None:
            """Send a text."""
            with suppress(OSError):
                self._file.write(text)

        def flush(self) -> None:
            """Send what is held back."""
            with suppress(OSError):
                self._file.flush()

    def _read(descriptor: int) -> bytes:
        """Read what there is; nothing where the terminal is gone."""
        try:
            return os.read(descriptor, 1 << 12)
        except OSError:
            return b""


def patient(driver: type[Driver]) -> type[Driver]:
    """Return the patient kind of a driver, where there is one."""
    if sys.platform != "win32" and driver is LinuxDriver:
        return PatientDriver
    return driver
