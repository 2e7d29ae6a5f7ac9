"""Vectors go up the tree as normalised means; checked by hand and against a plain loop."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.embedding import propagate
from kohaku_lib.embedding.propagation import parent_means
from kohaku_lib.embedding.vectors import normalized, vector_matrix, vector_table
from kohaku_lib.settings import EmbeddingSettings

SETTINGS = EmbeddingSettings()
KINDS = ("document", "section", "paragraph", "sentence")


def tree(*rows):
    """Rows of (node_id, parent_row, text), their kinds by depth."""
    depths = []
    for _, parent, _ in rows:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return pa.table(
        {
            "node_id": [row[0] for row in rows],
            "parent_row": pa.array([row[1] for row in rows], pa.int32()),
            "kind": [KINDS[depth] for depth in depths],
            "text": [row[2] for row in rows],
            "token_count": pa.array([max(1, len(row[2]) // 4) for row in rows], pa.int32()),
        }
    )


def vectors(dim=2, **rows):
    return vector_table(list(rows), np.array(list(rows.values()), dtype=np.float32).reshape(-1, dim))


def propagated(nodes, leaves, paragraphs=None, settings=SETTINGS):
    table, report = propagate(nodes, leaves, leaves.slice(0, 0) if paragraphs is None else paragraphs, settings)
    assert report.rows_computed == table.num_rows
    return dict(zip(table["node_id"].to_pylist(), vector_matrix(table), strict=True))


ONE = tree(
    ("d", -1, ""),
    ("d:1", 0, ""),
    ("d:1:1", 1, ""),
    ("d:1:1:1", 2, "a" * 12),
    ("d:1:1:2", 2, "b" * 4),
    ("d:1:2", 1, ""),
    ("d:1:2:1", 5, "c" * 8),
)
LEAVES = vectors(**{"d:1:1:1": [1, 0], "d:1:1:2": [0, 1], "d:1:2:1": [0, 1]})


def test_parents_are_the_normalised_means_of_their_children():
    found = propagated(ONE, LEAVES)
    half = np.sqrt(0.5)
    assert np.allclose(found["d:1:1"], [half, half])
    assert np.allclose(found["d:1:2"], [0, 1])
    upper = np.array([half, half + 1])
    assert np.allclose(found["d:1"], upper / np.linalg.norm(upper))
    assert np.allclose(found["d"], found["d:1"])


def test_rows_keep_the_order_of_the_nodes():
    assert list(propagated(ONE, LEAVES)) == ONE["node_id"].to_pylist()


def test_weights_are_the_characters_of_the_leaves_below():
    found = propagated(ONE, LEAVES, settings=EmbeddingSettings(weighting="chars"))
    lower = np.array([12.0, 4.0]) / np.hypot(12, 4)
    assert np.allclose(found["d:1:1"], lower)
    upper = 16 * lower + 8 * np.array([0.0, 1.0])
    assert np.allclose(found["d:1"], upper / np.linalg.norm(upper))


def test_weights_in_tokens_are_at_least_one():
    nodes = tree(("d", -1, ""), ("d:1", 0, "x" * 8), ("d:2", 0, ""))
    found = propagated(nodes, vectors(**{"d:1": [1, 0], "d:2": [0, 1]}), settings=EmbeddingSettings(weighting="tokens"))
    assert np.allclose(found["d"], np.array([2.0, 1.0]) / np.sqrt(5))


def test_full_mode_replaces_paragraphs_and_averages_above():
    direct = vectors(**{"d:1:1": [-1, 0], "d:1:2": [0, -1]})
    found = propagated(ONE, LEAVES, direct, EmbeddingSettings(paragraph_mode="full"))
    assert found["d:1:1"].tolist() == [-1, 0]
    assert np.allclose(found["d:1"], [-np.sqrt(0.5), -np.sqrt(0.5)])


def test_both_mode_keeps_the_averages():
    direct = vectors(**{"d:1:1": [-1, 0], "d:1:2": [0, -1]})
    both = propagated(ONE, LEAVES, direct, EmbeddingSettings(paragraph_mode="both"))
    averaged = propagated(ONE, LEAVES)
    assert all(np.array_equal(both[name], averaged[name]) for name in averaged)


def test_a_paragraph_without_sentences_is_a_leaf():
    nodes = tree(("d", -1, ""), ("d:1", 0, ""), ("d:1:1", 1, "text"))
    assert propagated(nodes, vectors(**{"d:1:1": [0, 1]}))["d"].tolist() == [0, 1]


def test_nodes_without_embedded_leaves_have_no_vector():
    nodes = tree(("a", -1, ""), ("a:1", 0, "text"), ("b", -1, ""), ("b:1", 2, "image"))
    assert list(propagated(nodes, vectors(**{"a:1": [0, 1]}))) == ["a", "a:1"]


def test_placeholders_do_not_weigh_in_the_mean():
    nodes = tree(("a", -1, ""), ("a:1", 0, "text"), ("a:2", 0, "image " * 99))
    found = propagated(nodes, vectors(**{"a:1": [0, 1]}), settings=EmbeddingSettings(weighting="chars"))
    assert found["a"].tolist() == [0, 1]


def test_children_that_cancel_out_give_a_flagged_zero():
    nodes = tree(("a", -1, ""), ("a:1", 0, "x"), ("a:2", 0, "y"))
    table, _ = propagate(nodes, vectors(**{"a:1": [1, 0], "a:2": [-1, 0]}), vectors(), SETTINGS)
    assert table["norm_ok"].to_pylist() == [False, True, True]
    assert vector_matrix(table)[0].tolist() == [0, 0]


def test_vectors_of_unknown_nodes_are_ignored():
    nodes = tree(("a", -1, ""), ("a:1", 0, "x"))
    assert list(propagated(nodes, vectors(**{"a:1": [1, 0], "gone": [0, 1]}))) == ["a", "a:1"]


def test_no_nodes_and_no_leaves():
    assert propagated(tree(("a", -1, "")), vectors()) == {}
    assert propagate(ONE.slice(0, 0), vectors(), vectors(), SETTINGS)[0].num_rows == 0


def test_a_run_without_weight_counts_its_rows_alike():
    found = parent_means(np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2), np.array([0, 0]))
    assert np.allclose(found, [[np.sqrt(0.5)] * 2])


@st.composite
def forests(draw):
    """Trees in pre-order of depth 4, the deepest nodes of each branch being leaves with a vector."""
    rows, depths = [], []
    for at in range(draw(st.integers(1, 25))):
        parents = [-1]
        if depths:
            branch = len(depths) - 1
            while branch >= 0:
                if depths[branch] < 3:
                    parents.append(branch)
                branch = rows[branch][1]
        parent = draw(st.sampled_from(parents))
        depths.append(0 if parent < 0 else depths[parent] + 1)
        rows.append((f"n{at}", parent, "x" * draw(st.integers(0, 9))))
    return rows


def plain(rows, leaf_vectors, *, weighted):
    """The same by a loop over nodes, last first: (vector, weight) by node."""
    found, weights = dict(leaf_vectors), {name: max(1, len(text)) for name, _, text in rows if name in leaf_vectors}
    for at in range(len(rows) - 1, -1, -1):
        children = [name for name, parent, _ in rows if parent == at and name in found]
        if children:
            total = sum(found[name] * (weights[name] if weighted else 1) for name in children)
            found[rows[at][0]] = normalized(np.array([total]))[0]
            weights[rows[at][0]] = sum(weights[name] for name in children)
    return found


@given(rows=forests(), seed=st.integers(0, 99), weighting=st.sampled_from(["none", "chars"]))
def test_it_equals_a_plain_loop(rows, seed, weighting):
    parents = {parent for _, parent, _ in rows}
    names = [name for at, (name, _, _) in enumerate(rows) if at not in parents]
    values = normalized(np.random.default_rng(seed).uniform(0.1, 1.0, (len(names), 3)))
    leaves = dict(zip(names, values, strict=True))
    found = propagated(tree(*rows), vectors(3, **leaves), settings=EmbeddingSettings(weighting=weighting))
    expected = plain(rows, leaves, weighted=weighting == "chars")
    assert found.keys() == expected.keys()
    assert all(np.allclose(found[name], expected[name], atol=1e-5) for name in found)


@pytest.mark.parametrize("weighting", ["none", "chars", "tokens"])
def test_a_single_child_is_inherited_whatever_the_weights(weighting):
    nodes = tree(("a", -1, ""), ("a:1", 0, "x" * 9))
    leaf = normalized(np.array([[1.0, 2.0]]))[0]
    found = propagated(nodes, vectors(**{"a:1": leaf}), settings=EmbeddingSettings(weighting=weighting))
    assert np.allclose(found["a"], leaf)


@pytest.mark.parametrize("mode", ["averaged", "full", "both"])
def test_an_empty_table_of_direct_vectors_may_be_of_another_width(mode):
    other = vectors(dim=3, x=[1, 0, 0]).slice(0, 0)
    found = propagated(ONE, LEAVES, other, EmbeddingSettings(paragraph_mode=mode))
    assert np.allclose(found["d:1:2"], [0, 1])
