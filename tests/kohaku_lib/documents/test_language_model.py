"""The language model is unpacked once for a user, and the cached parts classify as the library's own does."""

import shutil
import threading

import pytest
from filelock import FileLock
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from kohaku_lib.documents.language import language_identifier

TEXTS = ["The machine room of the house.", "Der Maschinenraum des Hauses.", "この家の機械室は", "", "1,287 \ud800 §"]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    shutil.rmtree(tmp_path / "cache")  # 66 MB


def model_folder(cache):
    [folder] = [path for path in (cache / "language").iterdir() if path.is_dir()]
    return folder


def sizes(cache):
    return {path.name: path.stat().st_size for path in model_folder(cache).iterdir()}


def never(*_arguments, **_options):
    pytest.fail("the model was unpacked again")


def test_what_was_kept_judges_as_the_library_does_and_is_not_unpacked_again(cache, monkeypatch):
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    first = language_identifier()
    monkeypatch.setattr(LanguageIdentifier, "from_model_file", never)
    second = language_identifier()
    for text in TEXTS:
        assert first.rank(text) == second.rank(text) == own.rank(text)


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("shares", lambda path: path.unlink()),
        ("languages", lambda path: path.write_bytes(b"no array")),
        ("output", lambda path: path.write_bytes(b"")),
        ("moves", lambda path: path.write_bytes(path.read_bytes()[:-8])),
    ],
)
def test_a_damaged_part_is_made_again(cache, part, damage):
    language_identifier()
    before = sizes(cache)
    damage(model_folder(cache) / f"{part}.npy")
    assert language_identifier().classify(TEXTS[1])[0] == "de"
    assert sizes(cache) == before


def test_what_a_kill_left_half_written_is_written_over(cache):
    language_identifier()
    whole = model_folder(cache)
    whole.rename(whole.with_name(f"{whole.name}.partial"))
    (whole.with_name(f"{whole.name}.partial") / "moves.npy").unlink()
    language_identifier()
    assert [path.name for path in whole.parent.iterdir() if path.is_dir()] == [whole.name]
    assert (whole / "moves.npy").exists()


def test_a_folder_that_cannot_be_made_costs_the_time_alone(cache):
    cache.mkdir()
    (cache / "language").write_text("a file where a folder is wanted")
    assert language_identifier().classify(TEXTS[1])[0] == "de"


def test_nobody_waits_for_another_process_that_writes_the_unpacked_model(cache):
    language_identifier()
    folder = model_folder(cache)
    shutil.rmtree(folder)
    found = []
    with FileLock(f"{folder}.lock"):
        thread = threading.Thread(target=lambda: found.append(language_identifier()), daemon=True)
        thread.start()
        thread.join(60)
    assert found[0].classify(TEXTS[1])[0] == "de"
    assert not folder.exists()
