"""Models on a server: what is sent, what comes back, what is tried again, and what it costs."""

import base64
import gc

import numpy as np
import pyarrow as pa
import pytest
from fake_time import FakeTime, patient

from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, embed_leaves, embed_paragraphs, embed_queries, embed_texts
from kohaku_lib.embedding.cached import embed
from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.encoders.served_encoder import ServedEncoder, reply_of
from kohaku_lib.embedding.model_key import model_key
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import Environment
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.testing.openai_server import OpenAIServer, word_vector

TEXTS = ["one two", "three", "four five six"]
BROKEN = {"kind": "status", "status": 503}


def served(base_url, **more):
    return EmbeddingSettings(model="openai:small", base_url=base_url, **more)


def encoder_at(server, fake_time=None, environment=None, **more):
    return ServedEncoder(served(server.base_url, **more), (fake_time or FakeTime()).environment(environment))


def vectors_of(encoder, texts):
    """Return the vectors in the order of `texts`, and the chunks they came in."""
    chunks = list(encoder.chunks(texts, "document", "retrieval"))
    rows = np.concatenate([chunk.rows for chunk in chunks])
    return np.concatenate([chunk.vectors for chunk in chunks])[np.argsort(rows)], chunks


def expected(*texts):
    return normalized(np.array([word_vector(text) for text in texts]))


def leaves(*texts):
    count = len(texts)
    return pa.table(
        {
            "node_id": [f"d:{at}" for at in range(count)],
            "parent_row": pa.array([-1] * count, pa.int32()),
            "kind": ["paragraph"] * count,
            "text": list(texts),
            "searchable": [True] * count,
        }
    )


def test_texts_become_the_servers_vectors_of_length_one():
    with OpenAIServer() as server:
        assert np.allclose(embed_texts(TEXTS, served(server.base_url)), expected(*TEXTS), atol=1e-6)
        assert np.allclose(embed_queries(TEXTS[:1], served(server.base_url)), expected(TEXTS[0]), atol=1e-6)
        sent = server.requests[0]
    assert sent == {"model": "small", "input": TEXTS, "encoding_format": "float"}


def test_dimensions_are_requested_if_set():
    with OpenAIServer() as server:
        settings = served(server.base_url, server_dimensions=4)
        assert encoder_for(settings).dim == 4
        assert server.requests == []
        assert embed_texts(TEXTS, settings).shape == (3, 4)
        assert server.requests[0]["dimensions"] == 4


def test_leading_dimensions_are_kept_and_the_cache_holds_all(tmp_path):
    with OpenAIServer() as server:
        cache = RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA)
        assert embed_texts(TEXTS, served(server.base_url, dim=4), cache).shape == (3, 4)
        again = embed(TEXTS, served(server.base_url, dim=8), cache, "document")
        assert (again.vectors.shape, again.cost.computed, again.reused) == ((3, 8), 0, 3)
        assert len(server.requests) == 1


def test_more_dimensions_than_the_server_gives_are_refused():
    with OpenAIServer() as server, pytest.raises(ModelError, match=r"embedding\.dim is 99, but .* has 16 dimensions"):
        embed_texts(TEXTS, served(server.base_url, dim=99))


def test_what_is_in_the_cache_needs_no_server(tmp_path):
    with OpenAIServer() as server:
        first = embed_texts(TEXTS, served(server.base_url), RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA))
    gone = served("http://127.0.0.1:9/v1", call_retries=0)
    assert np.array_equal(embed_texts(TEXTS, gone, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA)), first)


def test_requests_hold_at_most_so_many_texts_and_tokens():
    with OpenAIServer() as server:
        vectors_of(encoder_at(server, batch_size=2, max_concurrent=1), TEXTS)
        assert [request["input"] for request in server.requests] == [TEXTS[:2], TEXTS[2:]]
        server.requests.clear()
        # 2, 2 and 4 tokens of four bytes: the first two fill the budget
        vectors_of(encoder_at(server, request_tokens=4, max_concurrent=1), TEXTS)
        assert [request["input"] for request in server.requests] == [TEXTS[:2], TEXTS[2:]]


def test_no_more_requests_are_in_flight_than_allowed():
    with OpenAIServer(delay_s=0.05, together=2) as server:
        vectors_of(encoder_at(server, batch_size=1, max_concurrent=2), [*TEXTS, "x", "y"])
        assert (server.most_in_flight, len(server.billed)) == (2, 5)


def test_a_request_is_durable_when_it_is_answered(tmp_path):
    faults = [{"kind": "ok"}, {"kind": "status", "status": 401, "message": "no"}]
    with OpenAIServer(faults) as server:
        settings = served(server.base_url, batch_size=2, max_concurrent=1)
        with pytest.raises(ModelError, match="gave no vectors"):
            embed_texts(TEXTS, settings, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA))
        again = embed(TEXTS, settings, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (again.cost.computed, again.reused) == (1, 2)


@pytest.mark.parametrize(
    "fault",
    [
        BROKEN,
        {"kind": "drop"},
        {"kind": "malformed"},
        {"kind": "page"},
        {"kind": "wrong_count"},
        {"kind": "unequal_dims"},
        {"kind": "no_vectors", "value": None},
        {"kind": "no_vectors", "value": ["a"]},
        {"kind": "no_vectors", "value": [[1.0]]},
        {"kind": "no_vectors", "value": [float("nan")] * 16},
        {"kind": "no_vectors", "value": "?"},
        {"kind": "reported", "code": 502},
    ],
    ids=lambda fault: "-".join(str(part) for part in fault.values())[:30],
)
def test_what_passes_is_tried_again(fault):
    fake_time = FakeTime()
    with OpenAIServer([fault, fault]) as server:
        vectors, _ = vectors_of(encoder_at(server, fake_time), TEXTS)
    assert np.allclose(normalized(vectors), expected(*TEXTS), atol=1e-6)
    assert fake_time.slept == [3.0, 6.0]


def test_the_wait_is_the_one_that_the_server_requests():
    fake_time = FakeTime()
    limited = {"kind": "status", "status": 429, "headers": {"Retry-After": "7"}}
    with OpenAIServer([limited, {"kind": "status", "status": 429}]) as server:
        vectors_of(encoder_at(server, fake_time), TEXTS)
    assert fake_time.slept == [8.0, 6.0]


def test_after_all_retries_the_error_names_the_server_and_the_reason():
    with OpenAIServer([BROKEN | {"message": "not for a-very-secret-key"}] * 3) as server:
        encoder = encoder_at(server, environment={"OPENAI_API_KEY": "a-very-secret-key"}, call_retries=2)
        with pytest.raises(ModelError) as caught:
            vectors_of(encoder, TEXTS)
        assert str(caught.value) == (
            f"the embedding model 'openai:small' at {server.base_url} gave no vectors after 3 attempts: "
            "status 503, not for [key]"
        )


def test_a_reply_that_takes_too_long_is_tried_again():
    with OpenAIServer([{"kind": "held"}]) as server:
        encoder = ServedEncoder(
            served(server.base_url, timeout_s=1.0),
            Environment(variables={}, sleep=lambda _: patient(encoder._endpoint)),
        )
        assert vectors_of(encoder, TEXTS)[0].shape == (3, 16)
        assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_does_not_pass_is_not_tried_again(status):
    with OpenAIServer([{"kind": "status", "status": status, "message": "no such model"}]) as server:
        with pytest.raises(ModelError, match=r"gave no vectors: status .*no such model"):
            vectors_of(encoder_at(server), TEXTS)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "too large"),
        (400, "Requested 350000 tokens, max 300000 tokens per request"),
        (422, "batch size 3 > maximum allowed batch size 2"),
        (422, "Input validation error: `inputs` must have less than 512 tokens. Given: 600"),
        (500, "input is too large to process. increase the physical batch size"),
    ],
)
def test_a_request_that_is_too_large_is_halved(status, message):
    with OpenAIServer([{"kind": "status", "status": status, "message": message}]) as server:
        vectors, chunks = vectors_of(encoder_at(server), TEXTS)
        assert [request["input"] for request in server.requests] == [TEXTS, TEXTS[:1], TEXTS[1:]]
    assert np.allclose(normalized(vectors), expected(*TEXTS), atol=1e-6)
    assert chunks[0].truncated == 0


def test_a_text_that_the_server_finds_too_long_is_shortened_and_counted():
    with OpenAIServer(most_chars=10) as server:
        vectors, chunks = vectors_of(encoder_at(server), ["a b c d e f g h", "z"])
        assert server.requests[-2]["input"] == ["a b c d "]  # 15, 11, then 8 characters
    assert np.allclose(normalized(vectors), expected("a b c d", "z"), atol=1e-6)
    assert sum(chunk.truncated for chunk in chunks) == 1


def test_a_server_that_finds_everything_too_long_ends_in_one_sentence():
    endless = [{"kind": "status", "status": 413, "message": "too large"}] * 30
    with OpenAIServer(endless) as server, pytest.raises(ModelError, match="gave no vectors: status 413"):
        vectors_of(encoder_at(server), ["a text"])


def test_a_long_text_is_cut_before_it_is_sent():
    with OpenAIServer() as server:
        vectors_of(encoder_at(server, input_tokens=2), ["abcdéfgh ijk"])
        assert server.requests[0]["input"] == ["abcdéfg"]  # 8 bytes


def test_a_long_text_is_sent_in_windows_if_set():
    with OpenAIServer() as server:
        text = "one two one two one two one two "
        settings = served(server.base_url, input_tokens=4, long_texts="window")
        found = embed([text, "one"], settings, None, "document")
        sent = [part for request in server.requests for part in request["input"]]
    assert all(len(part) <= 16 for part in sent)
    assert (found.cost.windowed, found.cost.windows, found.cost.truncated) == (1, len(sent) - 1, 0)


def test_a_blank_text_is_sent_as_a_blank():
    with OpenAIServer() as server:
        embed_texts([""], served(server.base_url))
        assert server.requests[0]["input"] == [" "]


def test_vectors_may_come_backwards_in_base64_and_without_a_bill():
    with OpenAIServer([{"kind": "shuffled"}]) as server:
        vectors, chunks = vectors_of(encoder_at(server), TEXTS)
    assert np.allclose(normalized(vectors), expected(*TEXTS), atol=1e-6)
    assert chunks[0].billed_tokens is None


def test_other_dimensions_than_requested_are_an_error():
    body = base64.b64encode(np.ones(2, "<f4").tobytes()).decode()
    with OpenAIServer([{"kind": "no_vectors", "value": body}]) as server:
        encoder = encoder_at(server, server_dimensions=4)
        with pytest.raises(ModelError, match=r"returned 2 dimensions, but .* is 4"):
            vectors_of(encoder, ["one"])


def test_a_server_that_changes_its_dimensions_is_refused():
    with OpenAIServer([{"kind": "ok"}, {"kind": "no_vectors", "value": [1.0, 2.0]}]) as server:
        encoder = encoder_at(server)
        vectors_of(encoder, ["one"])
        with pytest.raises(ModelError, match="returned 2 dimensions, but earlier replies had 16"):
            vectors_of(encoder, ["two"])


def test_a_cache_of_other_dimensions_is_refused(tmp_path):
    with OpenAIServer([{"kind": "no_vectors", "value": [1.0, 2.0]}]) as server:
        embed_texts(["one"], served(server.base_url), RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA))
        other = served(server.base_url, timeout_s=99.0)  # another encoder, which knows nothing yet
        with pytest.raises(ModelError, match="returned 16 dimensions, but 2 before"):
            embed_texts(["one", "two"], other, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA))


def test_the_stage_counts_what_the_server_bills():
    with OpenAIServer() as server:
        settings = served(server.base_url, usd_per_million_tokens=2.0)
        table, report = embed_leaves(leaves(*TEXTS), settings)
        _, unpriced = embed_leaves(leaves(*TEXTS), served(server.base_url))
        assert table["node_id"].to_pylist() == ["d:0", "d:1", "d:2"]
    assert report.metrics["billed_tokens"] == 6
    assert report.metrics["cost_usd"] == pytest.approx(12e-6)
    assert "cost_usd" not in unpriced.metrics


def test_an_unknown_bill_is_not_counted_as_nothing():
    with OpenAIServer([{"kind": "shuffled"}]) as server:
        _, report = embed_leaves(leaves(*TEXTS), served(server.base_url, usd_per_million_tokens=2.0))
    assert not {"billed_tokens", "cost_usd"} & set(report.metrics)


def test_an_empty_table_has_the_dimensions_of_the_server():
    with OpenAIServer() as server:
        table, _ = embed_paragraphs(leaves(*TEXTS), served(server.base_url))
        assert table.schema.field("vector").type.list_size == 16
        assert embed_texts([], served(server.base_url)).shape == (0, 16)
        assert len(server.requests) == 1


def test_a_server_without_keys_needs_none_and_openai_does(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="needs a key in the environment variable OPENAI_API_KEY"):
        encoder_for(EmbeddingSettings(model="openai:small"))
    with pytest.raises(ModelError, match="environment variable MY_KEY"):
        encoder_for(EmbeddingSettings(model="openai:small", base_url="http://127.0.0.1:9", api_key_env="MY_KEY"))


def test_the_key_is_sent():
    with OpenAIServer() as server:
        vectors_of(encoder_at(server, environment={"MY_KEY": "secret"}, api_key_env="MY_KEY"), TEXTS)
        assert server.headers[0]["authorization"] == "Bearer secret"


def test_the_key_of_the_vectors_depends_on_what_shapes_them_only():
    key = model_key(served("http://127.0.0.1:9"))
    assert model_key(served("http://127.0.0.1:10", dim=4, batch_size=3, usd_per_million_tokens=1.0)) == key
    others = [{"server_dimensions": 4}, {"input_tokens": 9}]
    assert len({key, *(model_key(served("http://127.0.0.1:9", **other)) for other in others)}) == 3


def test_a_dropped_encoder_closes_its_connections():
    with OpenAIServer() as server:
        encoder = encoder_at(server)
        vectors_of(encoder, ["one"])
        client = encoder._endpoint._access._http
        del encoder
        gc.collect()
        assert client.is_closed


def test_a_reply_with_two_vectors_for_one_text_is_broken():
    data = [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]
    with pytest.raises(AttemptError, match="which vector belongs to which text"):
        reply_of({"data": data}, 2)
