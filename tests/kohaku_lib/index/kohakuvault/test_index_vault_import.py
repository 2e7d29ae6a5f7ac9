"""An index that KohakuRAG wrote becomes an index of ours: the file is written by kohakuvault itself."""

import json
import sqlite3
import sys

import numpy as np
import pytest
from index_material import WORDS, word_vectors

kohakuvault = pytest.importorskip("kohakuvault", reason="the [kohakuvault] extra is not installed")

from vault_material import TEXTS, record, write_vault  # noqa: E402

from kohaku_lib.errors import InputFileError  # noqa: E402
from kohaku_lib.index import open_snapshot, write_snapshot  # noqa: E402
from kohaku_lib.index.integrity import duplicate_ids, off_unit_norms, orphans  # noqa: E402
from kohaku_lib.index.kohakuvault.vault_import import read_vault  # noqa: E402
from kohaku_lib.index.kohakuvault.vault_nodes import vault_nodes  # noqa: E402
from kohaku_lib.index.rows.table_rows import InMemoryRows  # noqa: E402
from kohaku_lib.retrieval import Retriever  # noqa: E402
from kohaku_lib.settings import CorpusSettings, RetrievalSettings, Settings  # noqa: E402


@pytest.fixture
def vault(tmp_path):
    path = tmp_path / "kohakurag.db"
    write_vault(path, word_vectors)
    return path


def test_nodes_and_vectors_are_those_of_the_file(vault):
    found = read_vault(vault, Settings(corpus=CorpusSettings(org_id="acme")))
    nodes = found.tables.nodes
    assert (found.prefix, found.dim) == ("rag_nodes", len(WORDS))
    assert nodes["node_id"].to_pylist() == list(TEXTS)  # p2 before p10, a parent before its children
    assert nodes["parent_row"].to_pylist() == [-1, 0, 1, 2, 2, 1, 5, 1, 7, -1, 9, 10, 11]
    assert set(nodes["org_id"].to_pylist()) == {"acme"}
    assert nodes["page"].to_pylist()[:3] == [None, 1, 1]
    assert [(row["char_start"], row["char_end"]) for row in nodes.to_pylist()[3:5]] == [(0, 24), (25, 49)]
    assert (duplicate_ids(InMemoryRows(nodes)), orphans(nodes), off_unit_norms(found.tables.node_vectors)) == (
        [],
        [],
        [],
    )
    stored = np.array(found.tables.node_vectors["vector"].to_pylist(), np.float32)
    assert np.allclose(stored, word_vectors([text for _, _, text in TEXTS.values()]), atol=1e-6)
    assert found.tables.paragraph_vectors["node_id"].to_pylist() == [n for n, t in TEXTS.items() if t[0] == "paragraph"]


def test_images_come_with_their_vectors_and_unreadable_ones_are_counted(vault):
    found = read_vault(vault, Settings())
    [image] = found.tables.images.to_pylist()
    assert (image["storage_key"], image["mime"], image["width"]) == ("img:cats:p1:i1", "image/webp", 60)
    assert found.tables.image_vectors["node_id"].to_pylist() == ["img:cats:p1:i1"]
    assert found.problems == ("1 unreadable images are skipped",)


def test_the_imported_index_answers_searches(vault, tmp_path):
    write_snapshot(tmp_path, "v1", read_vault(vault, Settings()).tables, Settings())
    snapshot = open_snapshot(tmp_path, "v1")
    [result] = Retriever(snapshot, RetrievalSettings(), word_vectors).retrieve([("q", ["kitten milk"])])
    assert (result.matches[0].node_id, result.matches[0].best_sentence) == ("cats:sec1:p2", "cats:sec1:p2:s1")
    assert json.loads(snapshot.documents.to_pylist()[0]["metadata_json"]) == {"year": "2024"}


def test_a_vector_written_again_replaces_the_first(vault):
    with kohakuvault.VectorKVault(str(vault), table="rag_nodes_vec", dimensions=len(WORDS)) as table:
        table.delete(2)  # row ids have gaps after a deletion
        table.insert(np.eye(len(WORDS), dtype=np.float32)[3], "dogs")
    vectors = read_vault(vault, Settings()).tables.node_vectors.to_pylist()
    by_id = {row["node_id"]: row["vector"] for row in vectors}
    assert by_id["dogs"] == np.eye(len(WORDS))[3].tolist()
    assert len(vectors) == len(by_id) == len(TEXTS) - 1


def test_records_stored_as_json_are_read_too(vault):
    with kohakuvault.KVault(str(vault), table="rag_nodes_kv") as nodes:
        nodes["dogs"] = json.dumps(record("dogs") | {"kind": "NodeKind.DOCUMENT", "title": "All dogs"}).encode()
    assert read_vault(vault, Settings()).tables.documents["title"].to_pylist() == ["Cats", "All dogs"]


def test_what_is_no_node_and_what_leads_nowhere_is_counted():
    items = [*((node_id, record(node_id)) for node_id in TEXTS), ("__meta__", {"dimensions": 3}), ("x", b"\x00")]
    items = [(key, value) for key, value in items if key not in ("dogs", "cats:sec1:p2")]
    nodes, problems = vault_nodes(items, "default")
    assert nodes["node_id"].to_pylist() == [
        "cats",
        "cats:sec1",
        "cats:sec1:p1",
        "cats:sec1:p1:s1",
        "cats:sec1:p1:s2",
        "cats:sec1:p10",
        "cats:sec1:p10:s1",
    ]
    assert problems == [
        "2 unreadable node records are skipped",
        "4 nodes without a document as ancestor are skipped",
    ]


def test_nodes_in_a_circle_are_left_out():
    one, two = record("cats:sec1"), record("cats:sec1:p1")
    nodes, problems = vault_nodes([("a", one | {"parent_id": "cats:sec1:p1"}), ("b", two)], "default")
    assert nodes.num_rows == 0
    assert problems == ["2 nodes without a document as ancestor are skipped"]


def test_pickled_values_are_never_loaded(vault):
    with kohakuvault.KVault(str(vault), table="rag_nodes_kv") as nodes:
        nodes["dogs"] = {1, 2}  # no MessagePack for a set
    found = read_vault(vault, Settings())
    assert found.problems[0] == "1 unreadable node records are skipped"
    with kohakuvault.VectorKVault(str(vault), table="rag_nodes_vec", dimensions=len(WORDS)) as table:
        table.insert(np.ones(len(WORDS), np.float32), {1, 2})
    with pytest.raises(InputFileError, match=r"'rag_nodes_vec' .* pickled values"):
        read_vault(vault, Settings())


def test_of_two_indexes_one_must_be_named(vault):
    write_vault(vault, word_vectors, "second", full=False)
    with pytest.raises(InputFileError, match=r"contains 2 indexes .*'rag_nodes', 'second'.* --prefix"):
        read_vault(vault, Settings())
    assert read_vault(vault, Settings(), "second").tables.nodes.num_rows == len(TEXTS)


def test_what_is_no_such_file_is_an_error_in_one_sentence(tmp_path):
    (tmp_path / "text.db").write_text("no database at all, however long it may be")
    with sqlite3.connect(tmp_path / "empty.db") as connection:
        connection.execute("CREATE TABLE something(x)")
    for name, sentence in (
        ("absent.db", "does not exist"),
        ("text.db", "is not a KohakuVault file"),
        ("empty.db", "contains 0 indexes"),
    ):
        with pytest.raises(InputFileError, match=sentence):
            read_vault(tmp_path / name, Settings())


def test_without_the_package_the_error_names_the_extra(vault, monkeypatch):
    monkeypatch.setitem(sys.modules, "kohakuvault", None)
    with pytest.raises(InputFileError, match=r"run .* 'kohakuvault>="):
        read_vault(vault, Settings())
