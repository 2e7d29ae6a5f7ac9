"""Checks before the first stage runs that documents, columns, keys, prices and models are available."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Literal

from kohaku_assets.components.index_models import make_describer
from kohaku_assets.pipeline.effective_values import graph_extractor
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.answering import read_questions
from kohaku_lib.documents.corpus.registry import READY
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.embedding.encoder_selection import check_at_hand
from kohaku_lib.embedding.model_folder import check_folder
from kohaku_lib.errors import InputFileError, ModelError, SettingsError
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.llm.spending import no_price
from kohaku_lib.project import OpenProject
from kohaku_lib.project.chat_models import make_chat
from kohaku_lib.project.index_parts import make_answerer
from kohaku_lib.project.retrievers import make_refine_dependencies
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval.rerank import asks_chat
from kohaku_lib.settings import Settings

ANSWERING = ("query_plans", "retrieved_context", "predictions")  # the stages that answer a file of questions


def check_inputs(project: Project, stages: Collection[str]) -> list[str]:
    """Return warnings about the project files that `stages` read.

    Raises:
        InputFileError: There is no document that can be read, or the questions file is invalid.
    """
    corpus = project.settings.corpus
    statuses = project.user_files.sources[0]["status"].to_pylist() if "documents" in stages else [READY]
    if READY not in statuses:
        others = len(project.user_files.files.paths) + len(project.user_files.files.skipped)
        but = f"; {others} files in it are not supported, see 'kohaku documents'" if others else ""
        msg = (
            f"corpus.documents = {str(corpus.documents)!r} contains no file that Kohaku reads{but}; put documents there or "
            "set another folder"
        )
        raise InputFileError(msg)
    if corpus.questions is None or not {"questions", "scores"} & set(stages):
        return []
    from kohaku_lib.evaluation.unknown_references import unknown_truth

    questions, _ = read_questions(corpus.questions)
    return unknown_truth(questions, project.user_files.sources[0]["document_id"].to_pylist())


def checked_session(project: Project, stages: Collection[str]) -> Session:
    """Return the session of a new run, after `check_requirements` of `stages`."""
    run = Run(project)
    check_requirements(run, stages)
    return run.session


def open_checked(project: Project, stages: Collection[str] = ANSWERING[:2]) -> OpenProject:
    """Open the published index of a project for questions, after `check_requirements` of `stages`.

    Raises:
        StoreError: There is no published index.
    """
    run = Run(project)
    opened = OpenProject(run.session)
    check_requirements(run, stages)
    return opened


def check_requirements(run: Run, stages: Collection[str]) -> None:
    """Check that the keys, prices and models that `stages` need are available.

    The only network access is a check that the Hugging Face hub is reachable if a model must be downloaded.

    Raises:
        SettingsError: A key, a price or a model is missing.
        InputFileError: A file is missing.
    """
    try:
        for stage, checks in _CHECKS.items():
            for check in checks if stage in stages else ():
                check(run)
        _check_prices(run.settings, stages)
    except ModelError as error:  # nothing has run yet, so this is a settings error and not a failed run
        raise SettingsError(str(error)) from error


def _check_ocr(run: Run) -> None:
    if run.settings.documents.ocr not in ("auto", "off"):
        open_engine(run.settings.documents)


def _check_describer(run: Run) -> None:
    make_describer(run.session)


def _check_embedding(run: Run) -> None:
    check_at_hand(run.settings.embedding)


def _check_extractor(run: Run) -> None:
    if graph_extractor(run.settings) == "chat":
        make_chat(run.session)


def _check_summariser(run: Run, section: Literal["raptor", "lightrag"]) -> None:
    if getattr(run.settings, section).summariser == "chat":
        make_chat(run.session)


def _check_planner(run: Run) -> None:
    if run.settings.planner.kind != "rule":
        make_chat(run.session)


def _check_refine_dependencies(run: Run) -> None:
    make_refine_dependencies(run.session, partial(make_chat, run.session))
    rerank = run.settings.rerank
    if rerank.kind == "local" and rerank.local_model:
        check_folder(rerank.local_model, setting="rerank.local_model")


def _check_answerer(run: Run) -> None:
    settings = run.settings
    if settings.uses_chat and settings.llm.provider is not None:
        check = PROVIDERS.get(settings.llm.provider).check
        if check is not None:
            check(settings.llm)
    if settings.answerer != "reader":
        make_answerer(run.session)


_CHECKS: dict[str, tuple[Callable[[Run], object], ...]] = {
    "documents": (_check_ocr,),
    "image_captions": (_check_ocr, _check_describer),
    "knowledge_graph": (_check_extractor,),
    "sentence_embeddings": (_check_embedding,),
    "paragraph_embeddings": (_check_embedding,),
    "image_embeddings": (_check_embedding,),
    "raptor_summaries": (_check_embedding, partial(_check_summariser, section="raptor")),
    "token_vectors": (_check_embedding,),
    "lightrag_themes": (_check_embedding, partial(_check_summariser, section="lightrag")),
    "query_plans": (_check_planner,),
    "retrieved_context": (_check_refine_dependencies,),
    "predictions": (_check_answerer,),
}


def _check_prices(settings: Settings, stages: Collection[str]) -> None:
    llm = settings.llm
    if llm.max_cost_usd is None or llm.provider is None or PROVIDERS.get(llm.provider).server is None:
        return
    for model in _called_models(settings, stages):
        if model not in llm.known_prices:
            raise no_price(model)


def _called_models(settings: Settings, stages: Collection[str]) -> Iterator[str]:
    models = {
        "image_captions": settings.images.captions == "vision" and (settings.images.caption_model or True),
        "knowledge_graph": graph_extractor(settings) == "chat" and (settings.graph.model or True),
        "raptor_summaries": settings.raptor.summariser == "chat" and (settings.raptor.model or True),
        "lightrag_themes": settings.lightrag.summariser == "chat" and (settings.lightrag.model or True),
        "query_plans": settings.planner.kind != "rule" and (settings.planner.model or True),
        "retrieved_context": asks_chat(settings.rerank, has_chat=True) and (settings.rerank.chat_model or True),
        "predictions": True,
    }
    for stage, model in models.items():
        if stage in stages and model:
            yield settings.llm.model if model is True else model
