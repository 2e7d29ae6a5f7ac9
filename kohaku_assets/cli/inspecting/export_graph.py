"""`kohaku export-graph`: write the graph of names into Postgres, for a graph server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("export-graph")
@click.argument("address")
@verb("kohaku export-graph postgresql://kohaku@localhost/graph")
@with_settings
def export_graph_command(project: Project, address: str) -> None:
    """Write the entities, mentions, relations and documents of the published index to the Postgres at ADDRESS.

    They replace the tables of the schema kohaku_graph there, over which PuppyGraph answers by
    deploy/puppygraph/schema.json and retrieval.graph_server. The password may come from PGPASSWORD.
    """
    from kohaku_lib.index.graph.export import SCHEMA, export_graph
    from kohaku_lib.project import open_published_index

    with open_published_index(project.store).connect() as connection:
        rows = export_graph(connection, address)
    counted = ", ".join(f"{count:,} {table.replace('_', ' ')}" for table, count in rows.items())
    say(f"wrote {counted} to the schema {SCHEMA}")
