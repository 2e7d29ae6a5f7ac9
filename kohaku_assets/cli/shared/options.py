"""Options shared by the verbs: --config, --set, --json, the filters, and names from a registry."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kohaku_lib.registry import Registry

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project

Command = TypeVar("Command", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)

# Thresholds of the youngest generation (new objects) and of the older ones (collections of the younger).
NEW_OBJECTS, ROUNDS = 100_000, 50


def with_settings(function: Command) -> Command:
    """Add --config and --set, and pass the loaded project as `project`."""

    @functools.wraps(function)
    def run(*args: Any, config: Path | None, overrides: tuple[str, ...], **options: Any) -> Any:
        return function(*args, project=load_project(config, overrides), **options)

    return _settings_options(run)


def checks_settings(function: Command) -> Command:
    """Add --config and --set to a verb that reads no setting; they are only validated if given."""

    @functools.wraps(function)
    def run(*args: Any, config: Path | None, overrides: tuple[str, ...], **options: Any) -> Any:
        if config or overrides:
            load_project(config, overrides)
        return function(*args, **options)

    return _settings_options(run)


def profile_option(function: Command) -> Command:
    """Add --profile to a verb with settings: the profile to take them from, below those that --set gives."""

    @functools.wraps(function)
    def run(*args: Any, profile: str | None, overrides: tuple[str, ...], **options: Any) -> Any:
        return function(*args, overrides=(f"profile={profile}", *overrides) if profile else overrides, **options)

    return click.option("--profile", metavar="NAME", help="The same as --set profile=NAME.")(run)  # type: ignore[return-value]


def json_option(function: Command) -> Command:
    """Add --json, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def filter_options(function: Command) -> Command:
    """Add --document, --collection and --folder, passed as `documents`, `collections` and `folders`."""
    for option in (
        click.option("--folder", "folders", multiple=True, help="Only in this folder of the documents; repeatable."),
        click.option(
            "--collection", "collections", multiple=True, help="Only this collection of metadata.csv; repeatable."
        ),
        click.option("--document", "documents", multiple=True, metavar="ID", help="Only in this document; repeatable."),
    ):
        function = option(function)
    return function


class KindOption(click.ParamType):
    """One of the names in `registry` or of `others`, resolved when the command runs."""

    name = "kind"

    def __init__(self, registry: Registry[Any], *others: str) -> None:
        self._registry, self._others = registry, others

    @property
    def _choice(self) -> click.Choice[str]:
        return click.Choice((*self._registry.names(), *self._others))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; raise a usage error if it is unknown."""
        return self._choice.convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the names for the help text."""
        return self._choice.get_metavar(param, ctx)


def load_project(config: Path | None, overrides: Sequence[str]) -> Project:
    """Return the project of a settings file and overrides.

    Raises:
        SettingsError: A setting is invalid.
    """
    collect_garbage_rarely()  # before the heavy imports
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.composition import load_settings
    from kohaku_lib.project.keys_file import load_keys

    project = Project(load_settings(config, overrides))
    load_keys(project.home)
    return project


def collect_garbage_rarely() -> None:
    """Raise the thresholds of the cyclic garbage collector for this process.

    Importing the libraries of a run creates several hundred thousand long-lived objects, which Python would otherwise
    traverse repeatedly.
    """
    gc.set_threshold(NEW_OBJECTS, ROUNDS)


def _settings_options(run: Any) -> Any:
    for option in (
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."),
        click.option("--config", type=PATH, metavar="FILE", help="The kohaku.toml to read."),
    ):
        run = option(run)
    return run
