"""Language models on this machine: found for an administrator at this machine, and one of them chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from pydantic import BaseModel, StringConstraints
from starlette.responses import JSONResponse, Response

from kohaku_assets.operations.local_models import answering_with, choose, let_reader_answer
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.hosts import is_forwarded, is_loopback
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import AnswerResponse, Name, Text, example
from kohaku_assets.server.state import Admin, CheckedRoute, ServerState, State
from kohaku_lib.answering import answer_all
from kohaku_lib.composition.loading import reload_settings
from kohaku_lib.conversation.request import check_length
from kohaku_lib.errors import SettingsError
from kohaku_lib.index import SearchFilter
from kohaku_lib.llm.servers import local_servers
from kohaku_lib.llm.servers.local_servers import FoundModel
from kohaku_lib.project.open_index import check_not_empty
from kohaku_lib.settings import Settings
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import Question

router = APIRouter(route_class=CheckedRoute, prefix="/v1/local-models", tags=["administration"])
_Written = TypeVar("_Written")


class LocalModelChoice(BaseModel):
    """A model as it was listed."""

    model_config = example(name="qwen3:8b", base_url="http://127.0.0.1:11434/v1", digest="0" * 64)
    name: Name
    base_url: Name
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class LocalModelTrial(LocalModelChoice):
    """A model as it was listed, and a question for it."""

    model_config = example(
        name="qwen3:8b", base_url="http://127.0.0.1:11434/v1", digest="0" * 64, question="When was the bridge opened?"
    )
    question: Text


@router.get("", summary="Find language models on this machine")
async def local_models(request: Request, state: State, caller: Admin) -> JSONResponse:
    """List the models of servers on the loopback that answer questions, each with the digest by which it is chosen."""
    check_at_this_machine(request, state, caller)
    offered = await state.pool.run(caller, lambda: local_servers.find_models(local_servers.PORTS))
    return JSONResponse({"models": [{**asdict(one), "digest": one.digest} for one in offered if not one.is_embedding]})


@router.post("/tried", response_model=AnswerResponse, summary="Try a language model on this machine")
async def try_on(request: Request, body: LocalModelTrial, state: State, caller: Admin) -> JSONResponse:
    """Answer a question by a model that was listed, as /v1/answers would with it; nothing is kept."""
    check_at_this_machine(request, state, caller)
    check_length(body.question, state.project.settings.assistant.max_message_chars)

    def work(services: TenantServices) -> dict[str, Any]:
        check_not_empty(body.question, "question", "ask")
        model = _listed(body)
        with services.reading() as (index, settings):
            engine = index.engine(SearchFilter(), answering_with(settings, model))
            return answer_all(engine, [Question("ask", body.question)])[0].as_json()

    return JSONResponse(await state.serve(caller, work))


@router.put("/chosen", summary="Answer with a language model on this machine")
async def answer_with(request: Request, body: LocalModelChoice, state: State, caller: Admin) -> JSONResponse:
    """Write a model that was listed into kohaku.toml; it answers the next question.

    It is looked for anew at its address, and refused with status 409 where it is no longer what was listed.
    """
    check_at_this_machine(request, state, caller)

    def work() -> dict[str, object]:
        model = _listed(body)
        return _changed(
            state, lambda file: choose(file, model), lambda now: now.uses_chat and now.llm.model == model.name
        )

    return JSONResponse({"settings": await state.pool.run(caller, work)})


@router.delete("/chosen", summary="Answer with the built-in reader again", status_code=204)
async def answer_with_reader(request: Request, state: State, caller: Admin) -> Response:
    """Take the model out of kohaku.toml; the built-in reader answers the next question."""
    check_at_this_machine(request, state, caller)
    await state.pool.run(caller, lambda: _changed(state, let_reader_answer, lambda now: not now.uses_chat))
    return Response(status_code=204)


def _listed(choice: LocalModelChoice) -> FoundModel:
    """Return a model as it was listed, looked for anew; raises Problem where it is another one now."""
    model = local_servers.find_again(choice.name, choice.base_url, choice.digest)
    if model is None or model.is_embedding:
        raise Problem(409, f"{choice.name!r} at {choice.base_url!r} is not what was listed; list the models again")
    return model


def _changed(
    state: ServerState, write: Callable[[Path | None], _Written], is_as_meant: Callable[[Settings], bool]
) -> _Written:
    """Write into kohaku.toml and answer by it; what is not as meant then is written back, and raises Problem."""
    loaded = state.project.loaded
    before = loaded.file.read_bytes() if loaded.file is not None else b""
    try:
        written = write(loaded.file)
        changed = reload_settings(loaded)
    except SettingsError as error:
        _restore(loaded.file, before)
        raise Problem(409, str(error)) from error
    if not is_as_meant(changed.settings):
        _restore(loaded.file, before)
        raise Problem(409, "--set or an environment variable says what answers; start the server without it")
    state.assistants.change(Project(changed))
    return written


def _restore(file: Path | None, content: bytes) -> None:
    if file is not None and file.read_bytes() != content:
        write_atomically(file, lambda temporary: temporary.write_bytes(content))


def is_at_this_machine(request: Request, state: ServerState, caller: Principal) -> bool:
    """Return whether a caller may choose what answers: an administrator at the machine of a server that it alone reaches."""
    is_here = state.is_loopback and not is_forwarded(request.headers)
    return is_here and caller.may("admin") and caller.org_id == state.project.settings.corpus.org_id


def model_in_use(settings: Settings) -> str | None:
    """Return the model of a server on this machine that answers now; None where there is none."""
    address = urlsplit(settings.llm.base_url or "").hostname or ""
    return settings.llm.model if settings.uses_chat and is_loopback(address) else None


def check_at_this_machine(request: Request, state: ServerState, caller: Principal) -> None:
    """Refuse whoever may not choose what answers.

    Raises:
        Problem: The server listens to other machines, a proxy passed the request on, or the caller is of another organisation.
    """
    if not is_at_this_machine(request, state, caller):
        raise Problem(403, "models are found and chosen at this machine alone, not by a proxy; run 'kohaku models'")
