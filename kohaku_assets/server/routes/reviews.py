"""The review queue, as `kohaku review` keeps it: questions to look at, accepted as truth or dismissed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import Name, example
from kohaku_assets.server.state import Admin, CheckedRoute, ServerState, State, check_own_index

router = APIRouter(route_class=CheckedRoute, prefix="/v1/reviews", tags=["administration"])
BY = "administrator"  # where callers have no name
Result = TypeVar("Result")


class TruthBody(BaseModel):
    """What is right; what is left out is as the answer says, or as users said of it."""

    model_config = example(value="41,800", unit="kWh", sources=["kohaku-energy-report"])
    value: Name | None = None
    unit: Name | None = None
    sources: Annotated[list[Name], Field(max_length=100)] = []
    question: Name | None = None


@router.get("", summary="List the questions to look at")
async def queue(state: State, caller: Admin) -> JSONResponse:
    """List the served questions that a person should look at, the most urgent first, each with the value it proposes."""
    check_own_index(state, caller)
    return JSONResponse({"questions": await state.pool.run(caller, lambda: _queue(Project(state.project.loaded)))})


@router.post("/{answer_id}/accept", summary="Accept the truth of a question")
async def accept_truth(answer_id: str, body: TruthBody, state: State, caller: Admin) -> JSONResponse:
    """Accept an answer, or what is given, as the truth: from the next refresh on it is asked, scored and gated."""

    def work(project: Project) -> dict[str, str]:
        from kohaku_assets.assets.usage_assets import report_accepted
        from kohaku_assets.operations.reviewing import Truth, accept

        row = accept(project, answer_id, Truth(**body.model_dump()), caller.user_id or BY)
        report_accepted(project)
        return row

    return JSONResponse({"accepted": await _decide(state, caller, answer_id, work)})


@router.post("/{answer_id}/dismiss", summary="Take a question off the queue", status_code=204)
async def dismiss_question(answer_id: str, state: State, caller: Admin) -> Response:
    """Take a question off the queue; only new blame puts it there again."""

    def work(project: Project) -> None:
        from kohaku_assets.operations.reviewing import dismiss

        dismiss(project, answer_id, caller.user_id or BY)

    await _decide(state, caller, answer_id, work)
    return Response(status_code=204)


async def _decide(state: ServerState, caller: Principal, answer_id: str, work: Callable[[Project], Result]) -> Result:
    check_own_index(state, caller)

    def checked() -> Result:
        project = Project(state.project.loaded)
        if all(row["answer_id"] != answer_id for row in _queue(project)):
            raise Problem(404, f"the queue has no answer {answer_id[:80]!r}; GET /v1/reviews lists them")
        return work(project)

    return await state.pool.run(caller, checked)


def _queue(project: Project) -> list[dict[str, Any]]:
    from kohaku_assets.records.usage_tables import usage_table
    from kohaku_lib.conversation.usage.review_queue import proposed_value

    rows = usage_table(project, "review_queue").to_pylist()
    return [{**row, "proposed_value": proposed_value(row)} for row in rows]
