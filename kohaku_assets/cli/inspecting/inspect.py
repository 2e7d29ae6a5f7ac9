"""`kohaku inspect`: show one node with its parent and children."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


PREVIEW_CHARS = 500


@click.command("inspect")
@click.argument("node_id")
@verb("kohaku inspect kohaku-energy-report:sec2:p2")
@json_option
@with_settings
def inspect_command(project: Project, node_id: str, as_json: bool) -> None:
    """Show the node NODE_ID of the published index: its fields, its parent, its children."""
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.index import tenant_node
    from kohaku_lib.project import open_published_index

    snapshot = open_published_index(project.store)
    node = tenant_node(snapshot, project.settings.corpus.org_id, node_id)
    if node is None:
        msg = f"there is no node {node_id!r} in index {snapshot.version}; 'kohaku search' lists node ids"
        raise InputFileError(msg)
    node["children"] = snapshot.column("node_id", snapshot.children(snapshot.row_of(node_id)))
    if as_json:
        print_json(node)
        return
    node["text"] = node["text"][:PREVIEW_CHARS]
    print_table(node_id, ("field", "value"), node.items())
