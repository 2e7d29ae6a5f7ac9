"""Runtime settings from the command line: set, dropped, or promoted into kohaku.toml."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kohaku_assets.operations.settings_file import write_settings
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import override
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import pick

if TYPE_CHECKING:
    from kohaku_lib.conversation.memory.runtime_settings import RuntimeSettings, RuntimeValue

ALL = ""  # in the place of an organisation, as in kohaku_lib.conversation.memory.runtime_settings


def runtime_values(project: Project, org_id: str = ALL) -> dict[str, RuntimeValue]:
    """Return the runtime values of a project by key: those for all organisations, before them those of `org_id`.

    There are none where no assistant has a database yet.
    """
    if project.settings.assistant.database is None and not project.paths.assistant.is_file():
        return {}
    with _opened(project, ALL, org_id) as (of_all, own):
        return {**of_all.values(), **own.values()}


def set_runtime(project: Project, changes: Sequence[str], org_id: str = ALL) -> None:
    """Set each "key=value" in the database, for all organisations or for `org_id`; "key=" drops one.

    Raises:
        SettingsError: A change has no "=", or its key or value is wrong.
    """
    with _opened(project, org_id) as [runtime]:
        runtime.set(project.settings, parsed_changes(project, changes), getpass.getuser())


def parsed_changes(project: Project, changes: Sequence[str]) -> dict[str, Any]:
    """Return the value of each "key=value" by key; None for "key=".

    Raises:
        SettingsError: A change has no "=", or its key or value is wrong.
    """
    values = {}
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not equals:
            msg = f"a change of a setting is KEY=VALUE, got {change!r}"
            raise SettingsError(msg)
        values[key] = pick(override(project.loaded, [change]).settings, [key])[key] if text else None
    return values


def promote(project: Project, keys: Sequence[str]) -> None:
    """Write the runtime values of `keys` into kohaku.toml, and drop them from the database.

    Raises:
        SettingsError: There is no such runtime value, or no kohaku.toml.
    """
    with _opened(project, ALL) as [runtime]:
        values = runtime.values()
        unknown = next((key for key in keys if key not in values), None)
        if unknown is not None:
            msg = f"{unknown!r} has no runtime value to promote; 'kohaku settings' shows which have"
            raise SettingsError(msg)
        write_settings(project.loaded.file, {tuple(key.split(".")): values[key].value for key in keys})
        runtime.set(project.settings, dict.fromkeys(keys), getpass.getuser())


@contextmanager
def _opened(project: Project, *scopes: str) -> Iterator[list[RuntimeSettings]]:
    from kohaku_lib.conversation.memory.database import open_database
    from kohaku_lib.conversation.memory.runtime_settings import RuntimeSettings

    engine = open_database(project.store, project.settings.assistant.database)
    try:
        yield [RuntimeSettings(engine, scope) for scope in scopes]
    finally:
        engine.dispose()
