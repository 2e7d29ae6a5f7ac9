"""Language models on this machine: found for an administrator at this machine, and one of them chosen by its number."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import JSONResponse

from kohaku_assets.operations.local_models import choose
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.state import Admin, ServerState, State
from kohaku_lib.composition.loading import reload_settings
from kohaku_lib.errors import SettingsError
from kohaku_lib.storage import write_atomically

router = APIRouter(prefix="/v1/local-models", tags=["administration"])


@router.get("", summary="Find language models on this machine")
async def local_models(state: State, caller: Admin) -> JSONResponse:
    """List the models of servers on the loopback that answer questions, each with the number by which it is chosen."""
    check_at_this_machine(state, caller)
    from kohaku_lib.llm.servers import local_servers

    offered = await state.pool.run(caller, lambda: local_servers.find_models(local_servers.PORTS))
    found = [one for one in offered if not one.is_embedding]
    state.local_models[:] = found
    return JSONResponse({"models": [{"number": number, **asdict(one)} for number, one in enumerate(found, start=1)]})


@router.put("/{number}", summary="Answer with a language model on this machine")
async def answer_with(number: int, state: State, caller: Admin) -> JSONResponse:
    """Write the model of a number that was listed into kohaku.toml; it answers the next question."""
    check_at_this_machine(state, caller)
    if not 1 <= number <= len(state.local_models):
        raise Problem(404, f"there is no model {number}; {len(state.local_models)} were found")
    model = state.local_models[number - 1]

    def work() -> dict[str, object]:
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


def is_at_this_machine(state: ServerState, caller: Principal) -> bool:
    """Return whether a caller may choose what answers: an administrator of a server that this machine alone reaches."""
    return state.is_loopback and caller.may("admin") and caller.org_id == state.project.settings.corpus.org_id


def check_at_this_machine(state: ServerState, caller: Principal) -> None:
    """Refuse whoever may not choose what answers.

    Raises:
        Problem: The server listens to other machines, or the caller is of another organisation.
    """
    if not is_at_this_machine(state, caller):
        raise Problem(403, "models are found and chosen at this machine alone; run 'kohaku models'")
