"""`kohaku settings`: print every setting, its value and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, profile_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("settings")
@click.option("--differences", is_flag=True, help="Only the settings whose values are not the defaults.")
@verb("kohaku settings --profile kohaku --differences")
@json_option
@profile_option
@with_settings
def settings_command(project: Project, differences: bool, as_json: bool) -> None:
    """Print every setting with its value, the source of the value, and its description."""
    from kohaku_lib.masking import masked_url
    from kohaku_lib.settings import Settings, leaf_fields, pick
    from kohaku_lib.settings.loading import DEFAULT

    fields, places = leaf_fields(), project.loaded.places
    picked = pick(project.settings, fields)
    if differences:
        defaults = pick(Settings(), fields)
        picked = {key: value for key, value in picked.items() if places[key] != DEFAULT and value != defaults[key]}
    values = {key: masked_url(value) if isinstance(value, str) else value for key, value in picked.items()}
    if as_json:
        print_json({key: {"value": value, "from": places[key]} for key, value in values.items()})
        return
    rows = [(key, value, places[key], fields[key].description) for key, value in values.items()]
    print_table(str(project.loaded.file or "no kohaku.toml"), ("setting", "value", "from", "meaning"), rows)
