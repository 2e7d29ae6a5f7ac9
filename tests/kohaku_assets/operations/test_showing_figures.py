"""Figures from the documents of a project to the eyes of a chat model."""

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import SettingsError
from kohaku_lib.testing.openai_server import OpenAIServer


def test_a_figure_of_the_sample_is_found_and_shown_as_it_is_stored(fresh):
    with OpenAIServer() as server:
        told = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "planner.kind=rule",
            "answer.max_retries=0",
        )
        project = fresh(*told, "retrieval.top_k_images=1", "answer.send_images=true")
        report = refresh(project, ["predictions"])
        assert report.failure is None
        contents = [request["messages"][1]["content"] for request in server.requests]
    assert len(contents) == 12
    for text, picture in contents:
        assert "(picture 1" in text["text"]
        assert picture["image_url"]["url"].startswith("data:image/webp;base64,")


@pytest.mark.parametrize(
    "base",
    [
        (
            "llm.provider=openai",
            "answer.by=model",
        ),
        ("retrieval.top_k_images=2",),
    ],
)
def test_pictures_need_a_search_for_figures_and_a_model_that_sees(base, tmp_path):
    with pytest.raises(SettingsError, match=r"answer\.send_images = true needs"):
        load_settings(overrides=(*base, "answer.send_images=true"), environment={}, folder=tmp_path)
