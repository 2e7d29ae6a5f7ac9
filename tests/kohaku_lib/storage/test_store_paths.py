"""The places within a store: no part lies in another one's, so that what clears, erases or backs up one leaves the others."""

from pathlib import Path

from kohaku_lib.storage import StorePaths
from kohaku_lib.storage.store_paths import IN_STORE


def test_every_part_of_a_store_has_a_place_of_its_own_beneath_it():
    places = vars(StorePaths(Path("store")))
    assert len(set(places.values())) == len(places)
    assert {place.parent for place in places.values()} == {Path("store")}


def test_the_places_relative_to_a_store_are_those_below_its_folder():
    below = vars(StorePaths(Path("store")))
    assert {name: Path("store") / place for name, place in vars(IN_STORE).items()} == below


def test_the_folders_of_cached_rows_are_those_that_hold_a_part(tmp_path):
    paths = StorePaths(tmp_path)
    for name in ("vectors/b/part-1.parquet", "vectors/a/part-1.parquet", "vectors/a/part-2.parquet", "none/other.json"):
        path = paths.cache / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert paths.cache_folders() == [paths.cache / "vectors" / "a", paths.cache / "vectors" / "b"]
