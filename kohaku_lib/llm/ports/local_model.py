"""What identifies a chat model on this machine, and whether it has room."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.errors import ModelError
from kohaku_lib.llm.chat import ProviderUnavailableError

if TYPE_CHECKING:
    from kohaku_lib.settings import LlmSettings, Settings

_WEIGHTS = (".safetensors", ".bin")  # the first that a folder holds are loaded
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
    """Return the digest of the files of a folder, whatever its path; any other name unchanged.

    >>> model_digest("Qwen/Qwen2.5-7B-Instruct")
    'Qwen/Qwen2.5-7B-Instruct'
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return name
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _CONTENT)
    return digest([[path.relative_to(folder).as_posix(), _sha256(path)] for path in files])[:16]


def model_content(settings: Settings) -> str:
    """Return what replies of the local model of `settings` depend on, see `model_digest`."""
    return model_digest(settings.llm.model)


def check_folder(settings: LlmSettings) -> None:
    """Check that llm.model exists where it is written as a path.

    Raises:
        ModelError: It is no folder.

    """
    name = settings.model
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        msg = f"llm.model = {name!r} is no folder; name one that holds a model, or a model of the Hugging Face hub"
        raise ModelError(msg)


def check_room(name: str, memory_bytes: int) -> None:
    """Raise ProviderUnavailableError where the weights in a folder take more than `memory_bytes`, all a machine has.

    Of the two forms of weights only `.safetensors` count where there are any, as only they are loaded then.

    >>> check_room("Qwen/Qwen2.5-7B-Instruct", 1)  # the size of a model on the hub is not known before
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


def _sha256(path: Path) -> str:
    stat = path.stat()
    return _remembered_sha256(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _remembered_sha256(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_sha256(path)
