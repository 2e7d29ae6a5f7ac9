"""Question answering over one index: sessions, retrieval and answers, and a project opened for questions."""

from kohaku_lib.answering import Answer
from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.answering.closest.passage import ClosestPassage
from kohaku_lib.service.index_parts import open_engine
from kohaku_lib.service.open_project import OpenProject, SearchHit, open_project
from kohaku_lib.service.published_index import fetch_published_index, open_published_index
from kohaku_lib.service.session import Session
from kohaku_lib.service.stored_tables import StoredTables

__all__ = [
    "Answer",
    "Citation",
    "ClosestPassage",
    "OpenProject",
    "SearchHit",
    "Session",
    "StoredTables",
    "fetch_published_index",
    "open_engine",
    "open_project",
    "open_published_index",
]
