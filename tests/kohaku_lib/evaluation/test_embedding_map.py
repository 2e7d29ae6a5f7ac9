"""Maps: projections against plain linear algebra, samples that spare no document, files that can be read."""

import builtins
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from kohaku_lib.errors import KohakuError
from kohaku_lib.evaluation.embedding_map import (
    map_html,
    map_json,
    map_picture,
    map_points,
    project_vectors,
    sample_rows,
)


def nodes(number):
    return [
        {
            "node_id": f"d{at % 3}:p{at}",
            "document_id": f"d{at % 3}",
            "kind": "paragraph",
            "page": at,
            "text": "a <b>\n c",
        }
        for at in range(number)
    ]


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.floats(-10, 10)))
def test_pca_keeps_the_greatest_variance(vectors):
    found = project_vectors(vectors)
    assert found.shape == (len(vectors), 2)
    centred = vectors - vectors.mean(axis=0)
    variances = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1][:2]
    np.testing.assert_allclose((found**2).sum(axis=0)[: len(variances)], np.maximum(variances, 0), atol=1e-6, rtol=1e-6)


def test_no_vector_and_one_vector_have_a_place():
    assert project_vectors(np.empty((0, 4))).shape == (0, 2)
    assert project_vectors(np.ones((1, 4)), "tsne").tolist() == [[0.0, 0.0]]


def test_tsne_keeps_far_groups_apart_and_repeats_itself():
    draw = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 8) * 10, 8, axis=0)
    vectors = centres + draw.normal(0, 0.1, (24, 8))
    found = project_vectors(vectors, "tsne", seed=3)
    means = found.reshape(3, 8, 2).mean(axis=1)
    within = np.linalg.norm(found.reshape(3, 8, 2) - means[:, None], axis=2).max()
    between = min(np.linalg.norm(means[one] - means[other]) for one, other in ((0, 1), (0, 2), (1, 2)))
    assert between > within
    np.testing.assert_array_equal(found, project_vectors(vectors, "tsne", seed=3))


def test_a_method_without_its_library_names_it(monkeypatch):
    found = builtins.__import__

    def without_sklearn(name, *rest, **more):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return found(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_sklearn)
    with pytest.raises(KohakuError, match=r"needs scikit-learn; run .* 'scikit-learn>=1\.5', or choose 'pca'"):
        project_vectors(np.eye(4), "tsne")


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=80), st.integers(1, 40))
def test_a_sample_is_ordered_distinct_and_gives_each_document_its_share(names, most):
    rows = sample_rows(names, most)
    assert len(rows) == min(most, len(names))
    assert sorted(set(rows.tolist())) == rows.tolist()
    if most >= 3:
        assert {names[row] for row in rows} == set(names)
    for name in set(names):
        share = names.count(name) * len(rows) / len(names)
        assert abs(sum(names[row] == name for row in rows) - share) <= 3


def test_points_carry_what_a_reader_asks_for():
    points = map_points(nodes(4), np.eye(4))
    assert [(point.node_id, point.page, point.text) for point in points[:2]] == [
        ("d0:p0", 0, "a <b> c"),
        ("d1:p1", 1, "a <b> c"),
    ]
    told = json.loads(map_json(points, "Map"))
    assert (told["title"], len(told["points"]), set(told["points"][0]) >= {"x", "y"}) == ("Map", 4, True)


@pytest.mark.parametrize("colour", ["document", "kind"])
def test_a_page_needs_nothing_from_elsewhere_and_escapes_texts(colour):
    page = map_html(map_points(nodes(9), np.eye(9)), "Map <1>", colour)
    assert page.count("<circle ") == 9
    assert "a &lt;b&gt; c" in page
    assert "Map &lt;1&gt;" in page
    assert "http" not in page
    assert page.count("<li>") == (3 if colour == "document" else 1)


def test_a_picture_is_a_png_even_of_a_single_point():
    from PIL import Image

    for number in (1, 30):
        picture = map_picture(map_points(nodes(number), np.eye(number)), "Map")
        assert Image.open(io.BytesIO(picture)).format == "PNG"


@pytest.mark.parametrize("name", ["a$\\frac$", "文書"])
def test_a_document_may_be_called_anything(name):
    points = map_points([{**node, "document_id": name} for node in nodes(3)], np.eye(3))
    assert map_picture(points, name).startswith(b"\x89PNG")
