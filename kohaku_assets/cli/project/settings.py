"""`kohaku settings`: print every setting, its value and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, profile_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("settings")
@click.option("--differences", is_flag=True, help="Only the settings whose values are not the defaults.")
@click.option(
    "--runtime",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of running assistants within seconds; KEY= resets it; repeatable.",
)
@click.option("--org", default="", help="Change and show the runtime settings of this organisation.")
@click.option("--promote", "keys", multiple=True, metavar="KEY", help="Write a runtime setting into kohaku.toml.")
@verb("kohaku settings --profile kohaku --differences")
@json_option
@profile_option
@with_settings
def settings_command(
    project: Project, differences: bool, changes: tuple[str, ...], org: str, keys: tuple[str, ...], as_json: bool
) -> None:
    """Print every setting with its value, the source of the value, and its description.

    A runtime setting holds for conversations only. It is kept in the assistant's database and overrides kohaku.toml and the
    level of a question; one for an organisation overrides one for all.
    """
    from kohaku_assets.operations.runtime_settings import promote, runtime_values, set_runtime
    from kohaku_lib.composition.loading import DEFAULT
    from kohaku_lib.masking import masked_url
    from kohaku_lib.settings import leaf_fields, pick

    if changes:
        set_runtime(project, changes, org)
    if keys:
        promote(project, keys)
    if changes or keys:
        say(f"runtime settings: {', '.join(runtime_values(project, org)) or 'none'}")
        return
    model = type(project.settings)
    fields, places = leaf_fields(model), dict(project.loaded.places)
    picked = pick(project.settings, fields)
    for key, found in runtime_values(project, org).items():
        picked[key], places[key] = found.value, found.place
    if differences:
        defaults = pick(model(), fields)
        picked = {key: value for key, value in picked.items() if places[key] != DEFAULT and value != defaults[key]}
    values = {key: masked_url(value) if isinstance(value, str) else value for key, value in picked.items()}
    if as_json:
        print_json({key: {"value": value, "from": places[key]} for key, value in values.items()})
        return
    rows = [(key, value, places[key], fields[key].description) for key, value in values.items()]
    print_table(str(project.loaded.file or "no kohaku.toml"), ("setting", "value", "from", "meaning"), rows)
