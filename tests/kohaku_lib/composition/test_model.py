"""A kind that has settings of its own brings its section along."""

import pickle
from typing import Annotated, Literal

import pytest
from pydantic import Field

from kohaku_lib.composition import load_settings, overlaid, override, settings_model
from kohaku_lib.errors import SettingsError
from kohaku_lib.retrieval.rerank import RERANKERS, RerankDependencies, RerankerKind, build_rerankers
from kohaku_lib.settings import RerankSettings, Section, Settings, leaf_fields


class Near(Section):
    words: Annotated[int, Field(ge=1)] = Field(default=50, description="best length")
    unit: Literal["word", "sentence"] = "word"


class NearOptions(Section):
    near: Near = Near()
    floor: float = 0.0


class FixedReranker:
    name = "fixed"

    def __init__(self, score):
        self.score = score

    def scores(self, query, texts, question_id):
        return [self.score for _ in texts]


def build_fixed(settings, dependencies):
    return FixedReranker(dependencies.options.floor)


FIXED = RerankerKind("fixed", build_fixed, ("rerank.logits",), options=NearOptions)


@pytest.fixture(autouse=True)
def registered():
    with RERANKERS.registered(FIXED):
        yield


def loaded(*overrides, **options):
    return load_settings(overrides=overrides, environment={}, **options)


def test_its_settings_are_known_by_name_with_their_defaults_and_places():
    found = loaded("rerank.options.fixed.near.words=7")
    own = found.settings.rerank.options.fixed
    assert (own.near.words, own.near.unit, own.floor) == (7, "word", 0.0)
    assert found.places["rerank.options.fixed.near.words"] == "--set"
    assert found.places["rerank.options.fixed.floor"] == "default"
    fields = leaf_fields(type(found.settings))
    assert fields["rerank.options.fixed.near.words"].description == "best length"
    assert set(fields) - set(leaf_fields()) == {
        "rerank.options.fixed.near.words",
        "rerank.options.fixed.near.unit",
        "rerank.options.fixed.floor",
    }


def test_they_come_from_the_file_and_the_environment(tmp_path):
    (tmp_path / "kohaku.toml").write_text("[rerank.options.fixed]\nfloor = 0.5\nnear.words = 3\n")
    environment = {"KOHAKU_RERANK__OPTIONS__FIXED__NEAR__UNIT": "sentence"}
    found = load_settings(folder=tmp_path, environment=environment)
    own = found.settings.rerank.options.fixed
    assert (own.floor, own.near.words, own.near.unit) == (0.5, 3, "sentence")
    assert found.places["rerank.options.fixed.floor"] == "kohaku.toml line 2"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "rerank.options.fixed.flor=1",
            "there is no setting 'rerank.options.fixed.flor' (--set); did you mean rerank.options.fixed.floor?",
        ),
        (
            "rerank.options.fixed.near.words=0",
            "the setting rerank.options.fixed.near.words must be greater than or equal to 1, got 0 (--set)",
        ),
        (
            "rerank.options.fixed.near.unit=page",
            "the setting rerank.options.fixed.near.unit must be 'word' or 'sentence', got 'page' (--set)",
        ),
    ],
)
def test_an_unknown_key_and_a_wrong_value_are_refused_like_those_of_the_house(setting, sentence):
    with pytest.raises(SettingsError) as error:
        loaded(setting)
    assert str(error.value) == sentence


def test_overrides_and_overlays_keep_them():
    found = override(loaded("rerank.options.fixed.floor=0.5"), ["rerank.kind=fixed"])
    assert overlaid(found.settings, {"retrieval.top_k": 9}).rerank.options.fixed.floor == 0.5
    assert overlaid(Settings(), {"rerank.options.fixed.floor": 0.25}).rerank.options.fixed.floor == 0.25


def test_the_reranker_is_built_with_them_and_with_the_defaults_where_no_project_was_composed():
    composed = loaded("rerank.kind=fixed", "rerank.options.fixed.floor=0.5").settings.rerank
    for settings, score in [(composed, 0.5), (RerankSettings(kind="fixed"), 0.0)]:
        [reranker] = build_rerankers(settings, RerankDependencies())
        assert reranker.scores("?", ["a"], "q1") == [score]


def test_they_count_among_the_settings_that_the_scores_depend_on():
    assert FIXED.settings_keys == (
        "rerank.logits",
        "rerank.options.fixed.near.words",
        "rerank.options.fixed.near.unit",
        "rerank.options.fixed.floor",
    )


def test_extended_settings_can_be_pickled():
    settings = loaded("rerank.options.fixed.floor=0.5").settings
    assert type(settings) is settings_model() is not Settings
    assert pickle.loads(pickle.dumps(settings)) == settings
