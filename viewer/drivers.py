"""How the viewer hears its terminal: Textual's own way, which noise on the line does not end."""

from __future__ import annotations

import sys

from textual.driver import Driver

if sys.platform != "win32":
    import os
    import selectors
    from codecs import getincrementaldecoder
    from contextlib import suppress

    from textual._parser import ParseError
    from textual._xterm_parser import XTermParser
    from textual.drivers.linux_driver import LinuxDriver

    class PatientDriver(LinuxDriver):
        """Passes over what is no UTF-8, or no number that a terminal can mean, and hears all that stands around it."""

        def run_input_thread(self) -> None:
            """Read the keyboard until the end."""
            decode = getincrementaldecoder("utf-8")("replace").decode
            parser = XTermParser(self._debug)
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    text = decode(os.read(self.fileno, 1 << 12)) if selector.select(0.1) else ""
                    try:
                        self._hear(parser, text)
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


def patient(driver: type[Driver]) -> type[Driver]:
    """Return the patient kind of a driver, where there is one."""
    if sys.platform != "win32" and driver is LinuxDriver:
        return PatientDriver
    return driver
