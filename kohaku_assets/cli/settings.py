"""`kohaku settings`: print every setting, its value and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("settings")
@verb("kohaku settings --set retrieval.top_k=12")
@json_option
@with_settings
def settings_command(project: Project, as_json: bool) -> None:
    """Print every setting with its value, the source of the value, and its description."""
    from kohaku_lib.masking import masked_url
    from kohaku_lib.settings import leaf_fields, pick

    picked = pick(project.settings, leaf_fields())
    values = {key: masked_url(value) if isinstance(value, str) else value for key, value in picked.items()}
    places = project.loaded.places
    if as_json:
        print_json({key: {"value": value, "from": places[key]} for key, value in values.items()})
        return
    rows = [(key, values[key], places[key], field.description) for key, field in leaf_fields().items()]
    print_table(str(project.loaded.file or "no kohaku.toml"), ("setting", "value", "from", "meaning"), rows)
