"""Loads models while Dagster gets ready to run the steps that ask them: their unpacking needs no Python thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial

from kohaku_assets.project import Project


def warm_up(project: Project, names: Collection[str]) -> threading.Thread | None:
    """Begin to load the models that the stages `names` are going to ask, and return the thread that does; None without.

    What cannot be loaded is told by the stage that needs it, so errors end the thread and nothing else.
    """
    loads = list(_loads(project, names))
    if not loads:
        return None

    def load() -> None:
        for one in loads:
            with suppress(Exception):
                one()

    thread = threading.Thread(target=load, name="kohaku-warm-up", daemon=True)
    thread.start()
    return thread


def _loads(project: Project, names: Collection[str]) -> Iterator[Callable[[], object]]:
    from kohaku_lib.documents.language import load_language_model
    from kohaku_lib.embedding.encoder import encoder_for

    if "documents" in names:
        yield load_language_model
    # Even where all vectors are known, they are kept by the precision of the encoder.
    if {"sentence_embeddings", "paragraph_embeddings"} & set(names) and project.settings.engine.kind != "ray":
        yield partial(encoder_for, project.settings.embedding)
