"""Where what any project of a user needs is kept once: converted and unpacked models."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def user_cache_folder(*parts: str) -> Path:
    """Return the folder of these names in the one that KOHAKU_CACHE names, else in the platform's own for users' caches.

    Where it is neither there nor can be made, because that cannot be written or there is none, it is one of the same
    names among the temporary files. It need not exist yet.

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
    except (OSError, RuntimeError):  # the latter where the user has no home
        pass
    return Path(tempfile.gettempdir(), "kohaku-cache", *parts)
