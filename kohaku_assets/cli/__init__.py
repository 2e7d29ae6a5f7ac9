"""The `kohaku` command: one thin function per verb, each imported only when it is called."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from kohaku_assets.cli.shared.terminal import guard_logs, visible
from kohaku_lib.registry import Registry


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb with its line of help, under the heading of its group.

    `load` imports and returns its command: by default VERB_command of the file VERB.py in the folder of its group.
    """

    name: str
    help: str
    group: str = "other"
    load: Callable[[], click.Command] | None = None

    @property
    def command(self) -> click.Command:
        """The command, imported now."""
        if self.load is not None:
            return self.load()
        name = self.name.replace("-", "_")
        return getattr(importlib.import_module(f"{__name__}.{self.group}.{name}"), f"{name}_command")


VERBS: Registry[Verb] = Registry("verb")

HEADINGS = {
    "project": "Your project",
    "asking": "Questions",
    "serving": "Server and its users",
    "evaluating": "Files of answers",
    "experimenting": "Experiments",
    "inspecting": "Documents and index",
    "storing": "Store",
    "other": "Other",
}

_VERBS = {
    "project": {
        "init": "Make a new project folder.",
        "fetch": "Download the documents whose addresses are in metadata.csv.",
        "refresh": "Read new and changed documents, and compute what is out of date.",
        "watch": "Keep the index up to date while documents change.",
        "ui": "Open the project in Dagster.",
        "status": "List what is out of date, and why.",
        "documents": "List every document: read, not read yet, failed or left out, and why.",
        "settings": "Print every setting, its value and where it came from.",
        "models": "Find language models on this machine, try one, and choose one.",
    },
    "asking": {
        "ask": "Answer one question from the published index.",
        "chat": "Hold a conversation over the published index.",
        "search": "List the passages that fit best, without a language model.",
        "debug": "Show how one answer came about, attempt by attempt.",
    },
    "serving": {
        "serve": "Serve the page, the HTTP API, the OpenAI protocol and MCP.",
        "mcp": "Answer a program that starts this, by the Model Context Protocol.",
        "keys": "Add, list, revoke and confirm the keys of the server.",
        "review": "Review questions of users; accepted answers test the next index.",
        "usage": "Count the questions that were asked, by month.",
    },
    "evaluating": {
        "retrieve": "Write the passages that are found for each question.",
        "answer": "Write an answer for each question.",
        "vote": "Join several files of answers into one.",
        "vote-policies": "Score every way to join files of answers.",
        "score": "Score a file of answers against the truth.",
        "compare": "Compare answers with others, or show why one changed.",
        "report": "Write what went wrong with answers as a page with pictures.",
        "history": "List earlier states of the project that can be compared.",
        "evaluate-retrieval": "Measure whether the right documents and quotes are found.",
        "calibrate-rerank": "Record what relevant snippets score, by a file of true answers.",
        "bundle": "Pack the current answers so that anyone can score them again.",
        "replay": "Score a bundle of answers again.",
    },
    "experimenting": {
        "sweep": "Try every combination of two settings, and test which is best.",
        "experiment": "Run and measure an experiment, or list all of them.",
        "import-experiment": "Record answers that were given elsewhere as an experiment.",
        "leaderboard": "Rank files of answers on the public and the private part of a truth.",
        "context-lengths": "Compare the length of contexts by snippet deduplication.",
    },
    "inspecting": {
        "parse": "Parse files and print what was found in them.",
        "stats": "Count what the index holds.",
        "inspect": "Show one node with its parent and children.",
        "graph": "Show the aliases, mentions and relations of a name.",
        "export-graph": "Write the graph of names into Postgres, for a graph server.",
        "tokens": "Count the tokens of documents and contexts.",
        "map": "Draw the vectors of the index on a plane.",
        "check-citations": "Check ids, addresses and quotes of all that is cited.",
    },
    "storing": {
        "snapshots": "List index versions, publish one or roll back.",
        "import-kohakuvault": "Import an index that KohakuRAG wrote.",
        "ledger": "Sum up the calls of language models.",
        "batches": "List the batches of calls, wait for them or cancel them.",
        "doctor": "Find damaged files of the store and mend them.",
        "gc": "Remove files that no current output needs.",
        "backup": "Back up the store into a folder or a bucket.",
        "restore": "Restore the store from a backup.",
    },
}
for _group, _verbs in _VERBS.items():
    for _name, _help in _verbs.items():
        VERBS.register(Verb(_name, _help, _group))


class LazyGroup(click.Group):
    """A group whose commands are known by name and imported on use, so that `--help` costs nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of a user's day."""
        return list(VERBS.names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one verb, or None where there is none of that name."""
        return VERBS.get(cmd_name).command if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb of the arguments; a misspelt one is answered by those that it may have meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            meant = difflib.get_close_matches(args[0], VERBS.names(), n=2)
            if not meant:
                raise
            msg = f"{error.message} Did you mean {' or '.join(repr(name) for name in meant)}?"
            raise click.UsageError(msg, ctx) from None

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Read the options before the verb."""
        with _visible_messages():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        with _visible_messages():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs with their line of help, group by group."""
        for group, heading in HEADINGS.items():
            verbs = [(verb.name, verb.help) for verb in VERBS if verb.group == group]
            if verbs:
                with formatter.section(heading):
                    formatter.write_dl(verbs)


@contextmanager
def _visible_messages() -> Iterator[None]:
    """Click quotes the arguments it cannot use, and a shell fills in file names."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = visible(error.message)  # final, as a new class would lose how it is shown
        raise


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kohaku", message="%(version)s")
def main() -> None:
    """Answers from your own documents, with citations you can check.

    \b
    First:  kohaku init my-project      a folder for settings and documents
            kohaku refresh              in that folder, after documents were added
            kohaku ask "YOUR QUESTION"  or in the browser: kohaku serve

    Data goes to standard output, messages to standard error. A mistake in the input exits with 2, a failed run
    with 1, a stopped one with 130. Control characters in documents and file names are shown as escapes (\\x1b), also
    in a pipe; --json loses nothing.
    """  # noqa: D301 - \b is for click


def run() -> None:
    """Run the command line and end the process."""
    if sys.platform == "win32":
        sys.exit("kohaku: Windows lacks the signals that limit parsers; run Kohaku in the Windows Subsystem for Linux")
    guard_logs()
    main()
