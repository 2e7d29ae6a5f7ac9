"""The language model of py3langid, unpacked once for a user, which takes several times as long as to load it."""

from __future__ import annotations

import os
import shutil
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.storage import user_cache_folder
from kohaku_lib.storage.matrix_files import map_matrix

_LAYOUT = 1  # raised where the files of an unpacked model change


def language_identifier() -> Any:
    """Return py3langid's identifier with normalised probabilities, from this user's cache where it was unpacked before.

    Where the cache cannot be written, or what lies there cannot be read, the library unpacks it anew.

    >>> language_identifier().classify("Der Maschinenraum des Hauses hat viel mehr Strom verbraucht.")[0]
    'de'
    """
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    folder = user_cache_folder("language", digest([_LAYOUT, py3langid.__version__]))
    with suppress(Exception):  # a damaged file can fail in any way
        return _unpacked(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # OSError also where another process is writing it; AttributeError where a later library calls its parts otherwise.
    with suppress(OSError, AttributeError):
        _keep(identifier, folder)
    return identifier


def _unpacked(folder: Path) -> Any:
    from py3langid.langid import LanguageIdentifier

    def mapped(name: str) -> np.ndarray:
        return map_matrix(folder / f"{name}.npy")

    output, languages = mapped("output").tolist(), mapped("languages").tolist()
    moves, rows = _plain(mapped("moves")), _plain(mapped("rows"))
    return LanguageIdentifier(mapped("shares"), mapped("prior"), languages, moves, output, norm_probs=True, tk_row=rows)


def _keep(identifier: Any, folder: Path) -> None:
    """Write the parts of `identifier` to `folder`, all or none, and durable."""
    from filelock import FileLock

    parts = {
        "shares": identifier.nb_ptc,
        "prior": identifier.nb_pc,
        "languages": np.array(identifier.nb_classes),
        "output": np.array(identifier.tk_output),
        "moves": np.asarray(identifier.tk_nextmove),
        "rows": np.asarray(identifier.tk_row),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(f"{folder.name}.partial")  # of this name alone, so that what a kill leaves is used again
    with FileLock(f"{folder}.lock", timeout=0):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        for name, values in parts.items():
            with (partial / f"{name}.npy").open("wb") as stream:
                np.save(stream, values)
                stream.flush()
                os.fsync(stream.fileno())
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)


def _plain(values: np.ndarray) -> array[int]:
    """Return whole numbers as what Python looks them up in fastest."""
    codes = {array(code).itemsize: code for code in "QLIHB"}
    found = array(codes[values.itemsize])
    found.frombytes(values.data.cast("B"))
    return found
