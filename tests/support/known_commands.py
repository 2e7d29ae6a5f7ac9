"""What the command line knows, for tests of the commands that texts name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from kohaku_assets.cli import main


def unknown_parts(words: Sequence[str]) -> list[str]:
    """Return the verb or the options of a command that the command line does not know.

    >>> unknown_parts(["refresh", "--force", "all"]), unknown_parts(["ask", "--loud"]), unknown_parts(["sing"])
    ([], ['--loud'], ['sing'])
    """
    context = main.make_context("kohaku", [], resilient_parsing=True)
    command = main.get_command(context, words[0])
    if command is None:
        return [words[0]]
    if isinstance(command, click.Group) and len(words) > 1 and not words[1].startswith("-"):
        command = command.get_command(context, words[1])
    if command is None:
        return [words[1]]
    known = {
        option for parameter in command.get_params(context) for option in parameter.opts + parameter.secondary_opts
    }
    return [word for word in words if word.startswith("--") and word not in known]


def all_options() -> set[str]:
    """Return the options of all verbs.

    >>> {"--set", "--help", "--no-models"} <= all_options(), "--loud" in all_options()
    (True, False)
    """
    context = main.make_context("kohaku", [], resilient_parsing=True)
    return set(_options(main, context))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            own = command.get_command(context, name)
            assert own is not None
            yield from _options(own, click.Context(own, parent=context, info_name=name))
