"""The assets of all stages of a project."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.answer import answer_assets
from kohaku_assets.evaluate import evaluate_assets
from kohaku_assets.index import index_assets
from kohaku_assets.ingest import ingest_assets
from kohaku_assets.resources import AssetMaker


def stage_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the asset of every stage, in the order of the pipeline."""
    return [*ingest_assets(make), *index_assets(make), *answer_assets(make), *evaluate_assets(make)]
