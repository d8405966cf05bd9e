"""The tree of errors that `core` raises.

    CoreError
    ├── DecodeError
    │   ├── EventDecodeError        a row is no RuntimeEvent
    │   └── HeaderDecodeError       a document is no run header
    ├── WorkspaceError
    │   ├── WorkspaceMissing        the path does not exist
    │   ├── NotAWorkspace           it exists and holds no workspace
    │   ├── WorkspaceForbidden      the system refuses to let us read it
    │   └── RunNotFound             the workspace has no such run
    ├── RequestError                a question that cannot be answered as asked (a bad prefix, a bad id)
    └── StoreError                  the writing half refused or failed
        ├── AppendRefused           nothing was written
        ├── IdentityConflict        the id is taken by other content; nothing was written
        ├── DurabilityError         written, perhaps, but not known to be on stable storage
        └── HeaderConflict          the run exists already, or its header is not the expected one

Every error has a stable `code` for machines and says where it happened as far as that is known.
"""

from __future__ import annotations

from collections.abc import Iterator


class CoreError(Exception):
    """The root of every error that `core` raises on purpose.

    Attributes:
        code: a stable word for machines; sentences may change, codes do not.
        message: one sentence for a person.
        path: the file or folder concerned.
        line: 1-based line of a JSONL file.
        offset: byte offset in the file.
        length: length in bytes of the row concerned.
        field: JSON path of the field concerned, such as `$.content.kind`.
        hint: what to try next.

    """

    code: str = "error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        path: str | None = None,
        line: int | None = None,
        offset: int | None = None,
        length: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.message = message
        self.path = path
        self.line = line
        self.offset = offset
        self.length = length
        self.field = field
        self.hint = hint

    def __str__(self) -> str:
        place = ", ".join(self._place())
        return f"{place}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.__dict__))

    def _place(self) -> Iterator[str]:
        if self.path is not None:
            yield self.path
        if self.line is not None:
            yield f"line {self.line}"
        if self.offset is not None:
            yield f"byte {self.offset}"
        if self.field is not None:
            yield self.field


def _rebuild(kind: type[CoreError], message: str, state: dict[str, object]) -> CoreError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class DecodeError(CoreError):
    """Bytes that are not the record they should be."""

    code = "decode_error"


class EventDecodeError(DecodeError):
    """A row that is no RuntimeEvent; `code` is `row_invalid_json` or `row_invalid_event`."""

    code = "row_invalid_event"


class HeaderDecodeError(DecodeError):
    """A document that is no run header."""

    code = "header_unreadable"


class WorkspaceError(CoreError):
    """A path that cannot be opened as a workspace, or a run that is not in it."""

    code = "workspace_error"


class WorkspaceMissing(WorkspaceError):
    """Nothing is at the path."""

    code = "workspace_missing"


class NotAWorkspace(WorkspaceError):
    """Something is at the path, but no workspace, session, run or ledger."""

    code = "not_a_workspace"


class WorkspaceForbidden(WorkspaceError):
    """The system does not let us read the path."""

    code = "workspace_forbidden"


class RunNotFound(WorkspaceError):
    """The workspace holds no run of that id."""

    code = "run_not_found"


class RequestError(CoreError):
    """A question that cannot be answered as it was asked."""

    code = "bad_request"


class StoreError(CoreError):
    """The writing half refused or failed."""

    code = "store_error"


class AppendRefused(StoreError):
    """An append that must not happen; nothing was written."""

    code = "append_refused"


class IdentityConflict(StoreError):
    """The event id is taken by other content; nothing was written."""

    code = "identity_conflict"


class DurabilityError(StoreError):
    """Bytes that may be written but are not known to have reached stable storage."""

    code = "not_durable"


class HeaderConflict(StoreError):
    """A run that exists already, or whose header is not the one expected."""

    code = "header_conflict"
