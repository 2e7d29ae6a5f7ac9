"""`kohaku documents`: list every document: parsed, pending, failed or left out, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.documents.corpus.removals import TrashedFile


@click.command("documents")
@verb("kohaku documents")
@click.option("--trash", is_flag=True, help="List the uploads that were deleted in the last 30 days.")
@click.option("--restore", metavar="ID", help="Put a file of the trash back.")
@click.option("--include", metavar="FILE", help="Read a file again that was left out on the page.")
@click.option("--erase", metavar="ID", help="Erase a document for good, with all that the store has of it.")
@json_option
@with_settings
def documents_command(
    project: Project, trash: bool, restore: str | None, include: str | None, erase: str | None, as_json: bool
) -> None:
    """List every file and metadata row of corpus.org_id: read, not read yet, failed or left out, and why.

    Of documents whose texts are nearly the same, all but one are listed as near copies of that one.

    --erase deletes an upload for good; delete a file of your own folder yourself before. It removes the document from the
    index, caches, replies of language models, messages, earlier states and Dagster's history, and lists what it cannot reach,
    such as backups. Stop the server first.
    """
    if erase is not None:
        _erase(project, erase)
        return
    if restore is not None:
        say(f"{project.removals.restore(restore)!r} is back; 'kohaku refresh' reads it")
        return
    if include is not None:
        project.removals.include(include)
        say(f"{include!r} is read again by 'kohaku refresh'")
        return
    if trash:
        _print_trash(project.removals.trashed(), as_json)
        return
    from kohaku_assets.operations.fetching import states
    from kohaku_lib.documents import count_states

    org_id = project.settings.corpus.org_id
    documents = states(project, org_id)
    if others := len(states(project)) - len(documents):
        say(f"{others} more are of other organisations than {org_id!r}; --set corpus.org_id=NAME lists those of one")
    if as_json:
        print_json([{name: getattr(state, name) for name in state.__slots__} for state in documents])
        return
    rows = [
        (s.path or s.document_id, s.document_id, s.status, s.pages, s.language, _reason(s.reason, s.near_copy_of))
        for s in documents
    ]
    print_table("", ("file", "document", "status", "pages", "language", "reason"), rows)
    say(
        ", ".join(f"{number} {status}" for status, number in count_states(documents).items())
        or "there are no documents"
    )


def _reason(reason: str | None, near_copy_of: str | None) -> str | None:
    near = f"near copy of {near_copy_of!r}" if near_copy_of else None
    return "; ".join(filter(None, (reason, near))) or None


def _erase(project: Project, document_id: str) -> None:
    from kohaku_assets.operations.erasing.erase import erase_document

    done = erase_document(project, document_id)
    for place in done.places:
        say(f"erased from {place}")
    for sentence in done.remaining:
        say(sentence)
    say(f"{document_id!r} is erased; 'kohaku refresh' computes anew what was answered from it")


def _print_trash(trashed: list[TrashedFile], as_json: bool) -> None:
    if as_json:
        print_json([asdict(one) for one in trashed])
        return
    print_table("", ("id", "file", "deleted by", "at"), [(one.id, one.path, one.by, one.at) for one in trashed])
    say(f"{len(trashed)} files in the trash")
