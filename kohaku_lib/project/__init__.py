"""Question answering over one index: sessions, retrieval and answers, and a project opened for questions."""

from kohaku_lib.answering import Answer
from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.answering.closest.passage import ClosestPassage
from kohaku_lib.project.index_parts import open_engine
from kohaku_lib.project.open_project import OpenProject, SearchHit, open_project
from kohaku_lib.project.published_index import fetch_published_index, open_published_index
from kohaku_lib.project.session import Session
from kohaku_lib.project.stored_tables import StoredTables

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
