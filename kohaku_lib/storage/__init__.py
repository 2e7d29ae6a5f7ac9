"""Persistent storage: stage files, row caches, file hashes and locks."""

from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.caches.cache_parts import Compaction, compact
from kohaku_lib.storage.caches.hash_memo import HashMemo
from kohaku_lib.storage.caches.json_memo import JsonMemo
from kohaku_lib.storage.caches.row_cache import RowCache
from kohaku_lib.storage.caches.user_cache import user_cache_folder
from kohaku_lib.storage.disk_full import is_disk_full, store_error_if_disk_full
from kohaku_lib.storage.file_checks import FileChecks, FileSeal, seal_of
from kohaku_lib.storage.lock import awaited_lock, store_lock
from kohaku_lib.storage.own_files import leftovers
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed
from kohaku_lib.storage.stages.map_documents import PreviousOutput, aligned_windows, map_documents
from kohaku_lib.storage.stages.stage_files import LatestRecord, Origin, StageFiles, StageManifest, WrittenParts
from kohaku_lib.storage.stages.stage_parts import Piece, StagePart, concat_parts, merge_reports, windows
from kohaku_lib.storage.stages.stage_reader import StageReader
from kohaku_lib.storage.store_paths import StorePaths
from kohaku_lib.storage.views import views_damage, write_views

__all__ = [
    "Compaction",
    "FileChecks",
    "FileSeal",
    "HashMemo",
    "JsonMemo",
    "LatestRecord",
    "Origin",
    "Piece",
    "PreviousOutput",
    "RowCache",
    "StageFiles",
    "StageManifest",
    "StagePart",
    "StageReader",
    "StorePaths",
    "WrittenParts",
    "aligned_windows",
    "awaited_lock",
    "compact",
    "concat_parts",
    "is_disk_full",
    "leftovers",
    "map_documents",
    "merge_reports",
    "read_sealed",
    "seal_of",
    "store_error_if_disk_full",
    "store_lock",
    "user_cache_folder",
    "views_damage",
    "windows",
    "write_atomically",
    "write_sealed",
    "write_views",
]
