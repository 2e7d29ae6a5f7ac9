"""What is said about images: by the page, and by a vision model on the loopback that fails on demand."""

import hashlib
import io
import json

import pyarrow as pa
import pytest
from fake_time import FakeTime
from PIL import Image

from kohaku_lib.documents import IMAGE_TEXT_ROW_CACHE_SCHEMA, OcrDescriber, VisionDescriber, caption_images
from kohaku_lib.documents.ocr import OcrLine, corners_of
from kohaku_lib.embedding import embed_images, embed_texts
from kohaku_lib.errors import StoreError
from kohaku_lib.llm import CallLedger, LedgeredChat, OpenAIChat
from kohaku_lib.settings import DocumentsSettings, EmbeddingSettings, ImagesSettings, LlmSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENT_IMAGES, IMAGE_CAPTIONS, TO_RETRY
from kohaku_lib.testing.openai_server import OpenAIServer

DOWN = {"kind": "status", "status": 400, "message": "this image cannot be read"}


def image(index=1, data=b"RIFF one", caption="Figure 1. Yield.", inner=None):
    return {
        "storage_key": f"img:doc:p2:i{index}",
        "document_id": "doc",
        "page": 2,
        "idx": index,
        "name": "drawing",
        "mime": "image/webp",
        "width": 300,
        "height": 200,
        "sha256": hashlib.sha256(data).hexdigest(),
        "page_caption": caption,
        "figure_text": inner,
        "bytes": data,
    }


def table(*images):
    return pa.Table.from_pylist(list(images), schema=DOCUMENT_IMAGES)


def describer(server, ledger=None, model="eye", workers=1, retries=5):
    settings = LlmSettings(provider="openai", base_url=server.base_url, model="text", call_retries=retries)
    chat = OpenAIChat(settings, FakeTime().environment({}))
    port = LedgeredChat(chat, CallLedger(ledger)) if ledger else chat
    return VisionDescriber(port, model, ImagesSettings(caption_concurrent=workers))


def saying(text, faults=()):
    return OpenAIServer(faults, reply=lambda request: text)


def texts(outcome):
    return [row["text"] for row in outcome[0].to_pylist()]


def sources(outcome):
    return [row["caption_source"] for row in outcome[0].to_pylist()]


def test_an_image_has_the_printed_caption_and_the_words_inside():
    outcome = caption_images(
        table(image(inner="2019\n2020"), image(2, caption=None, inner="Keyway"), image(3, caption=None))
    )
    assert outcome[0].schema.equals(IMAGE_CAPTIONS)
    assert texts(outcome) == [
        "[img:drawing 300x200] Figure 1. Yield. 2019; 2020",
        "[img:drawing 300x200] Keyway",
    ]
    assert (sources(outcome), outcome[1].rows_computed, outcome[1].incomplete) == (["page", "page"], 2, None)


class FailingOnce:
    """A reader of images whose first call fails, as that of a command that was killed does."""

    workers, crew = 1, None

    def __init__(self):
        self.calls = 0

    def key(self, sha256):
        return f"read {sha256}"

    def text(self, image):
        self.calls += 1
        if self.calls == 1:
            msg = "the command was killed"
            raise OSError(msg)
        return "Keyway"


def test_what_a_reader_failed_on_is_tried_again():
    images, reader = table(image(caption=None)), FailingOnce()
    first, then = caption_images(images, reader=reader), caption_images(images, reader=reader)
    assert (texts(first), first[1].metrics[TO_RETRY], first[1].incomplete) == ([], 1, None)
    assert (texts(then), TO_RETRY in then[1].metrics) == (["[img:drawing 300x200] Keyway"], False)


def test_words_within_an_image_are_bounded():
    (text,) = texts(caption_images(table(image(caption=None, inner="word " * 1000))))
    assert len(text) <= len("[img:drawing 300x200] ") + 1500


def test_a_description_is_between_the_printed_caption_and_the_inner_words():
    with saying("Two bars\n rise.") as server:
        outcome = caption_images(table(image(inner="2019")), describer(server))
    assert texts(outcome) == ["[img:drawing 300x200] Figure 1. Yield. Two bars rise. 2019"]
    assert sources(outcome) == ["vision_model"]


def test_what_the_vision_model_says_is_what_is_embedded():
    settings = EmbeddingSettings(device="cpu")
    with saying("A tabby cat sleeps on a mat.") as server:
        captions, _ = caption_images(table(image(caption=None)), describer(server))
        assert [sent["model"] for sent in server.requests] == ["eye"]
    vectors, _ = embed_images(table(image(caption=None)), captions, settings)
    expected = embed_texts(["[img:drawing 300x200] A tabby cat sleeps on a mat."], settings)
    assert vectors["node_id"].to_pylist() == ["img:doc:p2:i1"]
    assert vectors["vector"].to_pylist()[0] == pytest.approx(expected[0].tolist(), abs=1e-6)


def test_the_image_goes_out_under_its_true_type_with_the_vision_model_and_limit():
    with saying("It rises.") as server:
        caption_images(table(image()), describer(server))
        (sent,) = server.requests
    assert (sent["model"], sent["max_tokens"], "response_format" in sent) == ("eye", 300, False)
    prompt, picture = sent["messages"][1]["content"]
    assert picture == {"type": "image_url", "image_url": {"url": "data:image/webp;base64,UklGRiBvbmU="}}
    assert all(word in prompt["text"] for word in ("three to five", "axes", "trend", "connected", "numbers"))


def test_an_unchanged_image_is_not_paid_for_again_and_equal_ones_once(tmp_path):
    images = table(image(1), image(2), image(3, data=b"RIFF three"))
    with saying("It rises.") as server:
        for _ in range(2):
            with RowCache(tmp_path, IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
                outcome = caption_images(images, describer(server), cache=cache)
        assert len(server.billed) == 2
    assert (outcome[1].rows_computed, outcome[1].rows_reused) == (0, 3)
    assert len(set(texts(outcome))) == 1


def test_another_model_or_other_bytes_need_a_new_call(tmp_path):
    with saying("It rises.") as server, RowCache(tmp_path, IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
        caption_images(table(image()), describer(server), cache=cache)
        caption_images(table(image()), describer(server, model="other eye"), cache=cache)
        caption_images(table(image(data=b"RIFF new")), describer(server), cache=cache)
        assert len(server.billed) == 3


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 429},
        {"kind": "status", "status": 500},
        {"kind": "drop"},
        {"kind": "malformed"},
        {"kind": "empty_text"},
        {"kind": "no_choices"},
    ],
)
def test_a_passing_fault_costs_another_attempt_and_nothing_else(fault):
    with saying("It rises.", [fault, fault]) as server:
        outcome = caption_images(table(image()), describer(server))
        assert len(server.requests) == 3
    assert texts(outcome) == ["[img:drawing 300x200] Figure 1. Yield. It rises."]
    assert (outcome[1].problems, outcome[1].incomplete) == ((), None)


def test_an_image_that_fails_is_listed_keeps_its_printed_caption_and_stops_no_other(tmp_path):
    images = table(image(1), image(2, data=b"RIFF two", caption="Figure 2. Loss."))
    with saying("It falls.", [DOWN]) as server, RowCache(tmp_path, IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
        first = caption_images(images, describer(server), cache=cache)
        assert sorted(sources(first)) == ["page", "vision_model"]
        (problem,) = first[1].problems
        assert "has no text" in problem
        assert "this image cannot be read" in problem
        assert first[1].incomplete == "1 of 2 images were not described; the next refresh tries them again"
        second = caption_images(images, describer(server), cache=cache)
        assert len(server.billed) == 2
    assert sources(second) == ["vision_model", "vision_model"]
    assert (second[1].incomplete, second[1].rows_computed, second[1].rows_reused) == (None, 1, 1)


def test_a_server_that_never_answers_is_given_up_after_three_images():
    images = table(*(image(index, data=b"RIFF %d" % index) for index in range(1, 9)))
    with saying("", [{"kind": "status", "status": 503}] * 100) as server:
        outcome = caption_images(images, describer(server, retries=1))
        assert len(server.requests) == 6
    assert sources(outcome) == ["page"] * 8
    assert len(outcome[1].problems) == 8
    assert sum("skipped because" in problem for problem in outcome[1].problems) == 5


def test_finished_calls_of_a_run_that_died_are_found_in_the_ledger(tmp_path):
    with saying("It rises.") as server:
        describer(server, tmp_path).text(image())  # no row cache was flushed
        outcome = caption_images(table(image()), describer(server, tmp_path))
        assert len(server.billed) == 1
    assert texts(outcome) == ["[img:drawing 300x200] Figure 1. Yield. It rises."]
    (line,) = [json.loads(line) for file in tmp_path.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert (line["stage"], line["question_id"], line["model"]) == ("image_captions", "img:doc:p2:i1", "eye")
    assert line["images_sha256"] == [image()["sha256"]]


def test_the_limit_of_concurrent_descriptions_is_kept():
    images = table(*(image(index, data=b"RIFF %d" % index) for index in range(1, 9)))
    with OpenAIServer(reply=lambda request: "It rises.", delay_s=0.05, together=3) as server:
        caption_images(images, describer(server, workers=3))
        assert server.most_in_flight == 3


class Engine:
    """An OCR engine that reads one line on every picture that is not white, and counts its readings."""

    name = "test"

    def __init__(self, line="Net sales 7", confidence=0.95):
        self.line, self.confidence, self.readings = line, confidence, 0

    def read(self, pixels):
        self.readings += 1
        if pixels.min() > 250:
            return ()
        return (OcrLine(self.line, corners_of(10, 10, 100, 30), self.confidence),)


def pixels(colour="black", size=(200, 100)):
    sink = io.BytesIO()
    Image.new("RGBA", size, colour).save(sink, "WEBP", lossless=True)
    return sink.getvalue()


def reader(engine, **settings):
    return OcrDescriber(engine, DocumentsSettings(**{"ocr": "off", "ocr_retries": 0, "tiling": "off", **settings}))


def test_words_in_pixels_are_read_where_the_page_has_none(tmp_path):
    engine = Engine()
    images = table(
        image(1, data=pixels(), caption=None),
        image(2, data=pixels("navy"), inner="2019"),
        image(3, data=pixels(), caption="Figure 3."),
        image(4, data=pixels("white"), caption=None),
    )
    with RowCache(tmp_path, IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
        outcome = caption_images(images, reader=reader(engine), cache=cache)
        readings = engine.readings
        again = caption_images(images, reader=reader(engine), cache=cache)
    assert texts(outcome) == [
        "[img:drawing 300x200] Net sales 7",
        "[img:drawing 300x200] Figure 1. Yield. 2019",
        "[img:drawing 300x200] Figure 3. Net sales 7",
    ]
    assert sources(outcome) == ["ocr", "page", "page"]
    assert (texts(again), engine.readings) == (texts(outcome), readings)
    assert (again[1].rows_computed, again[1].rows_reused) == (1, 2)  # the blank one has no row


def test_what_is_doubtful_or_tiny_or_damaged_is_not_taken():
    doubtful = caption_images(table(image(data=pixels(), caption=None)), reader=reader(Engine(confidence=0.2)))
    tiny = caption_images(table(image(data=pixels(), caption=None) | {"width": 60}), reader=reader(Engine()))
    damaged = caption_images(table(image(data=b"RIFF torn", caption=None)), reader=reader(Engine()))
    assert texts(doubtful) == texts(tiny) == texts(damaged) == []
    assert ("has no text" in damaged[1].problems[0], damaged[1].incomplete) == (True, None)


def test_a_store_that_cannot_be_written_ends_the_stage(tmp_path):
    (tmp_path / "ledger").write_text("a file where the folder should be")
    with saying("It rises.") as server:
        port = describer(server, tmp_path / "ledger")
        with pytest.raises(StoreError, match="cannot be written"):
            caption_images(table(image()), port)
