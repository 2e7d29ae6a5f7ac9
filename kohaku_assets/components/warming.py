"""Preloads models in a thread while Dagster prepares the run; loading releases the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial

from kohaku_assets.pipeline.project import Project


def warm_up(project: Project, names: Collection[str]) -> threading.Thread | None:
    """Start loading the models that the stages `names` use; return the thread, or None if they use no model.

    Errors are ignored here: the stage that needs the model reports that it cannot be loaded.
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
    from kohaku_lib.embedding.encoder_selection import encoder_for

    if "documents" in names:
        yield load_language_model
    # Needed even if all vectors are cached: the cache key contains the precision of the encoder.
    if {"sentence_embeddings", "paragraph_embeddings"} & set(names) and project.settings.parallel.kind != "ray":
        yield partial(encoder_for, project.settings.embedding)
