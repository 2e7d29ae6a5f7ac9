"""Batches that do not fit into a device's memory, on a model whose memory is limited."""

import numpy as np
import pytest

from kohaku_lib.embedding.encoders.torch_encoder import TorchEncoder
from kohaku_lib.embedding.encoders.torch_running import in_halves
from kohaku_lib.testing.tiny_models import tiny_bert


class LimitedMemory:
    """What stands in front of a model that has room for `most_tokens` padded tokens at once, as a small GPU has."""

    def __init__(self, most_tokens):
        self.most_tokens = most_tokens
        self.taken, self.refused = [], []

    def __call__(self, features):
        import torch

        rows, columns = features["input_ids"].shape
        if rows * columns > self.most_tokens:
            self.refused.append(rows)
            raise torch.OutOfMemoryError(f"tried to allocate room for {rows * columns} tokens")
        self.taken.append(rows)
        return features


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tiny_bert(tmp_path_factory.mktemp("limited") / "model"))


def encoder_of(folder, most_tokens=None):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device="cpu")
    limited = LimitedMemory(most_tokens or 10**9)
    model[0].register_forward_pre_hook(lambda module, arguments: (limited(arguments[0]), *arguments[1:]))
    return TorchEncoder(model, 16, "float32"), limited


def vectors_of(encoder, texts):
    chunks = list(encoder.chunks(texts, "document", "retrieval"))
    rows = np.concatenate([chunk.rows for chunk in chunks])
    return np.concatenate([chunk.vectors for chunk in chunks])[np.argsort(rows)]


TEXTS = ["word " * length for length in (5, 20, 3, 11, 7, 20, 1, 9)]


def test_a_batch_that_does_not_fit_is_halved_until_it_does(folder):
    free, unlimited = encoder_of(folder)
    tight, limited = encoder_of(folder, most_tokens=50)
    assert np.allclose(vectors_of(tight, TEXTS), vectors_of(free, TEXTS), atol=1e-5)
    assert unlimited.taken == [8]
    assert (limited.refused[0], sum(limited.taken)) == (8, 8)
    assert max(limited.taken) < 8


def test_a_text_that_does_not_fit_alone_is_an_error(folder):
    import torch

    encoder, limited = encoder_of(folder, most_tokens=10)
    with pytest.raises(torch.OutOfMemoryError, match="room for 22 tokens"):
        vectors_of(encoder, TEXTS)
    assert limited.refused == [8, 4, 2, 1]


def test_halves_stay_in_order():
    import torch

    def doubled(items):
        if len(items) > 2:
            raise torch.OutOfMemoryError
        return np.array(items) * 2

    assert in_halves(doubled, [1, 2, 3, 4, 5]).tolist() == [2, 4, 6, 8, 10]
