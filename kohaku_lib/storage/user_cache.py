"""Where what any project of a user needs is kept once: converted and unpacked models."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def user_cache_folder() -> Path:
    """Return the folder named by KOHAKU_CACHE, else the platform's own for users' caches; it is made.

    A temporary one where that cannot be written.
    """
    import platformdirs

    folder = Path(os.environ.get("KOHAKU_CACHE") or platformdirs.user_cache_path("kohaku"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / "kohaku-cache"
    return folder if os.access(folder, os.W_OK) else Path(tempfile.gettempdir()) / "kohaku-cache"
