"""The checks of the sample's index find nothing, and each finds what it is for."""

import pytest

from kohaku_assets.assets.checks import offenders_of
from kohaku_assets.pipeline.stages import CHECKS


@pytest.mark.parametrize("name", [name for names in CHECKS.values() for name in names])
def test_a_sound_index_passes_every_check(built, name):
    assert list(offenders_of(name, built[0])) == []


def test_vectors_of_other_dimensions_than_the_settings_want_are_told(built):
    project = built[0]
    embedding = project.settings.embedding.model_copy(update={"dim": 100})
    other = project.with_settings(project.settings.model_copy(update={"embedding": embedding}))
    assert offenders_of("dimensions_agree", other) == [
        "sentence_embeddings has 384 dimensions instead of 100",
        "node_embeddings has 384 dimensions instead of 100",
    ]
