"""What the assets of the deployment ask."""

from pathlib import Path

import dagster as dg

from kohaku_assets import ProjectResource

HANDBOOK = Path(__file__).parents[2] / "handbook"


@dg.definitions
def resources() -> dg.Definitions:
    """The published index of the handbook."""
    return dg.Definitions(resources={"handbook": ProjectResource(project=str(HANDBOOK))})
