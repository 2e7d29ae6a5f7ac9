"""The verb that takes over an index of another system: import-kohakuvault."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import PATH, json_option, print_json, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("import-kohakuvault")
@click.argument("file", type=PATH)
@click.option("--prefix", help="KohakuRAG's table_prefix; the only one in the file by default.")
@click.option("--model", help="The embedding model the vectors were made with; embedding.model by default.")
@click.option("--publish/--no-publish", default=True, show_default=True, help="Make it the current index.")
@verb("kohaku import-kohakuvault kohakurag.db --model minilm --no-publish")
@json_option
@with_settings
def import_kohakuvault_command(
    project: Project, file: Path, prefix: str | None, model: str | None, publish: bool, as_json: bool
) -> None:
    """Take over the index in FILE, written by KohakuRAG, vectors included, as an index version of the store.

    Such a file does not say which model made its vectors: name it, or searches may compare vectors of two models.
    """
    from kohaku_assets.operations.importing import import_vault

    imported = import_vault(project, file, prefix, model, publish)
    for problem in imported.problems:
        say(problem)
    if model is None:
        say(
            f"assumed that {imported.model!r} made the vectors of {imported.dim} dimensions, which the file does not say; "
            "give --model if it was another one"
        )
    if as_json:
        print_json(imported.summary())
        return
    rows = ", ".join(f"{count} {name}" for name, count in imported.counts.items())
    say(f"{'published' if publish else 'wrote'} index {imported.version}: {rows}")
