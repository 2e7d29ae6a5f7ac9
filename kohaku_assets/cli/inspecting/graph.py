"""`kohaku graph`: show the aliases, mentions and relations of a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("graph")
@click.argument("name")
@click.option("--top-k", type=click.IntRange(min=1), default=10, show_default=True, help="Relations to list.")
@verb("kohaku graph Gintaras-M")
@json_option
@with_settings
def graph_command(project: Project, name: str, top_k: int, as_json: bool) -> None:
    """Show the entities of the published index named NAME: aliases, mentions and relations."""
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.index.graph import describe_entities
    from kohaku_lib.project import open_published_index

    with open_published_index(project.store).connect() as connection:
        entities = describe_entities(connection, name, project.settings.corpus.org_id, top_k)
    if not entities:
        msg = f"the index has no entity {name!r}; 'kohaku search' searches the full text"
        raise InputFileError(msg)
    if as_json:
        print_json(entities)
        return
    for entity in entities:
        relations = entity.pop("relations")
        print_table(entity["name"], ("field", "value"), [(key, _shown(value)) for key, value in entity.items()])
        columns = ("related to", "type", "relation", "confidence", "node")
        print_table("", columns, [tuple(relation.values()) for relation in relations])


def _shown(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
