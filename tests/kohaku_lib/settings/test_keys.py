"""Settings by dotted name: every leaf, its value as JSON, and what kind of value it takes."""

import json
from pathlib import Path

import pytest

from kohaku_lib.settings import Settings, leaf_fields, pick
from kohaku_lib.settings.keys import accepts_text, is_path, value_of


def test_every_leaf_has_a_description_and_a_value():
    settings = Settings()
    for key, field in leaf_fields().items():
        assert field.description, key
        value_of(settings, key)


def test_a_nested_group_is_reached_by_its_own_dots_and_is_no_leaf_itself():
    assert "llm.fallback.provider" in leaf_fields()
    assert "llm.fallback" not in leaf_fields()
    assert "llm" not in leaf_fields()


def test_values_of_all_settings_can_be_written_as_json():
    values = pick(Settings(), leaf_fields())
    assert json.loads(json.dumps(values)) == values


def test_paths_and_tuples_become_text_and_lists():
    settings = Settings(store=Path("a/b"), replay={"runs": [Path("x/1.csv"), Path("2.csv")]})
    assert pick(settings, ["store", "replay.runs"]) == {"store": "a/b", "replay.runs": ["x/1.csv", "2.csv"]}


def test_a_mapping_of_groups_becomes_plain_values():
    price = {"input_usd_per_million": 1.0, "output_usd_per_million": 2.0}
    values = pick(Settings(llm={"prices": {"m": price}}), ["llm.prices"])
    assert values == {"llm.prices": {"m": {**price, "cached_input_usd_per_million": None}}}


def test_an_unknown_setting_has_no_value():
    with pytest.raises(AttributeError):
        value_of(Settings(), "llm.nothing")


@pytest.mark.parametrize(
    ("key", "is_text", "is_of_paths"),
    [
        ("llm.model", True, False),  # str
        ("rerank.chat_model", True, False),  # str | None
        ("graph.relation_types", True, False),  # tuple[str, ...]
        ("corpus.documents", True, True),  # Path | None
        ("replay.runs", True, True),  # tuple[Path, ...]
        ("retrieval.top_k", False, False),  # int
        ("retrieval.spelling", False, False),  # bool
        ("rerank.mmr", False, False),  # float | None
        ("retrieval.snippet_dedup", False, False),  # Literal
    ],
)
def test_the_type_decides_whether_a_bare_word_and_a_path_are_values(key, is_text, is_of_paths):
    assert (accepts_text(leaf_fields()[key]), is_path(leaf_fields()[key])) == (is_text, is_of_paths)
