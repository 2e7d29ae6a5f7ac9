"""Images embedded by a model that has them in the space of its texts."""

import hashlib
import io

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, embed_images, embed_texts
from kohaku_lib.embedding.encoder_selection import encoder_for, image_encoder_for
from kohaku_lib.embedding.stages import embed_images_directly
from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENT_IMAGES, IMAGE_CAPTIONS, vector_schema
from kohaku_lib.testing.openai_server import OpenAIServer
from kohaku_lib.testing.tiny_models import tiny_clip


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return str(tiny_clip(tmp_path_factory.mktemp("clip") / "model"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "models"))


def direct(model, **more):
    return EmbeddingSettings(model=model, device="cpu", images="direct", **more)


def webp(colour, mode="RGB"):
    file = io.BytesIO()
    Image.new(mode, (40, 24), colour).save(file, "WEBP", lossless=True)
    return file.getvalue()


def images_of(*contents):
    rows = [
        {
            "storage_key": f"img:d:p1:i{at}",
            "document_id": "d",
            "page": 1,
            "idx": at,
            "name": "a",
            "mime": "image/webp",
            "width": 40,
            "height": 24,
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": data,
        }
        for at, data in enumerate(contents, start=1)
    ]
    return pa.Table.from_pylist(rows, schema=DOCUMENT_IMAGES)


def test_vectors_are_those_of_sentence_transformers_in_the_space_of_the_texts(clip):
    from sentence_transformers import SentenceTransformer

    table, report = embed_images_directly(images_of(webp("red"), webp("blue")), direct(clip))
    plain = SentenceTransformer(clip, device="cpu")
    theirs = plain.encode([Image.new("RGB", (40, 24), colour) for colour in ("red", "blue")], show_progress_bar=False)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    assert table["node_id"].to_pylist() == ["img:d:p1:i1", "img:d:p1:i2"]
    assert ((vector_matrix(table) * theirs).sum(axis=1) > 0.9999).all()
    assert vector_matrix(table).shape[1] == embed_texts(["a red square"], direct(clip)).shape[1]
    assert (report.rows_computed, report.rows_reused, report.problems) == (2, 0, ())


def test_a_text_of_more_than_the_models_tokens_is_cut_or_windowed(clip):
    assert encoder_for(direct(clip)).most_tokens == 24
    assert len(encoder_for(direct(clip)).windows(["word " * 60], "document", "retrieval")[0]) == 4


def test_an_image_that_cannot_be_decoded_is_listed_and_left_out(clip):
    table, report = embed_images_directly(images_of(b"no image", webp("red"), webp("red")[:20]), direct(clip))
    assert table["node_id"].to_pylist() == ["img:d:p1:i2"]
    assert report.problems == (
        "the image 'img:d:p1:i1' cannot be decoded and has no vector (UnidentifiedImageError)",
        "the image 'img:d:p1:i3' cannot be decoded and has no vector (OSError)",
    )
    assert report.metrics["undecodable_images"] == 2


def test_nothing_but_undecodable_images_is_an_empty_table(clip):
    table, _ = embed_images_directly(images_of(b"no image"), direct(clip))
    assert table.schema.equals(vector_schema(16))
    assert table.num_rows == 0


def test_equal_images_are_computed_once_and_later_not_at_all(clip, tmp_path):
    cache = RowCache(tmp_path / "rows", EMBEDDING_CACHE_SCHEMA)
    images = images_of(webp("red"), webp("red"), webp("green"))
    first, cost = embed_images_directly(images, direct(clip), cache)
    again, nothing = embed_images_directly(images, direct(clip, dim=8), cache)
    assert (cost.rows_computed, cost.rows_reused, nothing.rows_computed, nothing.rows_reused) == (2, 0, 0, 2)
    assert np.array_equal(vector_matrix(first)[0], vector_matrix(first)[1])
    assert again.schema.equals(vector_schema(8))


def test_images_and_texts_share_a_cache_without_mixing(clip, tmp_path):
    cache = RowCache(tmp_path / "rows", EMBEDDING_CACHE_SCHEMA)
    data = webp("red")
    embed_images_directly(images_of(data), direct(clip), cache)
    assert hashlib.sha256(data).hexdigest() not in cache
    assert len(cache) == 1


def test_transparent_images_are_taken(clip):
    table, report = embed_images_directly(images_of(webp((255, 0, 0, 90), "RGBA")), direct(clip))
    assert (table.num_rows, report.problems) == (1, ())


def test_the_setting_chooses_between_captions_and_images(clip):
    images = images_of(webp("red"))
    caption = {"storage_key": "img:d:p1:i1", "document_id": "d", "page": 1, "idx": 1, "text": "A square."}
    captions = pa.Table.from_pylist([caption | {"caption_source": "page"}], schema=IMAGE_CAPTIONS)
    by_caption, _ = embed_images(images, captions, EmbeddingSettings(model=clip, device="cpu"))
    by_image, _ = embed_images(images, captions, direct(clip))
    assert np.allclose(vector_matrix(by_caption), embed_texts(["A square."], direct(clip)), atol=1e-5)
    assert not np.allclose(vector_matrix(by_caption), vector_matrix(by_image), atol=1e-2)


def test_a_text_model_takes_no_images():
    with pytest.raises(ModelError, match=r"needs a model that embeds images, which 'minilm' does not; set"):
        embed_images_directly(images_of(webp("red")), direct("minilm"))


def test_a_served_model_takes_no_images():
    with OpenAIServer() as server, pytest.raises(ModelError, match="which 'openai:small' does not"):
        image_encoder_for(direct("openai:small", base_url=server.base_url))


def test_a_collection_without_images_needs_no_model_that_takes_them():
    table, _ = embed_images(images_of(), IMAGE_CAPTIONS.empty_table(), direct("minilm"))
    assert table.schema.equals(vector_schema(384))
