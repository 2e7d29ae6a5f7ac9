"""Sentences that readers stumbled over stay out of the page, of what the command line says, and of the documentation."""

from pathlib import Path

import click
import pytest

import kohaku_assets
import kohaku_lib
from kohaku_assets.cli import VERBS, main

ROOT = Path(__file__).parents[1]
PACKAGE = Path(kohaku_assets.__file__).parent
GENERATED = {"sources.md"}  # sentences of papers
ODD = {
    "Questions to look at": "Questions to review",
    "Settings that change while it runs": "Settings of the running server",
    "What they took": "Time and cost",
    "it has no cost": "the cost is unknown",
    "answered from memory": "answered before",
    "again from memory": "the same answer again",
    "aus dem Gedächtnis": "schon einmal beantwortet",
    "Fassung des Index": "Index-Version",
    "gescheitert": "nicht lesbar",
    "as the settings say": "as set in kohaku.toml",
    "whose bytes are the same": "same content as",
    "without rows:": "leave it out",
    "written out, as": "shown as",
    "Only the loopback is asked": "Only this machine is asked",
    "until Ctrl-C or SIGTERM": "Ctrl-C ends it",
    "It goes on until Ctrl-C": "Ctrl-C ends it",
    "by rules in the sample, by a small model": "measured, with a link",
    "Two commands": "their number",
    "of a model that was listed has another": "gets another id",
    "organisation who asks": "organisation that asks",
    "that the metadata names by url": "whose addresses are in metadata.csv",
    "Bring everything that is out of date up to date": "Read new and changed documents",
    "are told as near copies": "are listed as near copies",
    "the stale and missing assets among": "what is out of date",
    "what is accepted gates": "accepted answers test",
    "What is given for": "no such suggestion",
    "Use again": "Include again",
    "Making them searchable": "Making the documents searchable",
    "Compute ASSETS anew": "Compute STEPS anew",
    "ASSETS and what they need": "STEPS are computed alone, with what they need",
    "lines in no node": "lines left out",
    "Citations that were taken off, as no": "One citation was taken off, as no",
    "need keys.": "needs keys",
    "must stay the same": "without a change",
    "documents are asked": "Answers come from some documents only",
    "Dokumente werden gefragt": "Geantwortet wird nur aus",
    "eingebauter Leser": "dem eingebauten Leser",
    "Wieder verwenden": "Wieder aufnehmen",
    "a file of yours you delete first": "delete a file of your own folder yourself before",
}


def helps():
    """The help of the command line and of each of its verbs, in the context that they have there."""
    root = main.make_context("kohaku", [], resilient_parsing=True)
    yield main.get_help(root)
    for verb in VERBS:
        yield verb.command.get_help(click.Context(verb.command, parent=root, info_name=verb.name))


@pytest.fixture(scope="module")
def told():
    """All that a reader of the page, of --help and of the documentation sees, and the messages in the code of the verbs."""
    documentation = [ROOT / "README.md", *(path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED)]
    page = [path for path in (PACKAGE / "server" / "page").iterdir() if path.suffix in {".js", ".html"}]
    library = Path(kohaku_lib.__file__).parent
    page += [*(library / "documents" / "viewer").glob("*.j2"), *(library / "suggestions").glob("*.py")]
    page += (library / "answering" / "cited").glob("*.py")
    messages = [*(PACKAGE / "cli").rglob("*.py"), *(PACKAGE / "operations").rglob("*.py")]
    read = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (*documentation, *page, *messages)
    }
    texts = read | {f"help {number}": text for number, text in enumerate(helps())}
    assert len(texts) > 100
    return {name: " ".join(text.split()) for name, text in texts.items()}


@pytest.mark.parametrize("odd", ODD)
def test_a_sentence_that_was_odd_is_said_in_plainer_words(told, odd):
    assert [name for name, text in told.items() if odd.strip().lower() in text.lower()] == [], ODD[odd]
