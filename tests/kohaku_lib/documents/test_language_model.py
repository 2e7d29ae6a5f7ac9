"""The language model is unpacked once for a user, and what was kept judges as the library's own does."""

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from kohaku_lib.documents.language_model import language_identifier

TEXTS = ["The machine room of the house.", "Der Maschinenraum des Hauses.", "この家の機械室は", "", "1,287 \ud800 §"]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kept(cache):
    [folder] = (cache / "language").iterdir()
    return folder


def never(*_arguments, **_options):
    pytest.fail("the model was unpacked again")


def test_what_was_kept_judges_as_the_library_does_and_is_not_unpacked_again(cache, monkeypatch):
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    first = language_identifier()
    monkeypatch.setattr(LanguageIdentifier, "from_model_file", never)
    second = language_identifier()
    for text in TEXTS:
        assert first.rank(text) == second.rank(text) == own.rank(text)


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"no array")])
@pytest.mark.parametrize("part", ["shares", "moves", "languages"])
def test_a_damaged_part_is_made_again(cache, damage, part):
    language_identifier()
    before = {path.name: path.stat().st_size for path in kept(cache).iterdir()}
    damage(kept(cache) / f"{part}.npy")
    assert language_identifier().classify(TEXTS[1])[0] == "de"
    assert {path.name: path.stat().st_size for path in kept(cache).iterdir()} == before


def test_a_cut_part_is_made_again(cache):
    language_identifier()
    path = kept(cache) / "moves.npy"
    path.write_bytes(path.read_bytes()[:-8])
    assert language_identifier().classify(TEXTS[1])[0] == "de"


def test_a_folder_that_cannot_be_made_costs_the_time_alone(cache):
    cache.mkdir()
    (cache / "language").write_text("a file where a folder is wanted")
    assert language_identifier().classify(TEXTS[1])[0] == "de"
