"""`kohaku init`: make a new project folder."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from pathlib import Path

import click

from kohaku_assets.cli.shared.options import PATH, checks_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.own_name import own_name
from kohaku_assets.cli.shared.verb import verb
from kohaku_assets.operations.templates import TEMPLATES


@click.command("init")
@click.argument("folder", type=PATH, default=".")
@click.option("--documents", type=PATH, metavar="DIR", help="A folder of documents to read where it is.")
@click.option(
    "--template",
    type=click.Choice(tuple(TEMPLATES)),
    default="office",
    show_default=True,
    help="office: a folder of files; papers: with metadata and questions; wattbot: the challenge.",
)
@click.option("--models/--no-models", "finds_models", default=True, help="Look for language models on this machine.")
@verb("kohaku init my-project")
@checks_settings
def init_command(folder: Path, documents: Path | None, template: str, finds_models: bool) -> None:
    """Create a project in FOLDER, by default here: kohaku.toml, data/, dagster_home/ and workspace.yaml.

    Where FOLDER holds documents already, you are asked whether to read them where they are, and to begin. Where a server on
    this machine offers a language model, you are asked whether to answer with it.
    """
    from kohaku_assets.operations.scaffold import documents_in, make_project

    found = Counter() if documents or (folder / "kohaku.toml").exists() else documents_in(folder)
    is_asked = bool(found) and sys.stdin.isatty()
    if is_asked and click.confirm(f"{folder} holds {_described(found)}; read them where they are?", True, err=True):
        documents = folder
    made = make_project(folder, template, documents)
    for path in made.paths:
        say(f"created {path}")
    go = f"cd {shlex.quote(str(folder))} && " if folder.resolve() != Path.cwd() else ""
    if finds_models:
        _offer_models(folder, go)
    if found and not is_asked:
        say(f"{folder} holds {_described(found)}, which are not read; to read them there, set in kohaku.toml:")
        say('corpus.documents = "." and store = ".kohaku/store"')
    if is_asked and made.first is None and click.confirm("build the index now?", True, err=True):
        _begin(folder)
        return
    start = f"{made.first}, then: " if made.first else "next: "
    say(f"{start}{go}{own_name()} refresh")
    say(f"then ask in the browser: {own_name()} serve; see the pipeline: {own_name()} ui")


def _offer_models(folder: Path, go: str) -> None:
    """Name the language models of servers on this machine; on a terminal, ask whether the first one is to answer.

    `go` is the command that leads into the folder.
    """
    from kohaku_assets.cli.project.models import keys_at_hand, named_models, short_id
    from kohaku_assets.operations.local_models import choose
    from kohaku_lib.llm.servers.local_servers import find_again, find_models

    found = [one for one in find_models() if not one.is_embedding]
    names = named_models(found)
    if found and sys.stdin.isatty() and click.confirm(f"{names[0]}. Answer with it?", True, err=True):
        first = find_again(found[0].name, found[0].base_url, found[0].digest)
        if first is not None:
            choose(folder / "kohaku.toml", first)
            return
        say(f"{found[0].server} no longer has {found[0].name}; list what there is now: {go}{own_name()} models")
        return
    for name, one in zip(names, found, strict=True):
        say(f"{name}; to answer with it: {go}{own_name()} models --choose {short_id(one)}")
    for provider, variable in keys_at_hand():
        say(
            f"{variable} holds a key; to answer with a model of {provider}, set llm.provider = {provider!r} in kohaku.toml"
        )


def _begin(folder: Path) -> None:
    """Build the index and answer questions until an empty one."""
    from kohaku_assets.cli.asking.ask import ask_command
    from kohaku_assets.cli.project.refresh import refresh_command

    config = ["--config", str(folder / "kohaku.toml")]
    refresh_command.main(config, standalone_mode=False)
    while question := _next_question():
        ask_command.main([*config, "--", question], standalone_mode=False)


def _next_question() -> str:
    """Return what is typed; empty at the end of the input."""
    try:
        return click.prompt("your question (empty to end)", default="", show_default=False, err=True).strip()
    except click.Abort:
        return ""


def _described(found: Counter[str]) -> str:
    """Return the number of documents with the commonest formats.

    >>> _described(Counter({".pdf": 3, ".md": 1}))
    '4 documents (3 .pdf, 1 .md)'
    """
    kinds = ", ".join(f"{number} {suffix}" for suffix, number in found.most_common(4))
    more = ", …" if len(found) > 4 else ""
    return f"{found.total()} document{'s' if found.total() > 1 else ''} ({kinds}{more})"
