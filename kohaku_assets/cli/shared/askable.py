"""What a refresh leaves its user with: how many documents can be asked, and which cannot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.own_name import own_name

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.documents import DocumentState

_MOST_LISTED = 10


def say_askable(project: Project, unread: Sequence[DocumentState], *, is_published: bool) -> None:
    """Say how many documents the published index has, and why those that are `unread` cannot be asked."""
    from kohaku_assets.operations.summaries import searchable_documents
    from kohaku_lib.project import open_published_index

    parts = []
    if is_published:
        number = searchable_documents(open_published_index(project.store))
        parts.append(f"{number} document{'' if number == 1 else 's'} can be asked")
    if unread:
        parts.append(f"{len(unread)} cannot:" if parts else f"{len(unread)} cannot be asked:")
    if parts:
        say(", ".join(parts))
    for state in unread[:_MOST_LISTED]:
        say(f"  {_line(state)}")
    if unread[_MOST_LISTED:]:
        say(f"  and {len(unread) - _MOST_LISTED} more; {own_name()} documents lists them")


def _line(state: DocumentState) -> str:
    """Return one sentence about a document.

    >>> from kohaku_lib.documents import DocumentState
    >>> _line(DocumentState("a/b.pdf", "b", "failed", None, None, "'b.pdf' has no pages"))
    'a/b.pdf has no pages'
    >>> _line(DocumentState("c.txt", "c", "left_out", None, None, "not a document format"))
    'c.txt: not a document format'
    """
    name, reason = state.path or state.document_id or "", state.reason or "it is not read yet"
    own = f"{PurePosixPath(name).name!r} "
    return f"{name} {reason.removeprefix(own)}" if reason.startswith(own) else f"{name}: {reason}"
