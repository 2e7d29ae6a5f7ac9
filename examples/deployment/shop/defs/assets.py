"""The asset that the handbook is fed by, and the one that asks it."""

from pathlib import Path

import dagster as dg

from kohaku_assets import ProjectResource

HANDBOOK = Path(__file__).parents[2] / "handbook"


@dg.asset
def handbook_export() -> None:
    """The pages of the handbook, as the wiki has them now."""
    page = "# Opening hours\n\nThe shop opens at 8:30 and closes at 18:00. On Saturdays it closes at 14:00.\n"
    (HANDBOOK / "documents" / "opening_hours.md").write_text(page, encoding="utf-8")


@dg.asset(deps=[dg.AssetKey(["handbook", "published_index"])])
def opening_hours(handbook: ProjectResource) -> dg.MaterializeResult:
    """What the handbook says of the opening hours."""
    with handbook.open() as project:
        answer = project.ask("When does the shop open?")
    return dg.MaterializeResult(metadata={"answer": answer.text, "outcome": answer.outcome})
