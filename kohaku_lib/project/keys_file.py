"""API keys from the file .env next to kohaku.toml."""

from __future__ import annotations

import logging
import os
import shlex
import stat
from functools import cache
from pathlib import Path

_LOG = logging.getLogger("kohaku")
KEYS_FILE = ".env"
_SETTINGS = "KOHAKU_"  # settings belong in kohaku.toml and the environment, not in the file of keys


def load_keys(folder: Path) -> None:
    """Set the environment variables of the file .env in `folder`, if it exists; variables already set are unchanged.

    Lines are NAME=VALUE, as python-dotenv reads them. Names of settings (KOHAKU_...) are ignored. A warning is logged
    if everyone on the machine can read the file.
    """
    path = folder / KEYS_FILE
    if not path.is_file():
        return
    _warn_of_readers(path)
    from dotenv import dotenv_values

    for name, value in dotenv_values(path, interpolate=False).items():
        if value is not None and not name.startswith(_SETTINGS):
            os.environ.setdefault(name, value)


@cache
def _warn_of_readers(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & stat.S_IROTH:
        command = f"chmod 600 {shlex.quote(str(path))}"
        _LOG.warning("%s can be read by everyone on this machine (mode %o); run '%s'", path, mode, command)
