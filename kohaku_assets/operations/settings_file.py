"""Settings written into kohaku.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.errors import SettingsError
from kohaku_lib.storage import write_atomically


def write_settings(file: Path | None, values: Mapping[tuple[str, ...], Any]) -> None:
    """Write values, by their paths, into kohaku.toml, whose comments and order stay; None takes a setting out.

    Raises:
        SettingsError: There is no kohaku.toml, or it cannot be read or written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if file is None:
        msg = "there is no kohaku.toml to write a setting into; run 'kohaku init DIR'"
        raise SettingsError(msg)
    try:
        content = tomlkit.parse(file.read_text(encoding="utf-8-sig"))
    except (TOMLKitError, OSError, UnicodeError) as error:
        msg = f"no setting is written into {file}, which cannot be read ({error})"
        raise SettingsError(msg) from error
    for (*sections, name), value in values.items():
        table: Any = content
        for section in sections:
            is_inline = isinstance(table, tomlkit.items.InlineTable)
            table = table.setdefault(section, tomlkit.inline_table() if is_inline else tomlkit.table())
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value
    text = tomlkit.dumps(content)
    try:
        write_atomically(file, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    except OSError as error:
        msg = f"{file} cannot be written ({error.strerror or error})"
        raise SettingsError(msg) from error
