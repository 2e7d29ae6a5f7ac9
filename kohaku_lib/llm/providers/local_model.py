"""Identity and memory requirements of local chat models."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.errors import ModelError
from kohaku_lib.llm.chat import ProviderUnavailableError

if TYPE_CHECKING:
    from kohaku_lib.settings import LlmSettings, Settings

_WEIGHTS = (".safetensors", ".bin")  # the first kind in a folder is loaded
GIB = 2**30
_CONTENT = {
    ".safetensors",
    ".bin",
    ".json",
    ".jinja",
    ".txt",
    ".model",
    ".py",
}  # weights, configuration, words, template, code


def model_digest(name: str) -> str:
    """Return a digest of the files of a folder, independent of its path; any other name unchanged.

    >>> model_digest("Qwen/Qwen2.5-7B-Instruct")
    'Qwen/Qwen2.5-7B-Instruct'
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return name
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _CONTENT)
    return digest([[path.relative_to(folder).as_posix(), _content_sha256(path)] for path in files])[:16]


def model_content(settings: Settings) -> str:
    """Return the identity of the local model of `settings`, see `model_digest`."""
    return model_digest(settings.llm.model)


def check_folder(settings: LlmSettings) -> None:
    """Check that llm.model exists if it is written as a path.

    Raises:
        ModelError: It is not a folder.

    """
    name = settings.model
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        msg = f"llm.model = {name!r} is not a folder; set a folder with a model, or a model on the Hugging Face hub"
        raise ModelError(msg)


def check_room(name: str, memory_bytes: int) -> None:
    """Raise ProviderUnavailableError if the weights in a folder exceed `memory_bytes`.

    If there are `.safetensors` weights, only these count, as only they are loaded.

    >>> check_room("Qwen/Qwen2.5-7B-Instruct", 1)  # the size of a model on the hub is unknown
    """
    folder = Path(name).expanduser()
    sizes = (sum(path.stat().st_size for path in folder.rglob(f"*{suffix}")) for suffix in _WEIGHTS)
    weights = next(filter(None, sizes), 0)
    if weights > memory_bytes:
        msg = (
            f"the weights of the local chat model {name!r} take {weights / GIB:.1f} GiB, and this machine has "
            f"{memory_bytes / GIB:.1f} GiB and no GPU; take a smaller model, or serve it and set llm.base_url"
        )
        raise ProviderUnavailableError(msg)


def _content_sha256(path: Path) -> str:
    stat = path.stat()
    return _cached_sha256(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _cached_sha256(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_sha256(path)
