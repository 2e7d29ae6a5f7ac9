"""The cache folder that all projects of a user share, for converted and unpacked models."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def user_cache_folder(*parts: str) -> Path:
    """Return the subfolder `parts` of the user's cache: KOHAKU_CACHE, or the platform's cache folder.

    Falls back to the folder for temporary files if the cache is neither there nor writable. The result need not exist yet.

    >>> user_cache_folder("openvino", "5a1e").parts[-2:]
    ('openvino', '5a1e')
    """
    import platformdirs

    try:
        cache = Path(os.environ.get("KOHAKU_CACHE") or platformdirs.user_cache_path("kohaku"))
        folder = cache.joinpath(*parts)
        if folder.is_dir():
            return folder
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK):
            return folder
    except (OSError, RuntimeError):  # the latter if the user has no home folder
        pass
    return Path(tempfile.gettempdir(), "kohaku-cache", *parts)
