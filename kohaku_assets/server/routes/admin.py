"""What administrators do: settings at run time, usage, keys, index versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import MOMENTS, KeyRow
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import Name, example
from kohaku_assets.server.state import Admin, CheckedRoute, ServerState, State, check_own_index
from kohaku_lib.conversation.memory.runtime_settings import runtime_keys
from kohaku_lib.documents.corpus.organisations import is_shared
from kohaku_lib.errors import StoreError
from kohaku_lib.index import list_snapshots, pinned
from kohaku_lib.settings import leaf_fields, pick

router = APIRouter(route_class=CheckedRoute, prefix="/v1", tags=["administration"])


class SettingsChange(BaseModel):
    """Values by the names of their settings; null drops one."""

    model_config = example(values={"retrieval.top_k": 12})
    values: Annotated[dict[Name, Any], Field(min_length=1, max_length=100)]


class Publication(BaseModel):
    """The index version that is to answer: a name, the one before with `roll_back`, or the newest with `unpin`."""

    model_config = example(roll_back=True)
    version: Name | None = None
    roll_back: bool = False
    unpin: bool = False


class NewKey(BaseModel):
    """A key to add for the caller's organisation."""

    model_config = example(name="wiki", role="reader")
    name: Name
    role: Literal["reader", "editor", "admin"] = "reader"


@router.get("/settings", summary="List the settings that change while the server runs")
async def settings(state: State, caller: Admin) -> JSONResponse:
    """List them with their values and where these come from."""
    return JSONResponse({"settings": await state.serve(caller, lambda services: _settings(state, services))})


@router.put("/settings", summary="Change settings while the server runs")
async def change_settings(body: SettingsChange, state: State, caller: Admin) -> JSONResponse:
    """Set all values or none; every process sees them within five seconds."""

    def work(services: TenantServices) -> list[dict[str, Any]]:
        services.organisation.runtime.set(
            services.organisation.settings, body.values, caller.user_id or "administrator"
        )
        return _settings(state, services)

    return JSONResponse({"settings": await state.serve(caller, work)})


@router.get("/usage", summary="Sum up what was asked")
async def usage(state: State, caller: Admin) -> JSONResponse:
    """Return how many questions of the organisation were asked, answered and judged, what they cost, and by day."""
    return JSONResponse(
        await state.serve(
            caller, lambda services: _usage(services.assistant.served_questions(caller.org_id).to_pylist())
        )
    )


@router.get("/index/versions", summary="List the index versions")
async def versions(state: State, caller: Admin) -> JSONResponse:
    """List the index versions of the store, newest first."""
    check_own_index(state, caller)
    return JSONResponse({"versions": await state.pool.run(caller, lambda: _versions(state))})


@router.put("/index/published", summary="Publish an index version, or roll back")
async def publish(body: Publication, state: State, caller: Admin) -> JSONResponse:
    """Have a version answer the next question; those under way end with the one they began with.

    An older version is pinned: no refresh publishes another one until `unpin`, or until the newest is published by hand.
    """
    check_own_index(state, caller)
    if (body.version is not None) + body.roll_back + body.unpin != 1:
        raise Problem(400, "give one of version, roll_back and unpin")

    def work() -> list[dict[str, Any]]:
        from kohaku_assets.operations.publishing import change_publication

        try:
            change_publication(Project(state.project.loaded), body.version, unpin=body.unpin)
        except StoreError as error:
            known = {info.version for info in list_snapshots(state.project.snapshots)}  # those of the bucket, too
            if body.version is not None and body.version not in known:
                raise Problem(404, f"there is no index version {body.version[:80]!r}") from error
            raise Problem(409, str(error)) from error
        state.assistants.follow()
        return _versions(state)

    return JSONResponse({"versions": await state.long_pool.run(caller, work)})


@router.get("/keys", summary="List the keys")
async def keys(state: State, caller: Admin) -> JSONResponse:
    """List the keys of the caller's organisation, without their secrets."""
    rows = await state.pool.run(caller, state.keys.rows)
    return JSONResponse({"keys": [_key_json(row) for row in rows if row.org_id == caller.org_id]})


@router.post("/keys", summary="Add a key", status_code=201)
async def add_key(body: NewKey, state: State, caller: Admin) -> JSONResponse:
    """Add a key for the caller's organisation; it is shown once."""
    key = await state.pool.run(caller, lambda: state.keys.add(body.name, caller.org_id, body.role))
    return JSONResponse({"key": key}, 201)


@router.delete("/keys/{key_id}", summary="Revoke a key", status_code=204)
async def revoke_key(key_id: str, state: State, caller: Admin) -> Response:
    """Revoke a key of the caller's organisation; its next request is refused."""

    def work() -> None:
        if not state.keys.revoke_id(key_id, caller.org_id):
            raise Problem(404, f"there is no key {key_id[:80]!r}; GET /v1/keys lists them")

    await state.pool.run(caller, work)
    return Response(status_code=204)


def _settings(state: ServerState, services: TenantServices) -> list[dict[str, Any]]:
    runtime, fields = services.organisation.runtime.values(), leaf_fields()
    values = pick(services.organisation.settings, runtime_keys())
    return [
        {
            "key": key,
            "value": runtime[key].value if key in runtime else value,
            "is_runtime": key in runtime,
            "place": runtime[key].place if key in runtime else state.project.loaded.places.get(key, "default"),
            "meaning": fields[key].description,
        }
        for key, value in values.items()
    ]


def _usage(rows: list[dict[str, Any]]) -> dict[str, Any]:
    days: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        days.setdefault(row["served_at"].date().isoformat(), []).append(row)
    return _counts(rows) | {"by_day": [{"day": day, **_counts(own)} for day, own in sorted(days.items())]}


def _counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    costs = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    return {
        "questions": len(rows),
        "answered": sum(row["is_answer"] for row in rows),
        "cached": sum(row["cached"] for row in rows),
        "rated_good": sum(row["rating"] == 1 for row in rows),
        "rated_bad": sum(row["rating"] == -1 for row in rows),
        "cost_usd": sum(costs) if costs else None,
    }


def _versions(state: ServerState) -> list[dict[str, Any]]:
    infos, is_pinned = list_snapshots(state.project.snapshots), pinned(state.project.snapshots) is not None
    is_counted = not is_shared(state.project.settings.corpus)  # else it tells how much the others have
    return [
        {
            "version": one.version,
            "built_at": one.built_at,
            "rows": one.rows if is_counted else None,
            "bytes": one.bytes if is_counted else None,
            "current": one.is_current,
            "pinned": one.is_current and is_pinned,
        }
        for one in infos
    ]


def _key_json(row: KeyRow) -> dict[str, Any]:
    return asdict(row) | {name: moment.isoformat() if (moment := getattr(row, name)) else None for name in MOMENTS}
