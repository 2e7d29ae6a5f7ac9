"""An open index: nodes, vectors and terms of one immutable version. Thread-safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from kohaku_lib.errors import StoreError
from kohaku_lib.index.bm25.lexical_index import LexicalIndex
from kohaku_lib.index.file_paths import path_without_ending
from kohaku_lib.index.filters import SearchFilter, allowed_nodes
from kohaku_lib.index.graph import GraphIndex
from kohaku_lib.index.groups import GroupIndex
from kohaku_lib.index.late import TokenIndex
from kohaku_lib.index.snapshots.arrow_files import map_table
from kohaku_lib.index.snapshots.rebuilding import rebuild_caches
from kohaku_lib.index.snapshots.snapshot_checks import CACHES, FILES, raise_damage, sealed_meta, snapshot_damage
from kohaku_lib.index.snapshots.snapshot_files import (
    DATABASE,
    DOCUMENTS_FILE,
    GRAPH_FOLDER,
    LATE_FOLDER,
    LEXICAL_FOLDER,
    LIGHTRAG_FOLDER,
    META,
    NODES_FILE,
    RAPTOR_FOLDER,
    matrix_path,
    rows_path,
)
from kohaku_lib.index.snapshots.snapshot_use import hold_open
from kohaku_lib.index.titles import TitleIndex
from kohaku_lib.index.vectors.search_order import document_numbers, section_numbers
from kohaku_lib.index.vectors.vector_search import VectorSearch, open_search
from kohaku_lib.settings import VectorsSettings
from kohaku_lib.storage.file_checks import FileChecks
from kohaku_lib.storage.matrix_files import map_matrix

if TYPE_CHECKING:
    import duckdb

Engine = TypeVar("Engine")
_PAGE = re.compile(r"Page \d+")


class Snapshot:
    """One read-only index version. Nodes are addressed by their row in `nodes`; parents precede their children.

    Opening maps the nodes and matrices and reads almost nothing; processes share the pages, and threads may share the
    object. While it is open, `prune` does not remove its folder. Access to a part with a file in `damage` raises StoreError;
    the other parts work.
    """

    def __init__(self, folder: Path, damage: Mapping[str, str]) -> None:
        self.folder, self._damage = folder, damage
        self.version = folder.name
        hold_open(self, folder)
        self.meta: dict[str, Any] = {
            name: value for name, value in sealed_meta(folder).items() if name not in (FILES, CACHES)
        }
        self.nodes = map_table(folder / NODES_FILE)
        self.documents = map_table(folder / DOCUMENTS_FILE)
        self._allowed: dict[SearchFilter, np.ndarray | None] = {}
        self._matrices: dict[str, np.ndarray] = {}
        self.parent_rows = self.nodes.column("parent_row").to_numpy()
        self.sentences = int(self.meta["search_sentences"])
        self.searched = self.sentences + int(self.meta["search_paragraphs"])
        main = self.space_rows("main").slice(0, self.searched)
        self.search_rows = main.column("node_row").to_numpy()
        self.search_norm_ok = np.asarray(main.column("norm_ok").to_numpy(), bool)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a new read-only DuckDB connection to the tables; the caller closes it."""
        import duckdb

        self._raise_damage(DATABASE)
        return duckdb.connect(self.folder / DATABASE, read_only=True)

    def row_of(self, node_id: str) -> int:
        """Return the row of a node in `nodes`; raises KeyError if unknown."""
        return self._row_by_id[node_id]

    def get_nodes(self, node_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return the nodes of these ids, in their order, as dicts; raises KeyError for an unknown id."""
        return self.nodes.take(pa.array(map(self.row_of, node_ids), pa.int32())).to_pylist()

    def parents(self, row: int, depth: int) -> list[int]:
        """Return the rows of up to `depth` ancestors, nearest first."""
        found: list[int] = []
        parents = self._parent_list
        while len(found) < depth and (row := parents[row]) >= 0:
            found.append(row)
        return found

    def children(self, row: int) -> list[int]:
        """Return the rows of the children of a node, in order."""
        order, sorted_parents = self._children_by_parent
        # A search for numbers of another type would convert all parents.
        start, end = np.searchsorted(sorted_parents, np.array([row, row + 1], sorted_parents.dtype))
        return order[start:end].tolist()

    def column(self, name: str, rows: Sequence[int] | np.ndarray) -> list[Any]:
        """Return the values of one column of `nodes` at these rows, in their order."""
        return self.nodes.column(name).take(pa.array(rows, pa.int32())).to_pylist()

    def vectors(self, space: str = "main") -> np.ndarray:
        """Return the vectors of a space, (n, dim) float32, memory-mapped; row i belongs to row i of `space_rows`."""
        self._raise_damage(f"vectors.{space}.")
        if space not in self._matrices:
            self._matrices[space] = map_matrix(matrix_path(self.folder, space))
        return self._matrices[space]

    def space_rows(self, space: str) -> pa.Table:
        """Return node_id, norm_ok and node_row of each vector of a space, in the order of `vectors`."""
        path = rows_path(self.folder, space)
        self._raise_damage(path.name)
        return map_table(path)

    @cached_property
    def search(self) -> VectorSearch:
        """Dense search over the searched rows of the main space."""
        self._raise_damage("vectors.main.")
        settings = VectorsSettings(**self.meta["vectors"])
        return open_search(self.folder, self.sentences, self.search_norm_ok, settings)

    def allowed(self, where: SearchFilter) -> np.ndarray | None:
        """Return which searched rows match `where`, (searched,) bool; None if all do."""
        if where not in self._allowed:
            nodes = allowed_nodes(where, self.nodes, self.documents)
            self._allowed[where] = None if nodes is None else nodes[self.search_rows]
        return self._allowed[where]

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The BM25 index of the searched nodes."""
        self._raise_damage(f"{LEXICAL_FOLDER}/")
        counts = (self.sentences, self.searched - self.sentences)
        return LexicalIndex(self.folder / LEXICAL_FOLDER, counts, self.search_documents, self.search_sections)

    @cached_property
    def graph(self) -> GraphIndex:
        """The entities, mentions and relations."""
        self._raise_damage(f"{GRAPH_FOLDER}/")
        return GraphIndex(self.folder / GRAPH_FOLDER)

    @cached_property
    def raptor(self) -> GroupIndex | None:
        """The summaries with the paragraphs below each; None if the index was built without them."""
        return self._engine(RAPTOR_FOLDER, GroupIndex)

    @cached_property
    def lightrag(self) -> GroupIndex | None:
        """The themes of the graph with the leaves of each; None if the index was built without them."""
        return self._engine(LIGHTRAG_FOLDER, GroupIndex)

    @cached_property
    def late(self) -> TokenIndex | None:
        """The token vectors of the searched nodes; None if the index was built without them."""
        return self._engine(LATE_FOLDER, TokenIndex)

    @cached_property
    def document_titles(self) -> dict[str, str]:
        """Titles by document id."""
        ids, titles = (self.documents.column(name).to_pylist() for name in ("document_id", "title"))
        return dict(zip(ids, titles, strict=True))

    @cached_property
    def document_paths(self) -> dict[str, str]:
        """Paths of files without their endings by document id; empty for a document without a file."""
        ids, paths = (self.documents.column(name).to_pylist() for name in ("document_id", "path"))
        return {one: path_without_ending(path) for one, path in zip(ids, paths, strict=True)}

    @cached_property
    def document_files(self) -> dict[str, str]:
        """Names of files by document id; empty for a document without a file."""
        ids, paths = (self.documents.column(name).to_pylist() for name in ("document_id", "path"))
        return {one: PurePosixPath(path or "").name for one, path in zip(ids, paths, strict=True)}

    @cached_property
    def title_index(self) -> TitleIndex:
        """The titles by document number."""
        _, first_rows = np.unique(document_numbers(self.nodes), return_index=True)
        return TitleIndex([self.document_titles.get(name, "") for name in self.column("document_id", first_rows)])

    @cached_property
    def search_documents(self) -> np.ndarray:
        """The number of the document of each searched row, (searched,) int32."""
        return document_numbers(self.nodes)[self.search_rows]

    @cached_property
    def search_sections(self) -> np.ndarray:
        """The number of the section of each searched row, (searched,) int32."""
        return section_numbers(self.nodes)[self.search_rows]

    @cached_property
    def search_row_of_node(self) -> np.ndarray:
        """The searched row of each node row, (nodes,) int32; -1 if the node is not searched."""
        result = np.full(self.nodes.num_rows, -1, np.int32)
        result[self.search_rows] = np.arange(self.searched, dtype=np.int32)
        return result

    @cached_property
    def search_parents(self) -> np.ndarray:
        """The searched row of the parent of each searched row, (searched,) int32; -1 if it is not searched."""
        parents = self.parent_rows[self.search_rows]
        return np.where(parents >= 0, self.search_row_of_node[parents], -1)

    def headings(self, rows: Sequence[int]) -> list[str]:
        """Return the headings above nodes, outermost first; empty where there are none but the document's title.

        A PDF without headings has a section "Page N" for each page, which is no heading of its own.
        """
        titles, columns = self.document_titles, ("title", "document_id", "page")
        found = zip(*(self.column(name, rows) for name in columns), strict=True)
        return [
            "" if not heading or heading == titles.get(document_id) or (page and _PAGE.fullmatch(heading)) else heading
            for heading, document_id, page in found
        ]

    def text(self, row: int) -> str:
        """Return the text of one node."""
        return self._texts[row].as_py()

    def kind(self, row: int) -> str:
        """Return the kind of one node: document, section, paragraph or sentence."""
        return self._kinds[row].as_py()

    def tokens(self, row: int) -> int:
        """Return the estimated number of tokens of one node."""
        return int(self._token_counts[row])

    def _engine(self, folder: str, kind: Callable[[Path], Engine]) -> Engine | None:
        self._raise_damage(f"{folder}/")
        return kind(self.folder / folder) if (self.folder / folder).is_dir() else None

    def _raise_damage(self, begins: str) -> None:
        raise_damage(self.folder, self._damage, (begins,))

    @cached_property
    def _parent_list(self) -> list[int]:
        return self.parent_rows.tolist()  # item access in a NumPy array is several times slower

    @cached_property
    def _texts(self) -> pa.Array:
        return self.nodes.column("text").combine_chunks()

    @cached_property
    def _kinds(self) -> pa.Array:
        return self.nodes.column("kind").combine_chunks()

    @cached_property
    def _token_counts(self) -> np.ndarray:
        return self.nodes.column("token_count").to_numpy()

    @cached_property
    def _row_by_id(self) -> dict[str, int]:
        return {node_id: row for row, node_id in enumerate(self.nodes.column("node_id").to_pylist())}

    @cached_property
    def _children_by_parent(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.parent_rows, kind="stable")
        return order, self.parent_rows[order]


def open_snapshot(folder: Path, index_version: str) -> Snapshot:
    """Open the snapshot `folder/index_version` for reading; lost or changed copies of its vectors are rebuilt first.

    Raises:
        StoreError: It is missing, or its nodes are damaged.
    """
    path = folder / index_version
    if not path.is_dir():
        msg = f"there is no index {index_version!r} in {str(folder)!r}; build it with 'kohaku refresh vector_tables'"
        raise StoreError(msg)
    checks = FileChecks(folder)
    damage = snapshot_damage(path, checks)
    raise_damage(path, damage, (META, NODES_FILE, DOCUMENTS_FILE, rows_path(path, "main").name))
    try:
        return Snapshot(path, damage | rebuild_caches(path, checks))
    except (OSError, KeyError, ValueError) as error:  # Arrow's errors are ValueErrors
        msg = f"the index {index_version!r} in {str(folder)!r} is damaged ({error}); run 'kohaku doctor'"
        raise StoreError(msg) from error
