"""The language model of py3langid, unpacked once for a user: from then on it loads in a tenth of the time."""

from __future__ import annotations

import shutil
import tempfile
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.storage import user_cache_folder

_LAYOUT = 1  # raised where the files of an unpacked model change


def language_identifier() -> Any:
    """Return py3langid's identifier with normalised probabilities, from this user's cache where it was unpacked before.

    Where the cache cannot be written, or what lies there cannot be read, the library unpacks it anew.
    """
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    folder = user_cache_folder() / "language" / digest([_LAYOUT, py3langid.__version__])
    with suppress(OSError, ValueError, TypeError):
        return _unpacked(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    with suppress(OSError, AttributeError):  # a later library may call its parts otherwise
        _keep(identifier, folder)
    return identifier


def _unpacked(folder: Path) -> Any:
    from py3langid.langid import LanguageIdentifier

    shares = np.load(folder / "shares.npy", mmap_mode="r").view(np.ndarray)
    prior, languages, output = (np.load(folder / f"{name}.npy") for name in ("prior", "languages", "output"))
    moves, rows = (_plain(np.load(folder / f"{name}.npy")) for name in ("moves", "rows"))
    return LanguageIdentifier(shares, prior, languages.tolist(), moves, output.tolist(), norm_probs=True, tk_row=rows)


def _keep(identifier: Any, folder: Path) -> None:
    """Write the parts of `identifier` to `folder`, at once."""
    parts = {
        "shares": identifier.nb_ptc,
        "prior": identifier.nb_pc,
        "languages": np.array(identifier.nb_classes),
        "output": np.array(identifier.tk_output),
        "moves": np.asarray(identifier.tk_nextmove),
        "rows": np.asarray(identifier.tk_row),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        target = Path(temporary, "unpacked")
        target.mkdir()
        for name, values in parts.items():
            np.save(target / f"{name}.npy", values)
        shutil.rmtree(folder, ignore_errors=True)
        target.rename(folder)


def _plain(values: np.ndarray) -> array[int]:
    """Return whole numbers as what Python looks them up in fastest."""
    codes = {array(code).itemsize: code for code in "QLIHB"}
    found = array(codes[values.itemsize])
    found.frombytes(values.data.cast("B"))
    return found
