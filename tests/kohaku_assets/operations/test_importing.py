"""`kohaku import-kohakuvault`: a file that KohakuRAG wrote becomes the index that searches ask."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("kohakuvault", reason="the [kohakuvault] extra is not installed")

from vault_material import TEXTS, write_vault

from kohaku_assets.cli import main
from kohaku_lib.embedding import embed_texts
from kohaku_lib.index import current_version, list_snapshots


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A project folder without documents, and a file of KohakuRAG's with vectors of the bundled model."""
    (tmp_path / "kohaku.toml").write_text('store = "store"\n')
    write_vault(tmp_path / "cats.db", embed_texts)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kohaku(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_an_imported_index_is_published_searched_and_counted(home):
    told = kohaku("import-kohakuvault", "cats.db", "--model", "minilm", "--json")
    assert told.exit_code == 0, told.output
    imported = json.loads(told.stdout)
    assert imported["version"] == current_version(home / "store" / "snapshots")
    assert (imported["dim"], imported["counts"]["nodes"], imported["counts"]["vectors.main"]) == (384, 13, 13)
    for options in ((), ("--set", "retrieval.lexical_weight=0", "--set", "retrieval.dense_weight=1")):
        found = kohaku("search", "what do young cats drink", "--json", "--top-k", "1", *options)
        assert found.exit_code == 0, found.output
        assert json.loads(found.stdout)["matches"][0]["document_id"] == "cats"
    assert json.loads(kohaku("stats", "--json").stdout)["totals"]["nodes"] == len(TEXTS)


def test_what_is_assumed_is_said_and_a_second_import_finds_the_first(home):
    first = kohaku("import-kohakuvault", "cats.db", "--no-publish")
    assert "assumed that the 384-dimensional vectors are of 'minilm'" in first.stderr
    assert current_version(home / "store" / "snapshots") is None
    assert kohaku("import-kohakuvault", "cats.db").exit_code == 0
    assert kohaku("import-kohakuvault", "cats.db", "--set", "embedding.paragraph_mode=averaged").exit_code == 0
    assert len(list_snapshots(home / "store" / "snapshots")) == 1


def test_queries_are_cut_to_the_dimensions_of_the_index_and_must_have_as_many(home):
    write_vault(home / "narrow.db", lambda texts: embed_texts(texts)[:, :200])
    write_vault(home / "wide.db", lambda texts: np.pad(embed_texts(texts), ((0, 0), (0, 16))))
    assert kohaku("import-kohakuvault", "narrow.db", "--model", "minilm").exit_code == 0
    assert kohaku("search", "cats").exit_code == 0
    assert kohaku("import-kohakuvault", "wide.db", "--model", "minilm").exit_code == 0
    told = kohaku("search", "cats")
    assert told.exit_code in (1, 2)
    assert told.stderr.startswith("kohaku: ")
    assert {"400", "384"} <= set(re.findall(r"\d+", told.stderr))


def test_a_file_that_is_none_of_kohakurag_s_is_one_sentence(home):
    (home / "notes.db").write_text("only notes")
    told = kohaku("import-kohakuvault", "notes.db")
    assert told.exit_code == 2
    assert told.stderr.startswith("kohaku: 'notes.db' is not a KohakuVault file")
    assert kohaku("import-kohakuvault", "absent.db").exit_code == 2
