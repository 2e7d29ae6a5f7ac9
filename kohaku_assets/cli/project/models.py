"""`kohaku models`: find language models on this machine, try one, and choose one."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.llm.servers.local_servers import FoundModel

_PATIENCE_S = 20.0
_SHORT_CONTEXT_TOKENS = 1200
_ID_CHARACTERS = 12
_PORT = click.IntRange(1, 65535)


@click.command("models")
@click.option("--port", "ports", type=_PORT, multiple=True, help="Look at this port, too; repeatable.")
@click.option("--test", "tested", metavar="ID", help="Ask a model a question.")
@click.option("--choose", "chosen", metavar="ID", help="Answer, or embed, with it.")
@verb("kohaku models")
@json_option
@with_settings
def models_command(
    project: Project, ports: tuple[int, ...], tested: str | None, chosen: str | None, as_json: bool
) -> None:
    """List the models of servers on this machine: Ollama, LM Studio, llama.cpp, vLLM, or others that speak the OpenAI protocol.

    Only this machine is asked, at the usual ports and those given. --test tells how fast and how well a model answers over a
    context of the usual length, and whether its server cuts the prompt; --choose writes it into kohaku.toml. A model that takes
    the place of another one gets another id.
    """
    from kohaku_lib.llm.servers.local_servers import PORTS, find_models

    found = find_models(tuple(dict.fromkeys((*PORTS, *ports))))
    by_id = {short_id(one): one for one in found}
    for given in (tested, chosen):
        if given is not None and given not in by_id:
            msg = f"there is no model {given!r}; 'kohaku models' lists the ids of the {len(found)} that there are now"
            raise click.BadParameter(msg)
    if tested:
        _test(project, by_id[tested], as_json)
    if chosen:
        _choose(project, by_id[chosen])
    if not (tested or chosen):
        _print_models(found, as_json)


def short_id(model: FoundModel) -> str:
    """Return by what a model is chosen."""
    return model.digest[:_ID_CHARACTERS]


def named_models(found: list[FoundModel]) -> list[str]:
    """Return a line for each model: who serves it, its name and its size.

    >>> from kohaku_lib.llm.servers.local_servers import FoundModel
    >>> named_models([FoundModel("Ollama", "http://127.0.0.1:11434/v1", "qwen3:8b", 4_900_000_000)])
    ['Ollama has qwen3:8b (4.9 GB)']
    """
    return [f"{one.server} has {one.name}" + (f" ({_size(one)})" if one.size_bytes else "") for one in found]


def keys_at_hand() -> list[tuple[str, str]]:
    """Return the providers whose usual environment variable holds a key, each with the variable."""
    from kohaku_lib.llm.providers.interface import PROVIDERS

    variables = ((kind.name, kind.server.key_variable) for kind in PROVIDERS if kind.server is not None)
    return [(name, variable) for name, variable in variables if variable and os.environ.get(variable)]


def _print_models(found: list[FoundModel], as_json: bool) -> None:
    keys = keys_at_hand()
    if as_json:
        print_json({"models": [{"id": short_id(one), **asdict(one)} for one in found], "keys": dict(keys)})
        return
    rows = [
        (
            short_id(one),
            one.server,
            one.name,
            "embeds" if one.is_embedding else "answers",
            _size(one),
            one.context_window,
        )
        for one in found
    ]
    if rows:
        print_table("", ("id", "server", "model", "use", "size", "window"), rows)
        say("try one: kohaku models --test ID; answer with it: kohaku models --choose ID")
    else:
        say("no server with models was found on this machine; the built-in reader needs none")
    for name, variable in keys:
        say(f"{variable} holds a key: llm.provider = {name!r} answers with a model of {name}")


def _test(project: Project, model: FoundModel, as_json: bool) -> None:
    from kohaku_assets.operations.local_models import try_model

    _check_answers(model)
    say(f"{model.name} reads a context of the usual length; on a processor alone this may take minutes")
    tested = try_model(project.settings, model)
    if as_json:
        print_json(asdict(tested) | {"tokens_per_second": tested.tokens_per_second})
        return
    speed = f", {tested.tokens_per_second:.1f} tokens a second" if tested.tokens_per_second else ""
    read = f"; the server read {tested.input_tokens} tokens" if tested.input_tokens else ""
    say(f"{model.name}: {'right' if tested.is_right else 'no right'} answer in {tested.seconds:.1f} s{speed}{read}")
    if tested.seconds > _PATIENCE_S and project.settings.retrieval.context_tokens > _SHORT_CONTEXT_TOKENS:
        say(
            f"a question will take about as long; with retrieval.context_tokens = {_SHORT_CONTEXT_TOKENS} the model reads less "
            f"than the {project.settings.retrieval.context_tokens} tokens of now, and is as much faster"
        )
    if tested.problem:
        say(tested.problem)


def _choose(project: Project, model: FoundModel) -> None:
    from kohaku_assets.operations.local_models import choose

    written: dict[str, Any] = choose(project.loaded.file, model)
    for key, value in written.items():
        say(f"{key} = {value!r}")
    if model.is_embedding:
        say("all texts are embedded anew by the next 'kohaku refresh', which then builds the index")


def _check_answers(model: FoundModel) -> None:
    if model.is_embedding:
        msg = f"{model.name} embeds texts and answers no question; test another one"
        raise click.BadParameter(msg)


def _size(model: FoundModel) -> str:
    return f"{model.size_bytes / 1e9:.1f} GB" if model.size_bytes else ""
