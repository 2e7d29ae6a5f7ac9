"""Names of kinds are checked with the project: rule, value and place."""

import pytest

from kohaku_lib.composition import load_settings, overlaid
from kohaku_lib.composition.kind_names import FAMILIES
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings, leaf_fields
from kohaku_lib.settings.section import KindName


def test_every_family_that_settings_name_has_its_registry():
    named = {rule.family for field in leaf_fields().values() for rule in field.metadata if isinstance(rule, KindName)}
    assert named == set(FAMILIES)


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("rerank.kind", "'off', 'auto', 'served', 'chat', 'local' or 'embedding_similarity'"),
        ("release.answer_metric", "'wattbot', 'kohaku' or 'fork'"),
        (
            "release.retrieval_metric",
            "'document_recall@1', 'document_recall@3', 'document_recall@5', 'document_recall@10', 'mrr', 'ndcg@10', "
            "'evidence_recall@4000' or 'evidence_recall@16000'",
        ),
    ],
)
def test_an_unknown_name_is_refused_with_its_place(key, rule, tmp_path):
    section, _, name = key.partition(".")
    (tmp_path / "kohaku.toml").write_text(f'[{section}]\n{name} = "fish"\n')
    with pytest.raises(SettingsError) as error:
        load_settings(folder=tmp_path, environment={})
    assert str(error.value) == f"the setting {key} must be {rule}, got 'fish' (kohaku.toml line 2)"
    with pytest.raises(SettingsError, match=r"must be .* got 'fish'"):
        overlaid(Settings(), {key: "fish"})
