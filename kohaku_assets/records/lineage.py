"""What made each answer of a project: the outputs that answers were taken from, and every stage behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.records.state_history import present_records
from kohaku_assets.records.usage_tables import usage_path, write_usage_table
from kohaku_lib.errors import StoreError
from kohaku_lib.storage import Origin, StageManifest
from kohaku_lib.storage.answer_views import OUTPUT_STAGES, SOURCES, AnswerFiles

_SERVED = "served_questions"
_ROOTS = ("ensemble_votes", "vector_tables")  # answers of a refresh, and those served from an index
_Output = tuple[str, str]  # stage and input key


def answer_files(project: Project) -> AnswerFiles:
    """Return what the views of answers read: of outputs only those that the project's organisation computed.

    Served questions are written once, if they never were; 'kohaku usage' and the asset of that name write them anew.
    """
    manifests = {(one.stage, one.input_key): one for one in project.files.manifests()}
    origins = _origins(project, manifests)
    behind = {root: _behind(root, manifests, origins) for root in manifests if root[0] in _ROOTS}
    own = {root: found for root, found in behind.items() if _org_id(found, origins) == project.settings.corpus.org_id}
    rows = [_row(root, output, manifests, origins) for root, found in own.items() for output in found]
    read = {output for found in own.values() for output in found if output[0] in SOURCES}
    intact = sorted(output for output in read if project.files.find(*output))
    tables = {name: [project.files.path(*output) for output in intact if output[0] == name] for name in SOURCES}
    return AnswerFiles(pa.Table.from_pylist(rows, schema=OUTPUT_STAGES), tables, _served(project))


def _origins(project: Project, manifests: Mapping[_Output, StageManifest]) -> dict[_Output, Origin]:
    """Return what each output was computed from.

    Outputs that an older version of Kohaku wrote do not tell; of those that are current the records do.
    """
    origins = {output: one.origin for output, one in manifests.items() if one.origin}
    records = present_records(project.files)
    for name, record in records.items():
        inputs = {
            parent: records[parent].input_key
            for parent, version in record.parents.items()
            if parent in records and records[parent].version == version
        }
        origins.setdefault((name, record.input_key), Origin(record.code_tag, record.slice, inputs, record.files))
    return origins


def _behind(
    root: _Output, manifests: Mapping[_Output, StageManifest], origins: Mapping[_Output, Origin]
) -> list[_Output]:
    """Return `root` and the outputs that it was computed from, as far as that is known, one of each stage.

    An output that was found in the store names the inputs of its first computation, whose content was the same but whose
    own inputs may have been others. So what was computed last tells of which run an input is.
    """
    keys, told_at = {root[0]: root[1]}, dict[str, str]()
    for name in reversed(STAGES):  # what reads an output before it
        output = (name, keys.get(name, ""))
        if output not in origins or output not in manifests:
            continue
        built_at = manifests[output].built_at
        newer = {one: key for one, key in origins[output].inputs.items() if built_at > told_at.get(one, "")}
        keys |= newer
        told_at |= dict.fromkeys(newer, built_at)
    return list(keys.items())


def _org_id(outputs: list[_Output], origins: Mapping[_Output, Origin]) -> str | None:
    """Return the organisation whose run parsed the documents; None if that is unknown."""
    parsed = (origins[output] for output in outputs if output[0] == "documents" and output in origins)
    return next((one.slice["corpus.org_id"] for one in parsed), None)


def _row(
    root: _Output, output: _Output, manifests: Mapping[_Output, StageManifest], origins: Mapping[_Output, Origin]
) -> dict[str, object]:
    manifest, origin = manifests.get(output), origins.get(output)
    made = datetime.fromisoformat(manifest.built_at).astimezone(UTC).replace(tzinfo=None) if manifest else None
    row: dict[str, object] = {"root_key": root[1], "stage": output[0], "stage_key": output[1], "computed_at": made}
    if origin is None:
        return row
    return row | {
        "code_tag": origin.code_tag,
        "settings_json": json.dumps(origin.slice, sort_keys=True),
        "files_digest": origin.files,
        "dagster_run_id": origin.run_id,
    }


def _served(project: Project) -> Path | None:
    path = usage_path(project, _SERVED)
    if not path.exists():
        with suppress(StoreError):  # a database elsewhere that does not answer fails no refresh
            write_usage_table(project, _SERVED)
    return path if path.exists() else None
