"""`kohaku import-kohakuvault`: import an index that KohakuRAG wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("import-kohakuvault")
@click.argument("file", type=PATH)
@click.option("--prefix", help="KohakuRAG's table_prefix; default: the only one in the file.")
@click.option("--model", help="The embedding model of the vectors; embedding.model by default.")
@click.option("--publish/--no-publish", default=True, show_default=True, help="Publish it as the current index.")
@verb("kohaku import-kohakuvault kohakurag.db --model minilm --no-publish")
@json_option
@with_settings
def import_kohakuvault_command(
    project: Project, file: Path, prefix: str | None, model: str | None, publish: bool, as_json: bool
) -> None:
    """Import the KohakuRAG index in FILE, including its vectors, as an index version of the store.

    The file does not record the embedding model: give it, or searches may compare vectors of different models.
    """
    from kohaku_assets.operations.importing import import_vault

    imported = import_vault(project, file, prefix, model, publish)
    for problem in imported.problems:
        say(problem)
    if model is None:
        say(
            f"assumed that the {imported.dim}-dimensional vectors are of {imported.model!r}, as the file does not record the "
            "model; give --model if it is another one"
        )
    if as_json:
        print_json(imported.summary())
        return
    rows = ", ".join(f"{count} {name}" for name, count in imported.counts.items())
    say(f"{'published' if publish else 'wrote'} index {imported.version}: {rows}")
