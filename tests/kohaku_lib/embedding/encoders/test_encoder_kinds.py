"""Encoders as kinds: what is registered embeds texts, counts in keys of caches and versions, and may be named."""

import numpy as np
import pytest

from kohaku_assets.pipeline.setting_keys import embedder_keys
from kohaku_lib.composition.kind_names import find_unknown_name
from kohaku_lib.embedding import embed_texts, model_key
from kohaku_lib.embedding.encoder_selection import check_at_hand, encoder_for, image_encoder_for
from kohaku_lib.embedding.encoders.interface import LOCAL_ENCODERS, SERVED_ENCODERS, Chunk, LocalKind, ServedKind
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings, Settings


class LengthEncoder:
    """Embeds a text as its number of characters and of words."""

    dim, most_tokens, precision = 2, None, "float32"

    def chunks(self, texts, side, task):
        vectors = np.array([[len(text), len(text.split())] for text in texts], np.float32)
        yield Chunk(np.arange(len(texts)), vectors, 0)

    def windows(self, texts, side, task):
        return [[text] for text in texts]


def test_an_encoder_without_a_folder_is_added_by_its_registration():
    kind = ServedKind("lengths", lambda settings: LengthEncoder(), settings_keys=("batch_size",))
    settings = EmbeddingSettings(model="lengths:plain")
    with SERVED_ENCODERS.registered(kind):
        check_at_hand(settings)
        np.testing.assert_allclose(embed_texts(["one two", "six"], settings)[1], [3 / 10**0.5, 1 / 10**0.5], rtol=1e-6)
        assert model_key(settings) != model_key(settings.model_copy(update={"batch_size": 1}))
        assert "embedding.batch_size" in set(embedder_keys(Settings(embedding=settings)))
        with pytest.raises(ModelError, match="'lengths:plain' does not"):
            image_encoder_for(settings)


def test_a_backend_is_added_by_its_registration():
    def load(folder, settings, device):
        return LengthEncoder() if settings.backend == "lengths" else None

    settings = Settings(embedding=EmbeddingSettings(backend="lengths"))
    assert find_unknown_name(settings).rule == "'auto', 'openvino' or 'torch'"
    with LOCAL_ENCODERS.registered(LocalKind("lengths", load)):
        assert find_unknown_name(settings) is None
        assert encoder_for(settings.embedding).dim == 2
        assert encoder_for(EmbeddingSettings()).dim == 384
