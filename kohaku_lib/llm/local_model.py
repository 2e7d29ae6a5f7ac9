"""What identifies a chat model on this machine."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kohaku_lib.digests import digest, file_sha256

_CONTENT = {".safetensors", ".bin", ".json", ".jinja", ".txt", ".model"}  # weights, configuration, words, template


def model_digest(name: str) -> str:
    """Return the digest of the files of a folder, whatever its path; any other name as it stands.

    >>> model_digest("Qwen/Qwen2.5-7B-Instruct")
    'Qwen/Qwen2.5-7B-Instruct'
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return name
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _CONTENT)
    return digest([[path.relative_to(folder).as_posix(), _sha256(path)] for path in files])[:16]


def _sha256(path: Path) -> str:
    stat = path.stat()
    return _remembered_sha256(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _remembered_sha256(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_sha256(path)
