"""The files named by a project's settings: listed and hashed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_lib.digests import digest, table_digest
from kohaku_lib.errors import InputFileError
from kohaku_lib.storage import HashMemo
from kohaku_lib.tables import StageReport

if TYPE_CHECKING:
    from kohaku_lib.documents import CorpusFiles, PayloadIds
    from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists
    from kohaku_lib.documents.corpus.files import KnownFile
    from kohaku_lib.documents.corpus.removals import Removals
    from kohaku_lib.settings import CorpusSettings, DocumentsSettings


class UserFiles:
    """The documents, metadata and questions of `corpus`; their hashes are cached in the folder `cache`.

    With `rehash`, cached hashes are ignored, and what needed more time or memory is tried again. With `known_only` no file is
    parsed: what is attached to a new one stays unlisted. `removals` tells which files are not read, and which have come by
    HTTP; what is attached to files is listed under the limits of `documents`. `before` returns the files that were listed
    last, which stay where their folder or link is away as a whole, None for those that do not.
    """

    def __init__(
        self,
        corpus: CorpusSettings,
        cache: Path,
        *,
        rehash: bool = False,
        known_only: bool = False,
        removals: Removals | None = None,
        documents: DocumentsSettings | None = None,
        before: Callable[[], Mapping[str, KnownFile | None]] = dict,
    ) -> None:
        self._corpus, self._cache, self._rehash, self._removals = corpus, cache, rehash, removals
        self._known_only, self._documents, self._before = known_only, documents, before

    @cached_property
    def sources(self) -> tuple[pa.Table, StageReport]:
        """The files of the corpus (SOURCE_FILES) and the problems with them.

        Raises:
            InputFileError: The documents or the metadata cannot be read.
        """
        from kohaku_lib.documents import list_sources

        corpus = self._corpus
        if corpus.documents is None and not (corpus.use_citations and corpus.metadata):
            msg = (
                "corpus.documents is not set, so there is nothing to read; change to a folder with a kohaku.toml, create "
                "one with 'kohaku init', or set it there or with --set"
            )
            raise InputFileError(msg)
        try:
            return list_sources(corpus, self.sha256, self.payload_ids, self.files, self.is_upload, self.attachments)
        finally:
            self.save()

    @cached_property
    def files(self) -> CorpusFiles:
        """The files in corpus.documents, and those that stay though they are out of reach.

        Raises:
            InputFileError: The folder cannot be read, and no file of it is known.
        """
        left_out = self._removals.left_out() if self._removals else {}
        files = self._with_kept(left_out)
        paths = {path: path.relative_to(self._corpus.documents or Path()).as_posix() for path in files.paths}
        present = set(paths.values())
        files.skipped.update({name: why for name, why in left_out.items() if _leads_to(name, present)})
        kept = [path for path, name in paths.items() if name not in left_out]
        return replace(files, paths=kept, left_out=frozenset(left_out))

    def _with_kept(self, left_out: Collection[str]) -> CorpusFiles:
        from kohaku_lib.documents import CorpusFiles, corpus_files
        from kohaku_lib.documents.corpus.missing_roots import with_kept

        listed = self._before()
        before = {name: known for name, known in listed.items() if known is not None and name not in left_out}
        try:
            files = corpus_files(self._corpus)
        except InputFileError:
            if not listed:
                raise
            files = CorpusFiles()
        folder = self._corpus.documents
        return files if folder is None else with_kept(files, folder, before, self.sha256)

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence on each place that is away as a whole; none before the files are listed."""
        files: CorpusFiles | None = self.__dict__.get("files")
        return tuple(f"{place}: {files.skipped[place]}" for place in files.away) if files else ()

    @property
    def digests(self) -> Mapping[str, Callable[[], str]]:
        """The digest of the user files of each stage that reads some, by stage name."""
        return {"source_files": lambda: table_digest(self.sources[0]), "questions": self._questions_digest}

    def sha256(self, path: Path) -> str:
        """Return the SHA-256 of a file; it is read only if its size or one of its times has changed."""
        return self._memo.sha256(path)

    def is_known(self, path: Path) -> bool:
        """Return whether a file is as it was when it was last read, by its size and times."""
        return self._memo.is_known(path)

    @cached_property
    def payload_ids(self) -> PayloadIds:
        """The document ids declared inside payload files."""
        from kohaku_lib.documents import PayloadIds

        return PayloadIds(self._cache / "payload_ids.json")

    @cached_property
    def attachments(self) -> AttachmentLists:
        """What is attached to files."""
        from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists

        path = self._cache / "attachments.json"
        return AttachmentLists(path, self._documents, afresh=self._rehash, known_only=self._known_only)

    def is_upload(self, path: str) -> bool:
        """Return whether the file at a path has come by HTTP."""
        known = self.files.kept.get(path)
        return self._removals is not None and self._removals.is_upload(path, known.sha256 if known else None)

    def save(self) -> None:
        """Save the caches for the next run."""
        self._memo.save()
        if "payload_ids" in self.__dict__:
            self.payload_ids.save()
        if "attachments" in self.__dict__:
            self.attachments.save()

    @cached_property
    def _memo(self) -> HashMemo:
        return HashMemo(self._cache / "file_hashes.json", afresh=self._rehash)

    def _questions_digest(self) -> str:
        """Return the digest of the questions file, and of the accepted questions if there are any."""
        accepted = self._corpus.accepted_questions
        own = self._own_questions_digest()
        return digest([own, self._memo.sha256(accepted)]) if accepted.is_file() else own

    def _own_questions_digest(self) -> str:
        path = self._corpus.questions
        if path is None:
            return "none"
        if not path.is_file():
            msg = f"corpus.questions names {str(path)!r}, which is not a file; correct the path or remove the setting"
            raise InputFileError(msg)
        return self._memo.sha256(path)


def _leads_to(name: str, present: Set[str]) -> bool:
    """Return whether a path is that of a file or of what is attached to one."""
    path = PurePosixPath(name)
    return any(place.as_posix() in present for place in (path, *path.parents))
