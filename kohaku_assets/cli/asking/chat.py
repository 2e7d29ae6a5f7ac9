"""`kohaku chat`: a conversation over the published index."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from kohaku_assets.cli.shared.explaining import say_passage
from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import emit, emit_part, print_json_line, say
from kohaku_assets.cli.shared.spinner import Spinner
from kohaku_assets.cli.shared.terminal import one_line
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.conversation import Assistant, Response

COMMANDS = {
    "/sources": "the sources of the last answer",
    "/why": "how the last answer came about",
    "/level NAME": "basic, standard, enhanced or maximum from now on; without a name as set in kohaku.toml",
    "/set KEY=VALUE": "a setting for this session, such as retrieval.top_k=12; KEY= resets it",
    "/good, /bad": "what you say of the last answer",
    "/right ANSWER": "the last answer is wrong, and this is right",
    "/new": "a new conversation",
    "/quit": "the end",
}


@click.command("chat")
@click.option("--level", help="How much work a question gets: basic, standard, enhanced or maximum.")
@click.option("--session", help="Continue this session.")
@click.option(
    "--mode",
    default="chat",
    help="chat: from the documents; agent: in several searches; vision: with their figures; general: by the model alone.",
)
@click.option(
    "--image",
    "images",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="Show this picture to the model with the first message, in mode vision; repeatable.",
)
@click.option("--org", help="The organisation that asks; needed where the documents belong to several.")
@click.option("--collection", help="Only this collection of metadata.csv.")
@click.option("--folder", help="Only in this folder of the documents.")
@click.option("--json", "as_json", is_flag=True, help="Print each response as one line of JSON.")
@verb('echo "Who maintains the model Gintaras-M?" | kohaku chat')
@with_settings
def chat_command(project: Project, as_json: bool, **choices: Any) -> None:
    """Hold a conversation over the published index: each line of standard input is a message, or a command.

    \b
    /sources  the sources of the last answer
    /why      how the last answer came about
    /level    basic, standard, enhanced or maximum from now on
    /set      KEY=VALUE changes a setting for this session, KEY= resets it
    /good     the last answer is right; /bad: it is wrong; /right ANSWER: it is wrong, and this is right
    /new      a new conversation
    /quit     the end
    """  # noqa: D301 - a sign for click, which a raw string would spell out
    from kohaku_assets.components.preflight import ANSWERING, checked_session
    from kohaku_lib.answering.labels import answerer_name
    from kohaku_lib.conversation import Assistant
    from kohaku_lib.errors import KohakuError

    is_terminal = sys.stdin.isatty()
    with Assistant(checked_session(project, ANSWERING[:2])) as assistant:
        talk = _Talk(project, assistant, choices, as_json=as_json, session_id=choices["session"])
        if is_terminal:
            say(f"answers come from {answerer_name(assistant.settings)}; /help lists the commands")
        for line in _lines(is_terminal=is_terminal):
            try:
                if not talk.take(line):
                    return
            except KohakuError as error:
                if not is_terminal:
                    raise
                say(f"kohaku: {error}")


def _lines(*, is_terminal: bool) -> Iterator[str]:
    """Yield the lines of standard input that are not blank, after a prompt where someone types them."""
    while True:
        if is_terminal:
            emit_part("> ", err=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


@dataclass
class _Talk:
    """A conversation under way: its session, the choices of the user and the last response."""

    project: Project
    assistant: Assistant
    choices: dict[str, Any]
    as_json: bool
    session_id: str | None = None
    last: Response | None = None

    def take(self, line: str) -> bool:
        """Answer a message or obey a command; return whether to go on."""
        name, _, argument = line.partition(" ")
        if not name.startswith("/"):
            self._answer(line)
        elif name == "/quit":
            return False
        elif name in _OBEY:
            _OBEY[name](self, argument.strip())
        else:
            say("the commands are " + "; ".join(f"{command}: {meaning}" for command, meaning in COMMANDS.items()))
        return True

    def _answer(self, message: str) -> None:
        from kohaku_lib.conversation import AssistantRequest

        request = AssistantRequest(
            message=message,
            session_id=self.session_id,
            mode=self.choices["mode"],
            intelligence_level=self.choices["level"],
            org_id=self.choices["org"],
            images=tuple(Path(name).read_bytes() for name in self.choices["images"]),
            collection_filter=self.choices["collection"],
            folder_id=self.choices["folder"],
        )
        with Spinner(hidden=self.as_json) as spinner:

            def show(part: str) -> None:
                spinner.stop()
                emit_part(part)

            shown = (None, None) if self.as_json else (show, spinner.behind(say_passage))
            response = self.last = self.assistant.respond(request, *shown)
        self.session_id = response.session_id
        self.choices["images"] = ()  # the conversation tells of them from now on
        if self.as_json:
            print_json_line(response.as_json())
            return
        emit("")
        if response.question != message:
            say(f"  understood as: {one_line(response.question)}")
        if response.is_answer and response.sources:
            by = f" by {response.answer.answered_by}" if response.answer and response.answer.answered_by else ""
            level = f"{response.confidence_level} ({response.confidence_score:.2f})"
            say(f"  answered{by}, confidence {level}; /sources lists what is cited")
        for question in response.suggested_questions:
            say(f"  ? {one_line(question)}")


def _show_sources(talk: _Talk, argument: str) -> None:
    sources = talk.last.sources if talk.last is not None else ()
    if not sources:
        say("the last answer has no sources")
    for number, source in enumerate(sources, start=1):
        similarity = "" if source.similarity_score is None else f" (similarity {source.similarity_score:.2f})"
        mark = "*" if source.cited else " "
        emit(f"{mark}[{number}] {source.place}{similarity}: {one_line(source.snippet)}")


def _show_why(talk: _Talk, argument: str) -> None:
    response = talk.last
    if response is None:
        say("nothing was asked yet")
        return
    suffices = response.context_sufficiency
    emit(f"understood as: {response.question}")
    emit(f"searched for: {'; '.join(response.trace.get('queries', ())) or 'nothing'}")
    emit(
        f"coverage of the question {suffices.coverage_score:.2f}, missing: {', '.join(suffices.missing_aspects) or 'nothing'}"
    )
    if suffices.has_conflicts:
        emit("the documents contradict each other")
    for claim in response.trace.get("claims", ()):
        emit(f"{'supported' if claim['supported'] else 'NOT SUPPORTED'}: {one_line(claim['text'])}")
    chosen = response.trace.get("settings", {})
    emit(f"settings: {', '.join(f'{key} = {value}' for key, value in chosen.items()) or 'as in kohaku.toml'}")
    emit("ms: " + ", ".join(f"{name} {ms:.0f}" for name, ms in response.timings_ms.items()))


def _set_level(talk: _Talk, argument: str) -> None:
    from kohaku_lib.conversation.request import Level

    if argument and argument not in get_args(Level):
        say(f"a level is one of {', '.join(get_args(Level))}, got {argument!r}")
        return
    talk.choices["level"] = argument or None
    say(f"level: {argument or 'as set in kohaku.toml'}")


def _set_value(talk: _Talk, argument: str) -> None:
    from kohaku_assets.operations.runtime_settings import parsed_changes

    values = parsed_changes(talk.project, [argument])
    talk.session_id = talk.session_id or uuid.uuid4().hex
    kept = talk.assistant.session_settings(talk.session_id, values, org_id=talk.choices["org"])
    say("settings of this session: " + (", ".join(f"{key} = {value}" for key, value in kept.items()) or "none"))


def _praise(talk: _Talk, argument: str) -> None:
    _judge(talk, 1, None)


def _blame(talk: _Talk, argument: str) -> None:
    _judge(talk, -1, argument or None)


def _judge(talk: _Talk, rating: int, correction: str | None) -> None:
    if talk.last is None:
        say("nothing was asked yet")
        return
    talk.assistant.give_feedback(talk.last.answer_id, rating, org_id=talk.choices["org"], correction=correction)
    say("noted")


def _begin_anew(talk: _Talk, argument: str) -> None:
    talk.session_id = talk.last = None
    say("a new conversation begins")


_OBEY: dict[str, Callable[[_Talk, str], None]] = {
    "/sources": _show_sources,
    "/why": _show_why,
    "/level": _set_level,
    "/set": _set_value,
    "/good": _praise,
    "/bad": _blame,
    "/right": _blame,
    "/new": _begin_anew,
}
