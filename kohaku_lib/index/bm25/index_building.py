"""Inverted-index construction in bounded memory: term frequencies are spooled to a file, then written as BM25 scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa

from kohaku_lib.index.bm25.idf import idf
from kohaku_lib.index.bm25.posting_order import POSTING, by_term
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_in
from kohaku_lib.settings import LexicalSettings

_BLOCK_BYTES = 2**17 * POSTING.itemsize


class TermNumbers:
    """Numbers terms by first occurrence, in 12 bytes per term plus the term itself.

    >>> vocabulary = TermNumbers()
    >>> vocabulary.numbers(pa.array(["cat", "dog", "cat"])).tolist(), vocabulary.numbers(pa.array(["dog"])).tolist()
    ([0, 1, 0], [1])
    """

    def __init__(self) -> None:
        self._number_of = RowLookup(np.empty(0, np.int64))
        self._terms: list[pa.Array] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def numbers(self, terms: pa.Array) -> np.ndarray:
        """Return the number of each of `terms`, (n,) int32."""
        encoded = terms.dictionary_encode()
        hashes = hashes_in(encoded.dictionary)
        found = self._number_of.rows(hashes)
        new = np.flatnonzero(found < 0)
        found[new] = self._size + np.arange(len(new))
        self._number_of.add(hashes[new], found[new])
        self._terms.append(encoded.dictionary.take(pa.array(new)))
        self._size += len(new)
        return found[encoded.indices.to_numpy(zero_copy_only=False)]

    def terms(self) -> pa.Array:
        """Return all terms in the order of their numbers."""
        return pa.concat_arrays([pa.array([], pa.string()), *self._terms])

    def save(self, path: Path) -> None:
        """Write the number of each term to the JSON file at `path`."""
        with path.open("w", encoding="utf-8") as stream:
            number = 0
            for terms in self._terms:
                for term in terms.to_pylist():
                    stream.write(f"{', ' if number else '{'}{json.dumps(term, ensure_ascii=False)}: {number}")
                    number += 1
            stream.write("}" if number else "{}")


class Postings:
    """The postings of `texts` texts, in a temporary file at `path` that is deleted on exit.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Postings(Path(folder, "raw"), texts=2) as postings:
    ...     postings.add(np.array([0, 0, 1]), np.array([0, 0, 1]))
    ...     postings.lengths.tolist(), len(postings)
    ([2, 1], 2)
    """

    def __init__(self, path: Path, texts: int) -> None:
        self.lengths = np.zeros(texts, np.int32)  # in terms
        self._in_texts = np.zeros(0, np.int64)  # document frequency of each term
        self._path = path
        self._stream = path.open("w+b")

    def __enter__(self) -> Postings:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._path.unlink()

    def __len__(self) -> int:
        return int(self._in_texts.sum())

    def add(self, texts: np.ndarray, terms: np.ndarray) -> None:
        """Add the term numbers `terms` (n,) of `texts` (n,); all terms of a text must be added in one call."""
        keys, counts = np.unique(texts.astype(np.int64) << 32 | terms, return_counts=True)
        found = np.empty(len(keys), POSTING)
        found["text"], found["term"], found["count"] = keys >> 32, keys & (2**32 - 1), counts
        self.lengths += np.bincount(texts, minlength=len(self.lengths)).astype(np.int32)
        held = np.bincount(found["term"], minlength=len(self._in_texts))
        held[: len(self._in_texts)] += self._in_texts
        self._in_texts = held
        self._stream.write(found.data)

    def in_texts(self, terms: int) -> np.ndarray:
        """Return the document frequency of each of the first `terms` terms, (terms,) int64."""
        found = np.zeros(terms, np.int64)
        found[: len(self._in_texts)] = self._in_texts
        return found

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield all postings (POSTING) in the order of insertion, in blocks."""
        self._stream.seek(0)
        while block := self._stream.read(_BLOCK_BYTES):
            yield np.frombuffer(block, POSTING)

    def save(self, folder: Path, terms: int, settings: LexicalSettings) -> None:
        """Write BM25 in Lucene's form over `terms` terms to `folder`, in the file format of the library bm25s.

        The score of a term in a text is `idf` · tf / (k1 · (1 − b + b · length / mean length) + tf) (Kamphuis et al.,
        "Which BM25 do you mean?", 2020).
        """
        folder.mkdir()
        in_texts = self.in_texts(terms)
        starts = np.concatenate([[0], np.cumsum(in_texts)])
        np.save(folder / "indptr.csc.index.npy", starts.astype(np.int32 if starts[-1] < 2**31 else np.int64))
        with (folder / "data.csc.index.npy").open("wb") as data, (folder / "indices.csc.index.npy").open("wb") as at:
            for stream, kind in ((data, "<f4"), (at, "<i4")):
                head = {"descr": kind, "fortran_order": False, "shape": (int(starts[-1]),)}
                np.lib.format.write_array_header_1_0(stream, head)
            for found in by_term(self.blocks(), in_texts, folder):
                data.write(self._scores(found, in_texts, settings).data)
                at.write(np.ascontiguousarray(found["text"]).data)
        (folder / "params.index.json").write_text(json.dumps(self._parameters(settings), indent=4), encoding="utf-8")

    def _scores(self, found: np.ndarray, in_texts: np.ndarray, settings: LexicalSettings) -> np.ndarray:
        k1, b = settings.k1, settings.b
        rarity = idf(len(self.lengths), in_texts[found["term"]]).astype(np.float32)
        saturation = k1 * ((1 - b) + b * self.lengths[found["text"]] / self.lengths.mean())
        return (rarity * (found["count"] / (saturation + found["count"]))).astype(np.float32)

    def _parameters(self, settings: LexicalSettings) -> dict[str, object]:
        kind = {"method": "lucene", "idf_method": "lucene", "dtype": "float32", "int_dtype": "int32"}
        sizes = {"delta": 0.5, "num_docs": len(self.lengths), "backend": "numpy"}
        return {"k1": settings.k1, "b": settings.b, **kind, **sizes}
