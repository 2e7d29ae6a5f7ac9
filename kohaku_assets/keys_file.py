"""Keys of servers from a file beside kohaku.toml."""

from __future__ import annotations

import os
from pathlib import Path

KEYS_FILE = ".env"
_SETTINGS = "KOHAKU_"  # settings stand in kohaku.toml and the environment, not in the file of keys


def load_keys(folder: Path) -> None:
    """Take the environment variables of the file .env in `folder`, where there is one, that are not set already.

    Lines are NAME=VALUE, as python-dotenv reads them. Names of settings (KOHAKU_...) are left out.
    """
    path = folder / KEYS_FILE
    if not path.is_file():
        return
    from dotenv import dotenv_values

    for name, value in dotenv_values(path, interpolate=False).items():
        if value is not None and not name.startswith(_SETTINGS):
            os.environ.setdefault(name, value)
