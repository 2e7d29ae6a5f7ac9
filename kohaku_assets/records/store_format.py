"""The format of a store: its number, and the steps that bring the store of an older version of Kohaku to it."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index import pin
from kohaku_lib.storage import StorePaths, read_sealed, write_sealed


def update_store_format(store: Path) -> None:
    """Bring `store` to the format of this version; the caller holds its lock.

    The number is written last and each step may be repeated, so that a kill in between does no harm.

    Raises:
        StoreError: A newer version of Kohaku has written to it.
    """
    number = store_format(store)
    for step in _STEPS[number:]:
        step(store)
    if number < len(_STEPS):
        write_sealed(StorePaths(store).format, {"format": len(_STEPS)}, durable=True)


def store_format(store: Path) -> int:
    """Return the number of the format of `store`; 0 if it has none, as before there were numbers, or a damaged one.

    Raises:
        StoreError: A newer version of Kohaku has written to it.
    """
    number = (read_sealed(StorePaths(store).format) or {"format": 0})["format"]
    if number > len(_STEPS):
        msg = (
            f"the store {str(store)!r} has format {number}, and this version of kohaku writes format {len(_STEPS)}; "
            "install the newer version, or choose another store"
        )
        raise StoreError(msg)
    return number


def is_new(store: Path) -> bool:
    """Return whether `store` holds nothing but its format and locks."""
    own = StorePaths(store).format
    return all(path == own or path.name.endswith(".lock") for path in store.rglob("*") if path.is_file())


def _pin_roll_back(store: Path) -> None:
    """Pin what is published if it was rolled back to: versions that were left used to be listed in a file."""
    withdrawn = StorePaths(store).snapshots / "withdrawn"
    if withdrawn.is_file():
        pin(withdrawn.parent)
        withdrawn.unlink()


_STEPS = (_pin_roll_back,)  # the n-th makes format n of format n - 1
