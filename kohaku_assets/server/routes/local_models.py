"""Language models on this machine: found for an administrator at this machine, and one of them chosen."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, StringConstraints
from starlette.responses import JSONResponse

from kohaku_assets.operations.local_models import choose
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.hosts import is_forwarded
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import Name, example
from kohaku_assets.server.state import Admin, CheckedRoute, ServerState, State
from kohaku_lib.composition.loading import reload_settings
from kohaku_lib.errors import SettingsError
from kohaku_lib.storage import write_atomically

router = APIRouter(route_class=CheckedRoute, prefix="/v1/local-models", tags=["administration"])


class LocalModelChoice(BaseModel):
    """A model as it was listed."""

    model_config = example(name="qwen3:8b", base_url="http://127.0.0.1:11434/v1", digest="0" * 64)
    name: Name
    base_url: Name
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


@router.get("", summary="Find language models on this machine")
async def local_models(request: Request, state: State, caller: Admin) -> JSONResponse:
    """List the models of servers on the loopback that answer questions, each with the digest by which it is chosen."""
    check_at_this_machine(request, state, caller)
    from kohaku_lib.llm.servers import local_servers

    offered = await state.pool.run(caller, lambda: local_servers.find_models(local_servers.PORTS))
    return JSONResponse({"models": [{**asdict(one), "digest": one.digest} for one in offered if not one.is_embedding]})


@router.put("/chosen", summary="Answer with a language model on this machine")
async def answer_with(request: Request, body: LocalModelChoice, state: State, caller: Admin) -> JSONResponse:
    """Write a model that was listed into kohaku.toml; it answers the next question.

    It is looked for anew at its address, and refused with status 409 where it is no longer what was listed.
    """
    check_at_this_machine(request, state, caller)
    from kohaku_lib.llm.servers.local_servers import find_again

    def work() -> dict[str, object]:
        model = find_again(body.name, body.base_url, body.digest)
        if model is None or model.is_embedding:
            raise Problem(409, f"{body.name!r} at {body.base_url!r} is not what was listed; list the models again")
        loaded = state.project.loaded
        before = loaded.file.read_bytes() if loaded.file is not None else b""
        try:
            written = choose(loaded.file, model)
            changed = reload_settings(loaded)
        except SettingsError as error:
            _restore(loaded.file, before)
            raise Problem(409, str(error)) from error
        if not changed.settings.uses_chat or changed.settings.llm.model != model.name:
            _restore(loaded.file, before)
            raise Problem(409, "--set or an environment variable says what answers; start the server without it")
        state.assistants.change(Project(changed))
        return written

    return JSONResponse({"settings": await state.pool.run(caller, work)})


def _restore(file: Path | None, content: bytes) -> None:
    if file is not None and file.read_bytes() != content:
        write_atomically(file, lambda temporary: temporary.write_bytes(content))


def is_at_this_machine(request: Request, state: ServerState, caller: Principal) -> bool:
    """Return whether a caller may choose what answers: an administrator at the machine of a server that it alone reaches."""
    is_here = state.is_loopback and not is_forwarded(request.headers)
    return is_here and caller.may("admin") and caller.org_id == state.project.settings.corpus.org_id


def check_at_this_machine(request: Request, state: ServerState, caller: Principal) -> None:
    """Refuse whoever may not choose what answers.

    Raises:
        Problem: The server listens to other machines, a proxy passed the request on, or the caller is of another organisation.
    """
    if not is_at_this_machine(request, state, caller):
        raise Problem(403, "models are found and chosen at this machine alone, not by a proxy; run 'kohaku models'")
